// @ts-check
/** The request path: the ways of one lane, or of two that are handled differently, on one time axis. */

import { shownLanes } from "../../pure/path.js";
import { partsOf, setAttribute, setText } from "../dom.js";
import { RIGHT, Way } from "./way.js";

/** @import { PlannedLane } from "../../pure/state.js" */
/** @import { Moment } from "../pictures.js" */
/** @import { Rows } from "./way.js" */

/** @type {Record<number, Rows[]>} by how many lanes there are */
const ROWS = {
  1: [{ top: 12, user: 60, application: 138, model: 216 }],
  2: [
    { top: 12, user: 40, application: 80, model: 111 },
    { top: 142, user: 170, application: 210, model: 241 },
  ],
};

const WIDTHS = { wide: 600, narrow: 350 };

export class Path {
  #root;
  #parts;
  #ways;
  /** What was laid out last. @type {unknown[]} */
  #laidOut = [];
  /** @type {number[]} */
  #lanes = [];

  /** @param {HTMLElement} root */
  constructor(root) {
    this.#root = root;
    this.#parts = partsOf(root);
    const ways = /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-way]"));
    this.#ways = [...ways].map((way) => new Way(way));
  }

  /** @param {Moment} moment */
  update({ plan, run, elapsedMs }) {
    const width = WIDTHS[this.#root.dataset.shape === "narrow" ? "narrow" : "wide"];
    const endMs = run?.endMs ?? null;
    const laidOut = [plan, width, endMs];
    if (laidOut.some((value, n) => value !== this.#laidOut[n])) {
      this.#laidOut = laidOut;
      this.#layOut(plan, width, endMs ?? 0);
      const words = this.#lanes.map((lane, n) => this.#ways[n].words(run?.lanes[lane] ?? null));
      setText(this.#parts.words, words.join(" "));
    }
    this.#lanes.forEach((lane, n) => this.#ways[n].update(run?.lanes[lane] ?? null, elapsedMs, endMs !== null));
  }

  /** @param {PlannedLane[]} plan @param {number} width @param {number} endMs of a run that is over */
  #layOut(plan, width, endMs) {
    this.#lanes = shownLanes(plan);
    const maxMs = Math.max(1, endMs, ...this.#lanes.map((lane) => plan[lane].predicted_ms));
    this.#ways.forEach((way, n) => {
      const lane = this.#lanes[n];
      way.hide(lane === undefined);
      if (lane !== undefined) way.layOut(plan[lane], lane, ROWS[this.#lanes.length][n], width, maxMs);
    });
    setAttribute(this.#parts.time, "x", width - RIGHT);
    setText(this.#parts.legend, legend(Math.max(...this.#lanes.map((_, n) => this.#ways[n].every))));
  }
}

/** @param {number} every how many tokens a stroke stands for at most */
function legend(every) {
  return every === 1 ? "↓ prompt · ↑ token" : `↓ prompt · ↑ up to ${every} tokens`;
}

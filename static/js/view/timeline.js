// @ts-check
/** The timeline under the answers: the whole run, and beside a long one a strip with its first 200 ms, magnified. */

import { wholeMs } from "../pure/format.js";
import { MAGNIFIED_MS, columnOf, needsMagnifier, runMaxMs, timeScale } from "../pure/geometry.js";
import { atTheLine } from "../pure/words.js";
import { Axis } from "./axis.js";
import { byId, copyOf, moveTo, partsOf, setText } from "./dom.js";

/** @import { PlannedLane, Run } from "../pure/state.js" */

const PREDICTED_PX = 2; // its line ends where what is due then begins

export class Timeline {
  #root = byId("timeline");
  #names = byId("names");
  #stripRoot = byId("strip");
  #strip = new Axis(this.#stripRoot, true);
  #whole = new Axis(byId("whole"), false);
  #predicted = byId("predicted");
  #magnified = byId("magnified");
  /** @type {PlannedLane[] | null} */
  #plan = null;
  #maxMs = 0;
  /** @type {Record<string, HTMLElement>[]} */
  #nameParts = [];

  #changed;

  /** @param {() => void} changed asks for a frame */
  constructor(changed) {
    this.#changed = changed;
    // Both live as long as the page.
    new ResizeObserver(() => this.layOutAnew()).observe(this.#root);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.layOutAnew());
  }

  /** Call it when colours or sizes have changed. */
  layOutAnew() {
    this.#plan = null;
    this.#changed();
  }

  /**
   * @param {PlannedLane[]} plan
   * @param {Run | null} run
   * @param {number} elapsedMs
   */
  update(plan, run, elapsedMs) {
    const maxMs = runMaxMs(plan, run);
    if (plan !== this.#plan || maxMs !== this.#maxMs) this.#layOut(plan, maxMs);
    if (this.#root.hasAttribute("data-magnified")) this.#strip.update(run, elapsedMs);
    this.#whole.update(run, elapsedMs);
    plan.forEach((lane, number) => this.#updateName(number, lane, run, elapsedMs));
  }

  /** @param {PlannedLane[]} plan @param {number} maxMs */
  #layOut(plan, maxMs) {
    this.#plan = plan;
    this.#maxMs = maxMs;
    this.#root.dataset.lanes = String(plan.length);
    const names = plan.map((_, number) => copyOf("name-template", number));
    this.#names.replaceChildren(...names);
    this.#nameParts = names.map(partsOf);
    this.#root.removeAttribute("data-magnified");
    this.#stripRoot.hidden = true; // whether it is needed is asked of the width without it
    const isLong = needsMagnifier(timeScale(maxMs, this.#whole.widthPx));
    this.#stripRoot.hidden = !isLong;
    this.#root.toggleAttribute("data-magnified", isLong);
    if (isLong) this.#strip.layOut(plan, MAGNIFIED_MS);
    this.#whole.layOut(plan, maxMs);
    const scale = timeScale(maxMs, this.#whole.widthPx);
    const predictedMs = Math.max(...plan.map((lane) => lane.predicted_ms));
    const predictedX = columnOf(predictedMs, scale);
    moveTo(this.#predicted, predictedX - PREDICTED_PX);
    this.#predicted.toggleAttribute("data-right", predictedX < this.#whole.widthPx / 2);
    moveTo(this.#magnified, columnOf(MAGNIFIED_MS, scale));
    setText(partsOf(this.#predicted).words, `${wholeMs(predictedMs)} ms predicted`);
  }

  /** @param {number} number @param {PlannedLane} lane @param {Run | null} run @param {number} elapsedMs */
  #updateName(number, lane, run, elapsedMs) {
    const parts = this.#nameParts[number];
    setText(parts.title, lane.title);
    setText(parts["at-the-line"], atTheLine(lane, run?.lanes[number] ?? null, elapsedMs));
  }
}

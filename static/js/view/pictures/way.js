// @ts-check
/** One lane's way in the request path: from the user through the application to the model, and back. */

import { count, wholeMs } from "../../pure/format.js";
import { isKept, madeInAll, madeMs, madeSoFar } from "../../pure/made.js";
import { pathAt, strokes, tokensAStroke } from "../../pure/path.js";
import { firstTokenMs } from "../../pure/state.js";
import { partsOf, setAttribute, setText } from "../dom.js";

/** @import { Lane, PlannedLane } from "../../pure/state.js" */

/** @typedef {{ top: number, user: number, application: number, model: number }} Rows where they are, in units of the drawing */

/** Left of it stand the names of the rows. */
const START = 124;
/** What is left free on the right. */
export const RIGHT = 8;
/** One stroke needs this much room. */
const STROKE = 4;
/** An arrow needs this much; where there is less, a stroke has no head. */
const ARROW = 14;
/** How long “10,000 piled up” is. */
const WORDS = 160;
/** In a drawing less wide than this, titles are cut short. */
const ROOMY = 600;

export class Way {
  #root;
  #parts;
  /** @type {PlannedLane | null} */
  #plan = null;
  /** @type {Rows} */
  #rows = { top: 0, user: 0, application: 0, model: 0 };
  #width = 0;
  #maxMs = 1;
  /** How many tokens a stroke stands for. */
  every = 1;
  /** How many strokes were drawn last, or tokens where all were: made, passed on. */
  #drawn = [-1, -1];

  /** @param {HTMLElement} root */
  constructor(root) {
    this.#root = root;
    this.#parts = partsOf(root);
  }

  /** @param {boolean} isHidden */
  hide(isHidden) {
    this.#root.toggleAttribute("hidden", isHidden);
  }

  /** @param {PlannedLane} plan @param {number} lane @param {Rows} rows @param {number} width @param {number} maxMs */
  layOut(plan, lane, rows, width, maxMs) {
    this.#plan = plan;
    this.#rows = rows;
    this.#width = width - RIGHT - START;
    this.#maxMs = maxMs;
    this.#drawn = [-1, -1];
    const { top, user, application, model } = rows;
    const parts = this.#parts;
    this.#root.dataset.lane = String(lane);
    this.#root.dataset.delivery = plan.delivery;
    setAttribute(/** @type {Element} */ (this.#root.querySelector(".mark")), "transform", `translate(0 ${top})`);
    setAttribute(parts.title, "y", top + 6);
    setText(parts.title, shortened(plan.title, width < ROOMY ? 13 : 28));
    setAttribute(parts.waited, "y", top + 6);
    setAttribute(parts.waited, "x", width - RIGHT);
    for (const [name, y] of Object.entries({ user, application, model })) {
      const row = parts[name];
      setAttribute(row, "transform", `translate(0 ${y})`);
      setAttribute(/** @type {Element} */ (row.lastElementChild), "d", `M${START - 12} 0H${width - RIGHT}`);
    }
    const x = START - 10;
    setAttribute(parts.prompt, "d", `M${x} ${user}V${model - 2}m-5 -7 5 7 5 -7`);
    for (const bar of [parts.wait, parts.frame]) {
      setAttribute(bar, "x", START);
      setAttribute(bar, "y", user - 8);
    }
    setAttribute(parts.wait.children[0], "width", this.#width);
    setAttribute(parts.hatching, "d", hatching(this.#width));
    this.every = tokensAStroke(madeInAll(plan), Math.floor(this.#width / STROKE));
  }

  /** @param {Lane | null} lane @param {number} elapsedMs @param {boolean} isOver */
  update(lane, elapsedMs, isOver) {
    const plan = /** @type {PlannedLane} */ (this.#plan);
    const parts = this.#parts;
    const { state, waitMs, piled } = pathAt(plan, lane, elapsedMs, isOver);
    const isWaiting = state === "rest" || state === "waiting";
    this.#root.dataset.state = state;
    setText(parts.waited, waitWords(state, waitMs, lane !== null && lane.arrivalsMs.length > 0));
    setAttribute(parts.wait, "width", (state === "rest" ? 0 : this.#x(waitMs)).toFixed(1));
    const firstDueMs = plan.due_ms[0] ?? plan.predicted_ms;
    setAttribute(parts.frame, "width", this.#x(isWaiting ? Math.max(firstDueMs, waitMs) : waitMs).toFixed(1));
    this.#draw(plan, lane, elapsedMs);
    this.#tell(piled, elapsedMs);
  }

  /** What is drawn, in words. @param {Lane | null} lane */
  words(lane) {
    const plan = /** @type {PlannedLane} */ (this.#plan);
    const { title, predicted_ms: predictedMs, due_ms: dueMs } = plan;
    const way = isKept(plan) ? "the application piles tokens up" : "the application passes each token on";
    const due = `the first is due after ${wholeMs(dueMs[0])} ms, the last after ${wholeMs(predictedMs)} ms`;
    const planned = dueMs.length > 0 ? due : `it fails after ${wholeMs(predictedMs)} ms, before the first`;
    const firstMs = lane && firstTokenMs(lane);
    return firstMs === null
      ? `${title}: ${way}; ${planned}.`
      : `${title}: ${way}; ${planned}; the user waited ${wholeMs(firstMs)} ms.`;
  }

  /** @param {PlannedLane} plan @param {Lane | null} lane @param {number} elapsedMs */
  #draw(plan, lane, elapsedMs) {
    const arrivalsMs = lane?.arrivalsMs ?? [];
    const here = arrivalsMs.length;
    const made = lane ? madeSoFar(plan, lane, elapsedMs) : 0;
    const all = madeInAll(plan);
    const drawn = [made, here].map((count) => (count === all ? count : Math.floor(count / this.every)));
    if (drawn.every((count, n) => count === this.#drawn[n])) return;
    this.#drawn = drawn;
    const madeAt = (/** @type {number} */ i) => madeMs(plan, i);
    const arrivedAt = (/** @type {number} */ i) => arrivalsMs[i];
    const parts = this.#parts;
    setAttribute(parts.made, "d", this.#up("model", 0, made, isKept(plan) ? madeAt : arrivedAt));
    setAttribute(parts.passed, "d", this.#up("application", 0, here, arrivedAt));
    const planned =
      this.#up("model", made, all, madeAt) + this.#up("application", here, plan.due_ms.length, (i) => plan.due_ms[i]);
    setAttribute(parts.planned, "d", planned);
  }

  /**
   * The way of tokens up from one row to the next.
   * @param {"model" | "application"} row
   * @param {number} from which token
   * @param {number} to before which one
   * @param {(i: number) => number} timeMs of each
   */
  #up(row, from, to, timeMs) {
    const all = madeInAll(/** @type {PlannedLane} */ (this.#plan));
    const upper = row === "model" ? this.#rows.application : this.#rows.user;
    const head = row === "application" && this.#areFew() ? "m-5 7 5 -7 5 7" : "";
    const places = strokes(to, all, this.every).filter((i) => i >= from);
    const xs = new Set(places.map((i) => (START + this.#x(timeMs(i))).toFixed(1)));
    return [...xs].map((x) => `M${x} ${this.#rows[row]}V${upper}${head}`).join("");
  }

  /** Whether there is room for an arrow a stroke. */
  #areFew() {
    const plan = /** @type {PlannedLane} */ (this.#plan);
    return plan.delivery === "whole" || madeInAll(plan) * ARROW <= this.#width;
  }

  /** What the application holds, as it grows. @param {number} piled @param {number} elapsedMs */
  #tell(piled, elapsedMs) {
    const { piled: words } = this.#parts;
    setText(words, piled === 0 ? "" : `${count(piled)} piled up`);
    if (piled === 0) return;
    const { user, application } = this.#rows;
    const x = this.#x(elapsedMs);
    const isLeft = x < WORDS;
    setAttribute(words, "text-anchor", isLeft ? "start" : "end");
    setAttribute(words, "x", (START + (isLeft ? 0 : x)).toFixed(1));
    setAttribute(words, "y", (user + 8 + application) / 2 + 6);
  }

  /** @param {number} ms @returns {number} since the start of the axis */
  #x(ms) {
    return (Math.min(ms, this.#maxMs) / this.#maxMs) * this.#width;
  }
}

/** @param {"rest" | "waiting" | "coming" | "over"} state @param {number} waitMs @param {boolean} hasCome */
function waitWords(state, waitMs, hasCome) {
  if (state === "rest") return "";
  if (hasCome) return `waited ${wholeMs(waitMs)} ms`;
  return state === "waiting" ? `waiting ${wholeMs(waitMs)} ms` : `${wholeMs(waitMs)} ms, nothing came`;
}

/** @param {string} text @param {number} most signs */
function shortened(text, most) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** @param {number} width */
function hatching(width) {
  let strokes = "";
  for (let x = 0; x < width + 16; x += 8) strokes += `M${x} 0l-16 16`;
  return strokes;
}

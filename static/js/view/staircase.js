// @ts-check
/** Tokens against time: measured over planned, all answers on the same axes, each token one step. */

import { scaleOf, stairsFrom, ticksOf } from "../pure/charts.js";
import { count, decimalMs, isolated, tokensWords } from "../pure/format.js";
import { columnOf } from "../pure/geometry.js";
import { LIMIT_MS } from "../pure/metrics.js";
import { labelRoomPx, showTicks, sized } from "./canvas.js";
import { moveTo, partsOf, setText } from "./dom.js";

/** @import { TimeScale } from "../pure/geometry.js" */
/** @import { PlannedLane, Run } from "../pure/state.js" */
/** @import { Colours } from "./canvas.js" */

/** Told apart without colour, too; the legend's samples in charts.css are the same. */
const DASHES = [[], [8, 4], [3, 3], [12, 3, 3, 3]];
const TOP_PX = 4;

/** @typedef {{ counted: number, drawnPx: number }} Drawn how far a lane's line goes: tokens, and its length so far */

export class Staircase {
  #parts;
  /** @type {CanvasRenderingContext2D} */
  #context;
  #scale = scaleOf(0, 0, false);
  #most = 1;
  #heightPx = 0;
  /** @type {Drawn[]} */
  #drawn = [];
  /** @type {Colours[]} */
  #colours = [];

  /** @param {HTMLElement} root */
  constructor(root) {
    this.#parts = partsOf(root);
    this.#context = sized(this.#canvas("measured"), 0, 0);
  }

  /** @returns {TimeScale} */
  get scale() {
    return this.#scale;
  }

  /**
   * Draws what stands still, and forgets what was measured.
   * @param {PlannedLane[]} plan
   * @param {number} maxMs
   * @param {boolean} isLog
   * @param {Colours[]} colours
   */
  layOut(plan, maxMs, isLog, colours) {
    const { clientWidth, clientHeight } = this.#parts.plot;
    this.#scale = scaleOf(maxMs, clientWidth, isLog);
    this.#heightPx = clientHeight;
    this.#most = Math.max(...plan.map(({ tokens }) => tokens));
    this.#colours = colours;
    const planned = sized(this.#canvas("planned"), clientWidth, clientHeight);
    plan.forEach(({ due_ms: dueMs }, n) =>
      this.#stroke(planned, dueMs, { counted: 0, drawnPx: 0 }, colours[n].faint, [], 1.5),
    );
    this.#context = sized(this.#canvas("measured"), clientWidth, clientHeight);
    this.#drawn = plan.map(() => ({ counted: 0, drawnPx: 0 }));
    const { unit, ticks } = ticksOf(this.#scale, labelRoomPx(this.#parts.labels), isLog);
    showTicks(this.#parts.labels, ticks, unit);
    setText(this.#parts.unit, `, in ${unit}`);
    setText(this.#parts.top, `${count(this.#most)} tokens`);
    const lineX = columnOf(LIMIT_MS, this.#scale);
    moveTo(this.#parts.line, lineX);
    this.#parts.flag.toggleAttribute("data-left", lineX > clientWidth / 2);
  }

  /** @param {Run} run adds what is new in it */
  update(run) {
    run.lanes.forEach(({ arrivalsMs }, n) => {
      this.#stroke(this.#context, arrivalsMs, this.#drawn[n], this.#colours[n].solid, DASHES[n], 2.5);
    });
  }

  /** @param {number} ms @param {number} tokens puts the cross there */
  mark(ms, tokens) {
    moveTo(this.#parts.cross, columnOf(ms, this.#scale), this.y(tokens));
  }

  /** @param {number} tokens @returns {number} in pixels from the top */
  y(tokens) {
    return this.#heightPx - 1 - (tokens / this.#most) * (this.#heightPx - 1 - TOP_PX);
  }

  /** @param {PlannedLane[]} plan @param {Run | null} run says in words what is drawn */
  describe(plan, run) {
    const words = plan.map(
      ({ title, due_ms: dueMs }, n) =>
        `${isolated(title)}: ${measured(run?.lanes[n].arrivalsMs ?? [])}, planned ${fromTo(dueMs)}.`,
    );
    setText(this.#parts.words, words.join(" "));
  }

  /** @param {"planned" | "measured"} name */
  #canvas(name) {
    return /** @type {HTMLCanvasElement} */ (this.#parts[name]);
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {readonly number[]} timesMs
   * @param {Drawn} drawn
   * @param {string} colour
   * @param {number[]} dashes
   * @param {number} widthPx
   */
  #stroke(context, timesMs, drawn, colour, dashes, widthPx) {
    const points = stairsFrom(timesMs, drawn.counted, this.#scale, (tokens) => this.y(tokens));
    if (points.length === 0) return;
    drawn.counted = timesMs.length;
    context.strokeStyle = colour;
    context.lineWidth = widthPx;
    context.setLineDash(dashes);
    context.lineDashOffset = drawn.drawnPx; // a line goes on where it ended, its dashes too
    context.beginPath();
    points.forEach(([x, y], i) => {
      if (i > 0) drawn.drawnPx += Math.abs(x - points[i - 1][0]) + Math.abs(y - points[i - 1][1]);
      context.lineTo(x, y);
    });
    context.stroke();
  }
}

/** @param {readonly number[]} timesMs */
function measured(timesMs) {
  return timesMs.length === 0 ? "nothing measured" : `${tokensWords(timesMs.length)} ${fromTo(timesMs)}`;
}

/** @param {readonly number[]} timesMs */
function fromTo(timesMs) {
  if (timesMs.length === 0) return "none";
  if (timesMs.length === 1) return `at ${decimalMs(timesMs[0], 0)} ms`;
  return `from ${decimalMs(timesMs[0], 0)} to ${decimalMs(timesMs[timesMs.length - 1], 0)} ms`;
}

// @ts-check
/**
 * One time axis with a row for each answer: planned tokens faint, arrived ones solid, waiting hatched, and the 100 ms
 * line through all rows.
 *
 * It keeps a count per pixel column and adds only what is new, so a frame costs the same however long the answer is.
 */

import { axisTicks, columnOf, density, needsDensity, timeScale } from "../pure/geometry.js";
import { LIMIT_MS } from "../pure/metrics.js";
import { isActive, laneEndMs } from "../pure/state.js";
import { coloursOf, labelRoomPx, showTicks, sized } from "./canvas.js";
import { moveTo, partsOf, setText } from "./dom.js";

/** @import { TimeScale } from "../pure/geometry.js" */
/** @import { Lane, PlannedLane, Run, Token } from "../pure/state.js" */

/**
 * A token this little off its plan stands on its planned tick, so that what is steady looks steady: a screen shows it
 * up to 17 ms after it came anyway. Beyond, it stands where it came; so it does if the 100 ms line lies between. A
 * network that takes longer than this moves all ticks by what it took at least.
 */
const ON_PLAN_MS = 20;

const HATCH_PX = 8;
const LINE_PX = 3;

/**
 * @typedef {object} Row one answer's row
 * @property {HTMLElement} band gives place and colours
 * @property {number[]} dueMs
 * @property {Uint16Array} planned tokens per column that are still to come
 * @property {Uint16Array} arrived those that came
 * @property {number} counted how many tokens `arrived` holds
 * @property {number} firstMs where the first of them stands
 * @property {number} lastMs where the last of them stands
 * @property {number} pathMs the least that any of them took beyond its due time
 * @property {boolean} isDense
 * @property {number} tickPx
 * @property {{ solid: string, faint: string }} colours
 */

export class Axis {
  #parts;
  #canvas;
  /** @type {TimeScale} */
  #scale = timeScale(0, 0);
  /** @type {Row[]} */
  #rows = [];
  /** @type {PlannedLane[]} */
  #plan = [];
  #run = 0;

  #isMagnified;

  /**
   * @param {HTMLElement} root a copy of the axis template
   * @param {boolean} isMagnified then its heading has the unit already
   */
  constructor(root, isMagnified) {
    this.#isMagnified = isMagnified;
    this.#parts = partsOf(root);
    this.#canvas = /** @type {HTMLCanvasElement} */ (this.#parts.canvas);
  }

  /** The width of its plot, in CSS pixels. */
  get widthPx() {
    return this.#parts.rows.clientWidth;
  }

  /**
   * Draws anew what stands still: scale, labels, rows and planned tokens.
   * @param {PlannedLane[]} plan
   * @param {number} maxMs
   */
  layOut(plan, maxMs) {
    this.#plan = plan;
    this.#run = 0;
    this.#parts.rows.replaceChildren(...plan.map((_, number) => band(number)));
    const { widthPx } = this;
    this.#scale = timeScale(maxMs, widthPx);
    sized(this.#canvas, widthPx, this.#parts.rows.clientHeight);
    this.#rows = plan.map((lane, number) => this.#row(lane, number));
    this.#placeLabels(maxMs, widthPx);
    const lineX = columnOf(LIMIT_MS, this.#scale) - LINE_PX; // it ends where a token of exactly 100 ms begins
    moveTo(this.#parts.line, lineX);
    this.#parts.flag.toggleAttribute("data-left", lineX > widthPx / 2 + LINE_PX);
  }

  /**
   * @param {Run | null} run
   * @param {number} elapsedMs
   */
  update(run, elapsedMs) {
    const isAnother = (run?.number ?? 0) !== this.#run;
    const wentBack = this.#rows.some(({ counted }, n) => counted > (run?.lanes[n]?.tokens.length ?? 0));
    if (isAnother || wentBack) this.#begin(run);
    const context = /** @type {CanvasRenderingContext2D} */ (this.#canvas.getContext("2d"));
    context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    this.#rows.forEach((row, number) => {
      const lane = run?.lanes[number];
      if (lane) this.#count(row, lane.tokens);
      this.#paintRow(context, row, this.#plan[number], lane, elapsedMs);
    });
    const now = this.#parts.now;
    now.hidden = !isActive(run) || elapsedMs > this.#scale.maxMs;
    moveTo(now, columnOf(elapsedMs, this.#scale));
    this.#parts.line.classList.toggle("crossed", run !== null && elapsedMs >= LIMIT_MS);
  }

  /** @param {Run | null} run */
  #begin(run) {
    this.#run = run?.number ?? 0;
    for (const row of this.#rows) {
      row.planned = density(row.dueMs, this.#scale);
      row.arrived.fill(0);
      row.counted = 0;
      row.lastMs = 0;
      row.pathMs = Infinity;
    }
  }

  /** @param {Row} row @param {readonly Token[]} tokens */
  #count(row, tokens) {
    for (; row.counted < tokens.length; row.counted += 1) {
      const token = tokens[row.counted];
      row.pathMs = Math.min(row.pathMs, token.arrivalMs - token.dueMs);
      const at = Math.max(row.lastMs, placeMs(token, row.pathMs)); // never before the one that came before it
      if (row.counted === 0) row.firstMs = at;
      row.lastMs = at;
      if (token.dueMs <= this.#scale.maxMs) row.planned[columnOf(token.dueMs, this.#scale)] -= 1;
      if (at <= this.#scale.maxMs) row.arrived[columnOf(at, this.#scale)] += 1;
    }
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Row} row
   * @param {PlannedLane} plan
   * @param {Lane | undefined} lane
   * @param {number} elapsedMs
   */
  #paintRow(context, row, plan, lane, elapsedMs) {
    const top = row.band.offsetTop;
    const height = row.band.offsetHeight;
    const plannedMs = plan.due_ms[0] ?? plan.predicted_ms;
    context.fillStyle = row.colours.faint;
    this.#hatch(context, row.colours.faint, plannedMs, top, height);
    this.#ticks(context, row, row.planned, top + height / 4, height / 2);
    if (!lane) return;
    const waitedMs = row.counted > 0 ? row.firstMs : (laneEndMs(lane) ?? elapsedMs);
    this.#hatch(context, row.colours.solid, waitedMs, top, height);
    context.fillStyle = row.colours.solid;
    this.#ticks(context, row, row.arrived, top, height);
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Row} row
   * @param {Uint16Array} counts
   * @param {number} top
   * @param {number} height
   */
  #ticks(context, { isDense, tickPx }, counts, top, height) {
    const most = isDense ? Math.max(1, ...counts) : 1;
    counts.forEach((count, column) => {
      if (count === 0) return;
      const share = isDense ? 0.3 + (0.7 * count) / most : 1;
      context.fillRect(Math.min(column, counts.length - tickPx), top + (1 - share) * height, tickPx, share * height);
    });
  }

  /**
   * Nothing has come until `untilMs`: stripes from the start to there.
   * @param {CanvasRenderingContext2D} context
   * @param {string} colour
   * @param {number} untilMs
   * @param {number} top
   * @param {number} height
   */
  #hatch(context, colour, untilMs, top, height) {
    const right = columnOf(untilMs, this.#scale);
    context.save();
    context.beginPath();
    context.rect(0, top, right, height);
    context.clip();
    context.beginPath();
    for (let x = -height; x < right; x += HATCH_PX) {
      context.moveTo(x, top + height);
      context.lineTo(x + height, top);
    }
    context.strokeStyle = colour;
    context.lineWidth = 1.5;
    context.stroke();
    context.restore();
  }

  /** @param {PlannedLane} lane @param {number} number @returns {Row} */
  #row(lane, number) {
    const band = /** @type {HTMLElement} */ (this.#parts.rows.children[number]);
    const due = lane.due_ms.filter((ms) => ms <= this.#scale.maxMs);
    const planned = density(due, this.#scale);
    const isDense = needsDensity(due, this.#scale);
    const spanPx = due.length ? this.#scale.x(due[due.length - 1]) - this.#scale.x(due[0]) : 0;
    const gapPx = spanPx / Math.max(1, due.length - 1);
    const tickPx = isDense ? 1 : spanPx === 0 ? 4 : Math.min(4, Math.max(1, Math.round(gapPx / 2.5)));
    const empty = { arrived: new Uint16Array(planned.length), counted: 0, firstMs: 0, lastMs: 0, pathMs: Infinity };
    return { band, dueMs: due, planned, ...empty, isDense, tickPx, colours: coloursOf(band) };
  }

  /** @param {number} maxMs @param {number} widthPx */
  #placeLabels(maxMs, widthPx) {
    const { unit, ticks } = axisTicks(maxMs, widthPx, labelRoomPx(this.#parts.labels));
    showTicks(this.#parts.labels, ticks, unit);
    setText(this.#parts.unit, this.#isMagnified ? "" : `, in ${unit}`);
  }
}

/** @param {Token} token @param {number} pathMs the least that any token of its lane took so far */
function placeMs({ arrivalMs, dueMs }, pathMs) {
  const plannedMs = pathMs > ON_PLAN_MS ? dueMs + pathMs : dueMs;
  const passesTheLine = plannedMs < LIMIT_MS && arrivalMs > LIMIT_MS;
  const isOnPlan = arrivalMs - dueMs - pathMs <= ON_PLAN_MS;
  return isOnPlan && !passesTheLine ? plannedMs : arrivalMs;
}

/** @param {number} number */
function band(number) {
  const element = document.createElement("div");
  element.className = "band";
  element.dataset.lane = String(number);
  return element;
}

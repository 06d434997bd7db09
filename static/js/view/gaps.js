// @ts-check
/** The gaps between tokens over time, a row for each answer, with the 100 ms line through them: what stalls, stands out. */

import { gapMs, longestGapMs, scaleOf, ticksOf } from "../pure/charts.js";
import { count, decimalMs, isolated, wholeMs } from "../pure/format.js";
import { columnOf } from "../pure/geometry.js";
import { LIMIT_MS, itlsMs, percentile } from "../pure/metrics.js";
import { labelRoomPx, showTicks, sized } from "./canvas.js";
import { copyOf, moveTo, partsOf, setText } from "./dom.js";

/** @import { PlannedLane, Run } from "../pure/state.js" */
/** @import { Colours } from "./canvas.js" */

/** Above the longest gap there is room; and the line at 100 ms is never the top. */
const ROOM = 1.25;
const LEAST_TOP_MS = 1.5 * LIMIT_MS;

export class Gaps {
  #parts;
  /** @type {CanvasRenderingContext2D} */
  #context;
  /** @type {CanvasRenderingContext2D} */
  #plannedContext;
  #scale = scaleOf(0, 0, false);
  #gapScale = scaleOf(0, 0, false);
  #barPx = 1;
  /** @type {HTMLElement[]} */
  #rows = [];
  /** Where each row is, kept because asking the page in each frame would make it lay out in each frame. */
  #places = /** @type {{ top: number, ground: number }[]} */ ([]);
  /** @type {number[]} */
  #counted = [];
  /** @type {Colours[]} */
  #colours = [];
  /** The longest gap that has its place. */
  #topMs = 0;

  /** @param {HTMLElement} root */
  constructor(root) {
    this.#parts = partsOf(root);
    this.#context = sized(this.#canvas("measured"), 0, 0);
    this.#plannedContext = sized(this.#canvas("planned"), 0, 0);
  }

  /**
   * Draws what stands still, and forgets what was measured.
   * @param {PlannedLane[]} plan
   * @param {Run | null} run whose gaps are to have room
   * @param {number} maxMs
   * @param {boolean} isLog
   * @param {Colours[]} colours
   */
  layOut(plan, run, maxMs, isLog, colours) {
    const { plot, rows, labels, unit, line } = this.#parts;
    if (this.#rows.length !== plan.length) rows.replaceChildren(...plan.map((_, n) => copyOf("gaps-template", n)));
    this.#rows = /** @type {HTMLElement[]} */ ([...rows.children]);
    this.#places = this.#rows.map(({ offsetTop, clientHeight }) => ({
      top: offsetTop,
      ground: offsetTop + clientHeight,
    }));
    this.#colours = colours;
    this.#scale = scaleOf(maxMs, plot.clientWidth, isLog);
    const longestMs = Math.max(
      ...plan.map((lane) => longestGapMs(lane.due_ms)),
      ...(run?.lanes ?? []).map((lane) => longestGapMs(lane.arrivalsMs)),
    );
    this.#topMs = Math.max(LEAST_TOP_MS, longestMs * ROOM);
    this.#gapScale = scaleOf(this.#topMs, this.#rows[0].clientHeight, isLog);
    const most = Math.max(...plan.map(({ tokens }) => tokens));
    this.#barPx = Math.min(4, Math.max(1, Math.round(plot.clientWidth / most / 2.5)));
    this.#plannedContext = sized(this.#canvas("planned"), plot.clientWidth, plot.clientHeight);
    plan.forEach((lane, n) => this.#bars(this.#plannedContext, lane.due_ms, 1, n, colours[n].faint));
    this.#context = sized(this.#canvas("measured"), plot.clientWidth, plot.clientHeight);
    this.#counted = plan.map(() => 1); // the first token has no gap before it
    this.#placeLimit();
    const ticks = ticksOf(this.#scale, labelRoomPx(this.#parts.labels), isLog);
    showTicks(labels, ticks.ticks, ticks.unit);
    setText(unit, `, time in ${ticks.unit}`);
    line.hidden = true; // here it lies in the rows
  }

  /**
   * Adds what is new in a run, in the place of what was planned.
   * @param {Run} run
   * @returns {boolean} false if a gap has no room, so that all is to be laid out anew
   */
  update(run) {
    const haveRoom = run.lanes.map(({ arrivalsMs }, n) => {
      const from = this.#counted[n];
      this.#counted[n] = Math.max(from, arrivalsMs.length);
      this.#clearPlanned(run.plan[n].due_ms.slice(from, arrivalsMs.length), n);
      return this.#bars(this.#context, arrivalsMs, from, n, this.#colours[n].solid);
    });
    return !haveRoom.includes(false);
  }

  /** @param {number} lane @param {number} ms @param {number} gap */
  mark(lane, ms, gap) {
    moveTo(this.#parts.cross, columnOf(ms, this.#scale), this.#places[lane].ground - this.#gapScale.x(gap));
  }

  /** @param {number} y in the plot @returns {number} the lane whose row is there */
  laneAt(y) {
    const below = this.#places.findIndex(({ ground }) => y < ground);
    return below < 0 ? this.#rows.length - 1 : below;
  }

  /** @param {PlannedLane[]} plan @param {Run | null} run says in words what is drawn */
  describe(plan, run) {
    const words = plan.map(({ title }, n) => {
      const gaps = itlsMs(run?.lanes[n].arrivalsMs ?? []);
      if (gaps.length === 0) return `${isolated(title)}: no gaps measured.`;
      if (gaps.length === 1) return `${isolated(title)}: one gap of ${decimalMs(gaps[0])} ms.`;
      const over = gaps.filter((gap) => gap > LIMIT_MS).length;
      return `${isolated(title)}: ${count(gaps.length)} gaps, half of them at most ${decimalMs(percentile(gaps, 50))} ms, the longest ${decimalMs(percentile(gaps, 100))} ms, ${count(over)} over 100 ms.`;
    });
    setText(this.#parts.words, words.join(" "));
  }

  /** @param {"planned" | "measured"} name */
  #canvas(name) {
    return /** @type {HTMLCanvasElement} */ (this.#parts[name]);
  }

  /** @param {readonly number[]} dueMs @param {number} lane */
  #clearPlanned(dueMs, lane) {
    const { top, ground } = this.#places[lane];
    for (const ms of dueMs) this.#plannedContext.clearRect(columnOf(ms, this.#scale), top, this.#barPx, ground - top);
  }

  #placeLimit() {
    this.#rows.forEach((row) => {
      const { limit, top } = partsOf(row);
      moveTo(limit, 0, row.clientHeight - this.#gapScale.x(LIMIT_MS));
      setText(top, `${wholeMs(this.#topMs)} ms`);
    });
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {readonly number[]} timesMs
   * @param {number} from the first token whose gap is new, at least 1
   * @param {number} lane
   * @param {string} colour
   * @returns {boolean} whether all had room
   */
  #bars(context, timesMs, from, lane, colour) {
    const { ground } = this.#places[lane];
    let hasRoom = true;
    context.fillStyle = colour;
    for (let i = from; i < timesMs.length; i += 1) {
      const ms = gapMs(timesMs, i);
      if (ms > this.#topMs) hasRoom = false;
      const height = Math.max(1, this.#gapScale.x(ms));
      context.fillRect(columnOf(timesMs[i], this.#scale), ground - height, this.#barPx, height);
    }
    return hasRoom;
  }
}

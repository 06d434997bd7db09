// @ts-check
/** The two charts under the stage: drawn while they can be seen, on the same axis of time, and what is pointed at in them. */

import { gapMs, nearestToken, timeAt } from "../pure/charts.js";
import { runMaxMs } from "../pure/geometry.js";
import { tokensBy } from "../pure/metrics.js";
import { isActive } from "../pure/state.js";
import { coloursOf } from "./canvas.js";
import { byId, copyOf, partsOf, setText } from "./dom.js";
import { Gaps } from "./gaps.js";
import { Inspector } from "./inspector.js";
import { remember } from "./prefs.js";
import { Staircase } from "./staircase.js";

/** @import { PlannedLane, Run } from "../pure/state.js" */

/** Out of sight, so many tokens may wait to be drawn. */
const UNDRAWN = 500;

export class Charts {
  #root = byId("charts");
  #legend = byId("legend");
  #staircaseParts = partsOf(byId("staircase"));
  #gapsParts = partsOf(byId("gaps"));
  #staircase = new Staircase(byId("staircase"));
  #gaps = new Gaps(byId("gaps"));
  #inspector;
  #isSeen = false;
  #isLog = false;
  /** @type {PlannedLane[] | null} */
  #plan = null;
  /** @type {Run | null} */
  #run = null;
  #maxMs = 0;
  #drawnTokens = 0;
  #changed;

  /** @param {() => void} changed asks for a frame */
  constructor(changed) {
    this.#changed = changed;
    this.#inspector = new Inspector(changed);
    // All of these live as long as the page.
    const sizes = new ResizeObserver(() => this.layOutAnew());
    const plots = [this.#staircaseParts.plot, this.#gapsParts.plot];
    plots.forEach((plot) => sizes.observe(plot));
    new IntersectionObserver(([{ isIntersecting }]) => {
      this.#isSeen = isIntersecting;
      changed();
    }).observe(this.#root);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.layOutAnew());
    remember(/** @type {HTMLInputElement} */ (byId("log-axes")), false, (on) => {
      this.#isLog = on;
      this.layOutAnew();
    });
    for (const type of ["pointerdown", "pointermove"]) {
      plots[0].addEventListener(type, (event) => this.#pointStaircase(/** @type {PointerEvent} */ (event)));
      plots[1].addEventListener(type, (event) => this.#pointGaps(/** @type {PointerEvent} */ (event)));
    }
  }

  /** Call it when colours or sizes have changed. */
  layOutAnew() {
    this.#plan = null;
    this.#changed();
  }

  /** @param {PlannedLane[]} plan @param {Run | null} run */
  update(plan, run) {
    const maxMs = runMaxMs(plan, run);
    const isAnother = run?.number !== this.#run?.number;
    const hasEnded = isActive(this.#run) && !isActive(run);
    this.#run = run;
    if (plan !== this.#plan || maxMs !== this.#maxMs || isAnother) this.#layOut(plan, run, maxMs);
    else if (hasEnded) this.#describe(plan);
    if (!this.#isSeen && isActive(run) && !this.#isFarBehind(run)) return; // drawn when looked at, or over
    if (run) this.#draw(plan, run, maxMs);
    this.#mark(plan, run);
  }

  /** So far that to catch up at the end would hold up the page. @param {Run | null} run */
  #isFarBehind(run) {
    return tokensOf(run) - this.#drawnTokens > UNDRAWN;
  }

  /** @param {PlannedLane[]} plan @param {Run} run @param {number} maxMs */
  #draw(plan, run, maxMs) {
    this.#drawnTokens = tokensOf(run);
    this.#staircase.update(run);
    if (this.#gaps.update(run)) return;
    this.#layOut(plan, run, maxMs);
    this.#staircase.update(run);
    this.#gaps.update(run);
  }

  /** @param {PlannedLane[]} plan @param {Run | null} run @param {number} maxMs */
  #layOut(plan, run, maxMs) {
    this.#plan = plan;
    this.#maxMs = maxMs;
    this.#drawnTokens = 0;
    const entries = plan.map((_, number) => copyOf("legend-template", number));
    entries.forEach((entry, number) => setText(partsOf(entry).title, plan[number].title));
    this.#legend.replaceChildren(...entries);
    this.#root.dataset.lanes = String(plan.length);
    const colours = entries.map(coloursOf);
    this.#staircase.layOut(plan, maxMs, this.#isLog, colours);
    this.#gaps.layOut(plan, run, maxMs, this.#isLog, colours);
    this.#describe(plan);
  }

  /** @param {PlannedLane[]} plan */
  #describe(plan) {
    this.#staircase.describe(plan, this.#run);
    this.#gaps.describe(plan, this.#run);
  }

  /** @param {PlannedLane[]} plan @param {Run | null} run */
  #mark(plan, run) {
    const looked = this.#inspector.update(plan, run);
    for (const { cross } of [this.#staircaseParts, this.#gapsParts]) cross.hidden = looked === null;
    if (!looked || !run) return;
    const { lane, i } = looked;
    const { arrivalsMs } = run.lanes[lane];
    this.#staircase.mark(arrivalsMs[i], i + 1);
    this.#gaps.mark(lane, arrivalsMs[i], i > 0 ? gapMs(arrivalsMs, i) : 0);
  }

  /** @param {PointerEvent} event */
  #pointStaircase({ offsetX, offsetY }) {
    const ms = this.#timeAt(offsetX);
    const heights = (this.#run?.lanes ?? []).map(({ arrivalsMs }) => this.#staircase.y(tokensBy(arrivalsMs, ms)));
    const awayPx = heights.map((y) => Math.abs(y - offsetY));
    this.#look(awayPx.indexOf(Math.min(...awayPx)), ms);
  }

  /** @param {PointerEvent} event */
  #pointGaps({ offsetX, offsetY }) {
    this.#look(this.#gaps.laneAt(offsetY), this.#timeAt(offsetX));
  }

  /** @param {number} px */
  #timeAt(px) {
    return timeAt(this.#staircase.scale, px, this.#isLog);
  }

  /** @param {number} lane −1 of none @param {number} ms */
  #look(lane, ms) {
    const token = nearestToken(this.#run?.lanes[lane]?.arrivalsMs ?? [], ms);
    if (token >= 0) this.#inspector.look(lane, token);
  }
}

/** @param {Run | null} run */
function tokensOf(run) {
  return (run?.lanes ?? []).reduce((sum, { arrivalsMs }) => sum + arrivalsMs.length, 0);
}

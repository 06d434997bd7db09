// @ts-check
/** The two charts under the stage, and one token of them looked at closely: by pointer, touch or keyboard. */

import { gapMs, nearestToken, timeAt } from "../pure/charts.js";
import { runMaxMs } from "../pure/geometry.js";
import { tokensBy } from "../pure/metrics.js";
import { isActive } from "../pure/state.js";
import { tokenWords } from "../pure/words.js";
import { coloursOf } from "./canvas.js";
import { byId, copyOf, partsOf, setText } from "./dom.js";
import { Gaps } from "./gaps.js";
import { remember } from "./prefs.js";
import { Staircase } from "./staircase.js";

/** @import { PlannedLane, Run } from "../pure/state.js" */
/** @typedef {{ solid: string, faint: string }} Colours of one answer */

export class Charts {
  #root = byId("charts");
  #legend = byId("legend");
  #staircaseRoot = byId("staircase");
  #gapsRoot = byId("gaps");
  #staircase = new Staircase(this.#staircaseRoot);
  #gaps = new Gaps(this.#gapsRoot);
  #lane = /** @type {HTMLSelectElement} */ (byId("inspected-lane"));
  #token = /** @type {HTMLInputElement} */ (byId("inspected-token"));
  #words = byId("inspected");
  #isSeen = false;
  #isLog = false;
  /** @type {PlannedLane[] | null} */
  #plan = null;
  /** @type {Run | null} */
  #run = null;
  #maxMs = 0;
  #changed;

  /** @param {() => void} changed asks for a frame */
  constructor(changed) {
    this.#changed = changed;
    // All of these live as long as the page.
    new ResizeObserver(() => this.layOutAnew()).observe(this.#root);
    new IntersectionObserver(([{ isIntersecting }]) => {
      this.#isSeen = isIntersecting;
      changed();
    }).observe(this.#root);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.layOutAnew());
    remember(/** @type {HTMLInputElement} */ (byId("log-axes")), false, (on) => {
      this.#isLog = on;
      this.layOutAnew();
    });
    this.#lane.addEventListener("change", changed);
    this.#token.addEventListener("input", changed);
    for (const type of ["pointerdown", "pointermove"]) {
      plotOf(this.#staircaseRoot).addEventListener(type, (event) =>
        this.#pointStaircase(/** @type {PointerEvent} */ (event)),
      );
      plotOf(this.#gapsRoot).addEventListener(type, (event) => this.#pointGaps(/** @type {PointerEvent} */ (event)));
    }
  }

  /** Call it when colours or sizes have changed. */
  layOutAnew() {
    this.#plan = null;
    this.#changed();
  }

  /** @param {PlannedLane[]} plan @param {Run | null} run */
  update(plan, run) {
    if (!this.#isSeen) return; // what is new is drawn when it is looked at
    const maxMs = runMaxMs(plan, run);
    const isAnother = run?.number !== this.#run?.number;
    const hasEnded = isActive(this.#run) && !isActive(run);
    this.#run = run;
    if (plan !== this.#plan || maxMs !== this.#maxMs || isAnother) this.#layOut(plan, run, maxMs);
    else if (hasEnded) this.#describe();
    if (run) this.#draw(plan, run, maxMs);
    this.#inspect(plan, run);
  }

  /** @param {PlannedLane[]} plan @param {Run} run @param {number} maxMs */
  #draw(plan, run, maxMs) {
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
    const entries = plan.map((_, number) => copyOf("legend-template", number));
    entries.forEach((entry, number) => setText(partsOf(entry).title, plan[number].title));
    this.#legend.replaceChildren(...entries);
    if (this.#lane.options.length !== plan.length)
      this.#lane.replaceChildren(...plan.map((_, n) => new Option("", String(n))));
    plan.forEach(({ title }, number) => setText(this.#lane.options[number], title));
    this.#root.dataset.lanes = String(plan.length);
    const colours = entries.map(coloursOf);
    this.#staircase.layOut(plan, maxMs, this.#isLog, colours);
    this.#gaps.layOut(plan, run, maxMs, this.#isLog, colours);
    this.#describe();
  }

  #describe() {
    if (!this.#plan) return;
    this.#staircase.describe(this.#plan, this.#run);
    this.#gaps.describe(this.#plan, this.#run);
  }

  /** @param {PlannedLane[]} plan @param {Run | null} run */
  #inspect(plan, run) {
    const lane = Number(this.#lane.value);
    const here = run?.lanes[lane].tokens.length ?? 0;
    this.#token.disabled = here === 0;
    this.#token.max = String(Math.max(1, here));
    for (const root of [this.#staircaseRoot, this.#gapsRoot]) partsOf(root).cross.hidden = here === 0;
    if (!run || here === 0)
      return setText(
        this.#words,
        "Point at a token, or move the slider, to see when it was due, sent, here and drawn.",
      );
    const i = this.#token.valueAsNumber - 1;
    const { arrivalsMs } = run.lanes[lane];
    const gap = i > 0 ? gapMs(arrivalsMs, i) : null;
    this.#staircase.mark(arrivalsMs[i], i + 1);
    this.#gaps.mark(lane, arrivalsMs[i], gap);
    const words = tokenWords(plan[lane], run.lanes[lane].tokens, i, gap);
    setText(this.#words, words);
    this.#token.setAttribute("aria-valuetext", words);
  }

  /** @param {PointerEvent} event */
  #pointStaircase({ offsetX, offsetY }) {
    const ms = timeAt(this.#staircase.scale, offsetX, this.#isLog);
    const awayPx = (this.#run?.lanes ?? []).map(({ arrivalsMs }) =>
      Math.abs(this.#staircase.y(tokensBy(arrivalsMs, ms)) - offsetY),
    );
    this.#look(awayPx.indexOf(Math.min(...awayPx)), ms);
  }

  /** @param {PointerEvent} event */
  #pointGaps({ offsetX, offsetY }) {
    this.#look(this.#gaps.laneAt(offsetY), timeAt(this.#staircase.scale, offsetX, this.#isLog));
  }

  /** @param {number} lane −1 of none @param {number} ms */
  #look(lane, ms) {
    const token = nearestToken(this.#run?.lanes[lane]?.arrivalsMs ?? [], ms);
    if (token < 0) return;
    this.#lane.value = String(lane);
    this.#token.max = String(this.#run?.lanes[lane].tokens.length);
    this.#token.value = String(token + 1);
    this.#changed();
  }
}

/** @param {HTMLElement} root */
function plotOf(root) {
  return partsOf(root).plot;
}

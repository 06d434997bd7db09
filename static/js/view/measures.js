// @ts-check
/** The table of measures under the stage, a column for each answer; the names and meanings of its rows are the page's. */

import { rate } from "../pure/format.js";
import { differencesWords } from "../pure/differences.js";
import { reportsOf } from "../pure/measures.js";
import { EXPECTED, expectedOf } from "../pure/metrics.js";
import { elapsedMs, isActive } from "../pure/state.js";
import { cellsOf } from "../pure/table.js";
import { dayOf } from "../pure/words.js";
import { byId, partsOf, setText } from "./dom.js";
import { rememberNumber } from "./prefs.js";

/** @import { MeasureName, Report } from "../pure/measures.js" */
/** @import { Cell } from "../pure/table.js" */
/** @import { PlannedLane, Run } from "../pure/state.js" */

/** While a run goes on the table follows it this often: figures that change faster can't be read. */
const EVERY_MS = 250;

export class Measures {
  #root = byId("measures");
  #parts = partsOf(this.#root);
  #differences = byId("differences");
  #rows = /** @type {HTMLElement[]} */ ([...this.#root.querySelectorAll("[data-row]")]);
  #ttft = /** @type {HTMLInputElement} */ (byId("expected-ttft"));
  #words = /** @type {HTMLInputElement} */ (byId("words-per-minute"));
  #rate = byId("reading-rate");
  #changed;
  #lanes = 0;
  /** What was shown last. @type {unknown[]} */
  #shown = [];
  expected = EXPECTED;

  /** @param {() => void} changed asks for a frame */
  constructor(changed) {
    this.#changed = changed;
    rememberNumber(this.#ttft, () => this.#expect());
    rememberNumber(this.#words, () => this.#expect());
    byId("open-measures").addEventListener("click", () => this.open()); // lives as long as the page
  }

  #expect() {
    const wrong = [this.#ttft, this.#words].find(({ validity }) => !validity.valid);
    if (wrong)
      return setText(this.#rate, `${wrong.dataset.name} must be a whole number from ${wrong.min} to ${wrong.max}.`);
    this.expected = expectedOf(this.#ttft.valueAsNumber, this.#words.valueAsNumber);
    setText(this.#rate, `${rate(1000 / this.expected.readingGapMs)} tokens/s`);
    this.#changed();
  }

  /** Brings it into view. */
  open() {
    this.#root.scrollIntoView();
    byId("measures-title").focus({ preventScroll: true });
  }

  /**
   * @param {PlannedLane[]} plan
   * @param {Run | null} run
   * @param {number} now performance.now()
   */
  update(plan, run, now) {
    const shown = [
      plan,
      run && run.number,
      run?.phase,
      this.expected,
      isActive(run) ? Math.floor(now / EVERY_MS) : run,
    ];
    if (shown.every((value, n) => value === this.#shown[n])) return;
    this.#shown = shown;
    if (plan.length !== this.#lanes) this.#layOut(plan.length);
    this.#show(plan, run && reportsOf(run, elapsedMs(run, now), this.expected), !isActive(run));
    if (run?.saved) this.#differences.prepend(`A result that was opened, measured on ${dayOf(run)}. `);
  }

  /** @param {PlannedLane[]} plan @param {Report[] | null} reports null before a run @param {boolean} isOver */
  #show(plan, reports, isOver) {
    setText(this.#differences, reports && isOver ? differencesWords(reports) : WAITING[String(reports !== null)]);
    plan.forEach(({ title }, number) => setText(cell(this.#parts.titles, number), title));
    plan.forEach((_, number) => tell(cell(this.#parts.states, number), reports?.[number]));
    for (const row of this.#rows) {
      const name = /** @type {MeasureName} */ (row.dataset.row);
      const cells = reports ? cellsOf(name, reports, plan, isOver) : plan.map(() => NOTHING);
      cells.forEach((shown, number) => show(cell(row, number), shown));
    }
  }

  /** @param {number} lanes */
  #layOut(lanes) {
    this.#lanes = lanes;
    this.#root.style.setProperty("--lanes", String(lanes)); // how wide the table has to be
    for (const row of [this.#parts.titles, this.#parts.states, ...this.#rows]) {
      while (row.children.length > 1) row.lastElementChild?.remove();
      const name = row.matches("[data-part=titles]") ? "th" : "td";
      for (let lane = 0; lane < lanes; lane += 1) row.append(column(name, lane));
    }
    for (const heading of this.#root.querySelectorAll(".group th")) heading.setAttribute("colspan", String(lanes + 1));
  }
}

const WAITING = /** @type {Record<string, string>} */ ({
  true: "Each number is filled in as soon as it is known.",
  false: "Run it: each number is measured here, in your browser.",
});

/** @type {Cell} */
const NOTHING = { text: "–", note: "", isBest: false };

/** @param {"th" | "td"} name @param {number} lane */
function column(name, lane) {
  const element = document.createElement(name);
  element.dataset.lane = String(lane);
  if (name === "th") element.setAttribute("scope", "col");
  else element.append(document.createElement("span"), document.createElement("small"));
  return element;
}

/** @param {HTMLElement} row @param {number} number */
function cell(row, number) {
  return /** @type {HTMLElement} */ (row.children[number + 1]);
}

/** @param {HTMLElement} element @param {Report | undefined} report */
function tell(element, report) {
  const [words, reason] = /** @type {HTMLCollectionOf<HTMLElement>} */ (element.children);
  setText(words, report?.words ?? "–");
  setText(reason, report?.reason ?? "");
}

/** @param {HTMLElement} element @param {Cell} cell */
function show(element, { text, note, isBest }) {
  const [value, small] = /** @type {HTMLCollectionOf<HTMLElement>} */ (element.children);
  setText(value, text);
  setText(small, note);
  element.toggleAttribute("data-best", isBest);
}

// @ts-check
/** The same tokens as somebody's wait and as somebody's bill. The price is the visitor's, and in no currency. */

import { MILLION, longWords, moneyWords, passesWords, priceOf, problemWithPrice } from "../../pure/cost.js";
import { count, tokensWords, wholeMs } from "../../pure/format.js";
import { madeInAll, madeSoFar } from "../../pure/made.js";
import { laneEndMs } from "../../pure/state.js";
import { partsOf, setAttribute, setText } from "../dom.js";
import { prefer, preference } from "../prefs.js";

/** @import { PlannedLane } from "../../pure/state.js" */
/** @import { Moment } from "../pictures.js" */

const KEPT_AS = "price-per-million";
const BAR = { x: 328, y: 92, width: 270, height: 22 };
/** More passes than this can't be told apart in the bar. */
const CUTS = 68;

/** All fields on the page are one price. @type {Set<Cost>} */
const copies = new Set();

export class Cost {
  #parts;
  #price;
  #tokens = 0;

  /** @param {HTMLElement} root */
  constructor(root) {
    this.#parts = partsOf(root);
    this.#price = /** @type {HTMLInputElement} */ (this.#parts.price);
    const kept = preference(KEPT_AS, "");
    this.#price.value = problemWithPrice(kept) === "" ? kept : "";
    this.#price.addEventListener("input", () => this.#typed()); // lives as long as the page
    copies.add(this);
  }

  /** @param {Moment} moment */
  update({ plan: [plan, ...rest], run, elapsedMs }) {
    const lane = run?.lanes[0] ?? null;
    const waitMs = (lane && laneEndMs(lane)) ?? elapsedMs;
    const all = madeInAll(plan);
    const made = lane ? madeSoFar(plan, lane, elapsedMs) : all;
    const parts = this.#parts;
    this.#tokens = all;
    setText(parts.n, tokensWords(all) + (rest.length > 0 ? ` of “${plan.title}”` : ""));
    setText(parts.wait, wholeMs(lane ? waitMs : plan.predicted_ms));
    setText(parts.passes, count(made));
    setText(parts["passes-unit"], made === 1 ? "pass" : "passes");
    const waited = plan.predicted_ms > 0 ? Math.min(1, waitMs / plan.predicted_ms) : 1;
    setAttribute(parts["wait-bar"], "width", ((lane ? waited : 1) * BAR.width).toFixed(1));
    setAttribute(parts["passes-bar"], "width", ((all > 0 ? made / all : 0) * BAR.width).toFixed(1));
    setAttribute(parts.cuts, "d", cutsOf(all));
    setText(parts["wait-million"], `${longWords(plan.predicted_ms * MILLION)} of waiting`);
    setText(parts["passes-million"], `${passesWords(all, MILLION)} passes`);
    setText(parts.words, wordsOf(plan));
    this.#showMoney();
  }

  #typed() {
    const { value } = this.#price;
    const text = value.trim();
    if (problemWithPrice(text) === "") prefer(KEPT_AS, text);
    for (const copy of copies) copy.#take(value);
  }

  /** @param {string} value */
  #take(value) {
    if (this.#price.value !== value) this.#price.value = value;
    this.#showMoney();
  }

  #showMoney() {
    const text = this.#price.value.trim();
    const problem = problemWithPrice(text);
    const price = priceOf(text);
    const [one, million] = [1, MILLION].map((answers) => moneyWords(this.#tokens, answers, price ?? 0));
    setText(this.#parts.problem, problem);
    setAttribute(this.#price, "aria-invalid", String(problem !== ""));
    this.#parts.money.toggleAttribute("data-told", price !== null);
    if (problem !== "") setText(this.#parts.money, "");
    else if (price === null) setText(this.#parts.money, "in any currency");
    else setText(this.#parts.money, `${one} an answer, ${million} a million answers`);
  }
}

/** @param {PlannedLane} plan */
function wordsOf(plan) {
  const all = madeInAll(plan);
  const passes = all === 1 ? "pass" : "passes";
  return `One answer: ${wholeMs(plan.predicted_ms)} ms of waiting, ${count(all)} ${passes} through the model.`;
}

/** @param {number} n */
function cutsOf(n) {
  if (n > CUTS) return "";
  return Array.from(
    { length: n - 1 },
    (_, i) => `M${(BAR.x + ((i + 1) * BAR.width) / n).toFixed(1)} ${BAR.y}v${BAR.height}`,
  ).join("");
}

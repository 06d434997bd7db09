// @ts-check
/** T ≈ n × t as a calculator: it begins with the first lane's settings and follows them, and changes nothing itself. */

import { count, tidy, wholeMs } from "../../pure/format.js";
import { agreementWords, axisEndMs, fitsWords, neededWords, productMs } from "../../pure/formula.js";
import { LIMIT_MS } from "../../pure/metrics.js";
import { SLIDER_PLACES, placeOf, valueAt } from "../../pure/settings.js";
import { partsOf, setAttribute, setText } from "../dom.js";

/** @import { Limits } from "../../pure/settings.js" */
/** @import { Moment } from "../pictures.js" */

const WIDTHS = { wide: 600, narrow: 350 };
/** More pieces than this can't be told apart in the bar. */
const CUTS = 100;

export class Formula {
  #root;
  #parts;
  #n;
  #t;
  #values = { n: 1, t: 0 };
  #followed = "";
  #agreed = "no whole answer yet";

  /** @param {HTMLElement} root */
  constructor(root) {
    this.#root = root;
    this.#parts = partsOf(root);
    this.#n = /** @type {HTMLInputElement} */ (this.#parts.n);
    this.#t = /** @type {HTMLInputElement} */ (this.#parts.t);
    for (const slider of [this.#n, this.#t]) slider.max = String(SLIDER_PLACES);
    // All of these live as long as the page.
    this.#n.addEventListener("input", () => this.#set("n", valueAt(this.#n.valueAsNumber, limitsOf(this.#n))));
    this.#t.addEventListener("input", () => this.#set("t", valueAt(this.#t.valueAsNumber, limitsOf(this.#t))));
    this.#parts.double.addEventListener("click", () => this.#set("n", Math.min(this.#most, 2 * this.#values.n)));
  }

  /** @param {Moment} moment */
  update({ plan: [lane], run }) {
    const followed = `${lane.tokens} × ${lane.delay_ms}`;
    if (followed !== this.#followed) this.#values = { n: lane.tokens, t: lane.delay_ms };
    this.#followed = followed;
    if (run) this.#agreed = agreementWords(run.plan[0], run.lanes[0]) || this.#agreed;
    this.#show();
  }

  get #most() {
    return limitsOf(this.#n).high;
  }

  /** @param {"n" | "t"} name @param {number} value */
  #set(name, value) {
    this.#values = { ...this.#values, [name]: value };
    this.#show();
  }

  #show() {
    const { n, t } = this.#values;
    const ms = productMs(n, t);
    const parts = this.#parts;
    slide(this.#n, n, `${count(n)} tokens`);
    slide(this.#t, t, `${tidy(t)} ms`);
    setText(parts["n-words"], count(n));
    setText(parts["t-words"], `${tidy(t)} ms`);
    setText(parts.product, `${wholeMs(ms)} ms`);
    setText(parts.fits, fitsWords(t));
    setText(parts.needing, n === 1 ? "1 in 100 ms" : `all ${count(n)} in 100 ms`);
    setText(parts.needed, `t = ${neededWords(n)}`);
    setText(parts.agreed, this.#agreed);
    /** @type {HTMLButtonElement} */ (parts.double).disabled = n >= this.#most;
    this.#draw(n, ms);
  }

  /** @param {number} n @param {number} ms */
  #draw(n, ms) {
    const width = WIDTHS[this.#root.dataset.shape === "narrow" ? "narrow" : "wide"] - 2;
    const endMs = axisEndMs(ms);
    const bar = (width * ms) / endMs;
    const parts = this.#parts;
    setAttribute(parts.track, "width", width);
    setAttribute(parts.bar, "width", bar.toFixed(1));
    setAttribute(parts.cuts, "d", cutsOf(n, bar));
    setAttribute(parts.limit, "transform", `translate(${(1 + (width * LIMIT_MS) / endMs).toFixed(1)} 0)`);
    setText(parts.end, endMs < 1000 ? `${wholeMs(endMs)} ms` : `${count(endMs / 1000)} s`);
    setAttribute(parts.end, "x", width + 1);
  }
}

/** @param {HTMLInputElement} slider @param {number} value @param {string} words */
function slide(slider, value, words) {
  const limits = limitsOf(slider);
  // What was doubled may lie between two places; a slider that is held stays where it is.
  if (valueAt(slider.valueAsNumber, limits) !== value) slider.value = String(placeOf(value, limits));
  setAttribute(slider, "aria-valuetext", words);
}

/** @param {HTMLInputElement} slider @returns {Limits} */
function limitsOf({ dataset: { low, high, decimals } }) {
  return { low: Number(low), high: Number(high), decimals: decimals === "true" };
}

/** The tokens that the bar is made of, as long as one sees them. @param {number} n @param {number} bar */
function cutsOf(n, bar) {
  if (n > CUTS || bar / n < 4) return "";
  return Array.from({ length: n - 1 }, (_, i) => `M${(1 + ((i + 1) * bar) / n).toFixed(1)} 24v20`).join("");
}

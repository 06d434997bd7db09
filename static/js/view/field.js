// @ts-check
/** One number: a field and the slider beside it, which say the same; a wrong value is told beside them, never sent. */

import { SLIDER_PLACES, placeOf, problemWith, valueAt } from "../pure/settings.js";
import { partsOf, setText } from "./dom.js";

/** @import { Limits } from "../pure/settings.js" */

export class Field {
  name;
  /** @type {Limits} */
  limits;
  #parts;
  #isOptional;
  #changed;
  /** What is wrong with what is being typed. */
  #typedProblem = "";
  #value = "";
  /** @type {string | null} */
  #told = "";

  /**
   * @param {HTMLElement} root
   * @param {(name: string, value: string) => void} changed "" takes the setting out
   */
  constructor(root, changed) {
    const { name = "", low, high, decimals, optional } = root.dataset;
    this.name = name;
    this.limits = { low: Number(low), high: Number(high), decimals: decimals === "true" };
    this.#isOptional = optional !== undefined && name !== "ttft_ms";
    this.#parts = partsOf(root);
    this.#changed = changed;
    if (this.#slider) this.#slider.max = String(SLIDER_PLACES);
    // Both live as long as the field.
    this.#input.addEventListener("input", () => this.#typed());
    this.#slider?.addEventListener("input", () => this.#slid());
  }

  get isWrong() {
    return this.#input.getAttribute("aria-invalid") === "true";
  }

  focus() {
    this.#input.focus();
  }

  /**
   * @param {string} value as the URL has it; "" where it is off, or the answers differ
   * @param {string} problem what the server says against it, or ""
   * @param {string} [placeholder] what an empty field means
   * @param {boolean} [isFixed] whether a recording says it, and nobody can set it
   */
  update(value, problem, placeholder = "differ", isFixed = false) {
    this.#value = value;
    if (this.#slider) this.#placeSlider(this.#slider, value);
    const isTyping = document.activeElement === this.#input || this.#typedProblem !== "";
    if (!isTyping) this.#input.value = value;
    this.#input.disabled = isFixed;
    if (this.#slider) this.#slider.disabled = isFixed;
    this.#input.placeholder = isFixed ? "–" : value === "" ? placeholder : "";
    this.#tell(this.#typedProblem || problem);
  }

  /** Forgets what was typed and is wrong: the field is of another answer now. */
  reset() {
    this.#typedProblem = "";
  }

  get #input() {
    return /** @type {HTMLInputElement} */ (this.#parts.input);
  }

  get #slider() {
    return /** @type {HTMLInputElement | undefined} */ (this.#parts.slider);
  }

  /** @param {HTMLInputElement} slider @param {string} value */
  #placeSlider(slider, value) {
    slider.setAttribute("aria-valuetext", value || "off");
    // A slider that says so already stays: several of its places may round to the same value.
    if (valueAt(Number(slider.value), this.limits) === Number(value)) return;
    slider.value = String(placeOf(Number(value), this.limits));
  }

  #typed() {
    this.#told = null;
    const text = this.#input.value.trim();
    const isOff = this.#isOptional && text === "";
    this.#typedProblem = isOff ? "" : problemWith(text, this.limits);
    this.#tell(this.#typedProblem);
    const value = isOff ? "" : String(Number(text));
    if (!this.#typedProblem && value !== this.#value) this.#changed(this.name, value);
  }

  #slid() {
    this.#told = null;
    this.#typedProblem = "";
    this.#tell("");
    this.#input.value = String(valueAt(Number(this.#slider?.value), this.limits));
    this.#changed(this.name, this.#input.value);
  }

  /**
   * What the server wrote into the page about a wrong link stays until the field is used.
   * @param {string} problem "" for none
   */
  #tell(problem) {
    if (problem === this.#told) return;
    this.#told = problem;
    this.#input.setAttribute("aria-invalid", String(problem !== ""));
    setText(this.#parts.problem, problem);
  }
}

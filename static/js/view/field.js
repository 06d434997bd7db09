// @ts-check
/** One setting: a field and the slider beside it, which say the same; a wrong value is told beside them, never sent. */

import { SLIDER_PLACES, placeOf, problemWith, valueAt } from "../pure/settings.js";
import { partsOf, setText } from "./dom.js";

export class Field {
  name;
  #parts;
  #limits;
  #changed;

  /**
   * @param {HTMLElement} root
   * @param {(name: string, value: string) => void} changed
   */
  constructor(root, changed) {
    const { name = "", low, high, decimals } = root.dataset;
    this.name = name;
    this.#parts = partsOf(root);
    this.#limits = { low: Number(low), high: Number(high), decimals: decimals === "true" };
    this.#changed = changed;
    this.#slider.max = String(SLIDER_PLACES);
    // Both live as long as the field.
    this.#input.addEventListener("input", () => this.#typed());
    this.#slider.addEventListener("input", () => this.#slid());
  }

  get isWrong() {
    return this.#input.getAttribute("aria-invalid") === "true";
  }

  focus() {
    this.#input.focus();
  }

  /**
   * @param {string} value as the URL has it; "" where the answers differ
   * @param {string} problem what the server says against it, or ""
   */
  update(value, problem) {
    // A slider that says so already stays: several of its places may round to the same value.
    const place = Number(this.#slider.value);
    if (valueAt(place, this.#limits) !== Number(value)) this.#slider.value = String(placeOf(Number(value), this.#limits));
    this.#slider.setAttribute("aria-valuetext", value);
    const isTyping = document.activeElement === this.#input || this.isWrong;
    if (!isTyping) this.#input.value = value;
    this.#input.placeholder = value === "" ? "differ" : "";
    if (problem) this.#tell(problem);
  }

  get #input() {
    return /** @type {HTMLInputElement} */ (this.#parts.input);
  }

  get #slider() {
    return /** @type {HTMLInputElement} */ (this.#parts.slider);
  }

  #typed() {
    const text = this.#input.value.trim();
    const problem = problemWith(text, this.#limits);
    this.#tell(problem);
    if (!problem) this.#changed(this.name, String(Number(text)));
  }

  #slid() {
    this.#tell("");
    this.#input.value = String(valueAt(Number(this.#slider.value), this.#limits));
    this.#changed(this.name, this.#input.value);
  }

  /** @param {string} problem "" for none */
  #tell(problem) {
    this.#input.setAttribute("aria-invalid", String(problem !== ""));
    setText(this.#parts.problem, problem);
  }
}

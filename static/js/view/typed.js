// @ts-check
/** The number of a scene as it is typed, seen in a corner, and forgotten when Enter doesn't follow soon. */

const FOR_MS = 3_000;
const MOST_DIGITS = 3;

export class Typed {
  #digits = "";
  #timer = 0;

  get isEmpty() {
    return this.#digits === "";
  }

  /** @param {string} digit */
  add(digit) {
    this.#digits = (this.#digits + digit).slice(-MOST_DIGITS);
    this.#show(this.#digits);
  }

  /** @returns {string} what was typed, which is forgotten */
  take() {
    const digits = this.#digits;
    this.#digits = "";
    this.#show("");
    return digits;
  }

  /** Says in the same place that this can't be. @param {string} words */
  refuse(words) {
    this.#show(words);
  }

  /** @param {string} words */
  #show(words) {
    window.clearTimeout(this.#timer);
    if (words === "") return document.body.removeAttribute("data-typed");
    document.body.dataset.typed = words;
    this.#timer = window.setTimeout(() => this.take(), FOR_MS);
  }
}

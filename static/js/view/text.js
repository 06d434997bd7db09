// @ts-check
/**
 * A text that grows at its end, at the same cost however long it is: nothing drawn is touched again, and each
 * paragraph is a block of its own, so that a new word lays out its paragraph and not the whole answer.
 */

/** @import { Token } from "../pure/state.js" */

const PARAGRAPH = "\n\n"; // what the server puts between repetitions of a text

export class TextView {
  #scroller;
  #caret;
  #run = 0;
  #shown = 0;
  #follows = true;

  /** @param {HTMLElement} scroller its last child is the caret */
  constructor(scroller) {
    this.#scroller = scroller;
    this.#caret = /** @type {HTMLElement} */ (scroller.lastElementChild);
    // Lives as long as the element it listens to.
    scroller.addEventListener("scroll", () => this.#followOnlyAtTheEnd(), { passive: true });
  }

  /**
   * @param {number} run another number clears the text
   * @param {readonly Token[]} tokens all of the run so far
   */
  update(run, tokens) {
    if (run !== this.#run) this.#clear(run);
    if (this.#shown === tokens.length) return;
    this.#append(tokens.slice(this.#shown).map((token) => token.text));
    this.#shown = tokens.length;
    if (this.#follows) this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  /** @param {number} run */
  #clear(run) {
    this.#run = run;
    this.#shown = 0;
    this.#follows = true;
    this.#scroller.replaceChildren(this.#caret);
  }

  /** @param {string[]} texts */
  #append(texts) {
    const [first, ...others] = texts.join("").split(PARAGRAPH);
    if (this.#shown === 0) this.#beginParagraph();
    this.#caret.before(first);
    for (const text of others) {
      this.#beginParagraph();
      this.#caret.before(text);
    }
  }

  #beginParagraph() {
    const paragraph = document.createElement("p");
    paragraph.append(this.#caret);
    this.#scroller.append(paragraph);
  }

  #followOnlyAtTheEnd() {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    this.#follows = scrollHeight - scrollTop - clientHeight <= 1; // a fraction of a pixel may be left
  }
}

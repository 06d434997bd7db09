// @ts-check
/**
 * A text that grows at its end, at the same cost however long it is: nothing drawn is touched again, and each
 * paragraph is a block of its own, so that a new word lays out its paragraph and not the whole answer.
 */

/** @import { Token } from "../pure/state.js" */

const PARAGRAPH = "\n\n"; // what the server puts between repetitions of a text
const SLOW_GAP_MS = 333; // from here on, the newest token can be followed by eye

export class TextView {
  #scroller;
  #caret;
  #run = 0;
  #shown = 0;
  #followed = 0;
  #read = 0;
  #follows = true;
  #lastTop = 0;
  /** @type {HTMLElement[]} */
  #tokens = [];

  /** @param {HTMLElement} scroller its last child is the caret */
  constructor(scroller) {
    this.#scroller = scroller;
    this.#caret = /** @type {HTMLElement} */ (scroller.lastElementChild);
    // Lives as long as the element it listens to.
    scroller.addEventListener("scroll", () => this.#followUnlessScrolledUp(), { passive: true });
  }

  /**
   * @param {number} run another number clears the text
   * @param {readonly Token[]} tokens all of the run so far
   * @param {number} [gapMs] planned time between two of them
   * @param {number} [read] how many of them somebody who reads along has read
   */
  update(run, tokens, gapMs = 0, read = 0) {
    if (run !== this.#run || tokens.length < this.#shown) this.#clear(run);
    if (this.#shown < tokens.length) this.#append(tokens, gapMs >= SLOW_GAP_MS);
    this.#markRead(read);
  }

  /** Brings the end into sight; once all texts of a frame have grown, so that the page is laid out once for all. */
  follow() {
    if (this.#followed === this.#shown) return;
    this.#followed = this.#shown;
    if (this.#follows) this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  /** @param {number} run */
  #clear(run) {
    this.#run = run;
    this.#shown = 0;
    this.#followed = 0;
    this.#read = 0;
    this.#follows = true;
    this.#tokens = [];
    this.#scroller.replaceChildren(this.#caret);
  }

  /** @param {readonly Token[]} tokens @param {boolean} markNewest */
  #append(tokens, markNewest) {
    if (this.#shown === 0) this.#beginParagraph();
    this.#tokens.at(-1)?.classList.remove("newest");
    for (const { text } of tokens.slice(this.#shown)) this.#add(text);
    this.#tokens.at(-1)?.classList.toggle("newest", markNewest);
    this.#shown = tokens.length;
  }

  /** @param {string} text */
  #add(text) {
    const element = document.createElement("span");
    element.className = this.#tokens.length % 2 === 0 ? "token" : "token odd";
    if (text === PARAGRAPH) this.#beginParagraph();
    else element.textContent = text;
    this.#caret.before(element);
    this.#tokens.push(element);
  }

  #beginParagraph() {
    const paragraph = document.createElement("p");
    paragraph.append(this.#caret);
    this.#scroller.append(paragraph);
  }

  /** @param {number} read */
  #markRead(read) {
    for (; this.#read < read; this.#read += 1) this.#tokens[this.#read].classList.add("read");
    for (; this.#read > read; this.#read -= 1) this.#tokens[this.#read - 1].classList.remove("read");
  }

  /** The least move up lets go; only the very end takes along again. */
  #followUnlessScrolledUp() {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    const isAtTheEnd = scrollHeight - scrollTop - clientHeight <= 1; // a fraction of a pixel may be left
    this.#follows = isAtTheEnd && scrollTop >= this.#lastTop;
    this.#lastTop = scrollTop;
  }
}

// @ts-check
/** The chain of tokens as they come, and eight sums beside eight links. */

import { LINKS, chainAt } from "../../pure/chain.js";
import { partsOf, setText } from "../dom.js";

/** @import { Moment } from "../pictures.js" */

export class Chain {
  #parts;
  #tokens;
  #sums;
  #links;

  /** @param {HTMLElement} root */
  constructor(root) {
    this.#parts = partsOf(root);
    this.#tokens = [...this.#parts.tokens.children];
    this.#sums = [...this.#parts.sums.querySelectorAll(".node")];
    this.#links = [...this.#parts.links.querySelectorAll(".node")];
  }

  /** @param {Moment} moment */
  update({ plan: [plan], run, elapsedMs }) {
    const here = run ? run.lanes[0].tokens.length : -1;
    const isOver = run !== null && run.endMs !== null;
    this.#tokens.forEach((box, n) => mark(box, run ? stateOf(n, here + 1, isOver) : "rest"));
    const { sums, links } = run ? chainAt(plan.predicted_ms, elapsedMs) : { sums: -1, links: -1 };
    this.#sums.forEach((node) => mark(node, sums < 0 ? "rest" : sums > 0 ? "done" : "now"));
    this.#links.forEach((node, n) => mark(node, stateOf(n, links, isOver)));
    const isRunning = links >= 0 && links < LINKS;
    setText(this.#parts["sums-words"], isRunning && sums === 0 ? "together: step 1" : "together: 1 step");
    setText(
      this.#parts["links-words"],
      isRunning ? `in turn: step ${links + 1} of ${LINKS}` : `in turn: ${LINKS} steps`,
    );
  }
}

/** @param {number} n @param {number} done how many are; below 0 before a run @param {boolean} isOver */
function stateOf(n, done, isOver) {
  if (n < done) return "done";
  return n === done && !isOver ? "now" : "rest";
}

/** @param {Element} element @param {string} state */
function mark(element, state) {
  const { dataset } = /** @type {SVGElement} */ (element);
  if (dataset.state !== state) dataset.state = state;
}

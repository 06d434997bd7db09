// @ts-check
/** The chain of tokens as they come, and eight sums beside eight links. */

import { LINKS, chainAt } from "../../pure/chain.js";
import { madeSoFar } from "../../pure/made.js";
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
    const lane = run?.lanes[0] ?? null;
    const made = lane ? madeSoFar(plan, lane, elapsedMs) : 0;
    const isOver = run !== null && (run.endMs !== null || lane?.end !== null);
    const { sums, links } = chainAt(plan, made);
    const isRunning = lane !== null && !isOver && links < LINKS;
    this.#tokens.forEach((box, n) => mark(box, lane ? stateOf(n, made + 1, isOver) : "rest"));
    this.#sums.forEach((node) => mark(node, sums > 0 ? "done" : isRunning ? "now" : "rest"));
    this.#links.forEach((node, n) => mark(node, lane ? stateOf(n, links, isOver) : "rest"));
    setText(this.#parts["sums-words"], isRunning && sums === 0 ? "together: step 1" : "together: 1 step");
    setText(
      this.#parts["links-words"],
      isRunning ? `in turn: step ${links + 1} of ${LINKS}` : `in turn: ${LINKS} steps`,
    );
  }
}

/** @param {number} n @param {number} done how many are @param {boolean} isOver */
function stateOf(n, done, isOver) {
  if (n < done) return "done";
  return n === done && !isOver ? "now" : "rest";
}

/** @param {Element} element @param {string} state */
function mark(element, state) {
  const { dataset } = /** @type {SVGElement} */ (element);
  if (dataset.state !== state) dataset.state = state;
}

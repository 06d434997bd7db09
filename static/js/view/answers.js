// @ts-check
/** The answers side by side: as many as the plan has. */

import { Answer } from "./answer.js";
import { byId, copyOf } from "./dom.js";

/** @import { PlannedLane, Run } from "../pure/state.js" */

export class Answers {
  #root = byId("answers");
  /** @type {Answer[]} */
  #answers = [];

  /**
   * @param {PlannedLane[]} plan
   * @param {Run | null} run
   * @param {number} elapsedMs
   */
  update(plan, run, elapsedMs) {
    if (this.#answers.length !== plan.length) this.#layOut(plan.length);
    plan.forEach((lane, number) => this.#answers[number].update(lane, run, number, elapsedMs));
  }

  /** @param {number} count */
  #layOut(count) {
    const roots = Array.from({ length: count }, (_, number) => copyOf("answer-template", number));
    this.#root.dataset.lanes = String(count);
    this.#root.replaceChildren(...roots);
    this.#answers = roots.map((root) => new Answer(root));
  }
}

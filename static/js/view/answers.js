// @ts-check
/** The answers side by side: as many as the plan has. */

import { Answer } from "./answer.js";
import { byId, copyOf } from "./dom.js";

/** @import { PlannedLane, Run } from "../pure/state.js" */

export class Answers {
  #root = byId("answers");
  /** @type {Answer[]} */
  #answers = [];
  #actions;

  /** @param {{ edit: (number: number) => void, compare: () => void }} actions */
  constructor(actions) {
    this.#actions = actions;
  }

  /**
   * @param {PlannedLane[]} plan
   * @param {Run | null} run
   * @param {number} elapsedMs
   * @param {number | null} readerMs for how long somebody has been reading along; null for nobody
   * @returns {boolean} whether they still read
   */
  update(plan, run, elapsedMs, readerMs) {
    if (this.#answers.length !== plan.length) this.#layOut(plan.length);
    const areReading = plan.map((lane, number) => this.#answers[number].update(lane, run, number, elapsedMs, readerMs));
    this.#answers.forEach((answer) => answer.follow());
    return areReading.includes(true);
  }

  /** @param {number} count */
  #layOut(count) {
    const roots = Array.from({ length: count }, (_, number) => copyOf("answer-template", number));
    const { edit, compare } = this.#actions;
    this.#root.dataset.lanes = String(count);
    this.#root.replaceChildren(...roots);
    this.#answers = roots.map((root, number) => new Answer(root, () => edit(number), compare));
  }
}

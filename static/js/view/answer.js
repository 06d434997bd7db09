// @ts-check
/** One answer: its title, its text as it trickles in, and its two figures. */

import { firstFigure, laneStatus, settingsInShort, wholeFigure } from "../pure/words.js";
import { partsOf, setText } from "./dom.js";
import { TextView } from "./text.js";

/** @import { PlannedLane, Run } from "../pure/state.js" */

export class Answer {
  #root;
  #parts;
  #text;

  /** @param {HTMLElement} root a copy of the answer's template */
  constructor(root) {
    this.#root = root;
    this.#parts = partsOf(root);
    this.#text = new TextView(this.#parts.text);
  }

  /**
   * @param {PlannedLane} plan
   * @param {Run | null} run
   * @param {number} number the lane's
   * @param {number} elapsedMs
   */
  update(plan, run, number, elapsedMs) {
    const status = run ? laneStatus(run, number, elapsedMs) : { state: "idle", words: "ready" };
    const first = firstFigure(run, number, elapsedMs);
    const whole = wholeFigure(run, plan, number);
    this.#root.dataset.state = status.state;
    this.#root.dataset.delivery = plan.delivery;
    const parts = this.#parts;
    setText(parts.title, plan.title);
    setText(parts.short, settingsInShort(plan));
    setText(parts.status, status.state === "done" ? "first token after" : status.words);
    setText(parts.first, first.figure);
    setText(parts["first-words"], first.words);
    setText(parts["first-verdict"], first.verdict);
    parts["first-verdict"].dataset.inside = String(first.inside);
    setText(parts["whole-caption"], whole.caption);
    setText(parts.whole, whole.figure);
    setText(parts["whole-words"], whole.words);
    setText(parts["whole-verdict"], whole.verdict);
    this.#text.update(run?.number ?? 0, run?.lanes[number].tokens ?? []);
  }
}

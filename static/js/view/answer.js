// @ts-check
/** One answer: its title, its text as it trickles in, and its two figures. */

import { readerWords, tokensRead } from "../pure/reader.js";
import { besideTitle, firstFigure, laneStatus, wholeFigure } from "../pure/words.js";
import { partsOf, setText } from "./dom.js";
import { TextView } from "./text.js";

/** @import { PlannedLane, Run } from "../pure/state.js" */

export class Answer {
  #root;
  #parts;
  #text;

  /**
   * @param {HTMLElement} root a copy of the answer's template
   * @param {() => void} edit
   * @param {() => void} compare
   */
  constructor(root, edit, compare) {
    this.#root = root;
    this.#parts = partsOf(root);
    this.#text = new TextView(this.#parts.text);
    // Both live as long as the answer.
    this.#parts.edit.addEventListener("click", edit);
    this.#parts.compare.addEventListener("click", compare);
  }

  /**
   * @param {PlannedLane} plan
   * @param {Run | null} run
   * @param {number} number the lane's
   * @param {number} elapsedMs
   * @param {number | null} readerMs for how long somebody has been reading along; null for nobody
   * @returns {boolean} whether they still read
   */
  update(plan, run, number, elapsedMs, readerMs) {
    const status = run ? laneStatus(run, number, elapsedMs) : { state: "idle", words: "ready" };
    const first = firstFigure(run, number, elapsedMs);
    const whole = wholeFigure(run, plan, number);
    this.#root.dataset.state = status.state;
    this.#root.dataset.delivery = plan.delivery;
    const parts = this.#parts;
    setText(parts.title, plan.title);
    parts.title.title = plan.title; // in case it is too long to be shown whole
    parts.text.setAttribute("aria-label", `Text of ${plan.title}`);
    parts.edit.setAttribute("aria-label", `Edit ${plan.title}`);
    setText(parts.short, besideTitle(plan));
    setText(parts.status, status.state === "done" ? "first token after" : status.words);
    setText(parts.first, first.figure);
    setText(parts["first-words"], first.words);
    setText(parts["first-verdict"], first.verdict);
    parts["first-verdict"].dataset.inside = String(first.inside);
    setText(parts["whole-caption"], whole.caption);
    setText(parts.whole, whole.figure);
    setText(parts["whole-words"], whole.words);
    setText(parts["whole-verdict"], whole.verdict);
    const lane = run?.lanes[number];
    const read = readerMs !== null && lane ? tokensRead(lane.arrivalsMs, readerMs) : 0;
    setText(parts.reader, readerMs !== null && lane ? readerWords(lane.tokens.length, read, lane.end !== null) : "");
    this.#text.update(run?.number ?? 0, lane?.tokens ?? [], plan.delay_ms, read);
    return readerMs !== null && lane !== undefined && read < lane.tokens.length;
  }

  /** Brings the end of its text into sight; after all answers were updated. */
  follow() {
    this.#text.follow();
  }
}

// @ts-check
/** The top line: one clock for the run, what T ≈ n × t says and what was measured, and how often 100 ms have passed. */

import { wholeMs } from "../pure/format.js";
import { isActive } from "../pure/state.js";
import { hundredsSoFar, resultWords } from "../pure/words.js";
import { byId, partsOf, setText } from "./dom.js";

/** @import { PlannedLane, Run } from "../pure/state.js" */

export class Clock {
  #parts = partsOf(byId("clock"));

  /**
   * @param {PlannedLane[]} plan
   * @param {Run | null} run
   * @param {number} elapsedMs
   */
  update(plan, run, elapsedMs) {
    setText(this.#parts.elapsed, wholeMs(elapsedMs));
    this.#parts.formula.hidden = run !== null && !isActive(run); // what was measured takes its room
    setText(this.#parts.result, longestResult(plan, run));
    const { figure, words } = hundredsSoFar(elapsedMs);
    setText(this.#parts.hundreds, figure);
    setText(this.#parts["hundreds-words"], isActive(run) ? words : "");
  }
}

/**
 * The clock goes on until the longest answer is over, so that is the one to compare it with.
 * @param {PlannedLane[]} plan
 * @param {Run | null} run
 */
function longestResult(plan, run) {
  const longest = plan.reduce((a, b) => (b.predicted_ms > a.predicted_ms ? b : a));
  const title = plan.some((lane) => lane.nt_ms !== longest.nt_ms) ? `${longest.title}: ` : "";
  return title + resultWords(longest, run?.lanes[plan.indexOf(longest)] ?? null);
}

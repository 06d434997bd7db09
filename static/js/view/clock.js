// @ts-check
/** The top line: one clock for the run, what T ≈ n × t says and what was measured, and how often 100 ms have passed. */

import { wholeMs } from "../pure/format.js";
import { isActive } from "../pure/state.js";
import { hundredsWords, resultWords, runMarks } from "../pure/words.js";
import { byId, partsOf, setText } from "./dom.js";

/** @import { Shown } from "../pure/replay.js" */
/** @import { PlannedLane, Repeat, Run } from "../pure/state.js" */

const LOOK_WORDS = { slow: "in slow motion, 10 times slower", frozen: "as it stood at 100 ms" };

export class Clock {
  #parts = partsOf(byId("clock"));

  /**
   * @param {PlannedLane[]} plan
   * @param {Run | null} run
   * @param {number} elapsedMs
   * @param {Shown["look"]} look
   * @param {Repeat | null} repeat
   */
  update(plan, run, elapsedMs, look, repeat) {
    setText(this.#parts.elapsed, wholeMs(elapsedMs));
    this.#parts.formula.hidden = run !== null && !isActive(run); // what was measured takes its room
    setText(this.#parts.result, longestResult(plan, run));
    setText(this.#parts.hundreds, hundredsWords(elapsedMs));
    const marks = run && !isActive(run) ? [runMarks(run)] : ["so far"];
    if (repeat) marks.push(`run ${repeat.number} of ${repeat.of}`);
    setText(this.#parts.look, look === "live" ? (run ? marks.filter(Boolean).join(" · ") : "") : LOOK_WORDS[look]);
  }
}

/**
 * The clock goes on until the longest answer is over, so that is the one to compare it with.
 * @param {PlannedLane[]} plan
 * @param {Run | null} run
 */
function longestResult(plan, run) {
  const longest = plan.reduce((a, b) => (b.predicted_ms > a.predicted_ms ? b : a));
  return resultWords(longest, run?.lanes[plan.indexOf(longest)] ?? null);
}

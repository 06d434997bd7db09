// @ts-check
/** Tells screen readers the boundaries of a run, not its tokens: at most four polite sentences, failures as alerts. */

import { wholeMs } from "../pure/format.js";
import { laneEndMs } from "../pure/state.js";
import { byId, setText } from "./dom.js";

/** @import { Run } from "../pure/state.js" */

export class Announcer {
  #polite = byId("polite");
  #alert = byId("alert");

  /** @param {Run | null} run */
  update(run) {
    setText(this.#polite, run ? progress(run) : "");
    setText(this.#alert, run ? trouble(run) : "");
  }
}

/** @param {Run} run @returns {string} changes at most four times a run */
function progress(run) {
  if (run.saved) return "Result opened.";
  if (run.phase === "stopped") return "Stopped.";
  if (run.phase === "done") return `Over after ${wholeMs(run.endMs)} milliseconds.`;
  const first = Math.min(...run.lanes.map((lane) => lane.arrivalsMs[0] ?? Infinity));
  if (first < Infinity) return `First token after ${wholeMs(first)} milliseconds.`;
  return "Started.";
}

/** @param {Run} run */
function trouble(run) {
  const failed = run.lanes.flatMap((lane, number) =>
    lane.end?.how === "failed"
      ? [`${run.plan[number].title} failed after ${wholeMs(laneEndMs(lane))} milliseconds.`]
      : [],
  );
  if (run.phase === "refused") failed.push(`Refused: ${run.reason}.`);
  if (run.phase === "gave up") failed.push("The connection is lost.");
  return failed.join(" ");
}

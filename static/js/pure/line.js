// @ts-check
/** The line below what is presented: a question, the clock of the run, or what was seen in it. */

import { differencesWords } from "./differences.js";
import { wholeMs } from "./format.js";
import { reportsOf } from "./measures.js";
import { filled } from "./observe.js";
import { dayOf, hundredsWords, noticeWords } from "./words.js";

/** @import { Shown } from "./replay.js" */
/** @import { Run, State } from "./state.js" */
/** @import { Scene, Step } from "./talk.js" */

/** What a presenter must know of a run; that a proxy buffers it is told in the answers. */
const TROUBLE = ["lost", "gave up", "refused"];

/** Why a recording breaks off whose model did not fail. */
const OF_A_RECORDING = /^the (connection|recording) was /;

/** But for the 100 ms that are counted. */
const TIMES = /(?<![\d,]|× )(\d[\d,]* ms)/;

/**
 * @param {Step} step
 * @param {Scene | undefined} scene
 * @param {State} state
 * @param {Shown} shown
 * @returns {string}
 */
export function lineOf({ line }, scene, { run, plan, problems }, shown) {
  if (run && TROUBLE.includes(run.phase)) return noticeWords(run);
  if (!run && !plan && problems.length) return problems[0].detail;
  if (line === "ask" && !run?.saved) return scene?.ask ?? "";
  if (run === null || run.endMs === null || (line === "clock" && !run.saved)) {
    return `${wholeMs(shown.elapsedMs)} ms · ${hundredsWords(shown.elapsedMs)}`;
  }
  const seen = scene ? filled(scene.observe, run) : differencesWords(reportsOf(run, run.endMs));
  return [unusual(run), seen].filter(Boolean).join(" ");
}

/** What a claim about a run must not hide. @param {Run} run */
function unusual(run) {
  const failed = run.lanes.find(({ end }) => end?.how === "failed")?.end;
  const whoFailed = failed && OF_A_RECORDING.test(failed.reason) ? "A recording broke off." : "The model failed.";
  return [
    run.saved ? `A result from a file, measured on ${dayOf(run)}.` : "",
    run.phase === "stopped" ? "Stopped." : "",
    failed ? whoFailed : "",
    run.wasResumed ? "Resumed after a lost connection." : "",
  ]
    .filter(Boolean)
    .join(" ");
}

/**
 * Its times apart from its words: they are what a run is made for.
 * @param {string} line
 * @returns {string[]} words, time, words, time, … words
 */
export function partsOfLine(line) {
  return line.split(TIMES);
}

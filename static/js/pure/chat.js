// @ts-check
/** A run in a sentence for a chat, where nobody sees the page. */

import { firstMs } from "./differences.js";
import { count, tidy, verdict, wholeMs } from "./format.js";
import { besides } from "./words.js";

/** @import { Report } from "./measures.js" */
/** @import { PlannedLane } from "./state.js" */

/**
 * @param {readonly Report[]} reports
 * @param {readonly PlannedLane[]} plan
 * @returns {string}
 */
export function chatWords(reports, plan) {
  return reports
    .map((report, number) => `${report.title} (${settings(plan[number])}): ${chatFigures(report)}`)
    .join(" ");
}

/** @param {PlannedLane} plan */
function settings(plan) {
  const { tokens, delay_ms: delayMs, title } = plan;
  const more = besides({ ...plan }).filter((words) => words !== title.toLowerCase()); // "All at once (…, all at once)"
  return [`${count(tokens)} ${tokens === 1 ? "token" : "tokens"} at ${tidy(delayMs)} ms`, ...more].join(", ");
}

/** @param {Report} report */
function chatFigures(report) {
  return `${figures(report)}${report.marks ? ` (${report.marks})` : ""}.`;
}

/** @param {Report} report */
function figures({ isWhole, words, measures }) {
  const first = measures.perceivedMs ?? measures.ttftMs;
  if (first === null) return `${words}, and none was seen`;
  const start = `first token after ${wholeMs(isWhole ? firstMs(measures) : first)} ms`;
  if (!isWhole) return `${start}, ${words}`;
  const inside = verdict(measures.e2eMs).inside ? " · inside 100 ms" : "";
  return `${start}, whole answer after ${wholeMs(measures.e2eMs)} ms${inside}`;
}

// @ts-check
/** What sets the answers of a run apart, in the words of somebody who watched. */

import { count, score, seconds, times, verdict } from "./format.js";
import { LEVEL_MS } from "./metrics.js";
import { areLevel } from "./table.js";

/** @import { Report } from "./measures.js" */

/** However long they took, what is further apart than a frame or two is not together to anybody who watches. */
const SEEN_TOGETHER_MS = 50;

/** Below this, how much later says more than how many times as late. */
const TELLING = 1.5;

/** A difference of QoE that one can feel. */
const FELT = 0.05;

/**
 * What sets the answers of a run that is over apart, in a sentence or two.
 * @param {readonly Report[]} reports
 * @returns {string[]} one a sentence; none without answers
 */
export function differences(reports) {
  const whole = reports.filter(({ isWhole }) => isWhole);
  if (whole.length === 0) return reports.length ? [noneWords(reports)] : [];
  if (reports.length === 1) return [aloneWords(whole[0])];
  if (whole.length < 2) return [`Only ${whole[0].title} is whole, so there is nothing to compare it with.`];
  return [`${startWords(whole)}; ${endWords(whole)}.`, feelWords(whole), leftOutWords(reports)].filter(Boolean);
}

/** The same as one text. @param {readonly Report[]} reports @returns {string} */
export function differencesWords(reports) {
  return differences(reports).join(" ");
}

/** @param {readonly Report[]} reports */
function noneWords([{ title, words }, ...others]) {
  if (others.length === 0) return `${title} is not whole: ${words}.`;
  return `${others.length === 1 ? "Neither" : "None"} is whole, so there is nothing to compare.`;
}

/** @param {Report} report */
function aloneWords({ title, measures }) {
  const ttftMs = firstMs(measures);
  const e2eMs = known(measures.e2eMs);
  if (e2eMs - ttftMs < LEVEL_MS) return `${title} came in one piece, after ${span(e2eMs)}.`;
  if (e2eMs < TELLING * ttftMs)
    return `${title} starts after ${span(ttftMs)} and is whole ${span(e2eMs - ttftMs)} later.`;
  const longer = ttftMs > 0 ? `, ${times(e2eMs / ttftMs)} as long` : "";
  return `${title} starts after ${span(ttftMs)} and is whole after ${span(e2eMs)}${longer}.`;
}

/** @param {Report[]} reports two or more */
function startWords(reports) {
  const [first, ...others] = ascending(reports, ({ measures }) => firstMs(measures));
  const last = /** @type {Report} */ (others.at(-1));
  const apartMs = firstMs(last.measures) - firstMs(first.measures);
  if (areTogether(firstMs(first.measures), firstMs(last.measures)))
    return `${all(reports)} start together, after ${span(firstMs(last.measures))}`;
  if (reports.length === 2) return `${first.title} starts ${span(apartMs)} sooner`;
  const leaders = reports.filter(({ measures }) => areTogether(firstMs(first.measures), firstMs(measures)));
  return `${names(leaders)} ${leaders.length > 1 ? "start" : "starts"} first, ${span(apartMs)} before ${last.title}`;
}

/** @param {Report[]} reports two or more */
function endWords(reports) {
  const [first, ...others] = ascending(reports, ({ measures }) => known(measures.e2eMs));
  const last = /** @type {Report} */ (others.at(-1));
  const [soonMs, lateMs] = [known(first.measures.e2eMs), known(last.measures.e2eMs)];
  if (areTogether(soonMs, lateMs)) return `${all(reports).toLowerCase()} end at ${span(lateMs)}`;
  const leaders = reports.filter(({ measures }) => areTogether(soonMs, known(measures.e2eMs)));
  const soonest = `${names(leaders)} ${leaders.length > 1 ? "end" : "ends"} at ${span(soonMs)}`;
  if (lateMs < TELLING * soonMs) return `${soonest}, ${last.title} ${span(lateMs - soonMs)} later`;
  const longer = soonMs > 0 ? `, ${times(lateMs / soonMs)} as late` : "";
  return `${soonest}, ${last.title} at ${span(lateMs)}${longer}`;
}

/** As the table has it, and as one sees it. @param {number} soonMs @param {number} lateMs */
function areTogether(soonMs, lateMs) {
  const isSameVerdict = verdict(soonMs).inside === verdict(lateMs).inside;
  return areLevel(soonMs, lateMs) && lateMs - soonMs < SEEN_TOGETHER_MS && isSameVerdict;
}

/** Same finish, different feel: said only where the figures differ by something one can feel. @param {Report[]} reports */
function feelWords(reports) {
  const [worst, ...others] = ascending(reports, ({ measures }) => known(measures.qoe));
  const best = /** @type {Report} */ (others.at(-1));
  const [low, high] = [known(worst.measures.qoe), known(best.measures.qoe)];
  if (high - low < FELT) return "";
  const who = "To somebody who reads along,";
  if (reports.length === 2)
    return `${who} ${best.title} feels better (QoE ${score(high)}) than ${worst.title} (${score(low)}).`;
  const leaders = reports.filter(({ measures }) => high - known(measures.qoe) < 0.01);
  return `${who} ${names(leaders)} ${leaders.length > 1 ? "feel" : "feels"} best (QoE ${score(high)}), ${worst.title} worst (${score(low)}).`;
}

/** @param {readonly Report[]} reports */
function leftOutWords(reports) {
  const parts = reports.filter(({ isWhole }) => !isWhole);
  if (parts.length === 0) return "";
  return `${names(parts)} ${parts.length > 1 ? "are" : "is"} not whole, and left out.`;
}

/** @param {readonly Report[]} reports "A", "A and B", "A, B and C" */
function names(reports) {
  const titles = reports.map(({ title }) => title);
  return [titles.slice(0, -1).join(", "), titles.at(-1)].filter(Boolean).join(" and ");
}

/** @param {Report[]} reports */
function all(reports) {
  return reports.length === 2 ? "Both" : "All";
}

/** @param {Report["measures"]} measures when the first token was seen, or, in a hidden tab, here */
export function firstMs({ perceivedMs, ttftMs, e2eMs }) {
  return Math.min(perceivedMs ?? known(ttftMs), known(e2eMs)); // drawn all in one frame, it was not later than whole
}

/** @param {number | null} value of a whole answer, so that it is known */
function known(value) {
  return /** @type {number} */ (value);
}

/** A stretch of time as one would say it. @param {number} ms */
function span(ms) {
  return ms < 1_000 ? `${count(ms)} ms` : seconds(ms);
}

/** @template T @param {T[]} items @param {(item: T) => number} by @returns {T[]} */
function ascending(items, by) {
  return items.toSorted((a, b) => by(a) - by(b));
}

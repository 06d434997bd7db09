// @ts-check
/** The table of measures: how each is written, and which of several answers did best in it. */

import { count, decimalMs, rate, score } from "./format.js";
import { LEVEL_MS, tokensBy } from "./metrics.js";

/** @import { Maybe } from "./format.js" */
/** @import { MeasureName, Report } from "./measures.js" */
/** @import { PlannedLane } from "./state.js" */

/**
 * @typedef {object} Row
 * @property {(value: Maybe) => string} write without its unit, which the row's heading has
 * @property {"less" | "more"} [better]
 * @property {number} [grain] two values that differ by less are level
 * @property {boolean} [isOfTokens] an answer that has all of its tokens can't have more
 * @property {boolean} [isOfGaps] an answer that comes all at once has its wait before its first token instead
 */

/** Values within one in a hundred of each other are level. */
const LEVEL_SHARE = 0.01;

/** @type {Row} */
const WAIT = { write: decimalMs, better: "less", grain: LEVEL_MS };
/** @type {Row} */
const GAP = { ...WAIT, isOfGaps: true };
/** @type {Row} */
const MS = { write: decimalMs };
/** @type {Row} */
const RATE = { write: rate, better: "more" };
/** @type {Row} */
const SHARE = { write: score, better: "more", grain: LEVEL_SHARE };
/** @type {Row} */
const COUNT = { write: count, better: "more", grain: 1, isOfTokens: true };

/** @type {Record<MeasureName, Row>} */
export const ROWS = {
  perceivedMs: WAIT,
  firstDrawingMs: MS,
  ttftMs: WAIT,
  here100Ms: COUNT,
  here1000Ms: COUNT,
  here10000Ms: COUNT,
  qoe: SHARE,
  fluidity: { ...SHARE, grain: 0.05 }, // a deadline or two
  itlP50Ms: GAP,
  itlP95Ms: GAP,
  itlP99Ms: GAP,
  itlMaxMs: GAP,
  tpotMs: GAP,
  decodeTokensPerS: { ...RATE, isOfGaps: true },
  overallTokensPerS: RATE,
  e2eMs: WAIT,
  ntMs: MS,
  predictedMs: MS,
  outsideMs: MS,
  setByYouMs: MS,
  serverLateMs: MS,
  basePathMs: MS,
  extraPathMs: MS,
  lastDrawingMs: MS,
};

/** @type {Partial<Record<MeasureName, number>>} */
const HERE_MS = { here100Ms: 100, here1000Ms: 1_000, here10000Ms: 10_000 };

/** @typedef {{ text: string, note: string, isBest: boolean }} Cell The note stands beside the figure, in small print. */

/**
 * @param {MeasureName} name
 * @param {readonly Report[]} reports
 * @param {readonly PlannedLane[]} plan
 * @param {boolean} isOver only then it is known which is best, and what came in pieces
 * @returns {Cell[]} one an answer
 */
export function cellsOf(name, reports, plan, isOver) {
  const best = isOver ? bestOf(name, reports, plan) : [];
  return reports.map(({ measures, isPart }, number) => {
    const notes = [plannedWords(name, plan[number])];
    if (best[number]) notes.push("best");
    if (isOver && ROWS[name].isOfGaps && comesInPieces(reports[number], plan[number]))
      notes.push(piecesWords(reports[number], plan[number]));
    if (isPart && name.startsWith("itl") && measures[name] !== null) notes.push(isOver ? "of a part" : "so far");
    return {
      text: ROWS[name].write(measures[name]),
      note: notes.filter(Boolean).join(" · "),
      isBest: best[number] ?? false,
    };
  });
}

/** Whole and without a rate, it came in one piece. @param {Report} report @param {PlannedLane} plan */
function piecesWords({ isWhole, measures }, { delivery }) {
  return delivery === "whole" || (isWhole && measures.decodeTokensPerS === null) ? "all at once" : "in pieces";
}

/** @param {MeasureName} name @param {PlannedLane} plan */
function plannedWords(name, { due_ms: dueMs }) {
  const limitMs = HERE_MS[name];
  return limitMs ? `${count(tokensBy(dueMs, limitMs))} due` : "";
}

/**
 * Which answers are best in a row: those level with the best, unless all are. Only whole and undisturbed answers are
 * compared: a part may be better than a whole by what it lacks.
 * @param {MeasureName} name
 * @param {readonly Report[]} reports
 * @param {readonly PlannedLane[]} plan
 * @returns {boolean[]}
 */
export function bestOf(name, reports, plan) {
  const { better, grain = 0, isOfTokens = false, isOfGaps = false } = ROWS[name];
  const areCompared = reports.map(
    (report, n) => isUndisturbed(report) && !(isOfGaps && comesInPieces(report, plan[n])),
  );
  const values = reports.map(({ measures }, n) => {
    if (!areCompared[n]) return null;
    return isOfTokens && measures[name] === plan[n].tokens ? Number.MAX_VALUE : measures[name];
  });
  const known = values.filter((value) => value !== null);
  if (!better || known.length < 2 || areTwins(plan.filter((_, n) => areCompared[n]))) return values.map(() => false);
  const best = better === "less" ? Math.min(...known) : Math.max(...known);
  const isLevel = (/** @type {number} */ value) => areLevel(value, best, grain);
  if (known.every(isLevel)) return values.map(() => false);
  return values.map((value) => value !== null && isLevel(value));
}

/** @param {Report} report */
function isUndisturbed({ isWhole, marks }) {
  return isWhole && !marks;
}

/** Planned the same, so that what differs is chance. @param {readonly PlannedLane[]} plan */
function areTwins([first, ...others]) {
  return others.every(({ due_ms: dueMs }) => String(dueMs) === String(first.due_ms));
}

/**
 * Sent whole, or brought in pieces by what lies between: then the waits are before the pieces, and a gap of nothing in
 * them is no fast token.
 * @param {Report} report
 * @param {PlannedLane} plan
 */
function comesInPieces({ measures: { itlP50Ms } }, { delivery }) {
  return delivery === "whole" || (itlP50Ms !== null && itlP50Ms < LEVEL_MS);
}

/** @param {number} a @param {number} b @param {number} [grain] */
export function areLevel(a, b, grain = LEVEL_MS) {
  return Math.abs(a - b) < Math.max(grain, LEVEL_SHARE * Math.max(Math.abs(a), Math.abs(b)));
}

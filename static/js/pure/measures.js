// @ts-check
/**
 * Every measure of one answer of a run, by name, and what may be said of it: what only a whole answer has is null
 * until it is whole, and what is told of a part is known to be one. Times are milliseconds since the request was made.
 */

import { count, isolated, shownMs, tokensWords } from "./format.js";
import {
  EXPECTED,
  LEVEL_MS,
  basePathMs,
  decodeTokensPerS,
  e2eMs,
  fluidity,
  gapMetrics,
  outsideNt,
  overallTokensPerS,
  qoe,
  tokensBy,
  tpotMs,
  ttftMs,
} from "./metrics.js";
import { perceivedMs } from "./state.js";
import { disturbances } from "./words.js";

/** @import { Expected } from "./metrics.js" */
/** @import { Lane, PlannedLane, Run, Token } from "./state.js" */

/** Nielsen's limits of attention: 0.1, 1 and 10 s. */
export const LIMITS_MS = /** @type {const} */ ([100, 1_000, 10_000]);

const OF_THE_PLAN = /** @type {const} */ (["ntMs", "predictedMs"]);

/** Known as soon as it has happened. */
const OF_THE_START = /** @type {const} */ ([
  "perceivedMs",
  "firstDrawingMs",
  "ttftMs",
  "here100Ms",
  "here1000Ms",
  "here10000Ms",
]);

/** Percentiles of gaps are told while tokens still come, and said to be of a part. */
const OF_A_PART = /** @type {const} */ (["itlP50Ms", "itlP95Ms", "itlP99Ms", "itlMaxMs"]);

/** What the waiting for a token that never came would belong to. */
const OF_THE_WHOLE = /** @type {const} */ ([
  "e2eMs",
  "tpotMs",
  "decodeTokensPerS",
  "overallTokensPerS",
  "qoe",
  "fluidity",
  "outsideMs",
  "setByYouMs",
  "serverLateMs",
  "basePathMs",
  "extraPathMs",
  "lastDrawingMs",
]);

/** @typedef {typeof OF_THE_PLAN[number] | typeof OF_THE_START[number] | typeof OF_A_PART[number] | typeof OF_THE_WHOLE[number]} MeasureName */
/** @typedef {Record<MeasureName, number | null>} Measures null for what is undefined or not known */
/**
 * @typedef {object} Report of one answer
 * @property {string} title
 * @property {boolean} isWhole it finished, so that its measures are of the whole answer
 * @property {boolean} isPart some of its tokens are here, and what is told of gaps is of these
 * @property {string} words how far it came, in a few words
 * @property {string} reason why some measures are "–" or marked, in a sentence; "" where none is
 * @property {Measures} measures
 * @property {string} [marks] what makes its times unlike those of others, or ""
 */

/**
 * @param {Run} run
 * @param {number} number the lane's
 * @param {number} elapsedMs
 * @param {Expected} [expected]
 * @returns {Report}
 */
export function reportOf(run, number, elapsedMs, expected = EXPECTED) {
  const plan = run.plan[number];
  const lane = run.lanes[number];
  const isWhole = lane.end?.how === "finished";
  return {
    title: isolated(plan.title),
    isWhole,
    isPart: !isWhole && lane.tokens.length > 0,
    words: progressWords(run, plan, lane),
    reason: reasonWords(run, plan, lane),
    marks: disturbances(run).join(", "),
    measures: {
      ntMs: plan.nt_ms,
      predictedMs: plan.predicted_ms,
      ...startMeasures(lane),
      ...hereMeasures(run, lane, elapsedMs),
      ...gapMetrics(lane.arrivalsMs),
      ...(isWhole ? wholeMeasures(plan, lane, expected) : NOT_WHOLE),
    },
  };
}

/** @type {Record<typeof OF_THE_WHOLE[number], null>} */
const NOT_WHOLE = /** @type {never} */ (Object.fromEntries(OF_THE_WHOLE.map((name) => [name, null])));

/** @param {Lane} lane */
function startMeasures(lane) {
  return {
    perceivedMs: perceivedMs(lane),
    firstDrawingMs: drawingMs(lane.tokens[0]),
    ttftMs: ttftMs(lane.arrivalsMs),
  };
}

/** Within a timer's grain, so that a rate of it would be that of the clock. @param {readonly number[]} arrivalsMs */
export function cameAtOnce(arrivalsMs) {
  return arrivalsMs.length > 1 && arrivalsMs[arrivalsMs.length - 1] - arrivalsMs[0] < LEVEL_MS;
}

/** @param {PlannedLane} plan @param {Lane} lane @param {Expected} expected */
function wholeMeasures(plan, { tokens, arrivalsMs }, expected) {
  return {
    e2eMs: e2eMs(arrivalsMs),
    tpotMs: tpotMs(arrivalsMs),
    decodeTokensPerS: cameAtOnce(arrivalsMs) ? null : decodeTokensPerS(arrivalsMs),
    overallTokensPerS: overallTokensPerS(arrivalsMs),
    qoe: qoe(arrivalsMs, expected).qoe,
    fluidity: fluidity(arrivalsMs, expected).fluidity,
    ...outside(plan, tokens),
    lastDrawingMs: drawingMs(tokens.at(-1)),
  };
}

/**
 * The parts of "outside n × t", from figures in tenths of a millisecond, as the table shows them, so that they add up
 * as shown too.
 * @param {PlannedLane} plan
 * @param {readonly Token[]} tokens
 */
function outside(plan, tokens) {
  const last = tokens.at(-1);
  const baseMs = basePathMs(tokens);
  const [lastSentMs, lastArrivalMs] = last ? [inTenths(last.sentMs), inTenths(last.arrivalMs)] : [null, null];
  return outsideNt({
    ntMs: inTenths(plan.nt_ms),
    predictedMs: inTenths(plan.predicted_ms),
    lastDueMs: last ? inTenths(last.dueMs) : null,
    lastSentMs,
    lastArrivalMs,
    // Rounded up it could be longer than the last token's own way.
    basePathMs: baseMs === null ? null : Math.min(inTenths(baseMs), (lastArrivalMs ?? 0) - (lastSentMs ?? 0)),
  });
}

/** @param {number} ms */
function inTenths(ms) {
  return shownMs(ms, 1);
}

/** @param {Token | undefined} token */
function drawingMs(token) {
  return token && token.drawnMs !== null ? token.drawnMs - token.arrivalMs : null;
}

/**
 * Tokens here by each limit, once it has passed; of an answer that is over none comes any more, so all are known.
 * @param {Run} run
 * @param {Lane} lane
 * @param {number} elapsedMs
 */
function hereMeasures(run, { arrivalsMs, end }, elapsedMs) {
  const knownMs = end ? Infinity : (run.endMs ?? elapsedMs);
  const [here100Ms, here1000Ms, here10000Ms] = LIMITS_MS.map((ms) => (ms <= knownMs ? tokensBy(arrivalsMs, ms) : null));
  return { here100Ms, here1000Ms, here10000Ms };
}

/** @param {Run} run @param {PlannedLane} plan @param {Lane} lane */
function progressWords(run, plan, lane) {
  const here = lane.tokens.length;
  if (lane.end?.how === "finished") return tokensWords(here);
  if (run.endMs === null && !lane.end) return `${count(here)} of ${count(plan.tokens)}`; // on one line
  const part = `${count(here)} of ${tokensWords(plan.tokens)}`;
  if (lane.end) return `failed after ${part}`;
  return `${run.phase === "refused" ? "refused" : "stopped"} after ${part}`;
}

/** @param {Run} run @param {PlannedLane} plan @param {Lane} lane */
function reasonWords(run, plan, lane) {
  const reasons = [];
  const isOver = lane.end !== null || run.endMs !== null;
  if (isOver && lane.end?.how !== "finished") {
    reasons.push(
      lane.tokens.length ? "Not whole: gaps are of what came, and the rest is not known." : "No token came.",
    );
  }
  if (lane.end?.how === "finished" && plan.tokens === 1) reasons.push("One token has no gaps.");
  else if (lane.end?.how === "finished" && cameAtOnce(lane.arrivalsMs))
    reasons.push("All came at once, so there is no rate after the first.");
  if (run.wasResumed) reasons.push("Resumed: the wait while the connection was lost is in the figures.");
  if (lane.tokens.some(({ drawnMs }) => drawnMs === null) && run.wasHidden) {
    reasons.push("The tab was hidden for a while, so when some tokens were seen is not known.");
  }
  return reasons.join(" ");
}

/**
 * @param {Run} run
 * @param {number} elapsedMs
 * @param {Expected} [expected]
 * @returns {Report[]} one an answer
 */
export function reportsOf(run, elapsedMs, expected = EXPECTED) {
  return run.lanes.map((_, number) => reportOf(run, number, elapsedMs, expected));
}

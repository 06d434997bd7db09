// @ts-check
/**
 * A run as data to take away and to open again: JSON that holds every token and measure, under the names of the wire.
 * What is read comes from a stranger's file, so everything that is used is checked, and nothing else is taken from it.
 */

import { readQuery } from "./query.js";
import { us } from "./state.js";

/** @import { Report } from "./measures.js" */
/** @import { Expected } from "./metrics.js" */
/** @import { Query } from "./query.js" */
/** @import { PlannedLane, Run, Saved } from "./state.js" */

/** What a result says beside the run: where it was measured, and what leads to its settings. */
/** @typedef {Saved & { link: string }} Circumstances */

const FORMAT = "trickle-result";
const FORMAT_VERSION = 1;
const MOST_LANES = 4;
const MOST_TOKENS = 10_000;
const LONGEST_MS = 1e9;
const LONGEST_TITLE = 80; // with what the page adds to tell answers apart
const PHASES = ["done", "stopped", "refused"];

/** What the server understood of a lane, and each token's time beside it. */
const SETTINGS = [
  ...["title", "tokens", "delay_ms", "ttft_ms", "jitter", "growth_ms", "stall_at", "stall_ms", "fail_at", "burst"],
  ...["flush_ms", "delivery", "cut_at", "text", "seed", "nt_ms", "predicted_ms", "recording", "opened"],
];

/**
 * @param {Run} run that is over
 * @param {readonly Report[]} reports
 * @param {Expected} expected
 * @param {Circumstances} circumstances
 * @returns {object} ready for JSON
 */
export function resultOf(run, reports, expected, circumstances) {
  return {
    format: FORMAT,
    format_version: FORMAT_VERSION,
    about: aboutOf(run, circumstances, expected),
    lanes: run.lanes.map(({ tokens, end }, n) => ({
      settings: settingsOf(run.plan[n]),
      end: end && { how: end.how, reason: end.reason, at_ms: end.atMs },
      measures: measuresOf(reports[n]),
      due_ms: run.plan[n].due_ms,
      tokens: tokens.map((token) => ({
        text: token.text,
        sent_ms: token.sentMs,
        arrival_ms: token.arrivalMs,
        drawn_ms: token.drawnMs,
      })),
    })),
  };
}

/** @param {Run} run @param {Circumstances} circumstances @param {Expected} expected */
function aboutOf(run, { version, browser, clockResolutionMs, link }, { expectedTtftMs, readingGapMs }) {
  return {
    trickle_version: version,
    taken_at: run.takenAt,
    link,
    browser,
    clock_resolution_ms: us(clockResolutionMs),
    how_it_ended: run.phase,
    reason: run.reason,
    ended_ms: run.endMs ?? 0,
    was_resumed: run.wasResumed,
    was_hidden: run.wasHidden,
    was_busy: run.wasBusy,
    expected_ttft_ms: expectedTtftMs,
    reading_gap_ms: readingGapMs,
  };
}

/** @param {object} plan or anything that may hold them @returns {any} the settings of a lane, and nothing else */
function settingsOf(plan) {
  return Object.fromEntries(Object.entries(plan).filter(([name]) => SETTINGS.includes(name)));
}

/** @param {Report} report */
function measuresOf({ isWhole, measures }) {
  const known = Object.entries(measures).map(([name, value]) => [
    wireName(name),
    value === null ? null : Math.round(value * 1e6) / 1e6,
  ]);
  return { is_whole: isWhole, ...Object.fromEntries(known) };
}

/** itlP50Ms → itl_p50_ms @param {string} name */
function wireName(name) {
  return name
    .split(/(?=[A-Z])|(?<=[a-z]{2})(?=\d)/)
    .join("_")
    .toLowerCase();
}

/** What a file says that is no result. */
export class ResultError extends Error {}

/**
 * @param {string} text of a file
 * @returns {Omit<Run, "number">} with everything that was measured
 * @throws {ResultError} which names what is wrong
 */
export function readResult(text) {
  const result = parsed(text);
  check(result?.format === FORMAT, "this is not a result that Trickle has saved");
  check(result.format_version === FORMAT_VERSION, `its format is not version ${FORMAT_VERSION}, which this page knows`);
  const { about, lanes } = result;
  checkAbout(about);
  const isInBounds = Array.isArray(lanes) && lanes.length >= 1 && lanes.length <= MOST_LANES;
  check(isInBounds, `lanes must be one to ${MOST_LANES}`);
  lanes.forEach(checkLane);
  const linked = lanes.filter((/** @type {any} */ { settings }) => !settings.opened);
  check(linked.length === queryOf(about.link).lanes.length, "about: the link must have as many lanes");
  return runOf(about, lanes);
}

/** @param {string} text @returns {any} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ResultError(`this is not JSON: ${/** @type {Error} */ (error).message}`);
  }
}

/** @param {string} link */
function queryOf(link) {
  return readQuery(link.slice(link.indexOf("?") + 1));
}

/** No link holds what was opened from disk. @param {string} link @param {any[]} lanes @returns {Query} of all lanes */
function wholeQuery(link, lanes) {
  const { lanes: linked, say } = queryOf(link);
  return { say, lanes: lanes.map(({ settings: { opened } }) => (opened ? { opened } : (linked.shift() ?? {}))) };
}

/** @param {any} about @param {any[]} lanes @returns {Omit<Run, "number">} */
function runOf(about, lanes) {
  return {
    query: wholeQuery(about.link, lanes),
    plan: lanes.map(({ settings, due_ms }) => ({ ...settingsOf(settings), due_ms })),
    lanes: lanes.map(readLane),
    phase: about.how_it_ended,
    requestedAt: 0,
    endMs: about.ended_ms,
    reason: about.reason,
    wasOpened: true,
    wasResumed: about.was_resumed === true,
    wasHidden: about.was_hidden === true,
    wasBusy: about.was_busy === true,
    takenAt: about.taken_at,
    saved: {
      version: about.trickle_version,
      browser: about.browser,
      clockResolutionMs: about.clock_resolution_ms,
    },
  };
}

/** @param {any} lane */
function readLane({ tokens, due_ms: dueMs, end }) {
  const read = tokens.map((/** @type {any} */ token, /** @type {number} */ i) => ({
    text: token.text,
    dueMs: dueMs[i],
    sentMs: token.sent_ms,
    arrivalMs: token.arrival_ms,
    drawnMs: token.drawn_ms,
  }));
  const arrivalsMs = read.map((/** @type {{ arrivalMs: number }} */ { arrivalMs }) => arrivalMs);
  return {
    tokens: read,
    arrivalsMs,
    together: 0,
    drawn: read.length,
    end: end && { how: end.how, reason: end.reason, atMs: end.at_ms },
  };
}

/** @param {any} about */
function checkAbout(about) {
  check(isObject(about), "about must say how it was measured");
  const { link, reason, trickle_version: version, browser, taken_at: takenAt, how_it_ended: phase } = about;
  check(
    [link, reason, version, browser].every(isShort),
    "about: link, reason, trickle_version and browser must be text",
  );
  check(isShort(takenAt) && !Number.isNaN(Date.parse(takenAt)), "about: taken_at must be a date");
  check(PHASES.includes(phase), `about: how_it_ended must be one of ${PHASES.join(", ")}`);
  check(isTime(about.ended_ms), "about: ended_ms must be a number from 0");
  check(isTime(about.clock_resolution_ms), "about: clock_resolution_ms must be a number from 0");
}

/** @param {any} lane @param {number} n */
function checkLane(lane, n) {
  const where = `lane ${n + 1}`;
  check(isObject(lane) && isObject(lane.settings), `${where}: its settings are missing`);
  checkSettings(lane.settings, where);
  const { settings, due_ms: dueMs, end } = lane;
  /** @type {any[]} */
  const tokens = lane.tokens;
  const areTimes = Array.isArray(dueMs) && dueMs.length <= settings.tokens && isAscending(dueMs);
  check(areTimes, `${where}: due_ms must be ascending times, at most one a token`);
  const areFew = Array.isArray(tokens) && tokens.length <= dueMs.length;
  check(areFew, `${where}: there must be no more tokens than due times`);
  tokens.forEach((token, i) => checkToken(token, `${where}, token ${i + 1}`));
  check(isAscending(tokens.map(({ arrival_ms: ms }) => ms)), `${where}: tokens must come one after another`);
  const isEnd = ["finished", "failed"].includes(end?.how) && isShort(end.reason) && isTime(end.at_ms);
  check(end === null || isEnd, `${where}: end must say how, why and when`);
  const isWhole = tokens.length === settings.tokens;
  check(end?.how !== "finished" || isWhole, `${where}: it finished, so all its tokens must be here`);
}

/** @param {any} settings @param {string} where */
function checkSettings(settings, where) {
  check(isShort(settings.title) && settings.title.length <= LONGEST_TITLE, `${where}: title must be short text`);
  check(["token", "whole"].includes(settings.delivery), `${where}: delivery must be token or whole`);
  const { tokens } = settings;
  const isCount = Number.isInteger(tokens) && tokens >= 1 && tokens <= MOST_TOKENS;
  check(isCount, `${where}: tokens must be a whole number from 1 to ${MOST_TOKENS}`);
  for (const name of ["delay_ms", "ttft_ms", "nt_ms", "predicted_ms"]) {
    check(isTime(settings[name]), `${where}: ${name} must be a number from 0`);
  }
  const areSimple = Object.values(settingsOf(settings)).every((value) => isTime(value) || isShort(value));
  check(areSimple, `${where}: each setting must be a number or text`);
}

/** @param {any} token @param {string} where */
function checkToken(token, where) {
  check(isObject(token) && isShort(token.text), `${where}: text must be text`);
  check(isTime(token.sent_ms), `${where}: sent_ms must be a number from 0`);
  check(isTime(token.arrival_ms), `${where}: arrival_ms must be a number from 0`);
  check(token.drawn_ms === null || isTime(token.drawn_ms), `${where}: drawn_ms must be a number from 0, or null`);
}

/** @param {boolean} isRight @param {string} problem */
function check(isRight, problem) {
  if (!isRight) throw new ResultError(problem);
}

/** @param {unknown} value */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param {unknown} value @returns {boolean} a text no longer than a link with everything in it */
function isShort(value) {
  return typeof value === "string" && value.length <= 8_000;
}

/** @param {unknown} value @returns {value is number} */
function isTime(value) {
  return typeof value === "number" && value >= 0 && value <= LONGEST_MS;
}

/** @param {unknown[]} times */
function isAscending(times) {
  return times.every((time, i) => isTime(time) && (i === 0 || time >= /** @type {number} */ (times[i - 1])));
}

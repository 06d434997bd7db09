// @ts-check
/**
 * A run as data to take away and to open again: JSON that holds every token and measure, under the names of the wire.
 * What is read comes from a stranger's file, so everything that is used is checked, and nothing else is taken from it.
 */

import { readQuery } from "./query.js";
import { isNumber, isText, listOf, oneOf, perhaps, problem } from "./rules.js";
import { us } from "./state.js";

/** @import { Report } from "./measures.js" */
/** @import { Expected } from "./metrics.js" */
/** @import { Query } from "./query.js" */
/** @import { Rule } from "./rules.js" */
/** @import { Run, Saved } from "./state.js" */

/** What a result says beside the run: where it was measured, and what leads to its settings. */
/** @typedef {Saved & { link: string }} Circumstances */

const FORMAT = "trickle-result";
const FORMAT_VERSION = 1;
const MOST_LANES = 4;
const MOST_TOKENS = 10_000;
const LONGEST_MS = 1e9;
const LONGEST_TITLE = 80; // with what the page adds to tell answers apart
const LONGEST_TEXT = 20_000; // of a link with everything in it

/** @type {Rule} */
const TEXT = [(value) => isText(value, 0, LONGEST_TEXT), "text of at most 20,000 characters"];
/** @type {Rule} */
const TITLE = [(value) => isText(value, 1, LONGEST_TITLE), "text of 1 to 80 characters"];
/** @type {Rule} */
const DATE = [(value) => isText(value, 1, 40) && !Number.isNaN(Date.parse(value)), "a date and time"];
/** @type {Rule} */
const FLAG = [(value) => typeof value === "boolean", "true or false"];
/** @type {Rule} */
const SEVERAL = [
  (value) => Number.isInteger(value) && value >= 1 && value <= MOST_TOKENS,
  "a whole number from 1 to 10,000",
];
/** @type {Rule} */
const PART = [(value) => typeof value === "object" && value !== null && !Array.isArray(value), "an object"];
const TIME = timeFrom(0);
const PERHAPS_TEXT = perhaps(TEXT);
const PERHAPS_NUMBER = perhaps([(value) => isNumber(value, 0, 2 ** 32 - 1), "a number from 0 to 4,294,967,295"]);

/** @type {Record<string, Rule>} */
const ABOUT = {
  link: TEXT,
  reason: TEXT,
  trickle_version: TEXT,
  browser: TEXT,
  taken_at: DATE,
  clock_resolution_ms: TIME,
  how_it_ended: oneOf("done", "stopped", "refused"),
  ended_ms: TIME,
  was_resumed: FLAG,
  was_hidden: FLAG,
  was_busy: FLAG,
};

/** What the server understood of a lane. @type {Record<string, Rule>} */
const SETTINGS = {
  title: TITLE,
  tokens: SEVERAL,
  delay_ms: TIME,
  ttft_ms: TIME,
  jitter: PERHAPS_NUMBER,
  growth_ms: PERHAPS_NUMBER,
  stall_at: PERHAPS_NUMBER,
  stall_ms: PERHAPS_NUMBER,
  fail_at: PERHAPS_NUMBER,
  burst: PERHAPS_NUMBER,
  flush_ms: PERHAPS_NUMBER,
  delivery: oneOf("token", "whole"),
  cut_at: PERHAPS_NUMBER,
  text: PERHAPS_TEXT,
  seed: PERHAPS_NUMBER,
  nt_ms: TIME,
  predicted_ms: TIME,
  recording: PERHAPS_TEXT,
  opened: PERHAPS_TEXT,
};

/** @type {Record<string, Rule>} */
const END = { how: oneOf("finished", "failed"), reason: TEXT, at_ms: TIME };

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
  return Object.fromEntries(Object.entries(plan).filter(([name]) => Object.hasOwn(SETTINGS, name)));
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
  checkAll("about", about, ABOUT);
  checkThat("lanes", lanes, listOf(1, MOST_LANES));
  lanes.forEach((/** @type {any} */ lane, /** @type {number} */ n) =>
    checkLane(`lanes[${n}]`, lane, about.how_it_ended),
  );
  const lastMs = Math.max(...lanes.map((/** @type {any} */ { tokens }) => tokens.at(-1)?.arrival_ms ?? 0));
  checkThat("about.ended_ms", about.ended_ms, timeFrom(lastMs));
  const linked = lanes.filter((/** @type {any} */ { settings }) => !settings.opened).length;
  checkThat("about.link", about.link, [
    () => queryOf(about.link).lanes.length === linked,
    `a link with as many lanes, ${linked}`,
  ]);
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

/** @param {string} place @param {any} lane @param {string} howItEnded */
function checkLane(place, lane, howItEnded) {
  checkThat(place, lane, PART);
  checkAll(`${place}.settings`, lane.settings, SETTINGS);
  const { settings, due_ms: dueMs, tokens, end } = lane;
  checkThat(`${place}.due_ms`, dueMs, listOf(0, settings.tokens));
  dueMs.forEach((/** @type {any} */ ms, /** @type {number} */ i) =>
    checkThat(`${place}.due_ms[${i}]`, ms, timeFrom(dueMs[i - 1] ?? 0)),
  );
  checkThat(`${place}.tokens`, tokens, listOf(0, dueMs.length));
  tokens.forEach((/** @type {any} */ token, /** @type {number} */ i) =>
    checkToken(`${place}.tokens[${i}]`, token, tokens[i - 1]?.arrival_ms ?? 0),
  );
  if (end !== null || howItEnded === "done") checkAll(`${place}.end`, end, END);
  const least = end?.how === "finished" ? settings.tokens : 0;
  checkThat(`${place}.tokens.length`, tokens.length, [(length) => length >= least, `${least}, as it finished`]);
}

/** @param {string} place @param {any} token @param {number} beforeMs when the one before it came */
function checkToken(place, token, beforeMs) {
  checkThat(place, token, PART);
  const { text, sent_ms: sentMs, arrival_ms: arrivalMs, drawn_ms: drawnMs } = token;
  checkThat(`${place}.text`, text, TEXT);
  checkThat(`${place}.sent_ms`, sentMs, TIME);
  checkThat(`${place}.arrival_ms`, arrivalMs, timeFrom(beforeMs));
  const [isTime, allowed] = timeFrom(arrivalMs);
  checkThat(`${place}.drawn_ms`, drawnMs, [(value) => value === null || isTime(value), `null or ${allowed}`]);
}

/** @param {string} place @param {any} part @param {Record<string, Rule>} rules */
function checkAll(place, part, rules) {
  checkThat(place, part, PART);
  for (const [name, rule] of Object.entries(rules)) checkThat(`${place}.${name}`, part[name], rule);
}

/** @param {string} place @param {unknown} value @param {Rule} rule */
function checkThat(place, value, [isRight, allowed]) {
  if (!isRight(value)) throw new ResultError(problem(place, value, allowed));
}

/** @param {boolean} isRight @param {string} words */
function check(isRight, words) {
  if (!isRight) throw new ResultError(words);
}

/** @param {number} leastMs @returns {Rule} */
function timeFrom(leastMs) {
  return [(value) => isNumber(value, leastMs, LONGEST_MS), `a number from ${leastMs} to 1,000,000,000`];
}

// @ts-check
/**
 * A run as data to take away and to open again: JSON that holds every token and measure, and a table of the same.
 * Names are those of the wire. What is read comes from a stranger's file, so everything in it is checked.
 */

import { readQuery } from "./query.js";

/** @import { Report } from "./measures.js" */
/** @import { Expected } from "./metrics.js" */
/** @import { PlannedLane, Run } from "./state.js" */

/** @typedef {{ version: string, takenAt: string, browser: string, clockResolutionMs: number, link: string }} Circumstances */

const FORMAT = "trickle-result";
const FORMAT_VERSION = 1;
const MOST_LANES = 4;
const MOST_TOKENS = 10_000;
const LONGEST_MS = 1e9;

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
      end: end && { how: end.how, reason: end.reason, at_ms: us(end.atMs) },
      measures: measuresOf(reports[n]),
      due_ms: run.plan[n].due_ms,
      tokens: tokens.map((token) => ({
        text: token.text,
        sent_ms: token.sentMs,
        arrival_ms: us(token.arrivalMs),
        drawn_ms: token.drawnMs === null ? null : us(token.drawnMs),
      })),
    })),
  };
}

/** @param {Run} run @param {Circumstances} circumstances @param {Expected} expected */
function aboutOf(run, { version, takenAt, browser, clockResolutionMs, link }, { expectedTtftMs, readingGapMs }) {
  return {
    trickle_version: version,
    taken_at: takenAt,
    link,
    browser,
    clock_resolution_ms: us(clockResolutionMs),
    how_it_ended: run.phase,
    reason: run.reason,
    was_resumed: run.wasResumed,
    was_hidden: run.wasHidden,
    was_busy: run.wasBusy,
    expected_ttft_ms: expectedTtftMs,
    reading_gap_ms: readingGapMs,
  };
}

/** @param {PlannedLane} plan @returns {Record<string, unknown>} all that the server understood, but not each token's time */
function settingsOf({ due_ms: _, ...settings }) {
  return settings;
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

/** @param {number} ms in whole microseconds, finer than any browser's clock */
function us(ms) {
  return Math.round(ms * 1000) / 1000;
}

const COLUMNS = ["record", "lane", "name", "value", "i", "text", "due_ms", "sent_ms", "arrival_ms", "drawn_ms"];

/**
 * The same as a table with one kind of record a line: `about`, `setting`, `measure` (name and value) and `token`.
 * Texts are written as JSON, so that they come back as they were, and no cell begins as a formula does.
 * @param {any} result as `resultOf` gives it
 * @returns {string} CSV as RFC 4180 has it
 */
export function csvOf(result) {
  const rows = [COLUMNS, ...pairs("about", "", result.about)];
  result.lanes.forEach(
    (/** @type {any} */ { settings, end, measures, due_ms: dueMs, tokens }, /** @type {number} */ lane) => {
      rows.push(
        ...pairs("setting", lane, settings),
        ...pairs("end", lane, end ?? {}),
        ...pairs("measure", lane, measures),
      );
      tokens.forEach((/** @type {any} */ token, /** @type {number} */ i) => {
        rows.push([
          "token",
          lane,
          "",
          "",
          i,
          JSON.stringify(token.text),
          dueMs[i],
          token.sent_ms,
          token.arrival_ms,
          token.drawn_ms,
        ]);
      });
    },
  );
  return rows.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

/** @param {string} record @param {number | ""} lane @param {object} values @returns {any[][]} */
function pairs(record, lane, values) {
  return Object.entries(values).map(([name, value]) => [
    record,
    lane,
    name,
    typeof value === "string" ? JSON.stringify(value) : value,
    "",
    "",
    "",
    "",
    "",
    "",
  ]);
}

/** @param {unknown} value */
function cell(value) {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
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
  check(
    result.format_version === FORMAT_VERSION,
    `its format is version ${result.format_version}, and this page knows ${FORMAT_VERSION}`,
  );
  const { about, lanes } = result;
  check(
    isObject(about) && [about.link, about.taken_at, about.browser].every(isShort),
    "about: link, taken_at and browser must be text",
  );
  check(Array.isArray(lanes) && lanes.length >= 1 && lanes.length <= MOST_LANES, `lanes must be one to ${MOST_LANES}`);
  lanes.forEach(checkLane);
  return runOf(about, lanes);
}

/** @param {string} text @returns {any} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new ResultError("this is not JSON");
  }
}

/** @param {any} about @param {any[]} lanes @returns {Omit<Run, "number">} */
function runOf(about, lanes) {
  const phase = about.how_it_ended === "done" ? "done" : "stopped";
  const ends = lanes.map(({ tokens, end }) => Math.max(tokens.at(-1)?.arrival_ms ?? 0, end?.at_ms ?? 0));
  return {
    query: readQuery(about.link.slice(about.link.indexOf("?") + 1)),
    plan: lanes.map(({ settings, due_ms }) => ({ ...settings, due_ms })),
    lanes: lanes.map(readLane),
    phase,
    requestedAt: 0,
    endMs: Math.max(...ends),
    reason: "",
    wasOpened: true,
    wasResumed: about.was_resumed === true,
    wasHidden: about.was_hidden === true,
    wasBusy: about.was_busy === true,
    saved: { takenAt: about.taken_at, browser: about.browser },
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

/** @param {any} lane @param {number} n */
function checkLane(lane, n) {
  const where = `lane ${n + 1}`;
  check(isObject(lane) && isObject(lane.settings), `${where}: its settings are missing`);
  const { settings, due_ms: dueMs, end } = lane;
  /** @type {any[]} */
  const tokens = lane.tokens;
  check(isShort(settings.title), `${where}: title must be text`);
  check(["token", "whole"].includes(settings.delivery), `${where}: delivery must be token or whole`);
  for (const name of ["tokens", "delay_ms", "ttft_ms", "nt_ms", "predicted_ms"])
    check(isTime(settings[name]), `${where}: ${name} must be a number from 0`);
  check(
    Array.isArray(dueMs) && dueMs.length <= MOST_TOKENS && isAscending(dueMs),
    `${where}: due_ms must be ascending times, at most ${MOST_TOKENS}`,
  );
  check(
    Array.isArray(tokens) && tokens.length <= dueMs.length,
    `${where}: there must be no more tokens than due times`,
  );
  tokens.forEach((token, i) => checkToken(token, `${where}, token ${i + 1}`));
  check(isAscending(tokens.map(({ arrival_ms: ms }) => ms)), `${where}: tokens must come one after another`);
  check(
    end === null || (["finished", "failed"].includes(end?.how) && isShort(end.reason) && isTime(end.at_ms)),
    `${where}: end must say how, why and when`,
  );
  check(
    end?.how !== "finished" || tokens.length === dueMs.length,
    `${where}: it finished, so all its tokens must be here`,
  );
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

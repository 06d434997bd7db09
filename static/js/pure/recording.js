// @ts-check
/**
 * A recording that was opened from disk: what `trickle measure --save` wrote, under the rules of server/recording.py.
 * It comes from a stranger's file, so everything is checked; all that is wrong is told at once, each with its place.
 */

import { isNumber, isText, problem } from "./rules.js";

/** @import { LaneSettings } from "./query.js" */
/** @import { Rule } from "./rules.js" */
/** @import { PlannedLane } from "./state.js" */

/**
 * @typedef {object} Recording
 * @property {string} model
 * @property {string} source
 * @property {string} recorded_at
 * @property {keyof typeof BROKE_OFF | "done"} ended
 * @property {{ text: string, arrival_ms: number }[]} tokens one or more, each not before the one before it
 */

const FORMAT = "trickle-recording";
const MOST_TOKENS = 10_000;
const LONGEST_TEXT = 10_000;
const LONGEST_MS = 3_600_000;
const LONGEST_TITLE = 40;
/** As many as one can read beside a button. */
const MOST_TOLD = 5;

/** How a recording ended that has not all of its answer. */
const BROKE_OFF = {
  failed: "the model failed",
  cut: "the connection was cut",
  stopped: "the recording was stopped",
};

/** What a file says that is no recording. */
export class RecordingError extends Error {}

/** @type {Record<string, Rule>} */
const HEAD = {
  format: [(value) => value === FORMAT, `"${FORMAT}"`],
  format_version: [(value) => value === 1, "1"],
  source: [(value) => isText(value, 0, 2_000), "text of at most 2,000 characters"],
  model: [(value) => isText(value, 0, 200), "text of at most 200 characters"],
  recorded_at: [isDate, "a date and time such as 2026-11-30T21:00:00Z"],
  ended: [(value) => value === "done" || Object.hasOwn(BROKE_OFF, value), "one of done, failed, cut, stopped"],
  tokens: [
    (value) => Array.isArray(value) && value.length >= 1 && value.length <= MOST_TOKENS,
    "a list of 1 to 10,000 tokens",
  ],
};
/** @type {Record<string, Rule>} */
const TOKEN = {
  text: [(value) => isText(value, 1, LONGEST_TEXT), "text of 1 to 10,000 characters"],
  arrival_ms: [isArrival, "a number from 0 to 3,600,000, with at most three decimals"],
};

/**
 * @param {string} text of a file
 * @returns {Recording | null} null for a file that does not say that it is one
 * @throws {RecordingError} which names what is wrong, and where
 */
export function readRecording(text) {
  const document = parsed(text);
  if (document?.format !== FORMAT) return null;
  const problems = [...problemsOf(document, HEAD, "")];
  if (HEAD.tokens[0](document.tokens)) problems.push(...tokenProblems(document.tokens));
  if (problems.length > 0) throw new RecordingError(inShort(problems));
  return document;
}

/** @param {string} text @returns {any} null for what is no JSON */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @param {any[]} tokens @returns {Generator<string>} */
function* tokenProblems(tokens) {
  let latest = 0;
  for (const [i, token] of tokens.entries()) {
    const place = `tokens[${i}]`;
    if (typeof token !== "object" || token === null || Array.isArray(token)) {
      yield problem(place, token, "an object with text and arrival_ms");
      continue;
    }
    yield* problemsOf(token, TOKEN, `${place}.`);
    if (!isArrival(token.arrival_ms)) continue;
    if (token.arrival_ms < latest)
      yield problem(`${place}.arrival_ms`, token.arrival_ms, `at least ${latest}, when the one before came`);
    latest = token.arrival_ms;
  }
}

/** @param {any} part @param {Record<string, Rule>} rules @param {string} where @returns {Generator<string>} */
function* problemsOf(part, rules, where) {
  for (const [name, [isRight, allowed]] of Object.entries(rules)) {
    if (!isRight(part[name])) yield problem(where + name, part[name], allowed);
  }
  for (const name of Object.keys(part)) {
    if (!Object.hasOwn(rules, name))
      yield problem(where + name, part[name], `left out, or one of ${Object.keys(rules).join(", ")}`);
  }
}

/** @param {string[]} problems */
function inShort(problems) {
  const more = problems.length - MOST_TOLD;
  const told = problems.slice(0, MOST_TOLD).join("; ");
  return more > 0 ? `${told}; and ${more.toLocaleString("en")} more problems` : told;
}

/** @param {unknown} value */
function isDate(value) {
  return isText(value, 1, 40) && /^\d{4}-\d\d-\d\d/.test(String(value)) && !Number.isNaN(Date.parse(String(value)));
}

/** @param {unknown} value @returns {value is number} */
function isArrival(value) {
  return isNumber(value, 0, LONGEST_MS) && toUs(value) === value;
}

/** @param {number} ms @returns {number} the same, with at most three decimals */
function toUs(ms) {
  return Math.round(ms * 1_000) / 1_000;
}

/* What a lane plays of it. */

/** @param {Recording} recording @returns {string} what ended it before its answer was whole; "" where nothing did */
export function failureOf({ ended, tokens }) {
  return ended === "done" ? "" : `${BROKE_OFF[ended]} after ${tokens.length.toLocaleString("en")} tokens`;
}

/**
 * @param {Recording} recording
 * @param {LaneSettings} lane that plays it
 * @returns {PlannedLane} as the server plans a recording of its own
 */
export function plannedAs(recording, lane) {
  const { tokens, ended } = recording;
  const arrivals = tokens.map(({ arrival_ms: ms }) => ms);
  const [firstMs, lastMs] = [arrivals[0], arrivals[arrivals.length - 1]];
  const delay_ms = toUs((lastMs - firstMs) / Math.max(1, tokens.length - 1));
  const isWhole = lane.delivery === "whole";
  return {
    opened: lane.opened,
    title: lane.title || titleOf(recording) || (isWhole ? "All at once" : "Streamed"),
    tokens: tokens.length,
    delay_ms,
    ttft_ms: firstMs,
    delivery: isWhole ? "whole" : "token",
    ...(ended === "done" ? {} : { fail_at: tokens.length }),
    nt_ms: toUs(tokens.length * delay_ms),
    predicted_ms: lastMs,
    due_ms: isWhole ? wholeDue(recording, lastMs) : arrivals,
  };
}

/** Of an answer that fails nothing is sent that is held back until it is whole. @param {Recording} recording @param {number} lastMs */
function wholeDue({ tokens, ended }, lastMs) {
  return ended === "done" ? tokens.map(() => lastMs) : [];
}

/** The model's name, as a title may be. @param {Recording} recording */
function titleOf({ model }) {
  const words = model.replaceAll(",", " ").split(/\s+/).filter(Boolean).join(" ");
  return [...words].slice(0, LONGEST_TITLE).join("").trim();
}

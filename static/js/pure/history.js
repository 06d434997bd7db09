// @ts-check
/** The runs of this visit: what each measured, and the median and range of what was run more than once. */

import { percentile } from "./metrics.js";
import { us } from "./state.js";

/** @import { Report } from "./measures.js" */
/** @import { Run } from "./state.js" */

/** More than anybody runs; each takes some 300 bytes of the five million that a browser keeps for a visit. */
export const MOST_ENTRIES = 1_000;

/** @typedef {{ settings: string, measures: Summed | null }} LaneEntry measures null where the answer isn't whole */
/** One run; `leftOut` says why no median has it, or is "". @typedef {{ query: string, lanes: LaneEntry[], leftOut: string }} Entry */
/** @typedef {Record<typeof SUMMED[number], number | null>} Summed */
/** @typedef {{ median: number | null, low: number | null, high: number | null }} Spread */
/**
 * @typedef {object} Summary of one configuration
 * @property {string} query
 * @property {number} runs
 * @property {string[]} leftOut why runs are in no median, each reason once
 * @property {{ settings: string, counted: number, spreads: Record<string, Spread> }[]} lanes
 */

/** What is summed up: the waits that one compares. */
export const SUMMED = /** @type {const} */ (["perceivedMs", "ttftMs", "tpotMs", "e2eMs", "outsideMs"]);

/**
 * @param {string} query what was run, without titles
 * @param {readonly string[]} settings of each lane, as they stand in a URL
 * @param {Run} run that is over
 * @param {readonly Report[]} reports
 * @returns {Entry}
 */
export function entryOf(query, settings, run, reports) {
  const lanes = reports.map(({ isWhole, measures }, n) => ({
    settings: settings[n],
    measures: isWhole ? /** @type {Summed} */ (Object.fromEntries(SUMMED.map((name) => [name, measures[name]]))) : null,
  }));
  return { query, lanes, leftOut: leftOutWords(run) };
}

/** @param {Run} run */
function leftOutWords(run) {
  if (run.phase !== "done") return run.phase;
  if (run.wasResumed) return "resumed";
  return run.wasHidden ? "hidden" : "";
}

/**
 * @param {readonly Entry[]} entries
 * @param {Entry} entry
 * @returns {Entry[]} with it at the end, and the oldest gone where there are too many
 */
export function withEntry(entries, entry) {
  return [...entries, entry].slice(-MOST_ENTRIES);
}

/**
 * @param {readonly Entry[]} entries
 * @returns {Summary[]} one a configuration, the one run last first
 */
export function summariesOf(entries) {
  /** @type {Map<string, Entry[]>} */
  const byQuery = new Map();
  for (const entry of entries) {
    const same = byQuery.get(entry.query) ?? [];
    byQuery.delete(entry.query); // so that it is now the last
    byQuery.set(entry.query, [...same, entry]);
  }
  return [...byQuery.values()].reverse().map(summaryOf);
}

/** @param {Entry[]} entries of one configuration @returns {Summary} */
function summaryOf(entries) {
  const lanes = entries[0].lanes.map(({ settings }, n) => {
    const counted = entries.flatMap(({ leftOut, lanes }) =>
      leftOut === "" && lanes[n].measures ? [lanes[n].measures] : [],
    );
    const spreads = Object.fromEntries(
      SUMMED.map((name) => [name, spreadOf(counted.map((measures) => measures[name]))]),
    );
    return { settings, counted: counted.length, spreads };
  });
  const reasons = entries.map(
    ({ leftOut, lanes }) => leftOut || (lanes.some(({ measures }) => !measures) ? "failed" : ""),
  );
  return { query: entries[0].query, runs: entries.length, leftOut: [...new Set(reasons.filter(Boolean))], lanes };
}

/** @param {(number | null)[]} values @returns {Spread} */
function spreadOf(values) {
  const known = values.filter((value) => value !== null);
  const [median, low, high] = [50, 0, 100].map((p) => {
    const ms = percentile(known, p);
    return ms === null ? null : us(ms); // else noise decides how 5.55 is rounded, and it doesn't add up as shown
  });
  return { median, low, high };
}

/**
 * What a browser kept, if it is what this page writes.
 * @param {string} text
 * @returns {Entry[]} none where it is anything else
 */
export function readEntries(text) {
  try {
    const entries = JSON.parse(text);
    return Array.isArray(entries) && entries.every(isEntry) ? entries : [];
  } catch {
    return [];
  }
}

/** @param {any} entry */
function isEntry(entry) {
  const areTexts = typeof entry?.query === "string" && typeof entry.leftOut === "string";
  return areTexts && Array.isArray(entry.lanes) && entry.lanes.every(isLaneEntry);
}

/** @param {any} lane */
function isLaneEntry(lane) {
  if (typeof lane?.settings !== "string") return false;
  return lane.measures === null || SUMMED.every((name) => isMeasure(lane.measures?.[name]));
}

/** @param {unknown} value */
function isMeasure(value) {
  return value === null || typeof value === "number";
}

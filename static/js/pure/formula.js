// @ts-check
/** T ≈ n × t as a calculator, exact in whole microseconds. */

import { count, decimalMs, percent, shownMs, tidy, wholeMs } from "./format.js";
import { LIMIT_MS } from "./metrics.js";
import { laneEndMs } from "./state.js";

/** @import { Lane, PlannedLane } from "./state.js" */

/** Measured within a tenth of n × t counts as agreeing: "about" is not more exact than that. */
const ABOUT = 0.1;

/** @param {number} n @param {number} t in ms @returns {number} in ms */
export function productMs(n, t) {
  return (n * Math.round(t * 1000)) / 1000;
}

/** @param {number} t in ms @returns {number | null} how many tokens fit into 100 ms; null where no number is too many */
export function fitsInto100Ms(t) {
  const us = Math.round(t * 1000);
  return us === 0 ? null : Math.floor((LIMIT_MS * 1000) / us);
}

/** @param {number} n at least 1 @returns {number} ms a token, for n of them to be here within 100 ms */
export function neededMs(n) {
  return LIMIT_MS / n;
}

/** @param {number} t in ms */
export function fitsWords(t) {
  const n = fitsInto100Ms(t);
  if (n === null) return "any number";
  return n === 1 ? "1 token" : `${count(n)} tokens`;
}

/**
 * Rounded down, because with more than that they would not fit.
 * @param {number} n
 */
export function neededWords(n) {
  const ms = neededMs(n);
  const digits = ms >= 100 ? 0 : ms >= 1 ? 2 : 4;
  return `${tidy(Math.floor(ms * 10 ** digits + 1e-9) / 10 ** digits)} ms`;
}

/**
 * The end of an axis that changes only with the power of ten, so that twice the tokens mostly are twice the bar on it.
 * The 100 ms line is always on it.
 * @param {number} ms
 * @returns {number} 200 ms, 2 s, 20 s, …
 */
export function axisEndMs(ms) {
  let endMs = 2 * LIMIT_MS;
  while (endMs < ms) endMs *= 10;
  return endMs;
}

/**
 * Whether a run that reached its end agreed with n × t, of the figures as they are shown.
 * @param {PlannedLane} plan
 * @param {Lane} lane
 * @returns {string}
 */
export function agreementWords(plan, lane) {
  if (lane.end?.how !== "finished") return "";
  const e2eMs = shownMs(/** @type {number} */ (laneEndMs(lane)));
  const ntMs = shownMs(plan.nt_ms);
  const beyondMs = e2eMs - ntMs;
  const run = `${count(plan.tokens)} × ${tidy(plan.delay_ms)} ms took ${wholeMs(e2eMs)} ms`;
  const share = ntMs > 0 ? beyondMs / ntMs : Infinity;
  if (beyondMs === 0) return `yes: ${run}`;
  if (Math.abs(share) <= ABOUT) return `yes: ${run} (${beyondMs > 0 ? "+" : "−"}${shareWords(Math.abs(share))})`;
  const how = `no: ${run}, ${wholeMs(Math.abs(beyondMs))} ms ${beyondMs > 0 ? "more" : "less"}`;
  const setMs = shownMs(plan.predicted_ms) - ntMs;
  return setMs * beyondMs <= 0 ? how : `${how}, as ${wholeMs(Math.abs(setMs))} ms were set besides`;
}

/** @param {number} share */
function shareWords(share) {
  return share < 0.005 ? `${decimalMs(share * 100, 1)}%` : percent(share);
}

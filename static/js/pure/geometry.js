// @ts-check
/**
 * The arithmetic of the timeline: from milliseconds to whole CSS pixels. Nothing is drawn here.
 *
 * A width of w pixels has ⌊w⌋ columns, 0 to ⌊w⌋ − 1. Time 0 falls on the first and the end of the axis on the last,
 * so that a line one pixel wide is inside wherever it stands. Times outside the axis (a late token) fall on its ends.
 */

import { tidy } from "./format.js";
import { LIMIT_MS } from "./metrics.js";

/**
 * @typedef {object} TimeScale
 * @property {number} maxMs the end of the axis
 * @property {number} widthPx
 * @property {(ms: number) => number} x the place of a time, not rounded, from 0 to the last column
 */

/** @typedef {{ ms: number, x: number, label: string }} Tick `x` is a whole pixel; the label has no unit. */

/** What the magnified strip shows: twice the limit, so that the 100 ms line stands in its centre. */
export const MAGNIFIED_MS = 2 * LIMIT_MS;

/** From here on an axis is labelled in seconds; below, milliseconds are more telling beside a line at 100 ms. */
const SECONDS_FROM_MS = 2000;

/** Below this the ticks beside the 100 ms line can not be told apart from a few steps away. */
const READABLE_PX = 80;

/** A tick is one pixel and needs another one of space, or ticks run together in blotches. */
const TICK_PX = 2;

/** The axis goes 4 % beyond the predicted end: room for its line, whose label ends there, and for a token a bit late. */
const BEYOND = 1.04;

/**
 * @param {number} maxMs
 * @param {number} widthPx
 * @returns {TimeScale} with maxMs or widthPx at 0, every time is at 0
 */
export function timeScale(maxMs, widthPx) {
  const lastColumn = Math.max(0, columnCount(widthPx) - 1);
  // Not `Math.max(0, …)`, which would let the NaN of 0/0 through.
  const x = (/** @type {number} */ ms) => (ms > 0 && maxMs > 0 ? Math.min(1, ms / maxMs) * lastColumn : 0);
  return { maxMs, widthPx, x };
}

/**
 * The end of an axis that holds the predicted end and its label. It is never shorter than the magnified strip, so that
 * the 100 ms line is always on it.
 * @param {number | null} predictedMs the largest of the run; null while it is not known
 */
export function axisMaxMs(predictedMs) {
  return Math.max(MAGNIFIED_MS, (predictedMs ?? 0) * BEYOND);
}

/**
 * The end of a run's axis: as planned, or, once it is over and took longer, as it was. Until then nothing moves.
 * @param {readonly { predicted_ms: number }[]} plan
 * @param {{ endMs: number | null } | null} run
 */
export function runMaxMs(plan, run) {
  const plannedMs = axisMaxMs(Math.max(...plan.map((lane) => lane.predicted_ms)));
  const endMs = run?.endMs ?? 0;
  return endMs > plannedMs ? axisMaxMs(endMs) : plannedMs;
}

/**
 * The whole pixel of a time.
 *
 * Rounding to the nearest keeps steps of equal length within one pixel of each other. The millionth makes times on
 * the half all go up: binary fractions would send some down, and steps would differ by two.
 *
 * Column c reaches from c to c + 1. Taken as an edge, c lies between it and the column before: a 100 ms line that ends
 * there does not hide the token of 100 ms.
 * @param {number} ms
 * @param {TimeScale} scale
 */
export function columnOf(ms, scale) {
  return Math.floor(scale.x(ms) + 0.5 + 1e-6);
}

/**
 * The whole pixel of each token, in the order given.
 * @param {readonly number[]} timesMs
 * @param {TimeScale} scale
 * @returns {number[]}
 */
export function tokenColumns(timesMs, scale) {
  return timesMs.map((ms) => columnOf(ms, scale));
}

/**
 * Whether to draw a lane as density instead of ticks: where its ticks would stand, on the average, less than two
 * pixels apart. Tokens in the same pixel are one tick: a hundred at the same time are not dense.
 *
 * Ask it of the planned times, which are known before the run, or the drawing changes its kind in mid-run.
 * @param {readonly number[]} timesMs ascending
 * @param {TimeScale} scale
 */
export function needsDensity(timesMs, scale) {
  if (timesMs.length === 0) return false;
  const ticks = new Set(tokenColumns(timesMs, scale));
  const spanPx = columnOf(timesMs[timesMs.length - 1], scale) - columnOf(timesMs[0], scale);
  return (ticks.size - 1) * TICK_PX > spanPx;
}

/**
 * How many tokens fall on each pixel.
 * @param {readonly number[]} timesMs at most 65,535
 * @param {TimeScale} scale
 * @returns {Uint16Array} one count a column, none for a width of 0
 */
export function density(timesMs, scale) {
  const counts = new Uint16Array(columnCount(scale.widthPx));
  for (const column of tokenColumns(timesMs, scale)) counts[column] += 1;
  return counts;
}

/**
 * Whether the run is so long that the first 100 ms need a strip of their own. Ask it of the width without that strip,
 * or the answer changes what was asked.
 * @param {TimeScale} scale
 */
export function needsMagnifier({ maxMs, widthPx }) {
  return LIMIT_MS * (columnCount(widthPx) - 1) < READABLE_PX * maxMs && columnCount(widthPx) > 0;
}

/**
 * The ticks of an axis, from 0, at 1, 2 or 5 times a power of ten and as near to each other as `minGapPx` lets them.
 * @param {number} maxMs
 * @param {number} widthPx
 * @param {number} minGapPx what the widest label needs
 * @returns {{ unit: "ms" | "s", ticks: Tick[] }} one unit for the whole axis
 */
export function axisTicks(maxMs, widthPx, minGapPx) {
  const scale = timeScale(maxMs, widthPx);
  const unit = maxMs >= SECONDS_FROM_MS ? "s" : "ms";
  const ticks = tickTimesMs(scale, Math.max(1, minGapPx)).map((ms) => ({
    ms,
    x: columnOf(ms, scale),
    label: tidy(unit === "s" ? ms / 1000 : ms),
  }));
  return { unit, ticks };
}

/**
 * @param {TimeScale} scale
 * @param {number} minGapPx
 * @returns {number[]}
 */
function tickTimesMs({ maxMs, x }, minGapPx) {
  const lastColumn = x(maxMs);
  if (!(lastColumn > 0)) return [0];
  const stepMs = niceStep((minGapPx * maxMs) / lastColumn);
  const steps = Math.floor(maxMs / stepMs + 1e-9); // 0.3 / 0.1 is 2.9999999999999996
  return Array.from({ length: steps + 1 }, (_, i) => withoutNoise(i * stepMs));
}

/**
 * @param {number} least more than 0
 * @returns {number} the smallest 1, 2 or 5 times a power of ten that is not less
 */
function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5].find((factor) => factor * power >= least) ?? 10;
  return factor * power;
}

/**
 * 0.3 for 3 × 0.1, which is 0.30000000000000004.
 * @param {number} ms
 */
function withoutNoise(ms) {
  return Number(ms.toPrecision(12));
}

/**
 * @param {number} widthPx
 * @returns {number} 0 for what is no width
 */
function columnCount(widthPx) {
  return widthPx > 0 ? Math.floor(widthPx) : 0;
}

// @ts-check
/**
 * The arithmetic of the two charts under the stage: the staircase (tokens against time) and the gaps (ITL). Each adds
 * only what is new to what it holds, so that a frame costs the same however long the answer is.
 */

import { axisTicks, columnOf, timeScale } from "./geometry.js";
import { tidy } from "./format.js";

/** @import { TimeScale, Tick } from "./geometry.js" */

/** Below this a logarithm has no place worth looking at: a browser's clock and a timer's grain are of this size. */
const LEAST_MS = 1;

/**
 * A scale on which equal steps are equal factors, from 1 ms; what is less is at its beginning.
 * @param {number} maxMs
 * @param {number} sizePx
 * @returns {TimeScale}
 */
export function logScale(maxMs, sizePx) {
  const last = lastColumn(sizePx);
  const decades = Math.log10(maxMs / LEAST_MS);
  const x = (/** @type {number} */ ms) => {
    if (!(ms > LEAST_MS) || !(decades > 0)) return 0;
    return Math.min(1, Math.log10(ms / LEAST_MS) / decades) * last;
  };
  return { maxMs, widthPx: sizePx, x };
}

/** @param {number} sizePx @returns {number} 0 for what is no size */
function lastColumn(sizePx) {
  return sizePx > 0 ? Math.max(0, Math.floor(sizePx) - 1) : 0;
}

/**
 * @param {number} maxMs
 * @param {number} sizePx
 * @param {boolean} isLog
 * @returns {TimeScale}
 */
export function scaleOf(maxMs, sizePx, isLog) {
  return isLog ? logScale(maxMs, sizePx) : timeScale(maxMs, sizePx);
}

/**
 * Ticks for either scale; those of a logarithmic one are at the powers of ten, in the unit of a linear one.
 * @param {TimeScale} scale
 * @param {number} minGapPx
 * @param {boolean} isLog
 * @returns {{ unit: "ms" | "s", ticks: Tick[] }}
 */
export function ticksOf(scale, minGapPx, isLog) {
  const linear = axisTicks(scale.maxMs, scale.widthPx, minGapPx);
  if (!isLog) return linear;
  const decades = Math.log10(Math.max(scale.maxMs, LEAST_MS));
  const step = Math.max(1, Math.ceil((minGapPx * decades) / lastColumn(scale.widthPx))); // Infinity without a width
  const powers = [0];
  for (let power = step; power <= decades + 1e-9; power += step) powers.push(power);
  const ticks = powers
    .map((power) => 10 ** power)
    .map((ms) => ({ ms, x: columnOf(ms, scale), label: tidy(linear.unit === "s" ? ms / 1000 : ms) }));
  return { unit: linear.unit, ticks };
}

/**
 * The points of a staircase from one token on: to each token's time at the old height, then one step up.
 * @param {readonly number[]} timesMs when each token came, ascending
 * @param {number} from the first of them to add
 * @param {TimeScale} scale of time
 * @param {(tokens: number) => number} y the height of so many tokens, in pixels
 * @returns {[number, number][]} none where nothing is new; begins at the end of what was drawn before
 */
export function stairsFrom(timesMs, from, scale, y) {
  if (from >= timesMs.length) return [];
  /** @type {[number, number][]} */
  const points = [[from === 0 ? 0 : columnOf(timesMs[from - 1], scale), y(from)]];
  for (let i = from; i < timesMs.length; i += 1) {
    const x = columnOf(timesMs[i], scale);
    points.push([x, y(i)], [x, y(i + 1)]);
  }
  return points;
}

/**
 * The gap before each token from the second on; a lane of n tokens has n − 1.
 * @param {readonly number[]} timesMs
 * @param {number} i the token's, from 1
 */
export function gapMs(timesMs, i) {
  return timesMs[i] - timesMs[i - 1];
}

/** @param {readonly number[]} timesMs @returns {number} the longest gap, 0 of fewer than two */
export function longestGapMs(timesMs) {
  let longest = 0;
  for (let i = 1; i < timesMs.length; i += 1) longest = Math.max(longest, gapMs(timesMs, i));
  return longest;
}

/**
 * The token that is nearest in time.
 * @param {readonly number[]} timesMs ascending
 * @param {number} ms
 * @returns {number} −1 of none
 */
export function nearestToken(timesMs, ms) {
  let [low, high] = [0, timesMs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timesMs[middle] < ms) low = middle + 1;
    else high = middle;
  }
  if (low === timesMs.length) return low - 1;
  return low > 0 && ms - timesMs[low - 1] < timesMs[low] - ms ? low - 1 : low;
}

/**
 * The time at a place of a scale, the inverse of `x`.
 * @param {TimeScale} scale
 * @param {number} px
 * @param {boolean} isLog
 * @returns {number}
 */
export function timeAt({ maxMs, widthPx }, px, isLog) {
  const share = Math.min(1, Math.max(0, px / Math.max(1, Math.floor(widthPx) - 1)));
  return isLog ? LEAST_MS * (maxMs / LEAST_MS) ** share : share * maxMs;
}

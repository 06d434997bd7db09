// @ts-check
/** What may be typed into a field, and where it lies on the slider beside it. The limits come from the server. */

import { tidy } from "./format.js";

/** @typedef {{ low: number, high: number, decimals: boolean }} Limits */

/** A slider has this many places, enough to go through a wide range in steps of 5 %. */
export const SLIDER_PLACES = 200;

/** The server's own pattern: plain digits, at most three decimals. */
const PLAIN_NUMBER = /^[0-9]{1,15}(\.[0-9]{1,3})?$/;

/**
 * @param {string} text
 * @param {Limits} limits
 * @returns {string} what is wrong with it, in a sentence, or "" if nothing is
 */
export function problemWith(text, { low, high, decimals }) {
  const wrong = !PLAIN_NUMBER.test(text) || (!decimals && text.includes(".")) || Number(text) < low || Number(text) > high;
  if (!wrong) return "";
  const kind = decimals ? "a number" : "a whole number";
  const how = decimals ? ", with at most three decimals" : text.includes(",") ? ", without commas" : "";
  return `${kind} from ${tidy(low)} to ${tidy(high)}${how}`;
}

/**
 * The slider's place for a value. On a wide range, equal steps are equal factors, because a token may take 1 ms or 10 s;
 * a logarithm has no 0, so that scale begins at 1, and its first place stands for all below.
 * @param {number} value
 * @param {Limits} limits
 * @returns {number} 0 to SLIDER_PLACES
 */
export function placeOf(value, limits) {
  const nearest = nearestPlace(value, limits);
  // Values are rounded to two digits, so the one that gives exactly this value may be next to the nearest.
  return [nearest, nearest + 1, nearest - 1].find((place) => valueAt(place, limits) === value) ?? nearest;
}

/** @param {number} value @param {Limits} limits */
function nearestPlace(value, { low, high }) {
  if (!isWide(high)) return Math.round((SLIDER_PLACES * (value - low)) / (high - low));
  if (value <= low || value < 1) return 0;
  const first = Math.max(1, low);
  const place = Math.round((SLIDER_PLACES * Math.log(value / first)) / Math.log(high / first));
  return low < first ? Math.max(1, place) : place;
}

/**
 * The value at a place of the slider, rounded to two digits so that it can be said aloud.
 * @param {number} place 0 to SLIDER_PLACES
 * @param {Limits} limits
 * @returns {number}
 */
export function valueAt(place, { low, high, decimals }) {
  if (place === 0) return low;
  const share = place / SLIDER_PLACES;
  const first = Math.max(1, low);
  const value = isWide(high) ? first * (high / first) ** share : low + (high - low) * share;
  const twoDigits = Number(value.toPrecision(2));
  return Math.min(high, decimals ? twoDigits : Math.round(twoDigits));
}

/**
 * The next of 1, 2, 5, 10, 20, 50 … in a direction, for keys that change a value.
 * @param {number} value
 * @param {1 | -1} direction
 * @param {Limits} limits
 * @returns {number}
 */
export function nextStep(value, direction, { low, high }) {
  const steps = [0, 1, 2, 3, 4].flatMap((power) => [1, 2, 5].map((factor) => factor * 10 ** power));
  const next = direction > 0 ? steps.find((step) => step > value) : steps.findLast((step) => step < value);
  return Math.min(high, Math.max(low, next ?? (direction > 0 ? high : low)));
}

/** @param {number} high */
function isWide(high) {
  return high >= 100;
}

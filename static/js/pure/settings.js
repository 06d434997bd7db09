// @ts-check
/** What may be typed into a field, and where it lies on the slider beside it. The limits come from the server. */

import { tidy } from "./format.js";

/** @typedef {{ low: number, high: number, decimals: boolean }} Limits */

/** A slider has this many places; with it, every place of a two-digit scale can be reached. */
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
  return `${kind} from ${tidy(low)} to ${tidy(high)}${text.includes(",") ? ", without commas" : ""}`;
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

/** @param {number} high */
function isWide(high) {
  return high >= 100;
}

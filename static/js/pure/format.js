// @ts-check
/**
 * Numbers for people: in English whatever the machine's language, a dash for what is undefined, never "-0". A
 * function appends a unit only where its first sentence says so.
 */

import { LIMIT_MS } from "./metrics.js";

/** @typedef {number | null | undefined} Maybe A number, or what is not known; NaN and Infinity count as not known. */

const UNDEFINED = "–";

/** @param {Intl.NumberFormatOptions} options */
const english = (options) => new Intl.NumberFormat("en-US", options);

/** By number of decimals. Made once, because making one costs far more than using it, and clocks use it each frame. */
const FIXED = [0, 1, 2, 3].map((digits) => english({ minimumFractionDigits: digits, maximumFractionDigits: digits }));

/** By number of significant digits. */
const SIGNIFICANT = [1, 2, 3].map((digits) =>
  english({ minimumSignificantDigits: digits, maximumSignificantDigits: digits }),
);

const TIDY = english({ maximumFractionDigits: 6 });

/**
 * Milliseconds for the stage, whole, without their unit: "2,304".
 *
 * A figure beyond the limit is never shown as the limit itself, but as the next one: 100.3 is "101". Rounded to the
 * nearest, it would stand as "100 ms" beside the words "outside 100 ms".
 * @param {Maybe} ms
 * @param {number} [limitMs]
 */
export function wholeMs(ms, limitMs = LIMIT_MS) {
  return decimalMs(ms, 0, limitMs);
}

/**
 * Milliseconds for the table, without their unit: "2,304.4". Beyond the limit it goes up as in `wholeMs`: with one
 * decimal, 100.04 is "100.1".
 * @param {Maybe} ms
 * @param {number} [digits] 0 to 3
 * @param {number} [limitMs]
 */
export function decimalMs(ms, digits = 1, limitMs = LIMIT_MS) {
  return isKnown(ms) ? fixed(shownMs(ms, digits, limitMs), digits) : UNDEFINED;
}

/**
 * What `wholeMs` and `decimalMs` show, as a number, for sums of shown figures.
 * @param {number} ms
 * @param {number} [digits] 0 to 3
 * @param {number} [limitMs]
 */
export function shownMs(ms, digits = 0, limitMs = LIMIT_MS) {
  const nearest = round(ms, digits);
  const hidesTheLimit = nearest === limitMs && isBeyond(ms, limitMs);
  return hidesTheLimit ? limitMs + 10 ** -digits : nearest;
}

/**
 * Whether a wait stayed inside the limit, in words with their unit: "inside 100 ms". Exactly the limit is inside. The
 * verdict is on the value itself, so it also agrees with the tokens counted at the limit; `wholeMs` and `decimalMs`
 * see to it that the figure beside it says the same.
 * @param {Maybe} ms
 * @param {number} [limitMs]
 * @returns {{ inside: boolean | null, text: string }} `inside` is null where there is nothing to judge
 */
export function verdict(ms, limitMs = LIMIT_MS) {
  if (!isKnown(ms)) return { inside: null, text: UNDEFINED };
  const inside = !isBeyond(ms, limitMs);
  return { inside, text: `${inside ? "inside" : "outside"} ${wholeMs(limitMs, limitMs)} ms` };
}

/**
 * Milliseconds as seconds, with their unit: 2204 is "2.2 s".
 * @param {Maybe} ms
 * @param {number} [digits] 0 to 3
 */
export function seconds(ms, digits = 1) {
  return isKnown(ms) ? `${fixed(ms / 1000, digits)} s` : UNDEFINED;
}

/**
 * A number of things: "10,000".
 * @param {Maybe} value
 */
export function count(value) {
  return isKnown(value) ? fixed(value, 0) : UNDEFINED;
}

/** @param {number} tokens @returns {string} "1 token", "10,000 tokens" */
export function tokensWords(tokens) {
  return tokens === 1 ? "1 token" : `${count(tokens)} tokens`;
}

/**
 * How many times as much, with its sign: "1.0×", "9.6×", "50×".
 * @param {Maybe} ratio
 */
export function times(ratio) {
  return isKnown(ratio) ? `${significant(ratio, 2)}×` : UNDEFINED;
}

/**
 * Tokens per second, without unit, because the label says which of the two rates it is: "5.00", "19.9", "1,235".
 * @param {Maybe} tokensPerS
 */
export function rate(tokensPerS) {
  return isKnown(tokensPerS) ? significant(tokensPerS, 3) : UNDEFINED;
}

/**
 * A share from 0 to 1, with its sign: "45%". Less than all is never "100%": one missed deadline of 300 is "99%".
 * @param {Maybe} share
 */
export function percent(share) {
  if (!isKnown(share)) return UNDEFINED;
  const nearest = Math.round(share * 100);
  return `${fixed(nearest === 100 && share < 1 ? 99 : nearest, 0)}%`;
}

/**
 * A share from 0 to 1 for the table: "0.931". Less than all is never "1.000", nor more than nothing "0.000".
 * @param {Maybe} share
 */
export function score(share) {
  if (!isKnown(share)) return UNDEFINED;
  const nearest = round(share, 3);
  if (nearest === 1 && share < 1) return fixed(0.999, 3);
  return fixed(nearest === 0 && share > 0 ? 0.001 : nearest, 3);
}

/**
 * A number with no more decimals than it needs, six at most, for an axis: "0", "0.5", "1", "1,500".
 * @param {Maybe} value
 */
export function tidy(value) {
  return isKnown(value) ? minus(TIDY.format(round(value, 6))) : UNDEFINED;
}

/** Letters that run from right to left, and signs that make others do so. */
const TURNS = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]/;

/** Signs that begin and end what is isolated: within it, one of them would let the rest out. */
const ISOLATES = /[\u2066-\u2069]/g;

/**
 * A visitor's own words for the middle of a sentence, which they can't turn round.
 * @param {string} text
 */
export function isolated(text) {
  if (!TURNS.test(text)) return text;
  return `\u2068${text.replace(ISOLATES, "")}\u2069`; // first strong isolate … pop directional isolate
}

/**
 * n × t as it is written everywhere: "1,000 × 2.5 ms".
 * @param {number} tokens
 * @param {number} delayMs
 */
export function product(tokens, delayMs) {
  return `${count(tokens)} × ${tidy(delayMs)} ms`;
}

/**
 * @param {Maybe} value
 * @returns {value is number}
 */
function isKnown(value) {
  return Number.isFinite(value);
}

/**
 * Compared in whole microseconds, the unit of the schedule, so that the noise of binary fractions decides nothing.
 * @param {number} ms
 * @param {number} limitMs
 */
function isBeyond(ms, limitMs) {
  return Math.round(ms * 1000) > Math.round(limitMs * 1000);
}

/**
 * @param {number} value
 * @param {number} digits
 * @returns {number} never -0, which would be shown as "-0"
 */
function round(value, digits) {
  return Math.round(value * 10 ** digits) / 10 ** digits + 0;
}

/**
 * @param {number} value
 * @param {number} digits
 */
function fixed(value, digits) {
  return minus(FIXED[digits].format(round(value, digits)));
}

/**
 * So many significant digits, or all that stand before the point if those are more: with two, 0.96, 9.6, 50, 1,234.
 * @param {number} value
 * @param {number} digits 1 to 3
 */
function significant(value, digits) {
  if (Math.abs(value) >= 10 ** (digits - 1)) return fixed(value, 0);
  return minus(SIGNIFICANT[digits - 1].format(value + 0));
}

/**
 * The minus sign, as wide as a digit, in the place of the hyphen.
 * @param {string} text
 */
function minus(text) {
  return text.replace("-", "−");
}

// @ts-check
/** What may stand in a stranger's file: rules for its values, and the words for one that breaks a rule. */

/** @typedef {[isRight: (value: any) => boolean, allowed: string]} Rule */

/** Of a character, which JSON can hold and no text can. */
const HALF = /[\ud800-\udfff]/u;
/** Of a wrong value. */
const MOST_SHOWN = 100;

/** @param {string} place @param {unknown} value @param {string} allowed @returns {string} */
export function problem(place, value, allowed) {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return `${shortened(place)} must be ${allowed}, but was "${shortened(text)}"${reason(place, value)}`;
}

/** @param {string} place @param {unknown} value */
function reason(place, value) {
  if (value === undefined) return " (it is missing)";
  if (place.endsWith("arrival_ms") && typeof value !== "number") return " (it is not a number)";
  return typeof value === "string" && HALF.test(value) ? " (it has half of a character)" : "";
}

/** @param {string} text */
function shortened(text) {
  return text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN)}…`;
}

/**
 * Half of a character is no text.
 * @param {unknown} value
 * @param {number} least
 * @param {number} most in characters
 * @returns {value is string}
 */
export function isText(value, least, most) {
  if (typeof value !== "string" || HALF.test(value)) return false;
  return value.length >= least && (value.length <= most || [...value].length <= most);
}

/** @param {...string} words @returns {Rule} */
export function oneOf(...words) {
  return [(value) => words.includes(value), `one of ${words.join(", ")}`];
}

/** @param {number} least @param {number} most @returns {Rule} */
export function listOf(least, most) {
  return [
    (value) => Array.isArray(value) && value.length >= least && value.length <= most,
    `a list of ${least} to ${most}`,
  ];
}

/** @param {Rule} rule @returns {Rule} of what need not be there */
export function perhaps([isRight, allowed]) {
  return [(value) => value === undefined || isRight(value), allowed];
}

/** @param {unknown} value @param {number} least @param {number} most @returns {value is number} */
export function isNumber(value, least, most) {
  return typeof value === "number" && value >= least && value <= most;
}

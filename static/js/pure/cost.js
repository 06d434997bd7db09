// @ts-check
/** What n tokens cost those who wait and those who run the model, one answer and a million of them. */

import { count, tidy } from "./format.js";

export const MILLION = 1_000_000;

const MAX_PRICE = 1_000_000;

/** At most six decimals, the finest that `tidy` shows. */
const PLAIN_NUMBER = /^[0-9]{1,7}(\.[0-9]{1,6})?$/;

/**
 * @param {string} text a price per million tokens; "" is none
 * @returns {string} what is wrong with it, in a sentence, or "" if nothing is
 */
export function problemWithPrice(text) {
  if (text === "" || (PLAIN_NUMBER.test(text) && Number(text) <= MAX_PRICE)) return "";
  const how = text.includes(",") ? ", without commas" : "";
  return `A number from 0 to ${count(MAX_PRICE)}, with at most 6 decimals${how}.`;
}

/** @param {string} text @returns {number | null} null for no price, and for one that is wrong */
export function priceOf(text) {
  return text === "" || problemWithPrice(text) !== "" ? null : Number(text);
}

/**
 * @param {number} n tokens an answer
 * @param {number} answers
 * @returns {string} passes, as a number for people
 */
export function passesWords(n, answers) {
  return count(n * answers);
}

/**
 * Money for so many answers, in whatever the price was given.
 * @param {number} n tokens an answer
 * @param {number} answers
 * @param {number} price per million tokens
 * @returns {string} never "0" for more than nothing
 */
export function moneyWords(n, answers, price) {
  const money = (n * answers * price) / MILLION;
  if (money > 0 && money < 0.000001) return "under 0.000001";
  return tidy(money >= 100 ? Math.round(money * 100) / 100 : Number(money.toPrecision(4)));
}

/** Of a wait, in its largest unit. */
const UNITS = /** @type {[number, string, string][]} */ ([
  [31_557_600_000, "year", "years"],
  [86_400_000, "day", "days"],
  [3_600_000, "hour", "hours"],
  [60_000, "minute", "minutes"],
  [1_000, "second", "seconds"],
]);

/**
 * A long time for people: "58 days", "1.9 years".
 * @param {number} ms
 * @returns {string}
 */
export function longWords(ms) {
  for (const [unitMs, one, many] of UNITS) {
    if (ms < unitMs) continue;
    const value = ms / unitMs;
    const shown = value >= 9.95 ? Math.round(value) : Math.round(value * 10) / 10;
    return `${tidy(shown)} ${shown === 1 ? one : many}`;
  }
  return `${tidy(Math.round(ms))} ms`;
}

// @ts-check
/** Somebody who reads along at an ordinary pace: where they are, and whether the stream keeps ahead of them. */

import { EXPECTED } from "./metrics.js";

/**
 * How many tokens a reader has read: the first as it comes, each next one a reading gap later, or when it comes if
 * that is later.
 * @param {readonly number[]} arrivalsMs
 * @param {number} elapsedMs
 * @param {number} [gapMs]
 * @returns {number}
 */
export function tokensRead(arrivalsMs, elapsedMs, gapMs = EXPECTED.readingGapMs) {
  let readMs = -Infinity;
  for (let i = 0; i < arrivalsMs.length; i += 1) {
    readMs = Math.max(arrivalsMs[i], readMs + gapMs);
    if (readMs > elapsedMs) return i;
  }
  return arrivalsMs.length;
}

/**
 * @param {number} here tokens that have arrived
 * @param {number} read
 * @param {boolean} isOver no more will come
 * @returns {string}
 */
export function readerWords(here, read, isOver) {
  if (here === 0) return "a reader waits for the first token";
  if (read < here) return `${here - read} tokens ahead of a reader`;
  return isOver ? "a reader has read it all" : "a reader waits";
}

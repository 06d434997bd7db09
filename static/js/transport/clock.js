// @ts-check
/** How fine this browser's clock is: browsers round it, to 5 µs or to 100 µs and more, so that pages can't spy with it. */

/** The first may be cut short; in a browser that rounds to 100 ms each takes that long. */
const STEPS = 3;

/**
 * @param {() => number} [now]
 * @returns {number} ms between two times that it can tell apart
 */
export function clockResolutionMs(now = () => performance.now()) {
  return Math.min(...Array.from({ length: STEPS }, () => stepMs(now)));
}

/** @param {() => number} now */
function stepMs(now) {
  const before = now();
  let after = before;
  while (after === before) after = now();
  return after - before;
}

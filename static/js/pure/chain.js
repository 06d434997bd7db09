// @ts-check
/** Eight sums that don't need one another against eight links that do: which of them are lit at a time. */

/** How many of each there are. */
export const LINKS = 8;

/** A link is lit no faster than the eye follows, where the run leaves that much time. */
const LINK_MS = 400;

/** @param {number} predictedMs of the run @returns {number} so that all are lit by its end */
export function linkMs(predictedMs) {
  return Math.min(LINK_MS, predictedMs / LINKS);
}

/**
 * @param {number} predictedMs of the run
 * @param {number} elapsedMs
 * @returns {{ sums: number, links: number }} how many are done
 */
export function chainAt(predictedMs, elapsedMs) {
  const each = linkMs(predictedMs);
  const steps = each === 0 ? LINKS : Math.min(LINKS, Math.floor(elapsedMs / each));
  return { sums: steps > 0 ? LINKS : 0, links: steps };
}

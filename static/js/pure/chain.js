// @ts-check
/** Eight sums that don't need one another against eight links that do: which of them are lit at a time. */

/** @import { PlannedLane } from "./state.js" */

/** How many of each there are. */
export const LINKS = 8;

/** A link is lit no faster than the eye follows, where the answer is long enough for all of them. */
const LINK_MS = 400;

/**
 * A link stands for one token where these are slow or few, else for as many as take the eye's time.
 * @param {PlannedLane} plan
 * @returns {number} 1 or more
 */
export function tokensALink({ tokens, delay_ms: delayMs }) {
  const seen = delayMs > 0 ? Math.round(LINK_MS / delayMs) : tokens;
  return Math.max(1, Math.min(seen, Math.floor(tokens / LINKS)));
}

/**
 * @param {PlannedLane} plan
 * @param {number} made how many tokens there are
 * @returns {{ sums: number, links: number }} how many are done
 */
export function chainAt(plan, made) {
  const links = Math.min(LINKS, Math.floor(made / tokensALink(plan)));
  return { sums: links > 0 ? LINKS : 0, links };
}

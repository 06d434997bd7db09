// @ts-check
/**
 * A run as it stood at some moment of it, from its recorded times: for slow motion, and for the freeze at 100 ms.
 * What was measured never changes by it.
 */

import { LIMIT_MS, tokensBy } from "./metrics.js";
import { elapsedMs, isActive } from "./state.js";

/** @import { Lane, Run, State } from "./state.js" */

/** How many times slower slow motion is. */
export const SLOWER = 10;

/** @typedef {{ run: Run | null, elapsedMs: number, look: "live" | "slow" | "frozen" }} Shown */

/**
 * What is to be seen now.
 * @param {State} state
 * @param {number} now performance.now()
 * @returns {Shown}
 */
export function shownAt({ run, look }, now) {
  if (!run) return { run, elapsedMs: 0, look: "live" };
  const live = elapsedMs(run, now);
  if (look.how === "frozen" && live > LIMIT_MS)
    return { run: asOf(run, LIMIT_MS), elapsedMs: LIMIT_MS, look: "frozen" };
  if (look.how === "slow") {
    const slowMs = Math.max(0, now - look.since) / SLOWER;
    if (slowMs < live) return { run: asOf(run, slowMs), elapsedMs: slowMs, look: "slow" };
  }
  return { run, elapsedMs: live, look: "live" };
}

/**
 * Whether what is seen changes by itself, so that another frame is wanted.
 * @param {State} state
 * @param {Shown} shown
 */
export function isMoving({ run }, shown) {
  return isActive(run) || shown.look === "slow";
}

/**
 * @param {Run} run
 * @param {number} ms since the request
 * @returns {Run} with what had arrived by then; its number differs, so that views begin anew
 */
export function asOf(run, ms) {
  return {
    ...run,
    number: -run.number,
    phase: "open",
    endMs: null,
    lanes: run.lanes.map((lane) => laneAsOf(lane, ms)),
  };
}

/** @param {Lane} lane @param {number} ms @returns {Lane} */
function laneAsOf({ tokens, arrivalsMs, together, end }, ms) {
  const count = tokensBy(arrivalsMs, ms);
  return {
    tokens: tokens.slice(0, count),
    arrivalsMs: arrivalsMs.slice(0, count),
    together,
    drawn: count,
    end: end && end.atMs <= ms ? end : null,
  };
}

// @ts-check
/** The way of tokens to the user: how long the user waits, what piles up, and which tokens have a stroke in the picture. */

import { isKept, madeSoFar } from "./made.js";
import { firstTokenMs } from "./state.js";

/** @import { Lane, PlannedLane } from "./state.js" */

/**
 * The lanes that the picture shows: the first, and one that is handled in the other way.
 * @param {PlannedLane[]} plan
 * @returns {number[]} one or two numbers of lanes
 */
export function shownLanes(plan) {
  const whole = plan.findIndex(({ delivery }, n) => n > 0 && delivery === "whole");
  const kept = plan.findLastIndex((lane, n) => n > 0 && isKept(lane) !== isKept(plan[0]));
  const other = whole > 0 && plan[0].delivery !== "whole" ? whole : kept;
  return other > 0 ? [0, other] : [0];
}

/**
 * How many tokens one stroke of the picture stands for, so that it has no more strokes than it has room for.
 * @param {number} count of tokens
 * @param {number} room for so many strokes
 */
export function tokensAStroke(count, room) {
  return Math.max(1, Math.ceil(count / room));
}

/**
 * The tokens that have a stroke: each `every`th one so far, so that a steady run looks steady, and the very last.
 * @param {number} here how many there are so far
 * @param {number} count how many there will be
 * @param {number} every
 * @returns {number[]} their places, from 0
 */
export function strokes(here, count, every) {
  const found = Array.from({ length: Math.floor(here / every) }, (_, n) => (n + 1) * every - 1);
  if (here === count && count % every !== 0) found.push(count - 1);
  return found;
}

/**
 * @typedef {object} PathState
 * @property {"rest" | "waiting" | "coming" | "over"} state
 * @property {number} waitMs how long the user has seen nothing
 * @property {number} piled made by the plan and not passed on; 0 where tokens are passed on at once
 */

/**
 * @param {PlannedLane} plan
 * @param {Lane | null} lane null before a run
 * @param {number} elapsedMs
 * @param {boolean} isOver nothing more will come
 * @returns {PathState}
 */
export function pathAt(plan, lane, elapsedMs, isOver) {
  if (!lane) return { state: "rest", waitMs: 0, piled: 0 };
  const here = lane.arrivalsMs.length;
  const waitMs = firstTokenMs(lane) ?? lane.end?.atMs ?? elapsedMs;
  if (isOver || lane.end) return { state: "over", waitMs, piled: 0 };
  const piled = madeSoFar(plan, lane, elapsedMs) - here;
  return { state: here === 0 ? "waiting" : "coming", waitMs, piled };
}

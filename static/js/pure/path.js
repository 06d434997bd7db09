// @ts-check
/**
 * When tokens are made, passed on and piled up on their way to the user. Made is as planned; passed on is as measured.
 * Drawing is left to the view.
 */

import { tokensBy } from "./metrics.js";
import { firstTokenMs } from "./words.js";

/** @import { Lane, PlannedLane } from "./state.js" */

/** @param {PlannedLane} plan @returns {boolean} whether something on the way collects tokens before it passes them on */
export function isKept({ delivery, flush_ms: flushMs = 0 }) {
  return delivery === "whole" || flushMs > 0;
}

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

/** @param {PlannedLane} plan @returns {number} how many tokens the model makes, before it is finished or fails */
export function madeInAll({ tokens, fail_at: failAt }) {
  return failAt ?? tokens;
}

/**
 * When the model has made a token, by the plan. Of tokens that are kept back the plan only says when they are passed
 * on, so there they are made evenly, from the first to the last.
 * @param {PlannedLane} plan
 * @param {number} i its place, from 0
 * @returns {number} ms since the request
 */
export function madeMs(plan, i) {
  if (!isKept(plan)) return plan.due_ms[i];
  const gaps = Math.max(1, madeInAll(plan) - 1);
  return plan.ttft_ms + (i * (lastMadeMs(plan) - plan.ttft_ms)) / gaps;
}

/**
 * How many tokens the model has made by then, by the plan.
 * @param {PlannedLane} plan
 * @param {number} ms since the request
 * @returns {number}
 */
export function madeBy(plan, ms) {
  const count = madeInAll(plan);
  if (!isKept(plan)) return tokensBy(plan.due_ms, ms);
  if (ms < plan.ttft_ms) return 0;
  const lastMs = lastMadeMs(plan);
  if (ms >= lastMs) return count;
  return Math.min(count, Math.floor(((count - 1) * (ms - plan.ttft_ms)) / (lastMs - plan.ttft_ms)) + 1);
}

/** @param {PlannedLane} plan @returns {number} when the last token is made */
function lastMadeMs(plan) {
  const { delivery, ttft_ms: ttftMs, delay_ms: delayMs, predicted_ms: predictedMs } = plan;
  if (delivery === "whole") return predictedMs;
  return Math.min(predictedMs, ttftMs + Math.max(0, madeInAll(plan) - 1) * delayMs);
}

/**
 * How many tokens the model has made in a run: those that are here, and by the plan those that are kept back.
 * @param {PlannedLane} plan
 * @param {Lane} lane
 * @param {number} elapsedMs
 * @returns {number}
 */
export function madeSoFar(plan, lane, elapsedMs) {
  const here = lane.arrivalsMs.length;
  return isKept(plan) ? Math.max(here, madeBy(plan, lane.end?.atMs ?? elapsedMs)) : here;
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

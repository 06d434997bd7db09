// @ts-check
/** What the model has made of an answer: what is here, and, by the plan, what something on the way keeps back. */

import { tokensBy } from "./metrics.js";

/** @import { Lane, PlannedLane } from "./state.js" */

/**
 * @param {PlannedLane} plan
 * @returns {boolean} whether something on the way collects tokens before it passes them on
 */
export function isKept({ delivery, flush_ms: flushMs = 0 }) {
  return delivery === "whole" || flushMs > 0;
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

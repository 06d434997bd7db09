// @ts-check
/** Plans and runs for the tests: everything is 100 tokens at 10 ms unless a test says otherwise. */

import { initialState, reduce } from "/static/js/pure/state.js";

/** @import { Action, PlannedLane, Run, State } from "/static/js/pure/state.js" */

/** When the request of every run here is made, so that a time since then is never taken for one since 0. */
export const REQUESTED_AT = 5_000;
export const TAKEN_AT = "2026-01-02T03:04:05.000Z";

/**
 * @param {Partial<PlannedLane>} [settings]
 * @returns {PlannedLane} a steady lane, with what follows from its settings unless that is given too
 */
export function planned(settings = {}) {
  const { tokens = 100, delay_ms = 10, ttft_ms = delay_ms } = settings;
  const due_ms = Array.from({ length: tokens }, (_, i) => ttft_ms + i * delay_ms);
  const predicted_ms = due_ms.at(-1) ?? ttft_ms;
  const nt_ms = tokens * delay_ms;
  return { title: "Streamed", tokens, delay_ms, ttft_ms, delivery: "token", nt_ms, predicted_ms, due_ms, ...settings };
}

/* The same answer in the three ways in which a server may hand it on. */
export const STREAMED = planned({ tokens: 10, delay_ms: 50 });
export const WHOLE = planned({
  tokens: 10,
  delay_ms: 50,
  delivery: "whole",
  due_ms: Array(10).fill(500),
  predicted_ms: 500,
});
export const BUFFERED = planned({
  tokens: 10,
  delay_ms: 50,
  flush_ms: 300,
  due_ms: [...Array(6).fill(300), ...Array(4).fill(600)],
  predicted_ms: 600,
});

/**
 * @param {PlannedLane[]} plan
 * @param {readonly Action[]} [actions]
 * @returns {State} after a run of the plan was asked for, and what then happened
 */
export function afterAll(plan, actions = []) {
  const before = initialState({ lanes: plan.map(() => ({})), say: "" });
  const start = /** @type {Action[]} */ ([
    { type: "planned", plan },
    { type: "requested", atMs: REQUESTED_AT, takenAt: TAKEN_AT },
  ]);
  return [...start, ...actions].reduce(reduce, before);
}

/**
 * @param {State} state
 * @returns {Run}
 */
export function runOf({ run }) {
  if (!run) throw new Error("there is no run");
  return run;
}

/** @type {Action} */
export const OPENED = { type: "opened", resumed: false };

/**
 * @param {number} i
 * @param {number} arrivalMs
 * @param {number} [lane]
 * @returns {Action}
 */
export function token(i, arrivalMs, lane = 0) {
  return { type: "token", lane, i, text: ` ${i}`, dueMs: arrivalMs - 2, sentMs: arrivalMs - 1, arrivalMs };
}

/**
 * @param {readonly number[]} arrivalsMs
 * @param {number} [lane]
 * @returns {Action[]} its tokens, from the first
 */
export function tokens(arrivalsMs, lane = 0) {
  return arrivalsMs.map((arrivalMs, i) => token(i, arrivalMs, lane));
}

/**
 * @param {number} arrivalMs
 * @param {number} [lane]
 * @returns {Action}
 */
export function finished(arrivalMs, lane = 0) {
  return { type: "ended", lane, how: "finished", reason: "stop", arrivalMs };
}

/**
 * @param {number} arrivalMs
 * @param {number} [lane]
 * @returns {Action}
 */
export function failed(arrivalMs, lane = 0) {
  return { type: "ended", lane, how: "failed", reason: "out of memory", arrivalMs };
}

/**
 * @param {number} elapsedMs since the request
 * @param {boolean} [hidden]
 * @returns {Action}
 */
export function drawn(elapsedMs, hidden = false) {
  return { type: "drawn", now: REQUESTED_AT + elapsedMs, hidden };
}

/**
 * Numbers of [0, 1) from a seed, so that a failure can be repeated (mulberry32).
 * @param {number} seed
 * @returns {() => number}
 */
export function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), seed | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

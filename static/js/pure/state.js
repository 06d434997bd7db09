// @ts-check
/**
 * Everything the page knows, folded from what happened: `reduce(state, action)`. No clock and no DOM; times are
 * milliseconds since the run's request was made, in whole microseconds, as a saved result has them: opened again it
 * shows the same figures.
 *
 * A reducer gives a new state object, but a lane's list of tokens is only ever appended to, never copied: copying it
 * for each token would make a long answer slower the longer it gets.
 */

import { withoutTitles } from "./query.js";

/** @import { Query } from "./query.js" */

/** @typedef {{ lane: number, field: string, value: string, range: string, detail: string }} Problem lane −1 where no lane is to blame */
/**
 * @typedef {object} PlannedLane what /plan says of a lane
 * @property {string} title
 * @property {number} tokens
 * @property {number} delay_ms
 * @property {number} ttft_ms
 * @property {"token" | "whole"} delivery
 * @property {number} [flush_ms] a buffering proxy passes on only this often; 0 or nothing where there is none
 * @property {number} [fail_at] it fails after this many tokens
 * @property {number} nt_ms
 * @property {number} predicted_ms
 * @property {string} [recording] what it plays, of those that the server offers
 * @property {string} [opened] or of those that were opened from disk
 * @property {number[]} due_ms
 */
/**
 * @typedef {object} Token
 * @property {string} text
 * @property {number} dueMs
 * @property {number} sentMs
 * @property {number} arrivalMs
 * @property {number | null} drawnMs null while it isn't drawn, and for ever if the tab was hidden then
 */
/** @typedef {{ how: "finished" | "failed", reason: string, atMs: number }} LaneEnd */
/**
 * @typedef {object} Lane
 * @property {Token[]} tokens
 * @property {number[]} arrivalsMs the same tokens' arrivals, as the measures want them
 * @property {number} together how many came with the one before them, though they were not planned to
 * @property {number} drawn how many of them have been drawn, or left undrawn in a hidden tab
 * @property {LaneEnd | null} end
 */
/** @typedef {"connecting" | "open" | "lost" | "gave up" | "refused" | "stopped" | "done"} Phase */
/**
 * @typedef {object} Run
 * @property {number} number counts the runs of this visit
 * @property {Query} query what was asked for
 * @property {PlannedLane[]} plan
 * @property {Lane[]} lanes
 * @property {Phase} phase
 * @property {number} requestedAt performance.now() when the request was made
 * @property {number | null} endMs when it was over, however it ended
 * @property {string} reason why it was lost, refused or stopped
 * @property {boolean} wasOpened the server has answered
 * @property {boolean} wasResumed
 * @property {boolean} wasHidden
 * @property {boolean} wasBusy a long task held the page up, so that what came meanwhile was stamped late
 * @property {string} takenAt the date and time of the request, as ISO 8601
 * @property {Saved | null} saved of a result that was opened: where it was measured
 */
/**
 * @typedef {object} State
 * @property {Query} query what the next run will be
 * @property {PlannedLane[] | null} plan of `query`; null while it isn't known
 * @property {Problem[]} problems with `query`
 * @property {Run | null} run the one that is shown, under way or over
 * @property {number} runs how many there have been
 * @property {Repeat | null} repeat null where each run is asked for
 * @property {Look} look how the run is looked at: as it goes, in slow motion since a time, or as it stood at 100 ms
 */

/** @typedef {{ version: string, browser: string, clockResolutionMs: number }} Saved */
/** A run that is repeated: which one is under way, and of how many. @typedef {{ number: number, of: number }} Repeat */
/** @typedef {{ how: "live" | "frozen" } | { how: "slow", since: number }} Look */
/** @typedef {{ lane: number, i: number, text: string, dueMs: number, sentMs: number, arrivalMs: number }} TokenData */
/**
 * @typedef {{ type: "edited", query: Query }
 *   | { type: "planned", plan: PlannedLane[] }
 *   | { type: "misfit", problems: Problem[] }
 *   | { type: "requested", atMs: number, takenAt: string }
 *   | { type: "opened", resumed: boolean }
 *   | ({ type: "token" } & TokenData)
 *   | { type: "ended", lane: number, how: "finished" | "failed", reason: string, arrivalMs: number }
 *   | { type: "lost", reason: string }
 *   | { type: "gave up" }
 *   | { type: "refused", reason: string, elapsedMs: number }
 *   | { type: "stopped", elapsedMs: number }
 *   | { type: "done" }
 *   | { type: "looked", look: Look }
 *   | { type: "cleared" }
 *   | { type: "repeated", repeat: Repeat | null }
 *   | { type: "showed", query: Query, run: Omit<Run, "number"> }
 *   | { type: "drawn", now: number, hidden: boolean }
 *   | { type: "hidden" }
 *   | { type: "busy" }} Action
 */

/** Tokens this near to each other came in one piece. */
const TOGETHER_MS = 2;

/** @type {Look} */
const LIVE = { how: "live" };

/** @param {Query} query @param {Problem[]} [problems] @returns {State} */
export function initialState(query, problems = []) {
  return { query, plan: null, problems, run: null, runs: 0, repeat: null, look: LIVE };
}

/**
 * @param {State} state
 * @param {Action} action
 * @returns {State}
 */
export function reduce(state, action) {
  switch (action.type) {
    case "edited":
      return edited(state, action.query);
    case "planned":
      return { ...state, plan: action.plan, problems: [], run: renamed(state, action.plan) };
    case "misfit":
      return { ...state, problems: action.problems };
    case "requested":
      return state.plan ? withNewRun(state, state.plan, action) : state;
    case "looked":
      return { ...state, look: action.look };
    case "cleared":
      return { ...state, run: null, look: LIVE };
    case "repeated":
      return { ...state, repeat: action.repeat };
    case "showed":
      return showed(state, action.query, action.run);
    default:
      return state.run ? { ...state, run: reduceRun(state.run, action) } : state;
  }
}

/**
 * @param {Run} run
 * @param {Action} action
 * @returns {Run}
 */
function reduceRun(run, action) {
  if (action.type === "drawn") return withDrawn(run, us(action.now - run.requestedAt), action.hidden);
  if (!isActive(run)) return run; // what comes after the end is of no run
  switch (action.type) {
    case "opened":
      return { ...run, phase: "open", reason: "", wasOpened: true, wasResumed: run.wasResumed || action.resumed };
    case "token":
      return withToken(run, action);
    case "ended":
      return withEnd(run, action.lane, { how: action.how, reason: action.reason, atMs: us(action.arrivalMs) });
    case "lost":
      return { ...run, phase: "lost", reason: action.reason };
    case "gave up":
      return { ...run, phase: "gave up" };
    case "refused":
      return { ...run, phase: "refused", reason: action.reason, endMs: us(action.elapsedMs) };
    case "stopped":
      return { ...run, phase: "stopped", endMs: us(action.elapsedMs) };
    case "done":
      return { ...run, phase: "done", endMs: Math.max(...run.lanes.map((lane) => laneEndMs(lane) ?? 0)) };
    case "hidden":
      return { ...run, wasHidden: true };
    case "busy":
      return { ...run, wasBusy: true };
    default:
      return run;
  }
}

/**
 * A run under way goes on as it began. The result of one that is over belongs to the old settings, and goes with
 * them, unless only names have changed.
 * @param {State} state @param {Query} query @returns {State}
 */
function edited(state, query) {
  const keepsRun = isActive(state.run) || isSameRun(query, state.query);
  return { ...state, query, plan: null, problems: [], ...(keepsRun ? {} : { run: null, look: LIVE }) };
}

/** @param {Query} a @param {Query} b */
function isSameRun(a, b) {
  return JSON.stringify(withoutTitles(a)) === JSON.stringify(withoutTitles(b));
}

/** A run that is over goes under its new names. @param {State} state @param {PlannedLane[]} plan @returns {Run | null} */
function renamed({ run, query }, plan) {
  if (run === null || run.endMs === null || timesOf(run.plan) !== timesOf(plan)) return run;
  return { ...run, plan, query };
}

/** @param {PlannedLane[]} plan */
function timesOf(plan) {
  return JSON.stringify(plan.map(({ title: _, ...settings }) => settings));
}

/** @param {State} state @param {PlannedLane[]} plan @param {{ atMs: number, takenAt: string }} request @returns {State} */
function withNewRun(state, plan, { atMs, takenAt }) {
  const runs = state.runs + 1;
  return { ...state, runs, look: LIVE, run: { ...newRun(state.query, plan, atMs, runs), takenAt } };
}

/** A result from a file, with its settings. @param {State} state @param {Query} query @param {Omit<Run, "number">} run @returns {State} */
function showed(state, query, run) {
  const runs = state.runs + 1;
  return { ...state, query, plan: null, problems: [], runs, look: LIVE, repeat: null, run: { ...run, number: runs } };
}

/** @param {Query} query @param {PlannedLane[]} plan @param {number} requestedAt @param {number} number @returns {Run} */
function newRun(query, plan, requestedAt, number) {
  const lanes = plan.map(() => ({ tokens: [], arrivalsMs: [], together: 0, drawn: 0, end: null }));
  const open = { endMs: null, reason: "", wasOpened: false, wasResumed: false, wasHidden: false, wasBusy: false };
  return { number, query, plan, lanes, phase: "connecting", requestedAt, ...open, takenAt: "", saved: null };
}

/** @param {Run} run @param {TokenData} token @returns {Run} */
function withToken(run, { lane: number, i, text, dueMs, ...at }) {
  const lane = run.lanes[number];
  if (i < lane.tokens.length) return run; // already here
  const [sentMs, arrivalMs] = [us(at.sentMs), us(at.arrivalMs)];
  const before = lane.tokens[i - 1];
  if (before && arrivalMs - before.arrivalMs <= TOGETHER_MS && dueMs - before.dueMs > TOGETHER_MS) lane.together += 1;
  lane.tokens.push({ text, dueMs, sentMs, arrivalMs, drawnMs: null });
  lane.arrivalsMs.push(arrivalMs);
  return { ...run };
}

/** @param {Run} run @param {number} number @param {LaneEnd} end @returns {Run} */
function withEnd(run, number, end) {
  const lanes = run.lanes.map((lane, n) => (n === number && !lane.end ? { ...lane, end } : lane));
  return { ...run, lanes };
}

/**
 * Marks what is drawn now; in a hidden tab nobody sees it, so it gets no time.
 * @param {Run} run @param {number} elapsedMs @param {boolean} hidden @returns {Run}
 */
function withDrawn(run, elapsedMs, hidden) {
  if (run.lanes.every((lane) => lane.drawn === lane.tokens.length)) return run;
  for (const { tokens, drawn } of run.lanes) {
    for (let i = drawn; i < tokens.length; i += 1) tokens[i].drawnMs = hidden ? null : elapsedMs;
  }
  const lanes = run.lanes.map((lane) => ({ ...lane, drawn: lane.tokens.length }));
  return { ...run, lanes, wasHidden: run.wasHidden || hidden };
}

/** @param {number} ms in whole microseconds, finer than any browser's clock */
export function us(ms) {
  return Math.round(ms * 1000) / 1000;
}

/* What the views ask for. */

/** @param {Run | null} run @returns {run is Run} */
export function isActive(run) {
  return run !== null && run.endMs === null;
}

/**
 * @param {Run} run
 * @param {number} now performance.now()
 * @returns {number} ms since the request; stands still once the run is over
 */
export function elapsedMs(run, now) {
  return run.endMs ?? Math.max(0, now - run.requestedAt);
}

/** @param {Lane} lane @returns {number | null} when its last token came, or it failed; null before */
export function laneEndMs(lane) {
  if (!lane.end) return null;
  return lane.end.how === "failed" ? lane.end.atMs : (lane.arrivalsMs.at(-1) ?? lane.end.atMs);
}

/** @param {Lane} lane @returns {number | null} when its first token was seen; null before, or if the tab was hidden */
export function perceivedMs(lane) {
  return lane.tokens[0]?.drawnMs ?? null;
}

/**
 * When the first token was seen, or, where the tab was hidden, came.
 * @param {Lane} lane
 * @returns {number | null}
 */
export function firstTokenMs(lane) {
  const firstMs = perceivedMs(lane) ?? lane.arrivalsMs[0] ?? null;
  const isWhole = lane.end?.how === "finished";
  // An answer that is drawn all in one frame was whole some ms before; its first token was not later than that.
  return firstMs !== null && isWhole ? Math.min(firstMs, lane.arrivalsMs[lane.arrivalsMs.length - 1]) : firstMs;
}

// @ts-check
/** Wires everything together, and nothing else does: what is done on the page → state → what is seen. */

import { readQuery, withLanes, withSetting, writeQuery } from "./pure/query.js";
import { elapsedMs, initialState, isActive, reduce } from "./pure/state.js";
import { fetchPlan } from "./transport/plan.js";
import { Stream, browser } from "./transport/stream.js";
import { Announcer } from "./view/announcer.js";
import { Answers } from "./view/answers.js";
import { Clock } from "./view/clock.js";
import { Controls } from "./view/controls.js";
import { Frames } from "./view/frames.js";
import { listenForKeys } from "./view/keys.js";
import { Timeline } from "./view/timeline.js";

/** @import { LaneSettings, Query } from "./pure/query.js" */
/** @import { Action } from "./pure/state.js" */
/** @import { Listener } from "./transport/stream.js" */

let state = initialState(readQuery(document.body.dataset.query ?? ""));
/** @type {Stream | null} */
let stream = null;
let planning = new AbortController();

const controls = new Controls({ startOrStop, set: setAll, say });
const answers = new Answers();
const clock = new Clock();
const announcer = new Announcer();
const frames = new Frames(draw);
const timeline = new Timeline(() => frames.request());

listenForKeys([{ key: " ", does: "start or stop", act: startOrStop }]);
// A page that is left holds no stream; when it comes back from the browser's cache, it shows that it was stopped.
window.addEventListener("pagehide", stop);
document.addEventListener("visibilitychange", () => document.hidden && dispatch({ type: "hidden" }));

showInAddressBar();
plan();

/** @param {Action} action */
function dispatch(action) {
  state = reduce(state, action);
  frames.request();
}

/* What a visitor does. */

function startOrStop() {
  if (isActive(state.run)) stop();
  else start();
}

async function start() {
  if (controls.focusProblem()) return;
  if (!state.plan) await plan();
  if (!state.plan || isActive(state.run)) return;
  const requestedAt = performance.now();
  dispatch({ type: "requested", atMs: requestedAt });
  stream = openStream(writeQuery(state.query), requestedAt);
}

function stop() {
  stream?.close();
  stream = null;
  if (state.run) dispatch({ type: "stopped", elapsedMs: elapsedMs(state.run, performance.now()) });
}

/** @param {string} name @param {string} value */
function setAll(name, value) {
  edit(withLanes(state.query, (lane) => withSetting(lane, name, isDefault(lane, name, value) ? "" : value)));
}

/**
 * The first token's time follows the time per token until it is set to something else.
 * @param {LaneSettings} lane
 * @param {string} name
 * @param {string} value
 */
function isDefault(lane, name, value) {
  return name === "ttft_ms" && value === lane.delay_ms;
}

/** @param {string} text */
function say(text) {
  edit({ ...state.query, say: text });
}

/** @param {Query} query */
function edit(query) {
  dispatch({ type: "edited", query });
  showInAddressBar();
  plan();
}

function showInAddressBar() {
  history.replaceState(null, "", `?${writeQuery(state.query)}`);
}

/* What the server says. */

/** Asks for the plan of the present query; an older question is dropped. */
async function plan() {
  planning.abort();
  planning = new AbortController();
  const { signal } = planning;
  try {
    const { plan, problems } = await fetchPlan(writeQuery(state.query), signal);
    if (!signal.aborted) dispatch(plan ? { type: "planned", plan } : { type: "misfit", problems });
  } catch {
    if (signal.aborted) return;
    dispatch({ type: "misfit", problems: [{ lane: -1, field: "", detail: "The server can't be reached." }] });
  }
}

/** @param {string} query @param {number} requestedAt */
function openStream(query, requestedAt) {
  /** @type {Listener} */
  const listener = {
    opened: (resumed) => dispatch({ type: "opened", resumed }),
    token: (token, now) => dispatch({ type: "token", ...token, arrivalMs: now - requestedAt }),
    ended: (lane, how, reason, now) => dispatch({ type: "ended", lane, how, reason, arrivalMs: now - requestedAt }),
    lost: (reason) => dispatch({ type: "lost", reason }),
    gaveUp: () => dispatch({ type: "gave up" }),
    refused: (reason) => dispatch({ type: "refused", reason, elapsedMs: performance.now() - requestedAt }),
    done: () => dispatch({ type: "done" }),
  };
  const reasonForRefusal = async () => (await fetchPlan(query)).problems.map(({ detail }) => detail).join("; ");
  return new Stream(`stream?${query}`, listener, { ...browser, reasonForRefusal });
}

/* What is seen. */

/** @param {boolean} hidden */
function draw(hidden) {
  const now = performance.now();
  state = reduce(state, { type: "drawn", now, hidden });
  controls.update(state);
  const { run } = state;
  const shown = run?.plan ?? state.plan;
  if (!shown) return;
  const elapsed = run ? elapsedMs(run, now) : 0;
  answers.update(shown, run, elapsed);
  clock.update(shown, run, elapsed);
  timeline.update(shown, run, elapsed);
  announcer.update(run);
  if (isActive(run)) frames.request();
}

// @ts-check
/** Wires everything together, and nothing else does: what is done on the page → state → what is seen. */

import { withHonestTitle, withPreset } from "./pure/presets.js";
import {
  changed,
  isSameQuery,
  hasTwin,
  readQuery,
  withAnother,
  withDuplicate,
  withLane,
  withLanes,
  withTwin,
  withoutLane,
  writeQuery,
} from "./pure/query.js";
import { isMoving, shownAt } from "./pure/replay.js";
import { ResultError, readResult } from "./pure/result.js";
import { nextStep } from "./pure/settings.js";
import { elapsedMs, initialState, isActive, reduce } from "./pure/state.js";
import { noticeWords, withTellingTitles } from "./pure/words.js";
import { watchDecks } from "./transport/decks.js";
import { fetchPlan } from "./transport/plan.js";
import { whyRefused } from "./transport/refusal.js";
import { Stream, browser } from "./transport/stream.js";
import { Announcer } from "./view/announcer.js";
import { Answers } from "./view/answers.js";
import { Charts } from "./view/charts.js";
import { Clock } from "./view/clock.js";
import { Conductor } from "./view/conductor.js";
import { Controls } from "./view/controls.js";
import { listenForClose, listKeys, toggleDialog } from "./view/dialogs.js";
import { byId, setText } from "./view/dom.js";
import { Frames } from "./view/frames.js";
import { listenForKeys } from "./view/keys.js";
import { Looks } from "./view/looks.js";
import { Measures } from "./view/measures.js";
import { Pictures } from "./view/pictures.js";
import { remember, switchTheme } from "./view/prefs.js";
import { Presenter } from "./view/presenter.js";
import { Settings } from "./view/settings.js";
import { Share } from "./view/share.js";
import { Timeline } from "./view/timeline.js";
import { Visits } from "./view/visits.js";

/** @import { Preset } from "./pure/presets.js" */
/** @import { LaneSettings, Query } from "./pure/query.js" */
/** @import { Action, PlannedLane, Repeat, Run } from "./pure/state.js" */
/** @import { Listener } from "./transport/stream.js" */
/** @import { Hotkey } from "./view/keys.js" */
/** @import { Target } from "./view/settings.js" */

const opened = readQuery(document.body.dataset.query ?? "");
let state = initialState(opened);
/** @type {Stream | null} */
let stream = null;
let planning = new AbortController();
/** Waits between two runs of a repetition. */
let pauseTimer = 0;
/** Time to see how the last one ended. */
const PAUSE_MS = 400;
/** Counts what was asked for, so that a start that waited for its plan knows whether it is still wanted. */
let attempt = 0;
let isStarting = false;
const REPEATS = 10;
const shows = { reader: false, keys: true };
/** What is drawn while the plan of an edit isn't here yet. @type {PlannedLane[] | null} */
let planned = null;

const frames = new Frames(draw);
const controls = new Controls({ startOrStop, setAll, add, repeat, editAll: () => openSettings("all") });
const settings = new Settings({
  set,
  usePreset,
  say: (text) => edit({ ...state.query, say: text }),
  duplicate: (number) => edit(withDuplicate(state.query, number)),
  remove: (number) => edit(withoutLane(state.query, number)),
  restore,
  changed: () => frames.request(),
});
const answers = new Answers({ edit: openSettings, compare: add });
const clock = new Clock();
const looks = new Looks({ slow, freeze });
const announcer = new Announcer();
const timeline = new Timeline(() => frames.request());
const measures = new Measures(() => frames.request());
const share = new Share();
const presenter = new Presenter({ start: runAgain, open: openScene, moved: showWhereOneIs });
const conductor = new Conductor({
  next: goNext,
  back: () => presenter.back(),
  start: startOrStop,
  black: () => presenter.toggleBlack(),
  changed: () => frames.request(),
});
const visits = new Visits();
const charts = new Charts(() => frames.request());
const pictures = new Pictures(() => frames.request());

const isPresenting = () => presenter.isOn;
/** @type {Hotkey[]} */
const hotkeys = [
  { key: " ", label: "Space", does: "start, or stop", act: startOrStop },
  { key: "r", label: "R", does: "run again from the start", act: runAgain },
  { key: "s", label: "S", does: "slow motion: the last run, 10 times slower", act: slow },
  { key: "z", label: "Z", does: "freeze: as it stood at 100 ms", act: freeze },
  { key: "[", label: "[", does: "less time per token, all answers", act: () => step("delay_ms", -1) },
  { key: "]", label: "]", does: "more time per token", act: () => step("delay_ms", 1) },
  { key: "{", label: "{", does: "fewer tokens, all answers", act: () => step("tokens", -1) },
  { key: "}", label: "}", does: "more tokens", act: () => step("tokens", 1) },
  { key: "0", label: "0", does: "restore what this page opened with", when: () => !presenter.hasTyped, act: restore },
  { key: "e", label: "E", does: "settings", act: () => openSettings("all") },
  { key: "k", label: "K", does: "show what a token is", act: () => byId("show-tokens").click() },
  { key: "m", label: "M", does: "somebody who reads along", act: () => byId("show-reader").click() },
  { key: "t", label: "T", does: "light or dark", act: changeTheme },
  { key: "x", label: "X", does: "run it ten times", act: repeat },
  { key: "d", label: "D", does: "every measure, below the stage", act: () => measures.open() },
  { key: "?", label: "?", does: "this help", act: () => toggleDialog("help") },
  { key: "p", label: "P", does: "present", act: () => presenter.present() },
  { key: "PageDown", label: "Page Down", does: "presenting: the next thing", when: isPresenting, act: goNext },
  { key: "PageUp", label: "Page Up", does: "presenting: back", when: isPresenting, act: () => presenter.back() },
  { key: "F5", label: "F5", does: "present from the first scene", when: hasTalk, act: startTalk },
  { key: "b", label: "B or .", does: "presenting: black", when: isPresenting, act: () => presenter.toggleBlack() },
  { key: ".", when: isPresenting, act: () => presenter.toggleBlack() },
  { key: "f", label: "F", does: "full screen", act: toggleFullscreen },
  { key: "+", label: "+ −", does: "presenting: larger, smaller", when: isPresenting, act: () => presenter.resize(1) },
  { key: "=", when: isPresenting, act: () => presenter.resize(1) },
  { key: "-", when: isPresenting, act: () => presenter.resize(-1) },
  { key: "j", label: "J", does: "join: a QR code for the room", act: join },
  { key: "n", label: "N", does: "the speaker's window", act: () => conductor.openWindow() },
  ...[..."0123456789"].map((digit) => ({ key: digit, when: isPresenting, act: () => presenter.type(digit) })),
  {
    key: "Enter",
    label: "1 … Enter",
    does: "presenting: to a scene",
    when: hasTyped,
    act: () => presenter.goToTyped(),
  },
  { key: "Escape", label: "Esc", does: "close, or stop presenting", act: leave },
];
listenForKeys(hotkeys, () => shows.keys);
listKeys(hotkeys);
listenForClose();

// All of these live as long as the page.
byId("open-share").addEventListener("click", takeAway);
byId("open-talk").addEventListener("click", () => toggleDialog("talk"));
byId("present").addEventListener("click", () => presenter.present());
byId("present-all").addEventListener("click", () => presenter.presentFromStart());
byId("open-speaker").addEventListener("click", () => conductor.openWindow());
byId("open-join").addEventListener("click", join);
byId("take-away").addEventListener("click", takeAway);
byId("open-result").addEventListener("change", openResult);
byId("open-help").addEventListener("click", () => toggleDialog("help"));
byId("theme").addEventListener("click", changeTheme);
remember(checkbox("keys-on"), true, (on) => (shows.keys = on));
remember(checkbox("show-tokens"), false, (on) => document.body.toggleAttribute("data-tokens", on));
remember(checkbox("show-reader"), false, (on) => {
  shows.reader = on;
  frames.request();
});
// A page that is left holds no stream; when it comes back from the browser's cache, it shows that it was stopped.
window.addEventListener("pagehide", stop);
document.addEventListener("visibilitychange", () => document.hidden && dispatch({ type: "hidden" }));
// What arrived during a long task was stamped late, which must not be taken for a buffering proxy.
new PerformanceObserver(() => dispatch({ type: "busy" })).observe({ type: "longtask" });

showInAddressBar();
plan();
watchDecks();

/** @param {Action} action */
function dispatch(action) {
  state = reduce(state, action);
  frames.request();
}

/** @param {string} id */
function checkbox(id) {
  return /** @type {HTMLInputElement} */ (byId(id));
}

/* Running. */

function startOrStop() {
  if (state.run?.phase === "gave up") stream?.resume();
  else if (isActive(state.run) || state.repeat) stop();
  else start();
}

function runAgain() {
  stop();
  start();
}

/** Waits only where there is no plan yet: of twenty quick clicks, each must see what the one before it did. */
async function start() {
  const mine = ++attempt;
  if (controls.focusProblem() || showProblem()) return endRepetition();
  isStarting = true;
  if (!state.plan) await plan();
  if (mine !== attempt) return;
  isStarting = false;
  if (!state.plan || isActive(state.run)) return endRepetition();
  setText(byId("open-problem"), "");
  const requestedAt = performance.now();
  dispatch({ type: "requested", atMs: requestedAt, takenAt: new Date().toISOString() });
  stream = openStream(writeQuery(state.query), requestedAt);
}

function endRepetition() {
  window.clearTimeout(pauseTimer);
  if (state.repeat) dispatch({ type: "repeated", repeat: null });
}

/** Opens the settings at the first thing that is wrong with them, if there is one. */
function showProblem() {
  const [problem] = state.problems;
  if (problem && problem.lane >= 0) openSettings(problem.lane);
  return settings.focusProblem();
}

/** Runs the same ten times, one after another; asked again, it stops. */
function repeat() {
  if (state.repeat) return stop();
  stop();
  dispatch({ type: "repeated", repeat: { number: 1, of: REPEATS } });
  start();
}

/** The next of a repetition; a run that did not reach its end ends it. */
function goOn() {
  const { repeat, run } = state;
  if (!repeat || !run) return;
  if (repeat.number >= repeat.of || run.phase !== "done") return endRepetition();
  pauseTimer = window.setTimeout(() => {
    dispatch({ type: "repeated", repeat: { ...repeat, number: repeat.number + 1 } });
    start();
  }, PAUSE_MS);
}

function stop() {
  attempt += 1;
  isStarting = false;
  endRepetition();
  stream?.close();
  stream = null;
  if (!isActive(state.run)) return;
  dispatch({ type: "stopped", elapsedMs: elapsedMs(state.run, performance.now()) });
  visits.record(state.run, measures.expected); // before another run takes its place
}

/** Slow motion, or back from it; there is nothing to replay before a run is over. */
function slow() {
  if (!state.run || isActive(state.run)) return;
  const now = performance.now();
  const isSlow = shownAt(state, now).look === "slow";
  dispatch({ type: "looked", look: isSlow ? { how: "live" } : { how: "slow", since: now } });
}

function freeze() {
  if (!state.run) return;
  dispatch({ type: "looked", look: { how: state.look.how === "frozen" ? "live" : "frozen" } });
}

/* Editing. */

/** @param {Query} query */
function edit(query) {
  if (state.repeat) stop(); // it repeats one configuration
  byId("main").dataset.used = ""; // what was wrong with the link that the page was opened with is history
  dispatch({ type: "edited", query });
  showInAddressBar();
  plan();
}

/** @param {Target} target @param {(lane: LaneSettings) => LaneSettings} change */
function editLanes(target, change) {
  const honest = (/** @type {LaneSettings} */ lane) => withHonestTitle(change(lane), settings.presets);
  edit(target === "all" ? withLanes(state.query, honest) : withLane(state.query, target, honest));
}

/** @param {Target} target @param {string} name @param {string} value */
function set(target, name, value) {
  editLanes(target, (lane) => changed(lane, name, value));
}

/** @param {string} name @param {string} value */
function setAll(name, value) {
  set("all", name, value);
}

/** @param {Target} target @param {Preset} preset */
function usePreset(target, preset) {
  editLanes(target, (lane) => withPreset(lane, preset, settings.presets));
}

/** @param {"tokens" | "delay_ms"} name @param {1 | -1} direction */
function step(name, direction) {
  const { limits } = controls.field(name);
  editLanes("all", (lane) => changed(lane, name, String(nextStep(Number(lane[name]), direction, limits))));
}

/** A pair is what one compares, so an answer that has no twin gets it first. */
function add() {
  edit(hasTwin(state.query) ? withAnother(state.query) : withTwin(state.query));
}

function restore() {
  edit(opened);
}

/** @param {Target} target */
function openSettings(target) {
  settings.open(target, state);
  frames.request();
}

function changeTheme() {
  switchTheme();
  timeline.layOutAnew();
  charts.layOutAnew();
}

function showInAddressBar() {
  const query = writeQuery(state.query);
  const { scene } = presenter;
  const isItsOwn = scene && (scene.query === "" || isSameQuery(state.query, readQuery(scene.query)));
  const address = scene ? `scenes/${scene.slug}${isItsOwn ? "" : `?${query}`}` : `?${query}`;
  history.replaceState(null, "", new URL(address, document.baseURI));
}

/* Presenting. */

/** A scene's lanes as they are before a run; "" keeps those that are there. @param {string} query */
function openScene(query) {
  stop();
  dispatch({ type: "cleared" });
  if (query) edit(readQuery(query));
}

function showWhereOneIs() {
  showInAddressBar();
  frames.request();
}

function goNext() {
  closeJoin();
  presenter.next(isStarting || isWatched(state.run));
}

/** While a run goes on the room is watching; one that has lost its server is not worth waiting for. @param {Run | null} run */
function isWatched(run) {
  return isActive(run) && (run.phase === "open" || run.phase === "connecting");
}

/** Where F5 starts the talk instead of loading the page anew. */
function hasTalk() {
  return presenter.isOn || document.body.dataset.scene !== undefined;
}

/** @param {KeyboardEvent} event */
function startTalk({ shiftKey }) {
  if (presenter.isOn) return isWatched(state.run) ? undefined : goNext();
  if (shiftKey) presenter.present();
  else presenter.presentFromStart();
}

function hasTyped() {
  return presenter.isOn && presenter.hasTyped;
}

function leave() {
  closeJoin();
  if (presenter.isOn) presenter.leave();
  else settings.close();
}

/** Not in its own way of the clicker: what comes next closes it. */
function join() {
  const dialog = /** @type {HTMLDialogElement} */ (byId("join"));
  if (dialog.open) return dialog.close();
  byId("qr").setAttribute("src", "join.svg");
  dialog.show();
}

function closeJoin() {
  /** @type {HTMLDialogElement} */ (byId("join")).close();
}

/** Not every browser can, nor lets a page do so at any time. */
function toggleFullscreen() {
  const { fullscreenElement, documentElement } = document;
  const change = fullscreenElement ? document.exitFullscreen() : documentElement.requestFullscreen?.();
  change?.catch(() => {});
}

/* Taking away, and opening again. */

function takeAway() {
  share.open(state, measures.expected);
}

/** @param {Event} event */
async function openResult({ target }) {
  const input = /** @type {HTMLInputElement} */ (target);
  const [file] = input.files ?? [];
  input.value = ""; // the same file can be opened again
  setText(byId("open-problem"), "");
  try {
    const run = readResult(await file.text());
    stop();
    dispatch({ type: "showed", query: run.query, run });
    showInAddressBar();
    plan();
    scrollTo({ top: 0 });
  } catch (error) {
    setText(
      byId("open-problem"),
      `${file?.name ?? "The file"}: ${error instanceof ResultError ? error.message : "it can't be read"}.`,
    );
  }
}

/* What the server says. */

const UNREACHABLE = { lane: -1, field: "", value: "", range: "", detail: "The server can't be reached." };

/** Asks for the plan of the present query; an older question is dropped. */
async function plan() {
  planning.abort();
  planning = new AbortController();
  const { signal } = planning;
  try {
    const { plan, problems } = await fetchPlan(writeQuery(state.query), signal);
    if (!signal.aborted)
      dispatch(plan ? { type: "planned", plan: withTellingTitles(plan) } : { type: "misfit", problems });
  } catch {
    if (signal.aborted) return;
    dispatch({ type: "misfit", problems: [UNREACHABLE] });
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
  return new Stream(`stream?${query}`, listener, { ...browser, whyRefused: () => whyRefused(query) });
}

/* What is seen. */

/** @param {boolean} hidden */
function draw(hidden) {
  const now = performance.now();
  state = reduce(state, { type: "drawn", now, hidden });
  const shown = shownAt(state, now);
  presenter.update(state, shown);
  conductor.tell(presenter, state, shown, now);
  controls.update(state);
  settings.update(state);
  looks.update(state, shown);
  announcer.update(isInMidRepetition(state.repeat) ? null : state.run);
  setText(byId("notice"), state.run ? noticeWords(state.run) : "");
  planned = state.run?.plan ?? state.plan ?? planned;
  if (!planned) return;
  const readerMs = shown.look === "live" && state.run ? now - state.run.requestedAt : shown.elapsedMs;
  const hasReader = shows.reader && !state.run?.saved; // nobody reads along in a file
  const isReading = answers.update(planned, shown.run, shown.elapsedMs, hasReader ? readerMs : null);
  clock.update(planned, shown.run, shown.elapsedMs, shown.look, state.repeat);
  timeline.update(planned, shown.run, shown.elapsedMs);
  measures.update(planned, state.run, now);
  charts.update(planned, state.run);
  share.update(state, measures.expected);
  pictures.update({ plan: planned, run: shown.run, elapsedMs: shown.elapsedMs });
  if (state.run && !isActive(state.run) && visits.record(state.run, measures.expected)) goOn();
  if (isMoving(state, shown) || isReading || conductor.isOpen) frames.request();
}

/** Ten runs are told as one: their beginning and their end. @param {Repeat | null} repeat */
function isInMidRepetition(repeat) {
  return repeat !== null && repeat.number > 1;
}

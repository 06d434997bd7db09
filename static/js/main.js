// @ts-check
/** Wires everything together, and nothing else does: what is done on the page → state → what is seen. */

import { Editor } from "./control/editor.js";
import { listenForFiles } from "./control/files.js";
import { hotkeysOf } from "./control/hotkeys.js";
import { Opened } from "./control/opened.js";
import { Runner } from "./control/runner.js";
import { Store } from "./control/store.js";
import { isSameQuery, readQuery, served, writeQuery } from "./pure/query.js";
import { isMoving, shownAt } from "./pure/replay.js";
import { initialState, isActive } from "./pure/state.js";
import { noticeWords } from "./pure/words.js";
import { FileError } from "./transport/file.js";
import { watchDecks } from "./transport/decks.js";
import { fetchPlan } from "./transport/plan.js";
import { Announcer } from "./view/announcer.js";
import { Answers } from "./view/answers.js";
import { Charts } from "./view/charts.js";
import { Clock } from "./view/clock.js";
import { Conductor } from "./view/conductor.js";
import { Controls } from "./view/controls.js";
import { closeDialog, closeModal, listKeys, listenForClose, toggleDialog } from "./view/dialogs.js";
import { byId, setText } from "./view/dom.js";
import { Frames } from "./view/frames.js";
import { hotkeyOf, listenForKeys } from "./view/keys.js";
import { Looks } from "./view/looks.js";
import { Measures } from "./view/measures.js";
import { Pictures } from "./view/pictures.js";
import { remember, switchTheme } from "./view/prefs.js";
import { Presenter } from "./view/presenter.js";
import { Settings } from "./view/settings.js";
import { Share } from "./view/share.js";
import { Timeline } from "./view/timeline.js";
import { Visits } from "./view/visits.js";

/** @import { Query } from "./pure/query.js" */
/** @import { Recording } from "./pure/recording.js" */
/** @import { PlannedLane, Repeat, Run } from "./pure/state.js" */
/** @import { Target } from "./view/settings.js" */

const opened = readQuery(document.body.dataset.query ?? "");
const MOST_LANES = Number(document.body.dataset.maxLanes);
const shows = { reader: false, keys: true };
/** What is drawn while the plan of an edit isn't here yet. @type {PlannedLane[] | null} */
let planned = null;
/** The run whose end was drawn last. */
let seen = 0;

const frames = new Frames(draw);
const changed = () => frames.request();
const store = new Store(initialState(opened), changed);
const recordings = new Opened();
const runner = new Runner(store, recordings, hasProblem, (run) => visits.record(run, measures.expected));
const editor = new Editor(store, opened, edit);

const startOrStop = () => presenter.showsRuns && runner.startOrStop();
const repeat = () => runner.repeat();
const restore = () => (presenter.scene?.query ? edit(readQuery(presenter.scene.query)) : editor.restore());
const add = () => editor.add();

const controls = new Controls({
  startOrStop,
  setAll: (name, value) => editor.set("all", name, value),
  add,
  repeat,
  editAll: () => openSettings("all"),
});
const settings = new Settings({
  set: (target, name, value) => editor.set(target, name, value),
  usePreset: (target, preset) => editor.usePreset(target, preset),
  say: (text) => editor.say(text),
  duplicate: (number) => editor.duplicate(number),
  remove: (number) => editor.remove(number),
  restore,
  changed,
});
editor.presets = settings.presets;
const answers = new Answers({ edit: openSettings, compare: add });
const clock = new Clock();
const looks = new Looks({ slow, freeze });
const announcer = new Announcer();
const timeline = new Timeline(changed);
const measures = new Measures(changed);
const charts = new Charts(changed);
const pictures = new Pictures(changed, fetchPlan);
const visits = new Visits();
const share = new Share();
const presenter = new Presenter({
  start: () => runner.runAgain(),
  open: openScene,
  freeze: setFrozen,
  moved: showWhereOneIs,
});
const conductor = new Conductor(
  {
    next: goNext,
    back: goBack,
    start: startOrStop,
    black: () => presenter.toggleBlack(),
    changed,
  },
  press,
);

const hotkeys = hotkeysOf(presenter, {
  startOrStop,
  runAgain: () => presenter.showsRuns && runner.runAgain(),
  slow,
  freeze,
  step: (name, direction) => editor.step(name, direction, controls.field(name).limits),
  restore,
  openSettings: () => openSettings("all"),
  showTokens: () => byId("show-tokens").click(),
  showReader: () => byId("show-reader").click(),
  changeTheme,
  repeat,
  openMeasures: () => measures.open(),
  openHelp: () => toggleDialog("help"),
  goNext,
  goBack,
  startTalk,
  fullscreen,
  join,
  openSpeaker: () => conductor.openWindow(),
  leave,
});
listenForKeys(hotkeys, () => shows.keys);
listKeys(hotkeys);
listenForClose();
listenForFiles([byId("open-file"), byId("open-recording")], { showResult, addRecording, tell: tellFileProblem });

// All of these live as long as the page.
byId("open-share").addEventListener("click", takeAway);
byId("open-talk").addEventListener("click", () => toggleDialog("talk"));
byId("present").addEventListener("click", () => presenter.present());
byId("present-all").addEventListener("click", () => presenter.presentFromStart());
byId("open-speaker").addEventListener("click", () => conductor.openWindow());
byId("open-join").addEventListener("click", join);
byId("take-away").addEventListener("click", takeAway);
byId("open-help").addEventListener("click", () => toggleDialog("help"));
byId("theme").addEventListener("click", changeTheme);
remember(checkbox("keys-on"), true, (on) => (shows.keys = on));
remember(checkbox("show-tokens"), false, (on) => document.body.toggleAttribute("data-tokens", on));
remember(checkbox("show-reader"), false, (on) => {
  shows.reader = on;
  changed();
});
// A page that is left holds no stream; when it comes back from the browser's cache, it shows that it was stopped.
window.addEventListener("pagehide", () => runner.stop());
document.addEventListener("visibilitychange", () => document.hidden && store.dispatch({ type: "hidden" }));
// What arrived during a long task was stamped late, which must not be taken for a buffering proxy.
new PerformanceObserver(() => store.dispatch({ type: "busy" })).observe({ type: "longtask" });

showInAddressBar();
runner.plan();
watchDecks();

/** @param {string} id */
function checkbox(id) {
  return /** @type {HTMLInputElement} */ (byId(id));
}

/* Editing. */

/** @param {Query} query */
function edit(query) {
  if (store.state.repeat) runner.stop(); // it repeats one configuration
  byId("main").dataset.used = ""; // what was wrong with the link that the page was opened with is history
  store.dispatch({ type: "edited", query });
  showInAddressBar();
  runner.plan();
}

/** Goes to the first thing that is wrong with the settings, if there is one. */
function hasProblem() {
  tellFileProblem("");
  if (controls.focusProblem()) return true;
  const [problem] = store.state.problems;
  if (problem && problem.lane >= 0) openSettings(problem.lane);
  return settings.focusProblem();
}

/** @param {Target} target */
function openSettings(target) {
  settings.open(target, store.state);
  changed();
}

function changeTheme() {
  switchTheme();
  timeline.layOutAnew();
  charts.layOutAnew();
}

function showInAddressBar() {
  const { query } = store.state;
  const { scene } = presenter;
  const isItsOwn = scene && (scene.query === "" || isSameQuery(query, readQuery(scene.query)));
  const bare = document.body.dataset.bare === undefined ? "" : "&bare=1";
  const written = isItsOwn ? "" : `?${writeQuery(served(query))}${bare}`;
  history.replaceState(null, "", new URL(scene ? `scenes/${scene.slug}${written}` : written, document.baseURI));
}

/* Looking. */

/** Slow motion, or back from it; there is nothing to replay before a run is over. */
function slow() {
  const { state } = store;
  if (!state.run || isActive(state.run)) return;
  const now = performance.now();
  const isSlow = shownAt(state, now).look === "slow";
  store.dispatch({ type: "looked", look: isSlow ? { how: "live" } : { how: "slow", since: now } });
}

function freeze() {
  setFrozen(store.state.look.how !== "frozen");
}

/** @param {boolean} isFrozen */
function setFrozen(isFrozen) {
  if (store.state.run) store.dispatch({ type: "looked", look: { how: isFrozen ? "frozen" : "live" } });
}

/* Presenting. */

/** A scene's lanes as they are before a run; "" keeps those that are there. @param {string} query */
function openScene(query) {
  runner.stop();
  store.dispatch({ type: "cleared" });
  if (query) edit(readQuery(query));
}

function showWhereOneIs() {
  showInAddressBar();
  changed();
}

/** What lies over the page goes first, as a clicker has no other key for it. */
function goNext() {
  if (!closeDialog("join")) presenter.next(runner.isWatched);
}

function goBack() {
  if (!closeDialog("join")) presenter.back();
}

/** A key that was pressed in the speaker's window. @param {string} key @param {{ shiftKey: boolean }} held */
function press(key, held) {
  hotkeyOf(hotkeys, key, shows.keys)?.act(held);
}

/** What a clicker's start button does, wherever the talk is. @param {{ shiftKey: boolean }} event */
function startTalk({ shiftKey }) {
  if (presenter.isOn) return runner.isWatched ? undefined : goNext();
  if (shiftKey) presenter.present();
  else presenter.presentFromStart();
}

/** One thing at a time: what lies over the page first. */
function leave() {
  if (closeModal()) return; // asked for in the speaker's window; here the browser does it
  if (closeDialog("join") || closeDialog("settings")) return;
  if (presenter.forgetTyped()) return;
  if (presenter.isBlack) presenter.toggleBlack();
  else if (presenter.isOn) presenter.leave();
}

/** Beside the page and not before it, so that a clicker's next press still arrives, and closes it. */
function join() {
  const dialog = /** @type {HTMLDialogElement} */ (byId("join"));
  if (dialog.open) return dialog.close();
  closeDialog("talk"); // which would lie over it
  byId("qr").setAttribute("src", "join.svg");
  dialog.show();
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur(); // Space is for the run
}

/** Not every browser can, nor lets a page do so at any time. */
function fullscreen() {
  const { fullscreenElement, documentElement } = document;
  const change = fullscreenElement ? document.exitFullscreen() : documentElement.requestFullscreen?.();
  change?.catch(() => {});
}

/* Taking away, and opening again. */

function takeAway() {
  share.open(store.state, measures.expected);
}

/** @param {ReturnType<typeof import("./pure/result.js").readResult>} run */
function showResult(run) {
  runner.stop();
  store.dispatch({ type: "showed", query: run.query, run });
  showInAddressBar();
  runner.plan();
}

/** One more answer, which plays it. @param {string} file @param {Recording} recording */
function addRecording(file, recording) {
  if (store.state.query.lanes.length >= MOST_LANES)
    throw new FileError(`there are ${MOST_LANES} answers: remove one first`);
  editor.open(recordings.keep(file, recording));
}

/** @param {string} problem beside whatever it was opened with */
function tellFileProblem(problem) {
  for (const element of document.querySelectorAll(".file-problem"))
    setText(/** @type {HTMLElement} */ (element), problem);
}

/* What is seen. */

/** @param {boolean} hidden */
function draw(hidden) {
  const now = performance.now();
  store.drawn(now, hidden);
  const { state } = store;
  const { run } = state;
  const shown = shownAt(state, now);
  presenter.update(state, shown, runner.isWatched);
  conductor.tell(presenter, state, shown, now);
  controls.update(state);
  settings.update(state);
  looks.update(state, shown);
  announcer.update(isInMidRepetition(state.repeat) ? null : run);
  setText(byId("notice"), run ? noticeWords(run) : "");
  planned = run?.plan ?? state.plan ?? planned;
  if (!planned) return;
  document.body.dataset.ready = "";
  const readerMs = shown.look === "live" && run ? now - run.requestedAt : shown.elapsedMs;
  const hasReader = shows.reader && !run?.saved; // nobody reads along in a file
  const isReading = answers.update(planned, shown.run, shown.elapsedMs, hasReader ? readerMs : null);
  clock.update(planned, shown.run, shown.elapsedMs, shown.look, state.repeat);
  timeline.update(planned, shown.run, shown.elapsedMs);
  pictures.update({ plan: planned, run: shown.run, elapsedMs: shown.elapsedMs });
  measures.update(planned, run, now);
  charts.update(planned, run);
  share.update(state, measures.expected);
  if (run && !isActive(run)) recordOnceSeen(run);
  if (isMoving(state, shown) || isReading) changed();
}

/** In the frame after the one that shows the end, which has enough to do. @param {Run} run */
function recordOnceSeen(run) {
  if (run.number !== seen) changed();
  else if (visits.record(run, measures.expected)) runner.goOn();
  seen = run.number;
}

/** Ten runs are told as one: their beginning and their end. @param {Repeat | null} repeat */
function isInMidRepetition(repeat) {
  return repeat !== null && repeat.number > 1;
}

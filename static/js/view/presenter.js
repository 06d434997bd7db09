// @ts-check
/**
 * Presenting: one sentence, one picture or one set of answers, one line, and a clicker is enough. It knows where the
 * talk is and shows that; what is run, and at which address, is for others to see to.
 */

import { differencesWords } from "../pure/differences.js";
import { wholeMs } from "../pure/format.js";
import { reportsOf } from "../pure/measures.js";
import { filled } from "../pure/observe.js";
import { isActive } from "../pure/state.js";
import { ANSWERS, back, next, paceWords, stepsOf, whileRunning } from "../pure/talk.js";
import { hundredsWords, noticeWords } from "../pure/words.js";
import { byId, partsOf, setText } from "./dom.js";
import { keepForVisit, keptForVisit } from "./prefs.js";

/** @import { Shown } from "../pure/replay.js" */
/** @import { Run, State } from "../pure/state.js" */
/** @import { Effect, Place, Scene, Step } from "../pure/talk.js" */

/**
 * @typedef {object} PresenterActions
 * @property {() => void} start
 * @property {(query: string) => void} open shows a scene's lanes as they are before a run; "" keeps the lanes that are
 * @property {(isFrozen: boolean) => void} freeze whether the run is seen as it stood at 100 ms
 * @property {() => void} moved the scene or the way of showing it has changed
 */

const SIZES = [0.7, 0.8, 0.9, 1, 1.1, 1.2];
const STILL_AFTER_MS = 2_000;
/** A number that is typed and not followed by Enter is soon forgotten. */
const TYPED_FOR_MS = 3_000;
/** At its end such a scene stands as it was at 100 ms, because that is what it speaks of. */
const OF_THE_LINE = /\.at100\b/;

/** But for the 100 ms that are counted. */
const TIMES = /(?<![\d,]|× )(\d[\d,]* ms)/;

/** What a presenter must know of a run; that a proxy buffers it is told in the answers. */
const TROUBLE = ["lost", "gave up", "refused"];

export class Presenter {
  isOn = false;
  #root = byId("scenes");
  #line = byId("line");
  #sections = /** @type {HTMLElement[]} */ ([...this.#root.querySelectorAll(".scene")]);
  #actions;
  /** The deck that is shown: a presenter's own comes before the built-in one. */
  #deck = "0";
  /** @type {Place} */
  #place = { at: -1, step: 0 };
  /** When the talk began, in ms since the epoch; null before its first step. @type {number | null} */
  #beganAt = null;
  #size = SIZES.indexOf(1);
  #still = 0;
  #typed = "";
  #typedTimer = 0;
  /** Without a server, say: then the talk goes on without the run. */
  #cannotRun = false;
  /** The scene with which the talk began, so that one that begins in the middle is not ahead of its plan. */
  #from = 0;

  /** @param {PresenterActions} actions */
  constructor(actions) {
    this.#actions = actions;
    const [beganAt = null, from = 0] = JSON.parse(keptForVisit("talk") || "[]");
    this.#beganAt = beganAt;
    this.#from = from;
    const slug = document.body.dataset.scene;
    if (slug !== undefined) this.#present(slug);
    // All of these live as long as the page.
    document.addEventListener("pointermove", () => this.#showPointer());
    document.addEventListener("focusin", ({ target }) => this.#keepFree(target));
  }

  /** @returns {Scene[]} of the deck that is shown */
  get scenes() {
    return this.#ofDeck.map(sceneOf);
  }

  get deck() {
    return this.#deck;
  }

  get place() {
    return this.#place;
  }

  /** @returns {number} how long the talk has lasted */
  get talkMs() {
    return this.#beganAt === null ? 0 : Date.now() - this.#beganAt;
  }

  /** How far the talk is from its plan, in words. */
  get pace() {
    return paceWords(this.scenes.slice(this.#from), this.#place.at - this.#from, this.talkMs);
  }

  /** @returns {Scene | undefined} the one that is shown; none where the page's own answers are */
  get scene() {
    return this.isOn ? this.scenes[this.#place.at] : undefined;
  }

  /** @returns {Step} */
  get step() {
    return this.#steps[this.#place.step];
  }

  get #steps() {
    return stepsOf(this.scene);
  }

  get line() {
    return this.#line.textContent ?? "";
  }

  get isBlack() {
    return document.body.hasAttribute("data-black");
  }

  get #ofDeck() {
    return this.#sections.filter(({ dataset }) => dataset.deck === this.#deck);
  }

  /** Goes on with the scene where it was left, or presents the answers that the page has. */
  present() {
    if (this.isOn) return;
    this.#begin();
    if (this.#place.at >= 0) this.#go({ place: { at: this.#place.at, step: 0 }, effect: "scene" });
    this.#actions.moved();
  }

  /** From the first scene of the talk, which begins anew. */
  presentFromStart() {
    this.#begin();
    this.#beganAt = null;
    this.#go({ place: { at: 0, step: 0 }, effect: "scene" });
  }

  leave() {
    this.isOn = false;
    this.forgetTyped();
    this.#black(false);
    this.#actions.moved();
  }

  /** @param {boolean} isRunning */
  next(isRunning) {
    if (!this.isOn) return;
    if (this.isBlack) return this.#black(false);
    const { at } = this.#place;
    const place = this.#cannotRun ? { at, step: this.#steps.length - 1 } : this.#place;
    this.#go(next(this.scenes, place, isRunning));
  }

  back() {
    if (!this.isOn) return;
    if (this.isBlack) return this.#black(false);
    this.#go(back(this.scenes, this.#place));
  }

  toggleBlack() {
    if (this.isOn) this.#black(!this.isBlack);
  }

  /** @param {1 | -1} direction larger or smaller */
  resize(direction) {
    this.#size = Math.min(SIZES.length - 1, Math.max(0, this.#size + direction));
    document.documentElement.style.setProperty("--size", String(SIZES[this.#size]));
  }

  /** A figure of the number of a scene, which Enter then goes to. @param {string} digit */
  type(digit) {
    this.#showTyped((this.#typed + digit).slice(-3));
  }

  get hasTyped() {
    return this.#typed !== "";
  }

  goToTyped() {
    const at = Number(this.#typed) - 1;
    const { length } = this.scenes;
    if (at < 0 || at >= length) return this.#showTyped("", `no scene ${this.#typed}: 1 to ${length}`);
    this.#go({ place: { at, step: 0 }, effect: "scene" });
  }

  /** @returns {boolean} whether there was a number to forget */
  forgetTyped() {
    const { hasTyped } = this;
    this.#showTyped("");
    return hasTyped;
  }

  /** @param {State} state @param {Shown} shown @param {boolean} isRunning or about to */
  update(state, shown, isRunning) {
    const { body } = document;
    body.toggleAttribute("data-presenting", this.isOn);
    if (!this.isOn) return;
    if (isActive(state.run)) this.#place = whileRunning(this.scenes, this.#place);
    if (!state.run && !isRunning && this.step.line === "clock") this.#place = { at: this.#place.at, step: 0 };
    const { scene, step } = this;
    const answers = String(state.run?.plan.length ?? state.plan?.length ?? state.query.lanes.length);
    Object.assign(body.dataset, { shows: step.shows === ANSWERS ? ANSWERS : "picture", line: step.line, answers });
    const isUnplanned = !state.run && !state.plan;
    body.toggleAttribute("data-unplanned", isUnplanned);
    this.#cannotRun = isUnplanned && state.problems.length > 0;
    body.toggleAttribute("data-alone", this.#steps[0].shows !== ANSWERS);
    document.title = scene ? `${this.#titleOf(this.#place.at)} · Trickle` : "Trickle";
    this.#showScene(step);
    this.#showLine(lineOf(step, scene, state, shown));
    if (scene && state.run?.phase === "done") this.#keepResult(scene, state.run);
  }

  /** @param {Step} step */
  #showScene(step) {
    const shown = this.isOn ? this.#ofDeck[this.#place.at] : undefined;
    for (const section of this.#sections) section.toggleAttribute("data-shown", section === shown);
    const figures = /** @type {NodeListOf<HTMLElement>} */ (shown?.querySelectorAll(".picture") ?? []);
    for (const figure of figures) figure.toggleAttribute("data-shown", figure.dataset.picture === step.shows);
  }

  /** Times are marked: they are what a run is made for. @param {string} line */
  #showLine(line) {
    if (this.line === line) return;
    const parts = line.split(TIMES).map((part, n) => (n % 2 ? strong(part) : part));
    this.#line.replaceChildren(...parts);
  }

  /** For the handout: what was seen in a scene, and its figures. @param {Scene} scene @param {Run} run */
  #keepResult(scene, run) {
    const section = this.#ofDeck[this.#place.at];
    const { observe, result } = partsOf(section);
    section.dataset.measured = "";
    setText(observe, filled(scene.observe, run));
    setText(result, differencesWords(reportsOf(run, run.endMs ?? 0)));
  }

  #begin() {
    this.isOn = true;
    for (const dialog of document.querySelectorAll("dialog[open]")) /** @type {HTMLDialogElement} */ (dialog).close();
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    scrollTo({ top: 0 });
  }

  /** @param {string} slug */
  #present(slug) {
    const section = this.#sections.find(({ dataset }) => dataset.slug === slug);
    if (!section) return;
    this.#deck = section.dataset.deck ?? "0";
    this.#place = { at: this.#ofDeck.indexOf(section), step: 0 };
    this.#begin();
  }

  /** @param {{ place: Place, effect: Effect }} way */
  #go({ place, effect }) {
    this.forgetTyped();
    this.#place = place;
    this.#beginClock();
    const { scene, step } = this;
    const isOfTheRun = step.line === "observe" && step.shows === this.#steps[0].shows;
    this.#actions.freeze(isOfTheRun && OF_THE_LINE.test(scene?.observe ?? ""));
    if (effect === "start") this.#actions.start();
    if (effect === "scene") this.#actions.open(this.scenes[place.at]?.query ?? "");
    this.#actions.moved();
  }

  /** Time runs from the first step on, and over a reload of the page. */
  #beginClock() {
    if (this.#beganAt !== null) return;
    this.#beganAt = Date.now();
    this.#from = Math.max(0, this.#place.at);
    keepForVisit("talk", JSON.stringify([this.#beganAt, this.#from]));
  }

  /** @param {string} typed @param {string} [words] what is seen of it, for a while */
  #showTyped(typed, words = typed) {
    this.#typed = typed;
    window.clearTimeout(this.#typedTimer);
    if (words === "") return document.body.removeAttribute("data-typed");
    document.body.dataset.typed = words;
    this.#typedTimer = window.setTimeout(() => this.#showTyped(""), TYPED_FOR_MS);
  }

  /** @param {number} at */
  #titleOf(at) {
    return partsOf(this.#ofDeck[at]).title.textContent ?? "";
  }

  /** @param {boolean} isBlack */
  #black(isBlack) {
    document.body.toggleAttribute("data-black", isBlack);
  }

  /** The pointer hides when it is still. */
  #showPointer() {
    window.clearTimeout(this.#still);
    document.body.removeAttribute("data-still");
    this.#still = window.setTimeout(() => document.body.toggleAttribute("data-still", this.isOn), STILL_AFTER_MS);
  }

  /** A slider that has the focus takes the clicker's keys. @param {EventTarget | null} target */
  #keepFree(target) {
    if (this.isOn && target instanceof HTMLInputElement && target.type === "range") target.blur();
  }
}

/**
 * The line below: a question, the clock, or what was seen.
 * @param {Step} step
 * @param {Scene | undefined} scene
 * @param {State} state
 * @param {Shown} shown
 */
function lineOf({ line }, scene, { run, plan, problems }, shown) {
  if (run && TROUBLE.includes(run.phase)) return noticeWords(run);
  if (!run && !plan && problems.length) return problems[0].detail;
  if (line === "ask") return scene?.ask ?? "";
  if (line === "clock" || run === null || run.endMs === null) {
    return `${wholeMs(shown.elapsedMs)} ms · ${hundredsWords(shown.elapsedMs)}`;
  }
  const seen = scene ? filled(scene.observe, run) : differencesWords(reportsOf(run, run.endMs));
  return [unusual(run), seen].filter(Boolean).join(" ");
}

/** What a claim about a run must not hide. @param {Run} run */
function unusual(run) {
  if (run.phase === "stopped") return "Stopped.";
  if (run.lanes.some(({ end }) => end?.how === "failed")) return "The model failed.";
  return run.wasResumed ? "Resumed after a lost connection." : "";
}

/** @param {string} text */
function strong(text) {
  const element = document.createElement("strong");
  element.textContent = text;
  return element;
}

/** @param {HTMLElement} section @returns {Scene} */
function sceneOf(section) {
  const { slug = "", query = "", pictures = "", minutes = "0", ask = "", observe = "" } = section.dataset;
  const names = pictures.split(" ").filter(Boolean);
  return { slug, query, pictures: names, ask, observe, minutes: Number(minutes) };
}

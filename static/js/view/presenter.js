// @ts-check
/**
 * Presenting: one sentence, one picture or one set of answers, one line, and a clicker is enough. It knows where the
 * talk is and shows that; what is run, and at which address, is for others to see to.
 */

import { differencesWords } from "../pure/differences.js";
import { lineOf, partsOfLine } from "../pure/line.js";
import { reportsOf } from "../pure/measures.js";
import { filled } from "../pure/observe.js";
import { isActive } from "../pure/state.js";
import { ANSWERS, back, next, stepsOf, whileRunning } from "../pure/talk.js";
import { byId, partsOf, setText } from "./dom.js";
import { TalkClock } from "./talk-clock.js";
import { Typed } from "./typed.js";

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
/** At its end such a scene stands as it was at 100 ms, because that is what it speaks of. */
const OF_THE_LINE = /\.at100\b/;

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
  #size = SIZES.indexOf(1);
  #still = 0;
  #typed = new Typed();
  /** Without a server, say: then the talk goes on without the run. */
  #cannotRun = false;
  #clock = new TalkClock();

  /** @param {PresenterActions} actions */
  constructor(actions) {
    this.#actions = actions;
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
    return this.#clock.elapsedMs;
  }

  /** How far the talk is from its plan, in words. */
  get pace() {
    return this.#clock.pace(this.scenes, this.#place.at);
  }

  /** @returns {Scene | undefined} the one that is shown; none where the page's own answers are */
  get scene() {
    return this.isOn ? this.scenes[this.#place.at] : undefined;
  }

  /** @returns {Step} */
  get step() {
    return this.#steps[this.#place.step];
  }

  /** Not where a scene only says something: nobody would see a run, and it would hold up the talk. */
  get showsRuns() {
    return this.step.shows !== "";
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
    this.#clock.reset();
    this.#go({ place: { at: 0, step: 0 }, effect: "scene" });
  }

  leave() {
    this.isOn = false;
    this.#place = { at: this.#place.at, step: 0 }; // the page's own answers have fewer steps than some scenes
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
    this.#typed.add(digit);
  }

  get hasTyped() {
    return !this.#typed.isEmpty;
  }

  goToTyped() {
    const typed = this.#typed.take();
    const { length } = this.scenes;
    const at = Number(typed) - 1;
    if (at < 0 || at >= length) return this.#typed.refuse(`no scene ${typed}: 1 to ${length}`);
    this.#go({ place: { at, step: 0 }, effect: "scene" });
  }

  /** @returns {boolean} whether there was a number to forget */
  forgetTyped() {
    return this.#typed.take() !== "";
  }

  /** @param {State} state @param {Shown} shown @param {boolean} isRunning or about to */
  update(state, shown, isRunning) {
    const { body } = document;
    body.toggleAttribute("data-presenting", this.isOn);
    if (!this.isOn) return;
    if (isActive(state.run)) this.#place = whileRunning(this.scenes, this.#place);
    if (!state.run && !isRunning && this.step.line !== "ask") this.#place = { at: this.#place.at, step: 0 };
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

  /** @param {string} line */
  #showLine(line) {
    if (this.line === line) return;
    this.#line.replaceChildren(...partsOfLine(line).map((part, n) => (n % 2 ? strong(part) : part)));
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
    this.#clock.start(place.at);
    const { scene, step } = this;
    const isOfTheRun = step.line === "observe" && step.shows === this.#steps[0].shows;
    this.#actions.freeze(isOfTheRun && OF_THE_LINE.test(scene?.observe ?? ""));
    if (effect === "start") this.#actions.start();
    if (effect === "scene") this.#actions.open(this.scenes[place.at]?.query ?? "");
    this.#actions.moved();
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

// @ts-check
/** The presenting page's side of the speaker's window: opens it, tells it what is going on, and does what it says. */

import { settingsInShort, firstFigure, wholeFigure } from "../pure/words.js";
import { isActive } from "../pure/state.js";
import { openChannel } from "../transport/channel.js";
import { keepForVisit, keptForVisit } from "./prefs.js";

/** @import { Shown } from "../pure/replay.js" */
/** @import { State } from "../pure/state.js" */
/** @import { Presenter } from "./presenter.js" */

/** A window that is asked for this often follows without a lag that one sees. */
const EVERY_MS = 200;

const KEPT_AS = "speaker";

const STEPS = { ask: "asking", clock: "the run is over: next says what was seen", observe: "what was seen" };

export class Conductor {
  /** Of this tab alone, so that two of them on one machine don't mix; the same after a reload. */
  #name = keptForVisit(KEPT_AS) || newName();
  /** @type {ReturnType<typeof openChannel> | null} */
  #channel = null;
  #timer = 0;
  #toldAt = -Infinity;
  #actions;
  #press;

  /**
   * @param {Record<string, () => void>} actions what the speaker's window may ask for, by name; and `changed`
   * @param {(key: string, held: { shiftKey: boolean }) => void} press does what a key of the page does
   */
  constructor(actions, press) {
    this.#actions = actions;
    this.#press = press;
    if (keptForVisit(KEPT_AS)) this.#listen(); // a window that was open before a reload goes on
  }

  openWindow() {
    keepForVisit(KEPT_AS, this.#name);
    if (!this.#channel) this.#listen();
    window.open(`speaker#${this.#name}`, `speaker-${this.#name}`, "popup,width=980,height=720");
  }

  #listen() {
    this.#channel = openChannel(this.#name, (message) => this.#hear(message));
    this.#timer = window.setInterval(() => this.#actions.changed(), EVERY_MS);
  }

  /** @param {Presenter} presenter @param {State} state @param {Shown} shown @param {number} now performance.now() */
  tell(presenter, state, shown, now) {
    if (!this.#channel || now - this.#toldAt < EVERY_MS) return;
    this.#toldAt = now;
    const { scenes, place } = presenter;
    const plan = state.run?.plan ?? state.plan ?? [];
    this.#channel.say({
      now: {
        since: performance.timeOrigin,
        deck: presenter.deck,
        at: presenter.isOn ? place.at : -1,
        count: scenes.length,
        line: presenter.isOn ? presenter.line : "not presenting: P begins",
        step: isActive(state.run) ? "running" : STEPS[presenter.step.line],
        figures: plan.map((lane, number) => figureOf(lane, state, shown, number)),
        planned: plan.map((lane) => `${lane.title}: ${settingsInShort(lane)}`).join(" · "),
        talkMs: presenter.talkMs,
        pace: presenter.pace,
        isBlack: presenter.isBlack,
      },
    });
  }

  /** @param {import("../transport/channel.js").Message} message */
  #hear(message) {
    if ("now" in message) return this.#yieldTo(message.now.since);
    if ("do" in message) this.#actions[message.do]?.();
    if ("press" in message) this.#press(message.press, message);
    this.#toldAt = -Infinity;
    this.#actions.changed();
  }

  /** A tab that was duplicated has its elder's name, and leaves it its window. @param {number} since */
  #yieldTo(since) {
    if (since >= performance.timeOrigin) return;
    this.#channel?.close();
    window.clearInterval(this.#timer);
    this.#channel = null;
    this.#name = newName();
    keepForVisit(KEPT_AS, "");
  }
}

function newName() {
  return Math.random().toString(36).slice(2);
}

/** @param {import("../pure/state.js").PlannedLane} lane @param {State} state @param {Shown} shown @param {number} number */
function figureOf(lane, { run }, { elapsedMs }, number) {
  const first = firstFigure(run, number, elapsedMs);
  const whole = wholeFigure(run, lane, number);
  return `${lane.title}: ${first.figure} ${first.words}; whole ${whole.figure} ${whole.words}`.trim();
}

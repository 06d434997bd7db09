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
  #name = keptForVisit(KEPT_AS) || Math.random().toString(36).slice(2);
  /** @type {((message: import("../transport/channel.js").Message) => void) | null} */
  #say = null;
  #toldAt = -Infinity;
  #actions;

  /** @param {Record<string, () => void>} actions what the speaker's window may ask for, by name; and `changed` */
  constructor(actions) {
    this.#actions = actions;
    if (keptForVisit(KEPT_AS)) this.#listen(); // a window that was open before a reload goes on
  }

  openWindow() {
    keepForVisit(KEPT_AS, this.#name);
    if (!this.#say) this.#listen();
    window.open(`speaker#${this.#name}`, `speaker-${this.#name}`, "popup,width=980,height=720");
  }

  #listen() {
    this.#say = openChannel(this.#name, (message) => this.#hear(message));
    setInterval(() => this.#actions.changed(), EVERY_MS); // lives as long as the page
  }

  /** @param {Presenter} presenter @param {State} state @param {Shown} shown @param {number} now performance.now() */
  tell(presenter, state, shown, now) {
    if (!this.#say || now - this.#toldAt < EVERY_MS) return;
    this.#toldAt = now;
    const { scenes, place } = presenter;
    const plan = state.run?.plan ?? state.plan ?? [];
    this.#say({
      now: {
        deck: presenter.deck,
        at: presenter.isOn ? place.at : -1,
        count: scenes.length,
        line: presenter.isOn ? presenter.line : "not presenting: P on the page begins",
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
    if ("do" in message) this.#actions[message.do]?.();
    this.#toldAt = -Infinity;
    this.#actions.changed();
  }
}

/** @param {import("../pure/state.js").PlannedLane} lane @param {State} state @param {Shown} shown @param {number} number */
function figureOf(lane, { run }, { elapsedMs }, number) {
  const first = firstFigure(run, number, elapsedMs);
  const whole = wholeFigure(run, lane, number);
  return `${lane.title}: ${first.figure} ${first.words}; whole ${whole.figure} ${whole.words}`.trim();
}

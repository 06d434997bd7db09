// @ts-check
/**
 * Plays recordings that were opened from disk, beside the server's stream and as it would: each token when it is due
 * since the run's request, never early, and with others that are due where the page was late. It sleeps until deadlines,
 * so that nothing drifts.
 */

/** @import { Listener } from "./stream.js" */

/**
 * @typedef {object} Part one lane
 * @property {number} lane
 * @property {readonly string[]} texts of all tokens
 * @property {readonly number[]} dueMs of those that are played, in order
 * @property {number} endMs
 * @property {string} failure what ends it before it is whole, or ""
 */
/** A token, or with `failure` ("" for none) the end of a lane. @typedef {{ lane: number, i: number, text: string, dueMs: number, failure?: string }} Step */
/**
 * @typedef {object} Timers what a test replaces
 * @property {() => number} now
 * @property {(act: () => void, ms: number) => number} setTimeout
 * @property {(timer: number) => void} clearTimeout
 */

/** @typedef {Pick<Listener, "token" | "ended" | "done">} Hearer */

/** @type {Timers} */
const browser = {
  now: () => performance.now(),
  setTimeout: (act, ms) => window.setTimeout(act, ms),
  clearTimeout: (timer) => window.clearTimeout(timer),
};

export class Playing {
  #steps;
  #startedAt;
  #listener;
  #timers;
  #next = 0;
  #timer = 0;

  /**
   * @param {Part[]} parts
   * @param {number} startedAt when the run's request was made
   * @param {Hearer} listener
   * @param {Timers} [timers]
   */
  constructor(parts, startedAt, listener, timers = browser) {
    this.#steps = parts.flatMap(stepsOf).sort((a, b) => a.dueMs - b.dueMs);
    this.#startedAt = startedAt;
    this.#listener = listener;
    this.#timers = timers;
    this.#sleep();
  }

  /** Ends it for good; nothing is reported after this. */
  close() {
    this.#timers.clearTimeout(this.#timer);
    this.#next = this.#steps.length;
  }

  #sleep() {
    const waitMs = this.#startedAt + this.#steps[this.#next].dueMs - this.#timers.now();
    this.#timer = this.#timers.setTimeout(() => this.#play(), Math.max(0, waitMs));
  }

  /** A timer may go off a little early, and then there is nothing to play yet. */
  #play() {
    const now = this.#timers.now();
    while (this.#next < this.#steps.length && this.#startedAt + this.#steps[this.#next].dueMs <= now) {
      this.#report(this.#steps[this.#next++], now);
    }
    if (this.#next < this.#steps.length) this.#sleep();
    else this.#listener.done();
  }

  /** @param {Step} step @param {number} now */
  #report({ failure, ...token }, now) {
    if (failure === undefined) this.#listener.token({ ...token, sentMs: now - this.#startedAt }, now);
    else this.#listener.ended(token.lane, failure ? "failed" : "finished", failure || "stop", now);
  }
}

/** @param {Part} part @returns {Step[]} */
function stepsOf({ lane, texts, dueMs, endMs, failure }) {
  const tokens = dueMs.map((due, i) => ({ lane, i, text: texts[i], dueMs: due }));
  return [...tokens, { lane, i: dueMs.length, text: "", dueMs: endMs, failure }];
}

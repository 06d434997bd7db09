// @ts-check
/**
 * Starts, stops and repeats runs, and asks for their plans. At most one stream is open; beside it plays what was opened
 * from disk.
 */

import { served, writeQuery } from "../pure/query.js";
import { elapsedMs, isActive } from "../pure/state.js";
import { withTellingTitles } from "../pure/words.js";
import { Playing } from "../transport/playing.js";
import { whyRefused } from "../transport/refusal.js";
import { Stream, browser } from "../transport/stream.js";
import { servedNumbers } from "./opened.js";

/** @import { Query } from "../pure/query.js" */
/** @import { PlannedLane, Run } from "../pure/state.js" */
/** @import { Listener } from "../transport/stream.js" */
/** @import { Opened } from "./opened.js" */
/** @import { Store } from "./store.js" */

const REPEATS = 10;
/** Between two runs of a repetition, to see how the last one ended. */
const PAUSE_MS = 400;
/** A server that is not there may come back. */
const AGAIN_MS = 3_000;
const UNREACHABLE = { lane: -1, field: "", value: "", range: "", detail: "The server can't be reached." };

export class Runner {
  #store;
  #opened;
  #hasProblem;
  #stopped;
  /** @type {Stream | null} */
  #stream = null;
  /** @type {Playing | null} */
  #playing = null;
  #planning = new AbortController();
  #pauseTimer = 0;
  /** Counts what was asked for, so that a start that waited for its plan knows whether it is still wanted. */
  #attempt = 0;
  #isStarting = false;

  /**
   * @param {Store} store
   * @param {Opened} opened
   * @param {() => boolean} hasProblem whether something is wrong with the settings, which is then shown
   * @param {(run: Run) => void} stopped
   */
  constructor(store, opened, hasProblem, stopped) {
    this.#store = store;
    this.#opened = opened;
    this.#hasProblem = hasProblem;
    this.#stopped = stopped;
  }

  /** While a run goes on the room is watching; one that has lost its server is not worth waiting for. */
  get isWatched() {
    const { run } = this.#store.state;
    return this.#isStarting || (isActive(run) && (run.phase === "open" || run.phase === "connecting"));
  }

  startOrStop() {
    const { run, repeat } = this.#store.state;
    if (run?.phase === "gave up") this.#stream?.resume();
    else if (isActive(run) || repeat) this.stop();
    else this.start();
  }

  runAgain() {
    this.stop();
    this.start();
  }

  /** Waits only where there is no plan yet: of twenty quick clicks, each must see what the one before it did. */
  async start() {
    this.#attempt += 1;
    const mine = this.#attempt;
    if (this.#hasProblem()) return this.#endRepetition();
    this.#isStarting = true;
    if (!this.#store.state.plan) await this.plan();
    if (mine !== this.#attempt) return;
    this.#isStarting = false;
    const { plan, run, query } = this.#store.state;
    if (!plan || isActive(run)) return this.#endRepetition();
    const requestedAt = performance.now();
    this.#store.dispatch({ type: "requested", atMs: requestedAt, takenAt: new Date().toISOString() });
    this.#open(query, plan, requestedAt);
  }

  stop() {
    this.#attempt += 1;
    this.#isStarting = false;
    this.#endRepetition();
    this.#close();
    if (!isActive(this.#store.state.run)) return;
    this.#store.dispatch({ type: "stopped", elapsedMs: elapsedMs(this.#store.state.run, performance.now()) });
    this.#stopped(this.#store.state.run);
  }

  /** Runs the same ten times, one after another; asked again, it stops. */
  repeat() {
    const wasRepeating = this.#store.state.repeat !== null;
    this.stop();
    if (wasRepeating) return;
    this.#store.dispatch({ type: "repeated", repeat: { number: 1, of: REPEATS } });
    this.start();
  }

  /** The next of a repetition, when a run is over; one that did not reach its end ends it. */
  goOn() {
    const { repeat, run } = this.#store.state;
    if (!repeat || !run) return;
    if (repeat.number >= repeat.of || run.phase !== "done") return this.#endRepetition();
    this.#pauseTimer = window.setTimeout(() => {
      this.#store.dispatch({ type: "repeated", repeat: { ...repeat, number: repeat.number + 1 } });
      this.start();
    }, PAUSE_MS);
  }

  /** Asks for the plan of the present query; an older question is dropped. */
  async plan() {
    this.#planning.abort();
    this.#planning = new AbortController();
    const { signal } = this.#planning;
    try {
      const { plan, problems } = await this.#opened.plan(this.#store.state.query, signal);
      if (signal.aborted) return;
      this.#store.dispatch(plan ? { type: "planned", plan: withTellingTitles(plan) } : { type: "misfit", problems });
    } catch {
      if (signal.aborted) return;
      this.#store.dispatch({ type: "misfit", problems: [UNREACHABLE] });
      window.setTimeout(() => signal.aborted || this.plan(), AGAIN_MS);
    }
  }

  #endRepetition() {
    window.clearTimeout(this.#pauseTimer);
    if (this.#store.state.repeat) this.#store.dispatch({ type: "repeated", repeat: null });
  }

  /** The run is over when both of its halves are. @param {Query} query @param {PlannedLane[]} plan @param {number} requestedAt */
  #open(query, plan, requestedAt) {
    const store = this.#store;
    const numbers = servedNumbers(query.lanes);
    const parts = this.#opened.partsOf(query, plan);
    let halves = Number(numbers.length > 0) + Number(parts.length > 0);
    /** @type {Listener} */
    const listener = {
      opened: (resumed) => store.dispatch({ type: "opened", resumed }),
      token: (token, now) => store.dispatch({ type: "token", ...token, arrivalMs: now - requestedAt }),
      ended: (lane, how, reason, now) =>
        store.dispatch({ type: "ended", lane, how, reason, arrivalMs: now - requestedAt }),
      lost: (reason) => store.dispatch({ type: "lost", reason }),
      gaveUp: () => store.dispatch({ type: "gave up" }),
      refused: (reason) => {
        this.#close();
        store.dispatch({ type: "refused", reason, elapsedMs: performance.now() - requestedAt });
      },
      done: () => {
        halves -= 1;
        if (halves === 0) store.dispatch({ type: "done" });
      },
    };
    if (numbers.length > 0) this.#stream = openStream(writeQuery(served(query)), numbered(listener, numbers));
    else listener.opened(false);
    if (parts.length > 0) this.#playing = new Playing(parts, requestedAt, listener);
  }

  #close() {
    this.#stream?.close();
    this.#playing?.close();
    this.#stream = this.#playing = null;
  }
}

/** @param {string} query @param {Listener} listener */
function openStream(query, listener) {
  return new Stream(`stream?${query}`, listener, { ...browser, whyRefused: () => whyRefused(query) });
}

/** @param {Listener} listener @param {number[]} numbers @returns {Listener} that hears of the page's lanes */
function numbered(listener, numbers) {
  return {
    ...listener,
    token: (token, now) => listener.token({ ...token, lane: numbers[token.lane] }, now),
    ended: (lane, how, reason, now) => listener.ended(numbers[lane], how, reason, now),
  };
}

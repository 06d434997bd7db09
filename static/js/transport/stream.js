// @ts-check
/**
 * One run's stream: opens an EventSource, stamps what arrives on receipt, and owns reconnection.
 *
 * A browser's EventSource gives up for good on any HTTP answer but a good stream, as while a server restarts behind
 * a proxy, and otherwise replays what it should not. So here each one is closed on its first trouble, and a new one
 * asks to go on after the last id.
 */

/** @import { TokenData } from "../pure/state.js" */
/** @import { Refusal } from "./refusal.js" */

/** Between attempts: this long, jittered so that an audience doesn't come back all at once, then doubling. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 10_000;
/** After this long without a connection it stops trying, and waits to be asked. */
const GIVE_UP_AFTER_MS = 120_000;
/** Half of one recording and half of another would be measured as one answer. */
const CHANGED = "what this run plays was changed on the server since it began";

/**
 * @typedef {object} Listener
 * @property {(resumed: boolean) => void} opened
 * @property {(token: Omit<TokenData, "arrivalMs">, now: number) => void} token
 * @property {(lane: number, how: "finished" | "failed", reason: string, now: number) => void} ended
 * @property {(reason: string) => void} lost
 * @property {() => void} gaveUp
 * @property {(reason: string) => void} refused
 * @property {() => void} done
 */
/**
 * @typedef {object} World what a test replaces
 * @property {typeof EventSource} EventSource
 * @property {() => number} now
 * @property {() => number} random
 * @property {(act: () => void, ms: number) => number} setTimeout
 * @property {(timer: number) => void} clearTimeout
 * @property {() => Promise<Refusal | null>} whyRefused null if the server would serve it; rejects if it can't be reached
 */

/** @type {Omit<World, "whyRefused">} */
export const browser = {
  EventSource: globalThis.EventSource,
  now: () => performance.now(),
  random: Math.random,
  setTimeout: (act, ms) => window.setTimeout(act, ms),
  clearTimeout: (timer) => window.clearTimeout(timer),
};

export class Stream {
  #url;
  #listener;
  #world;
  /** @type {EventSource | null} */
  #source = null;
  #timer = 0;
  /** Counts the connections and the end of them all, so that an answer that comes late is known to be of no use. */
  #attempt = 0;
  #lastId = "";
  /** How the server understood the lanes at first. */
  #lanes = "";
  #isOpen = false;
  #waitMs = FIRST_WAIT_MS;
  /** @type {number | null} */
  #lostAt = null;

  /**
   * @param {string} url with a query
   * @param {Listener} listener
   * @param {World} world
   */
  constructor(url, listener, world) {
    this.#url = url;
    this.#listener = listener;
    this.#world = world;
    this.#connect();
  }

  /** Ends it for good; nothing is reported after this. */
  close() {
    this.#attempt += 1;
    this.#disconnect();
    this.#world.clearTimeout(this.#timer);
  }

  /** Tries again at once, after it gave up. */
  resume() {
    this.close();
    this.#lostAt = null;
    this.#waitMs = FIRST_WAIT_MS;
    this.#connect();
  }

  #connect() {
    this.#attempt += 1;
    const url = this.#lastId ? `${this.#url}&last_event_id=${this.#lastId}` : this.#url;
    const source = new this.#world.EventSource(url);
    source.addEventListener("start", (event) => this.#start(event));
    source.addEventListener("token", (event) => this.#token(event));
    source.addEventListener("finish", (event) => this.#end(event, "finished"));
    source.addEventListener("failed", (event) => this.#end(event, "failed"));
    source.addEventListener("interrupted", (event) => this.#lose(JSON.parse(event.data).reason));
    source.addEventListener("done", () => this.#done());
    source.addEventListener("error", () => this.#error());
    this.#source = source;
  }

  /** Listeners need no removing: a closed EventSource sends nothing more, and is let go of. */
  #disconnect() {
    this.#source?.close();
    this.#source = null;
    this.#isOpen = false;
  }

  /** @param {MessageEvent} event */
  #start(event) {
    const resumed = this.#lastId !== "";
    const lanes = JSON.stringify(JSON.parse(event.data).lanes);
    if (resumed && lanes !== this.#lanes) return this.#refuse(CHANGED);
    this.#lanes = lanes;
    this.#lastId = event.lastEventId;
    this.#isOpen = true;
    this.#lostAt = null;
    this.#waitMs = FIRST_WAIT_MS;
    this.#listener.opened(resumed);
  }

  /** @param {MessageEvent} event */
  #token(event) {
    const now = this.#world.now();
    this.#lastId = event.lastEventId;
    const { lane, i, text, due_ms: dueMs, sent_ms: sentMs } = JSON.parse(event.data);
    this.#listener.token({ lane, i, text, dueMs, sentMs }, now);
  }

  /** @param {MessageEvent} event @param {"finished" | "failed"} how */
  #end(event, how) {
    const now = this.#world.now();
    const { lane, reason } = JSON.parse(event.data);
    this.#listener.ended(lane, how, reason, now);
  }

  #done() {
    this.close();
    this.#listener.done();
  }

  #error() {
    const wasOpen = this.#isOpen;
    this.#lose("the connection broke");
    if (!wasOpen) this.#askWhy();
  }

  /** @param {string} reason */
  #lose(reason) {
    this.#disconnect();
    this.#lostAt ??= this.#world.now();
    if (this.#world.now() - this.#lostAt >= GIVE_UP_AFTER_MS) {
      this.#listener.gaveUp();
      return;
    }
    this.#listener.lost(reason);
    const wait = this.#waitMs * (0.5 + this.#world.random() / 2);
    this.#connectIn(wait);
    this.#waitMs = Math.min(2 * this.#waitMs, LONGEST_WAIT_MS);
  }

  /** An EventSource doesn't tell why it was refused. A full server says when to come again; any other no is final. */
  async #askWhy() {
    const attempt = this.#attempt;
    const refusal = await this.#world.whyRefused().catch(() => null);
    if (refusal === null || attempt !== this.#attempt) return;
    const { reason, retryAfterMs } = refusal;
    if (retryAfterMs !== null) {
      this.#listener.lost(reason);
      this.#connectIn(retryAfterMs);
      return;
    }
    this.#refuse(reason);
  }

  /** @param {string} reason */
  #refuse(reason) {
    this.close();
    this.#listener.refused(reason);
  }

  /** @param {number} ms */
  #connectIn(ms) {
    this.#world.clearTimeout(this.#timer);
    this.#timer = this.#world.setTimeout(() => this.#connect(), ms);
  }
}

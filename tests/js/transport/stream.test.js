// @ts-check
import { deepEqual, equal, ok, test } from "/tests/harness.js";
import { random } from "/tests/runs.js";
import { Stream } from "/static/js/transport/stream.js";

/** @import { Refusal } from "/static/js/transport/refusal.js" */
/** @import { Listener, World } from "/static/js/transport/stream.js" */

const URL = "stream?lane=tokens:3";
const MINUTE = 60_000;

/** An EventSource that a test speaks through. As the standard has it, nothing comes out of it once it is closed. */
class FakeSource extends EventTarget {
  isClosed = false;
  #lastId = "";

  /** @param {string} url */
  constructor(url) {
    super();
    this.url = url;
  }

  close() {
    this.isClosed = true;
  }

  /** @param {string} name @param {object} data @param {string} [id] without one, the last stays */
  send(name, data, id = this.#lastId) {
    this.#lastId = id;
    const event = new MessageEvent(name, { data: JSON.stringify(data), lastEventId: id });
    if (!this.isClosed) this.dispatchEvent(event);
  }

  /** @param {number} [delivered] @param {object[]} [lanes] */
  start(delivered = 0, lanes = []) {
    this.send("start", { lanes, started_at: 1764 }, `${delivered}-1764`);
  }

  /** @param {number} i the run's token, as many as were delivered before it */
  token(i) {
    this.send("token", { lane: 0, i, text: ` ${i}`, due_ms: 10 * i, sent_ms: 10 * i + 0.2 }, `${i + 1}-1764`);
  }

  breakOff() {
    if (!this.isClosed) this.dispatchEvent(new Event("error"));
  }
}

/** A stream in a world where time passes when a test says so, with all that it did. */
class Scene {
  now = 0;
  asked = 0;
  random = 1;
  /** @type {() => Promise<Refusal | null>} */
  reason = async () => null;
  /** @type {unknown[][]} */
  reports = [];
  /** @type {FakeSource[]} */
  sources = [];
  /** @type {{ act: () => void, atMs: number, timer: number }[]} */
  timers = [];
  #lastTimer = 0;

  constructor() {
    this.stream = new Stream(URL, this.#listener(), this.#world());
  }

  /** @returns {FakeSource} the newest */
  get source() {
    return this.sources[this.sources.length - 1];
  }

  get openSources() {
    return this.sources.filter(({ isClosed }) => !isClosed).length;
  }

  /** @param {number} ms */
  pass(ms) {
    const untilMs = this.now + ms;
    for (;;) {
      const [next] = this.timers.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs);
      if (!next) break;
      this.timers.splice(this.timers.indexOf(next), 1);
      this.now = next.atMs;
      next.act();
    }
    this.now = untilMs;
  }

  /** Lets all promises go on that can. */
  async settle() {
    await new Promise((resolve) => setTimeout(resolve));
  }

  /** @param {number} ms @returns {number[]} how long each wait was while every attempt failed at once */
  waits(ms) {
    const waits = [];
    const endMs = this.now + ms;
    for (let attempt = 0; this.now < endMs && this.openSources > 0; attempt += 1) {
      if (attempt > 1_000) throw new Error("it tries again without a pause, or never closes");
      this.source.breakOff();
      const [brokenAt, attempts] = [this.now, this.sources.length];
      while (this.sources.length === attempts && this.timers.length > 0) this.pass(this.timers[0].atMs - this.now);
      if (this.sources.length > attempts) waits.push(this.now - brokenAt);
    }
    return waits;
  }

  /** @returns {Listener} */
  #listener() {
    /** @param {string} name @returns {(...what: unknown[]) => void} */
    const as = (name) => (...what) => void this.reports.push([name, ...what]);
    return {
      opened: as("opened"),
      token: as("token"),
      ended: as("ended"),
      lost: as("lost"),
      gaveUp: as("gaveUp"),
      refused: as("refused"),
      done: as("done"),
    };
  }

  /** @returns {World} */
  #world() {
    const { sources } = this;
    class Source extends FakeSource {
      /** @param {string} url */
      constructor(url) {
        super(url);
        sources.push(this);
      }
    }
    return {
      EventSource: /** @type {typeof EventSource} */ (/** @type {unknown} */ (Source)),
      now: () => this.now,
      random: () => this.random,
      setTimeout: (act, ms) => {
        this.timers.push({ act, atMs: this.now + ms, timer: (this.#lastTimer += 1) });
        return this.#lastTimer;
      },
      clearTimeout: (timer) => {
        this.timers = this.timers.filter((other) => other.timer !== timer);
      },
      whyRefused: () => {
        this.asked += 1;
        return this.reason();
      },
    };
  }
}

/** @returns {Scene} with a run under way, two of its three tokens here */
function underWay() {
  const scene = new Scene();
  scene.source.start();
  scene.source.token(0);
  scene.source.token(1);
  scene.reports.length = 0;
  return scene;
}

/** @param {Scene} scene @param {number} [closed] */
function isOver(scene, closed = scene.sources.length) {
  equal(scene.openSources, 0, "nothing is open");
  scene.pass(10 * MINUTE);
  equal(scene.sources.length, closed, "nothing is opened any more");
}

test("a stream is opened at once, at the URL as it is", () => {
  const scene = new Scene();
  deepEqual(scene.sources.map(({ url }) => url), [URL]);
  deepEqual(scene.reports, []);
});

test("a start is reported, and that it was the first", () => {
  const scene = new Scene();
  scene.source.start();
  deepEqual(scene.reports, [["opened", false]]);
});

test("a token is stamped with the time at which it was received", () => {
  const scene = new Scene();
  scene.source.start();
  scene.pass(10.5);
  scene.source.token(0);
  scene.pass(1.25);
  scene.source.token(1);
  deepEqual(scene.reports.slice(1), [
    ["token", { lane: 0, i: 0, text: " 0", dueMs: 0, sentMs: 0.2 }, 10.5],
    ["token", { lane: 0, i: 1, text: " 1", dueMs: 10, sentMs: 10.2 }, 11.75],
  ]);
});

test("the end of an answer is reported with its reason and the time at which it was received", () => {
  const scene = underWay();
  scene.pass(30);
  scene.source.send("finish", { lane: 1, tokens: 3, due_ms: 30, reason: "stop" });
  scene.pass(5);
  scene.source.send("failed", { lane: 0, tokens: 2, reason: "out of memory" });
  deepEqual(scene.reports, [["ended", 1, "finished", "stop", 30], ["ended", 0, "failed", "out of memory", 35]]);
});

test("a stream that is done is closed and never opened again", () => {
  const scene = underWay();
  scene.source.send("done", { sent_ms: 30 }, "end-1764");
  deepEqual(scene.reports, [["done"]]);
  isOver(scene);
});

test("done is told once, even if it is sent twice", () => {
  const scene = underWay();
  for (let round = 0; round < 2; round += 1) scene.source.send("done", { sent_ms: 30 }, "end-1764");
  deepEqual(scene.reports, [["done"]]);
});

test("a stream that was stopped is closed and never opened again", () => {
  const scene = underWay();
  scene.stream.close();
  isOver(scene);
});

test("nothing is reported after a stop, whatever still comes", () => {
  const scene = underWay();
  scene.stream.close();
  scene.source.token(2);
  scene.source.send("done", { sent_ms: 30 }, "end-1764");
  scene.source.breakOff();
  scene.pass(10 * MINUTE);
  deepEqual(scene.reports, []);
});

test("it may be stopped twice, and after its end", () => {
  const scene = underWay();
  scene.source.send("done", { sent_ms: 30 }, "end-1764");
  scene.stream.close();
  scene.stream.close();
  deepEqual(scene.reports, [["done"]]);
});

test("a stop while it waits cancels the next attempt", () => {
  const scene = underWay();
  scene.source.breakOff();
  scene.stream.close();
  equal(scene.timers.length, 0);
  isOver(scene, 1);
  deepEqual(scene.reports, [["lost", "the connection broke"]]);
});

test("a connection that breaks is closed, or the browser would open it again by itself", () => {
  const scene = underWay();
  scene.source.breakOff();
  equal(scene.openSources, 0);
});

test("what was interrupted is closed too, and told with the server's reason", () => {
  const scene = underWay();
  scene.source.send("interrupted", { reason: "shutdown" });
  equal(scene.openSources, 0);
  deepEqual(scene.reports, [["lost", "shutdown"]]);
  scene.pass(1_000);
  equal(scene.source.url, `${URL}&last_event_id=2-1764`);
});

test("after a break it goes on after the last token that came", () => {
  const scene = underWay();
  scene.source.breakOff();
  deepEqual(scene.reports, [["lost", "the connection broke"]]);
  scene.pass(1_000);
  equal(scene.source.url, `${URL}&last_event_id=2-1764`);
  scene.source.start(2);
  scene.source.token(2);
  deepEqual(scene.reports.map(([name]) => name), ["lost", "opened", "token"]);
  equal(scene.reports[1][1], true, "opened again");
});

test("a break right after the start goes on from there, after nothing", () => {
  const scene = new Scene();
  scene.source.start();
  scene.source.breakOff();
  scene.pass(1_000);
  equal(scene.source.url, `${URL}&last_event_id=0-1764`);
});

test("a break right after a resumed start goes on after what it says, and does not begin again", () => {
  const scene = underWay();
  for (let round = 0; round < 3; round += 1) {
    scene.source.breakOff();
    scene.pass(1_000);
    equal(scene.source.url, `${URL}&last_event_id=2-1764`, `round ${round}`);
    scene.source.start(2);
  }
  scene.source.send("finish", { lane: 0, tokens: 2, due_ms: 10, reason: "stop" });
  scene.source.breakOff();
  scene.pass(1_000);
  equal(scene.source.url, `${URL}&last_event_id=2-1764`, "after a finish, which has no id");
});

test("attempts that fail leave the id as it was", () => {
  const scene = underWay();
  scene.waits(MINUTE);
  ok(scene.sources.length > 5);
  for (const { url } of scene.sources.slice(1)) equal(url, `${URL}&last_event_id=2-1764`);
});

test("a first attempt that fails is made again without an id", () => {
  const scene = new Scene();
  scene.waits(5_000);
  ok(scene.sources.length > 2);
  for (const { url } of scene.sources) equal(url, URL);
});

test("waits begin between 0.5 and 1 s, double, and end at 10 s", () => {
  /** @type {[number, number[]][]} */
  const table = [
    [0, [500, 1_000, 2_000, 4_000, 5_000, 5_000]],
    [0.5, [750, 1_500, 3_000, 6_000, 7_500, 7_500]],
    [1, [1_000, 2_000, 4_000, 8_000, 10_000, 10_000]],
  ];
  for (const [value, waits] of table) {
    const scene = underWay();
    scene.random = value;
    deepEqual(scene.waits(2 * MINUTE).slice(0, waits.length), waits, `random is ${value}`);
  }
});

test("every wait is jittered anew, so that an audience doesn't stay together", () => {
  const scene = underWay();
  scene.source.breakOff();
  scene.random = 0;
  scene.pass(1_000);
  scene.source.breakOff();
  equal(scene.timers[0].atMs - scene.now, 1_000);
});

test("after a good start the waits begin anew", () => {
  const scene = underWay();
  scene.waits(30_000);
  scene.source.start(2);
  deepEqual(scene.waits(3_000).slice(0, 2), [1_000, 2_000]);
});

test("there is never more than one source open, whatever happens", () => {
  const next = random(1);
  for (let round = 0; round < 50; round += 1) {
    const scene = new Scene();
    for (let step = 0; step < 100; step += 1) {
      const { source, stream } = scene;
      const acts = [
        () => source.start(), () => source.token(step), () => source.breakOff(), () => source.breakOff(),
        () => source.send("interrupted", { reason: "shutdown" }), () => scene.pass(next() * 12_000),
        () => scene.pass(next() * 1_000), () => stream.resume(), () => step > 90 && stream.close(),
      ];
      acts[Math.floor(next() * acts.length)]();
      ok(scene.openSources <= 1, `round ${round}, step ${step}: ${scene.openSources} are open`);
      ok(scene.timers.length + scene.openSources <= 1, `round ${round}, step ${step}: one is open and another about to be`);
    }
  }
});

test("after two minutes it gives up, and not before", () => {
  const scene = underWay();
  scene.waits(10 * MINUTE);
  ok(scene.now >= 2 * MINUTE && scene.now <= 2 * MINUTE + 10_000, `after ${scene.now} ms`);
  deepEqual(scene.reports.at(-1), ["gaveUp"]);
  equal(scene.reports.filter(([name]) => name === "gaveUp").length, 1);
  isOver(scene);
});

test("the two minutes begin with the break, not with the run", () => {
  const scene = underWay();
  scene.pass(9 * MINUTE);
  scene.source.breakOff();
  deepEqual(scene.reports, [["lost", "the connection broke"]]);
});

test("the two minutes begin anew with each break that was mended", () => {
  const scene = underWay();
  for (let round = 0; round < 3; round += 1) {
    scene.waits(1.5 * MINUTE);
    scene.source.start(2);
  }
  ok(!scene.reports.some(([name]) => name === "gaveUp"));
});

test("after it gave up it can be resumed: at once, and after the last token that came", () => {
  const scene = underWay();
  scene.waits(10 * MINUTE);
  const attempts = scene.sources.length;
  scene.stream.resume();
  deepEqual([scene.sources.length, scene.openSources], [attempts + 1, 1]);
  equal(scene.source.url, `${URL}&last_event_id=2-1764`);
  scene.source.start(2);
  deepEqual(scene.reports.at(-1), ["opened", true]);
});

test("once resumed it has two minutes again, and waits as at first", () => {
  const scene = underWay();
  scene.waits(10 * MINUTE);
  scene.stream.resume();
  const resumedAt = scene.now;
  deepEqual(scene.waits(10 * MINUTE).slice(0, 2), [1_000, 2_000]);
  ok(scene.now - resumedAt >= 2 * MINUTE, `it gave up after ${scene.now - resumedAt} ms`);
});

test("what was refused is told with the server's reason, and not tried again", async () => {
  const scene = new Scene();
  scene.reason = async () => ({ reason: "lane 1: tokens must be a whole number", retryAfterMs: null });
  scene.source.breakOff();
  await scene.settle();
  deepEqual(scene.reports.at(-1), ["refused", "lane 1: tokens must be a whole number"]);
  isOver(scene, 1);
});

test("where the server has no reason or can't be reached, it is tried again", async () => {
  for (const reason of [async () => null, () => Promise.reject(new TypeError("Failed to fetch"))]) {
    const scene = new Scene();
    scene.reason = reason;
    scene.source.breakOff();
    await scene.settle();
    equal(scene.asked, 1);
    scene.pass(1_000);
    deepEqual([scene.sources.length, scene.openSources], [2, 1]);
    ok(!scene.reports.some(([name]) => name === "refused"));
  }
});

test("a connection that was open and broke is not asked about", async () => {
  const scene = underWay();
  scene.reason = async () => ({ reason: "never asked for", retryAfterMs: null });
  scene.source.breakOff();
  await scene.settle();
  equal(scene.asked, 0);
  deepEqual(scene.reports, [["lost", "the connection broke"]]);
});

test("a reason that comes after a stop is not reported", async () => {
  const scene = new Scene();
  scene.reason = async () => ({ reason: "too late", retryAfterMs: null });
  scene.source.breakOff();
  scene.stream.close();
  await scene.settle();
  ok(!scene.reports.some(([name]) => name === "refused"));
});

test("a reason that comes when the next attempt is open already does not close it", async () => {
  const scene = new Scene();
  /** @type {(refusal: Refusal) => void} */
  let answer = () => {};
  scene.reason = () => new Promise((resolve) => (answer = resolve));
  scene.source.breakOff();
  scene.pass(1_000);
  scene.source.start();
  answer({ reason: "the server was full", retryAfterMs: null });
  await scene.settle();
  deepEqual(scene.reports.at(-1), ["opened", false]);
  equal(scene.openSources, 1);
});

test("a full server is asked again when it said, and the page says that it is full", async () => {
  const scene = new Scene();
  scene.reason = async () => ({ reason: "full", retryAfterMs: 4_000 });
  scene.source.breakOff();
  await scene.settle();
  deepEqual(scene.reports.at(-1), ["lost", "full"]);
  scene.pass(3_900);
  equal(scene.sources.length, 1);
  scene.pass(100);
  deepEqual([scene.sources.length, scene.openSources], [2, 1]);
  scene.source.start();
  equal(scene.reports.at(-1)?.[0], "opened");
});

test("a run whose recording was replaced meanwhile is not gone on with", () => {
  const scene = underWay();
  scene.source.breakOff();
  scene.pass(1_000);
  scene.source.start(2, [{ recording: "llama", tokens: 4 }]);
  scene.source.token(2);
  deepEqual(scene.reports.slice(1), [["refused", "what this run plays was changed on the server since it began"]]);
  isOver(scene);
});

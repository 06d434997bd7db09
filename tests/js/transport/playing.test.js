// @ts-check
import { deepEqual, equal, ok, test } from "/tests/harness.js";
import { random } from "/tests/runs.js";
import { Playing } from "/static/js/transport/playing.js";

/** @import { Part } from "/static/js/transport/playing.js" */

const STARTED_AT = 5_000;

/** A recording that plays while time passes as a test says; a timer may go off by `off` ms late, or a little early. */
class Scene {
  now = STARTED_AT;
  isDone = false;
  /** @type {[lane: number, what: string, dueMs: number | null, atMs: number][]} */
  heard = [];
  /** @type {{ act: () => void, atMs: number } | null} */
  timer = null;

  /** @param {Part[]} parts @param {() => number} [off] */
  constructor(parts, off = () => 0) {
    const timers = {
      now: () => this.now,
      setTimeout: (/** @type {() => void} */ act, /** @type {number} */ ms) => {
        this.timer = { act, atMs: this.now + ms + off() };
        return 1;
      },
      clearTimeout: () => (this.timer = null),
    };
    this.playing = new Playing(
      parts,
      STARTED_AT,
      {
        token: ({ lane, text, dueMs, sentMs }, now) => {
          equal(sentMs, now - STARTED_AT);
          this.heard.push([lane, text, dueMs, sentMs]);
        },
        ended: (lane, how, reason, now) => this.heard.push([lane, `${how}: ${reason}`, null, now - STARTED_AT]),
        done: () => (this.isDone = true),
      },
      timers,
    );
  }

  playOut() {
    while (this.timer) this.step();
  }

  step() {
    const timer = /** @type {{ act: () => void, atMs: number }} */ (this.timer);
    this.timer = null;
    this.now = Math.max(this.now, timer.atMs);
    timer.act();
  }
}

/** @param {number} lane @param {number[]} dueMs @param {string} [failure] @returns {Part} */
function part(lane, dueMs, failure = "") {
  return { lane, texts: dueMs.map((_, i) => ` ${i}`), dueMs, endMs: dueMs[dueMs.length - 1] ?? 9, failure };
}

test("each token comes when it is due, then the end", () => {
  const scene = new Scene([part(2, [12.345, 12.345, 80.001])]);
  scene.playOut();
  deepEqual(scene.heard.map(([lane, what, due]) => [lane, what, due]), [
    [2, " 0", 12.345],
    [2, " 1", 12.345],
    [2, " 2", 80.001],
    [2, "finished: stop", null],
  ]);
  ok(scene.isDone);
});

test("several lanes play on one clock, and are done when all are", () => {
  const scene = new Scene([part(0, [10, 30]), part(3, [20], "the connection was cut after 1 tokens")]);
  scene.playOut();
  deepEqual(scene.heard.map(([lane, what]) => [lane, what]), [
    [0, " 0"],
    [3, " 0"],
    [3, "failed: the connection was cut after 1 tokens"],
    [0, " 1"],
    [0, "finished: stop"],
  ]);
});

test("one that broke off before it was whole sends nothing but its end", () => {
  const scene = new Scene([part(1, [], "the model failed after 2 tokens")]);
  scene.playOut();
  deepEqual(scene.heard, [[1, "failed: the model failed after 2 tokens", null, 9]]);
});

test("no token is early, however timers go off, and a late one moves none after it", () => {
  const next = random(7);
  for (let trial = 0; trial < 50; trial += 1) {
    const due = Array.from({ length: 40 }, () => Math.round(next() * 5_000)).sort((a, b) => a - b);
    const scene = new Scene([part(0, due)], () => (next() < 0.3 ? -Math.min(1, next()) : next() * 50));
    scene.playOut();
    const tokens = scene.heard.slice(0, -1);
    deepEqual(tokens.map(([, , dueMs]) => dueMs), due);
    for (const [, , dueMs, atMs] of tokens) ok(atMs >= Number(dueMs) && atMs <= Number(dueMs) + 50, `${dueMs} at ${atMs}`);
  }
});

test("nothing comes after it was closed", () => {
  const scene = new Scene([part(0, [10, 20])]);
  scene.step();
  scene.playing.close();
  equal(scene.timer, null);
  deepEqual(scene.heard.length, 1);
  equal(scene.isDone, false);
});

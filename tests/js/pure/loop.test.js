// @ts-check
import { deepEqual, equal, ok, test } from "/tests/harness.js";
import { OPENED, afterAll, failed, finished, planned, random, runOf, token, tokens } from "/tests/runs.js";
import { linesWith, loopAt } from "/static/js/pure/loop.js";

/** @import { Action, PlannedLane } from "/static/js/pure/state.js" */

const SLOW = planned({ tokens: 3, delay_ms: 400 });

/** @param {PlannedLane} plan @param {Action[]} actions @param {number} ms */
function at(plan, actions, ms) {
  const run = runOf(afterAll([plan], [OPENED, ...actions]));
  return loopAt(plan, run.lanes[0], ms, run.endMs !== null);
}

test("before a run nothing is lit", () => {
  deepEqual(loopAt(SLOW, null, 0, false), { pace: "rest", step: null, pass: 0, travelled: 1 });
});

test("until the first token there is only looking and generating", () => {
  for (const [ms, step] of /** @type {const} */ ([
    [0, "look"],
    [199, "look"],
    [200, "generate"],
    [400, "generate"],
    [9_999, "generate"],
  ])) {
    const { pace, step: lit, pass } = at(SLOW, [], ms);
    deepEqual([pace, lit, pass], ["slow", step, 1], `at ${ms} ms`);
  }
});

test("four steps share the time from an arrival to the next planned token", () => {
  const table = /** @type {const} */ ([
    [400, "add", 1],
    [499, "add", 1],
    [500, "ask", 1],
    [599, "ask", 1],
    [600, "look", 2],
    [700, "generate", 2],
    [800, "generate", 2],
    [5_000, "generate", 2],
  ]);
  for (const [ms, step, pass] of table) {
    const now = at(SLOW, tokens([400]), ms);
    deepEqual([now.step, now.pass], [step, pass], `at ${ms} ms`);
  }
});

test("a token travels while it is added", () => {
  equal(at(SLOW, tokens([400]), 400).travelled, 0);
  equal(at(SLOW, tokens([400]), 450).travelled, 0.5);
  equal(at(SLOW, tokens([400]), 500).travelled, 1);
});

test("after the last token there is only adding and asking", () => {
  const all = tokens([400, 800, 1_200]);
  for (const [ms, step] of /** @type {const} */ ([
    [1_200, "add"],
    [1_300, "ask"],
    [9_999, "ask"],
  ])) {
    equal(at(SLOW, all, ms).step, step, `at ${ms} ms`);
    equal(at(SLOW, all, ms).pass, 3);
  }
});

test("over: the question is answered, unless it failed or was stopped", () => {
  const over = at(SLOW, [...tokens([400, 800, 1_200]), finished(1_200), { type: "done" }], 1_200);
  deepEqual(over, { pace: "over", step: "ask", pass: 3, travelled: 1 });
  equal(at(SLOW, [token(0, 400), failed(800)], 900).step, null);
  deepEqual(at(SLOW, [token(0, 400), { type: "stopped", elapsedMs: 500 }], 500), {
    pace: "over",
    step: null,
    pass: 1,
    travelled: 1,
  });
});

test("a token that comes late still has each of its steps", () => {
  const late = tokens([795]);
  for (const [ms, step] of /** @type {const} */ ([
    [795, "add"],
    [846, "ask"],
    [900, "look"],
    [950, "generate"],
  ])) {
    equal(at(SLOW, late, ms).step, step, `at ${ms} ms`);
  }
});

test("too fast for the eye, no single step is lit, but a long wait for the first token is", () => {
  const fast = planned({ tokens: 50, delay_ms: 20, ttft_ms: 5_000 });
  equal(at(fast, [], 100).step, "look");
  equal(at(fast, [], 4_000).step, "generate");
  const { pace, step, pass } = at(fast, tokens([5_001, 5_021]), 5_030);
  deepEqual([pace, step, pass], ["fast", null, 2]);
});

test("of tokens that are kept back the passes go by the plan, and none travels", () => {
  const whole = planned({ tokens: 4, delay_ms: 400, delivery: "whole", due_ms: [1_600, 1_600, 1_600, 1_600] });
  for (const [ms, step, pass] of /** @type {const} */ ([
    [0, "look", 1],
    [399, "generate", 1],
    [400, "add", 1],
    [500, "ask", 1],
    [600, "look", 2],
    [800, "add", 2],
    [1_500, "generate", 4],
    [1_600, "add", 4],
    [9_999, "ask", 4],
  ])) {
    const now = at(whole, [], ms);
    deepEqual([now.step, now.pass, now.travelled], [step, pass, 1], `at ${ms} ms`);
  }
  const { pace, pass } = at(whole, [{ type: "stopped", elapsedMs: 900 }], 900);
  deepEqual([pace, pass], ["over", 2]);
});

test("a pass never counts a token that isn't here as made", () => {
  const next = random(5);
  for (let round = 0; round < 200; round += 1) {
    const plan = planned({ tokens: 1 + Math.floor(next() * 9), delay_ms: next() * 900 });
    const here = Math.floor(next() * (plan.tokens + 1));
    const arrivals = plan.due_ms.slice(0, here).map((ms) => ms + next() * 50);
    const { step, pass, travelled } = at(plan, tokens(arrivals.sort((a, b) => a - b)), next() * 9_000);
    ok(pass <= Math.max(1, here + 1) && pass <= plan.tokens);
    ok(travelled >= 0 && travelled <= 1);
    if (step === "add" || step === "ask") equal(pass, here);
  }
});

test("the pieces of a word stay on one line, if it has room for them", () => {
  const table = /** @type {[string[], string[]][]} */ ([
    [
      ["is", " not", " fini", "shed"],
      ["is not", "finished"],
    ],
    [
      ["take", " answers", ","],
      ["take", "answers,"],
    ],
    [
      ["a", " b", "c", "d", "e", "f", "g", "h", "i", "j", "k"],
      ["a", "bcdefghij", "k"],
    ],
    [
      ["one", "two", "three", "four"],
      ["onetwo", "threefour"],
    ],
  ]);
  for (const [tokens, lines] of table) {
    const all = tokens.reduce((/** @type {string[][]} */ found, token) => linesWith(found, token, 9, 7), []);
    deepEqual(
      all.map((line) => line.join("")),
      lines,
    );
  }
});

test("lines break between tokens, and only the last ones are kept", () => {
  const words = ["One", " two", " three", ",", " four", " five", " six"];
  const lines = words.reduce((/** @type {string[][]} */ all, word) => linesWith(all, word, 9, 2), []);
  deepEqual(
    lines.map((line) => line.join("")),
    ["four five", "six"],
  );
});

test("a paragraph begins a line, and a wide sign is two", () => {
  deepEqual(linesWith([["end"]], "\n\n", 9, 3), [["end"], []]);
  deepEqual(linesWith([["end"], []], "new", 9, 3), [["end"], ["new"]]);
  deepEqual(linesWith([["字字"]], "字", 5, 3), [["字字"], ["字"]]);
  deepEqual(linesWith([], "  longer than the line", 5, 3), [["longer than the line"]]);
});

// @ts-check
import { equal, ok, test } from "/tests/harness.js";
import { OPENED, afterAll, finished, planned, random, runOf, tokens } from "/tests/runs.js";
import {
  agreementWords,
  axisEndMs,
  fitsInto100Ms,
  fitsWords,
  neededMs,
  neededWords,
  productMs,
} from "/static/js/pure/formula.js";

test("T is n times t, exactly", () => {
  for (const [n, t, ms] of [
    [100, 10, 1_000],
    [100, 50, 5_000],
    [200, 50, 10_000],
    [3, 0.1, 0.3],
    [10_000, 0.001, 10],
    [7, 0, 0],
  ])
    equal(productMs(n, t), ms);
});

test("twice the tokens are twice the wait", () => {
  const next = random(7);
  for (let round = 0; round < 200; round += 1) {
    const [n, t] = [1 + Math.floor(next() * 5_000), Math.round(next() * 1e7) / 1e3];
    equal(productMs(2 * n, t), 2 * productMs(n, t));
  }
});

test("what fits into 100 ms takes no more than that, and one more would", () => {
  for (const [t, n] of [
    [10, 10],
    [50, 2],
    [51, 1],
    [100, 1],
    [101, 0],
    [0.1, 1_000],
    [33.333, 3],
  ]) {
    equal(fitsInto100Ms(t), n);
    ok(productMs(n, t) <= 100 && productMs(n + 1, t) > 100);
  }
  equal(fitsInto100Ms(0), null);
});

test("in words", () => {
  for (const [t, words] of /** @type {const} */ ([
    [50, "2 tokens"],
    [100, "1 token"],
    [500, "0 tokens"],
    [0, "any number"],
  ]))
    equal(fitsWords(t), words);
  for (const [n, words] of /** @type {const} */ ([
    [1, "100 ms"],
    [3, "33.33 ms"],
    [100, "1 ms"],
    [12, "8.33 ms"],
    [10_000, "0.01 ms"],
    [300, "0.3333 ms"],
  ]))
    equal(neededWords(n), words);
});

test("with the time that is needed, all are here within 100 ms", () => {
  for (const n of [1, 3, 12, 300, 9_999]) {
    ok(neededMs(n) * n <= 100 + 1e-9);
    ok(Number.parseFloat(neededWords(n)) * n <= 100 + 1e-9, `${n}: as it is shown, too`);
  }
});

test("the axis always holds the 100 ms line and the bar", () => {
  for (const [ms, end] of [
    [0, 200],
    [200, 200],
    [201, 2_000],
    [5_000, 20_000],
    [100_000_000, 200_000_000],
  ])
    equal(axisEndMs(ms), end);
});

/** @param {Partial<import("/static/js/pure/state.js").PlannedLane>} settings @param {number} e2eMs */
function agreement(settings, e2eMs) {
  const plan = planned({ tokens: 2, delay_ms: 500, ...settings });
  const run = runOf(afterAll([plan], [OPENED, ...tokens([Math.min(500, e2eMs), e2eMs]), finished(e2eMs)]));
  return agreementWords(plan, run.lanes[0]);
}

test("a run agreed if it took about n times t, and otherwise it says why", () => {
  equal(agreement({}, 1_004.2), "yes: 2 × 500 ms took 1,004 ms (+0.4%)");
  equal(agreement({}, 1_000.2), "yes: 2 × 500 ms took 1,000 ms");
  equal(agreement({}, 1_100), "yes: 2 × 500 ms took 1,100 ms (+10%)");
  equal(agreement({}, 1_200), "no: 2 × 500 ms took 1,200 ms, 200 ms more");
  equal(
    agreement({ ttft_ms: 3_000 }, 3_504),
    "no: 2 × 500 ms took 3,504 ms, 2,504 ms more, as 2,500 ms were set besides",
  );
  equal(agreement({ ttft_ms: 10 }, 512), "no: 2 × 500 ms took 512 ms, 488 ms less, as 490 ms were set besides");
  equal(agreement({ delay_ms: 0, ttft_ms: 0 }, 7), "no: 2 × 0 ms took 7 ms, 7 ms more");
});

test("of a run that isn't whole there is nothing to say", () => {
  const plan = planned({ tokens: 2 });
  equal(agreementWords(plan, runOf(afterAll([plan], [OPENED, ...tokens([10])])).lanes[0]), "");
});

// @ts-check
import { equal, test } from "/tests/harness.js";
import { filled } from "/static/js/pure/observe.js";
import { OPENED, afterAll, drawn, failed, finished, planned, runOf, tokens } from "/tests/runs.js";

const PLAN = [planned({ tokens: 3 }), planned({ tokens: 3 })];
const RUN = runOf(
  afterAll(PLAN, [
    OPENED,
    ...tokens([40]),
    drawn(52),
    ...tokens([40, 90, 1000]),
    finished(1000),
    ...tokens([50, 60, 2000], 1),
    failed(2000, 1),
    drawn(2001),
  ]),
);

for (const [text, expected] of [
  ["{1.first}", "52 ms"],
  ["{1.whole}", "1,000 ms"],
  ["{1.pause}", "910 ms"],
  ["{1.at100} of {1.tokens}", "2 of 3"],
  ["{1.rate}", "2.08 tokens/s"],
  ["{2.whole}", "–"], // it failed
  ["{2.pause/1.pause}", "2.1×"],
  ["{1.whole/2.whole}", "–"],
  ["{3.first}", "–"],
  ["nothing to fill in", "nothing to fill in"],
]) {
  test(`${text} becomes ${expected}`, () => equal(filled(text, RUN), expected));
}

test("an answer that came all at once has no rate, as in the table", () => {
  const whole = [planned({ tokens: 30, delivery: "whole" })];
  const atOnce = Array.from({ length: 30 }, (_, i) => 600 + i / 100);
  const run = runOf(afterAll(whole, [OPENED, ...tokens(atOnce), finished(600.29), drawn(601)]));
  equal(filled("{1.rate}, {1.whole}", run), "–, 600 ms");
});

test("before a run nothing is measured", () =>
  equal(filled("{1.first}, {1.tokens}, {2.whole/1.whole}", null), "–, –, –"));

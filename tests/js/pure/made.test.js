// @ts-check
import { deepEqual, equal, test } from "/tests/harness.js";
import { BUFFERED, OPENED, STREAMED, WHOLE, afterAll, failed, planned, runOf, tokens } from "/tests/runs.js";
import { isKept, madeBy, madeInAll, madeMs, madeSoFar } from "/static/js/pure/made.js";

test("kept back is what is sent whole, or buffered", () => {
  deepEqual([STREAMED, WHOLE, BUFFERED].map(isKept), [false, true, true]);
});

test("what is streamed is made when it is due; what is kept back, evenly up to its end", () => {
  for (const plan of [STREAMED, WHOLE, BUFFERED]) {
    for (const [ms, made] of [
      [0, 0],
      [49, 0],
      [50, 1],
      [99, 1],
      [100, 2],
      [499, 9],
      [500, 10],
      [9_999, 10],
    ])
      equal(madeBy(plan, ms), made, `${ms} ms`);
    deepEqual(
      [0, 1, 9].map((i) => madeMs(plan, i)),
      [50, 100, 500],
    );
  }
});

test("what fails was made until then, though of what is kept back nothing comes", () => {
  const plan = planned({ tokens: 10, delay_ms: 50, fail_at: 3, delivery: "whole", due_ms: [], predicted_ms: 150 });
  equal(madeInAll(plan), 3);
  deepEqual(
    [49, 50, 149, 150, 900].map((ms) => madeBy(plan, ms)),
    [0, 1, 2, 3, 3],
  );
  const waiting = runOf(afterAll([plan], [OPENED])).lanes[0];
  equal(madeSoFar(plan, waiting, 120), 2);
  const over = runOf(afterAll([plan], [OPENED, failed(151)])).lanes[0];
  equal(madeSoFar(plan, over, 9_999), 3);
  const none = planned({ tokens: 10, fail_at: 0, due_ms: [], predicted_ms: 10 });
  deepEqual([madeInAll(none), madeBy(none, 999)], [0, 0]);
});

test("made so far is what is here, or by the plan what is kept back until the lane ended", () => {
  const late = runOf(afterAll([STREAMED], [OPENED, ...tokens([52])])).lanes[0];
  equal(madeSoFar(STREAMED, late, 400), 1);
  equal(madeSoFar(WHOLE, runOf(afterAll([WHOLE], [OPENED])).lanes[0], 320), 6);
});

test("of one token, all is made at once", () => {
  const one = planned({ tokens: 1, delay_ms: 80, delivery: "whole" });
  deepEqual(
    [79, 80].map((ms) => madeBy(one, ms)),
    [0, 1],
  );
  equal(madeMs(one, 0), 80);
});

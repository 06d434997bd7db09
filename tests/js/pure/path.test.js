// @ts-check
import { deepEqual, equal, ok, test } from "/tests/harness.js";
import { BUFFERED, OPENED, STREAMED, WHOLE, afterAll, drawn, finished, runOf, tokens } from "/tests/runs.js";
import { pathAt, shownLanes, strokes, tokensAStroke } from "/static/js/pure/path.js";

test("shown are the first lane and one that is handled in the other way", () => {
  const table = [
    [[STREAMED], [0]],
    [[STREAMED, STREAMED], [0]],
    [
      [STREAMED, WHOLE],
      [0, 1],
    ],
    [
      [WHOLE, STREAMED],
      [0, 1],
    ],
    [
      [STREAMED, STREAMED, WHOLE, STREAMED],
      [0, 2],
    ],
    [
      [STREAMED, BUFFERED, BUFFERED],
      [0, 2],
    ],
    [
      [STREAMED, WHOLE, BUFFERED],
      [0, 1],
    ],
    [[WHOLE, WHOLE], [0]],
  ];
  for (const [plan, lanes] of /** @type {[import("/static/js/pure/state.js").PlannedLane[], number[]][]} */ (table))
    deepEqual(shownLanes(plan), lanes);
});

test("there are never more strokes than there is room for, and the last token has one", () => {
  for (const count of [1, 2, 99, 100, 101, 999, 10_000]) {
    const every = tokensAStroke(count, 100);
    const all = strokes(count, count, every);
    ok(all.length <= 100, `${count} tokens`);
    equal(all.at(-1), count - 1);
    for (const i of strokes(Math.floor(count / 2), count, every)) ok(i < count / 2, "none before it is here");
  }
});

test("the wait grows until the first token, and what is piled up until the last", () => {
  const waiting = runOf(afterAll([WHOLE], [OPENED])).lanes[0];
  deepEqual(pathAt(WHOLE, null, 0, false), { state: "rest", waitMs: 0, piled: 0 });
  deepEqual(pathAt(WHOLE, waiting, 320, false), { state: "waiting", waitMs: 320, piled: 6 });
  const over = runOf(afterAll([WHOLE], [OPENED, ...tokens(Array(10).fill(504)), finished(504)])).lanes[0];
  deepEqual(pathAt(WHOLE, over, 504, false), { state: "over", waitMs: 504, piled: 0 });
});

test("the user waits until the first token is drawn", () => {
  const lane = runOf(afterAll([STREAMED], [OPENED, ...tokens([52]), drawn(61)])).lanes[0];
  equal(pathAt(STREAMED, lane, 400, false).waitMs, 61);
});

test("what is streamed is never piled up, however late", () => {
  const lane = runOf(afterAll([STREAMED], [OPENED, ...tokens([52])])).lanes[0];
  deepEqual(pathAt(STREAMED, lane, 400, false), { state: "coming", waitMs: 52, piled: 0 });
});

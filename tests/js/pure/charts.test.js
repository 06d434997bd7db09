// @ts-check
import { close, deepEqual, equal, ok, test } from "/tests/harness.js";
import { random } from "/tests/runs.js";
import {
  gapMs,
  logScale,
  longestGapMs,
  nearestToken,
  scaleOf,
  stairsFrom,
  ticksOf,
  timeAt,
} from "/static/js/pure/charts.js";
import { axisTicks, timeScale } from "/static/js/pure/geometry.js";

const WIDTHS = [1280, 698, 320, 300.5, 101, 80, 3, 2];
const LENGTHS_MS = [150, 200, 1040, 2000, 5200, 61_000, 624_000];

/** @param {() => number} next @param {number} most @returns {number[]} ascending, some together */
function someTimes(next, most) {
  let ms = next() * 100;
  return Array.from({ length: Math.floor(next() * most) }, () => (ms += next() < 0.3 ? 0 : next() * 80));
}

/* Scales. */

test("a logarithmic scale has equal steps for equal factors, from 1 ms at its beginning to its end", () => {
  const { x, maxMs, widthPx } = logScale(1000, 301);
  deepEqual([maxMs, widthPx], [1000, 301]);
  [
    [1, 0],
    [10, 100],
    [100, 200],
    [1000, 300],
  ].forEach(([ms, px]) => close(x(ms), px, 1e-9, `${ms} ms`));
  close(x(20) - x(2), 100, 1e-9);
});

test("what is less than a millisecond is at the beginning, what is beyond at the end", () => {
  const { x } = logScale(1000, 301);
  deepEqual([-5, 0, 0.5, 1].map(x), [0, 0, 0, 0]);
  deepEqual([1000.1, 1e9, Infinity].map(x), [300, 300, 300]);
});

test("without a length or a width every time is at 0, on both scales", () => {
  for (const isLog of [false, true]) {
    for (const [maxMs, widthPx] of [
      [0, 500],
      [1000, 0],
      [0, 0],
      [1000, -5],
      [1000, NaN],
      [1000, 1],
    ]) {
      const scale = scaleOf(maxMs, widthPx, isLog);
      deepEqual([0, 10, 1000].map(scale.x), [0, 0, 0], `${maxMs} ms, ${widthPx} px, ${isLog ? "log" : "linear"}`);
    }
  }
  deepEqual([0, 0.5, 1].map(logScale(1, 500).x), [0, 0, 0], "a logarithm has no place below 1 ms");
});

test("the scale that is asked for is the one that is given", () => {
  for (const ms of [0, 1, 10, 500, 1000]) {
    equal(scaleOf(1000, 301, false).x(ms), timeScale(1000, 301).x(ms));
    equal(scaleOf(1000, 301, true).x(ms), logScale(1000, 301).x(ms));
  }
});

test("places grow with time and stay inside, on both scales", () => {
  for (const isLog of [false, true]) {
    for (const widthPx of WIDTHS) {
      const { x } = scaleOf(5200, widthPx, isLog);
      const places = Array.from({ length: 600 }, (_, i) => x(i * 10));
      ok(
        places.every((px, i) => px >= 0 && px <= Math.floor(widthPx) - 1 && (i === 0 || px >= places[i - 1])),
        `${widthPx} px`,
      );
    }
  }
});

test("the time at a place is the inverse of the place of a time, on both scales", () => {
  const next = random(41);
  for (let round = 0; round < 1000; round += 1) {
    const isLog = round % 2 === 1;
    const scale = scaleOf(
      LENGTHS_MS[Math.floor(next() * LENGTHS_MS.length)],
      WIDTHS[Math.floor(next() * WIDTHS.length)],
      isLog,
    );
    const ms = isLog ? scale.maxMs ** next() : scale.maxMs * next();
    close(
      timeAt(scale, scale.x(ms), isLog),
      ms,
      1e-6 * scale.maxMs,
      `round ${round}: ${ms} of ${scale.maxMs} ms, ${scale.widthPx} px`,
    );
  }
});

test("a place outside has the time of the nearest end", () => {
  const [linear, log] = [scaleOf(1000, 301, false), scaleOf(1000, 301, true)];
  deepEqual(
    [-20, 0, 300, 900].map((px) => timeAt(linear, px, false)),
    [0, 0, 1000, 1000],
  );
  [
    [-20, 1],
    [0, 1],
    [100, 10],
    [300, 1000],
    [900, 1000],
  ].forEach(([px, ms]) => close(timeAt(log, px, true), ms, 1e-9));
  for (const isLog of [false, true]) ok(Number.isFinite(timeAt(scaleOf(1000, 0, isLog), 5, isLog)), "no width");
});

/* Ticks. */

test("a linear axis has the ticks of the timeline", () => {
  for (const maxMs of LENGTHS_MS) deepEqual(ticksOf(timeScale(maxMs, 698), 56, false), axisTicks(maxMs, 698, 56));
});

test("a logarithmic axis has a tick at each power of ten, in milliseconds or in seconds", () => {
  const labels = (/** @type {number} */ maxMs) => {
    const { unit, ticks } = ticksOf(logScale(maxMs, 698), 56, true);
    return `${ticks.map(({ label }) => label).join(" ")} ${unit}`;
  };
  /** @type {[number, string][]} */
  const table = [
    [150, "1 10 100 ms"],
    [999, "1 10 100 ms"],
    [1000, "1 10 100 1,000 ms"],
    [1040, "1 10 100 1,000 ms"],
    [5200, "0.001 0.01 0.1 1 s"],
    [10_000, "0.001 0.01 0.1 1 10 s"],
    [624_000, "0.001 0.01 0.1 1 10 100 s"],
  ];
  for (const [maxMs, expected] of table) equal(labels(maxMs), expected);
  deepEqual(
    ticksOf(logScale(1000, 301), 56, true).ticks.map(({ x }) => x),
    [0, 100, 200, 300],
  );
});

test("ticks stand on whole pixels inside and keep their distance, on both scales", () => {
  for (const isLog of [false, true]) {
    for (const widthPx of WIDTHS) {
      for (const maxMs of LENGTHS_MS) {
        const { ticks } = ticksOf(scaleOf(maxMs, widthPx, isLog), 56, isLog);
        const what = `${isLog ? "log" : "linear"}, ${maxMs} ms, ${widthPx} px: ${JSON.stringify(ticks)}`;
        ok(
          ticks.length > 0 && ticks.every(({ x, ms }) => Number.isInteger(x) && x >= 0 && x < widthPx && ms <= maxMs),
          what,
        );
        ok(
          ticks.every(({ x }, i) => i === 0 || x - ticks[i - 1].x >= 56),
          what,
        );
      }
    }
  }
});

/* Stairs. */

test("each token adds one step: along to its time, then up by one", () => {
  const y = (/** @type {number} */ tokens) => 100 - tokens;
  deepEqual(stairsFrom([10, 20, 50], 0, timeScale(100, 101), y), [
    [0, 100],
    [10, 100],
    [10, 99],
    [20, 99],
    [20, 98],
    [50, 98],
    [50, 97],
  ]);
});

test("where nothing is new there is nothing to draw", () => {
  const scale = timeScale(100, 101);
  deepEqual(
    stairsFrom([], 0, scale, (tokens) => tokens),
    [],
  );
  for (const from of [3, 4])
    deepEqual(
      stairsFrom([10, 20, 50], from, scale, (tokens) => tokens),
      [],
    );
});

test("tokens that came together are one tall step", () => {
  const points = stairsFrom([50, 50, 50], 0, timeScale(100, 101), (tokens) => 9 - tokens);
  deepEqual(points[0], [0, 9]);
  deepEqual(points.at(-1), [50, 6]);
  equal(new Set(points.slice(1).map(([x]) => x)).size, 1);
});

test("of 100 tokens at 10 and at 50 ms, the one is five times as steep as the other", () => {
  const scale = timeScale(5000, 5001);
  const ends = [10, 50].map((delayMs) =>
    stairsFrom(
      Array.from({ length: 100 }, (_, i) => (i + 1) * delayMs),
      0,
      scale,
      (n) => n,
    ).at(-1),
  );
  deepEqual(ends, [
    [1000, 100],
    [5000, 100],
  ]);
});

test("stairs drawn piece by piece have the same points as at once, each piece beginning where the last one ended", () => {
  const next = random(42);
  for (let round = 0; round < 400; round += 1) {
    const timesMs = someTimes(next, 60);
    const scale = scaleOf(2000, 300 + next() * 500, next() < 0.5);
    const y = (/** @type {number} */ tokens) => 200 - tokens * 2;
    /** @type {[number, number][]} */
    let points = [];
    for (let counted = 0; counted < timesMs.length;) {
      const upTo = Math.min(timesMs.length, counted + Math.floor(next() * 8)); // none new in some frames
      const piece = stairsFrom(timesMs.slice(0, upTo), counted, scale, y);
      if (points.length > 0 && piece.length > 0) deepEqual(piece[0], points.at(-1), `round ${round}`);
      points = [...points, ...piece.slice(points.length > 0 ? 1 : 0)];
      counted = upTo;
    }
    deepEqual(points, stairsFrom(timesMs, 0, scale, y), `round ${round}`);
  }
});

test("stairs only ever go to the right or up, and never both", () => {
  const next = random(43);
  for (let round = 0; round < 200; round += 1) {
    const points = stairsFrom(someTimes(next, 40), 0, scaleOf(2000, 698, round % 2 === 0), (tokens) => tokens);
    points.slice(1).forEach(([x, y], i) => {
      const [right, up] = [x - points[i][0], y - points[i][1]];
      ok(right >= 0 && up >= 0 && (right === 0 || up === 0), `round ${round}: ${points}`);
    });
  }
});

/* Gaps. */

test("a gap is the time since the token before", () => {
  equal(gapMs([10, 25, 25], 1), 15);
  equal(gapMs([10, 25, 25], 2), 0);
});

test("the longest gap is the stall, and nothing of fewer than two tokens", () => {
  /** @type {[number[], number][]} */
  const table = [
    [[], 0],
    [[5000], 0],
    [[5, 5], 0],
    [[10, 20, 2020, 2030], 2000],
    [[0, 30, 31], 30],
  ];
  for (const [timesMs, expected] of table) equal(longestGapMs(timesMs), expected, String(timesMs));
});

/* The nearest token. */

test("the nearest token is found, also before the first and after the last", () => {
  const timesMs = [10, 20, 50];
  /** @type {[number, number][]} */
  const table = [
    [-5, 0],
    [0, 0],
    [14, 0],
    [16, 1],
    [20, 1],
    [34, 1],
    [36, 2],
    [50, 2],
    [1e9, 2],
  ];
  for (const [ms, expected] of table) equal(nearestToken(timesMs, ms), expected, `${ms} ms`);
  equal(nearestToken([], 5), -1);
  equal(nearestToken([7], 5), 0);
});

test("the nearest token is as near as the one that looking at all of them finds", () => {
  const next = random(44);
  for (let round = 0; round < 2000; round += 1) {
    const timesMs = [next() * 100, ...someTimes(next, 40)].sort((a, b) => a - b);
    const ms = next() * 3000 - 200;
    const found = nearestToken(timesMs, ms);
    ok(Number.isInteger(found) && found >= 0 && found < timesMs.length, `round ${round}: ${found}`);
    equal(
      Math.abs(timesMs[found] - ms),
      Math.min(...timesMs.map((time) => Math.abs(time - ms))),
      `round ${round}: ${ms} in ${timesMs}`,
    );
  }
});

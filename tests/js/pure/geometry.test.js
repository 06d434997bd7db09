// @ts-check
import { close, deepEqual, equal, ok, test } from "/tests/harness.js";
import {
  MAGNIFIED_MS, axisMaxMs, axisTicks, columnOf, density, needsDensity, needsMagnifier, runMaxMs, timeScale,
  tokenColumns,
} from "/static/js/pure/geometry.js";

/**
 * @param {number} n
 * @param {number} delayMs
 * @param {number} [ttftMs]
 */
const steady = (n, delayMs, ttftMs = delayMs) => Array.from({ length: n }, (_, i) => ttftMs + i * delayMs);

/** @param {number[]} columns */
const gaps = (columns) => columns.slice(1).map((column, i) => column - columns[i]);

const WIDTHS = [1, 2, 3, 80, 99, 100, 101, 299, 300.5, 375, 671, 698, 1000, 1001, 1280, 1999.9];

test("a scale reaches from the first column to the last", () => {
  const scale = timeScale(1000, 501);
  deepEqual([scale.maxMs, scale.widthPx], [1000, 501]);
  deepEqual([0, 250, 500, 1000].map(scale.x), [0, 125, 250, 500]);
});

test("times outside the axis fall on its ends", () => {
  const scale = timeScale(1000, 501);
  deepEqual([-5, 1000.1, 1e9, Infinity].map(scale.x), [0, 500, 500, 500]);
});

test("without a length or a width every time is at 0", () => {
  for (const [maxMs, widthPx] of [[0, 500], [1000, 0], [0, 0], [1000, -5], [1000, NaN]]) {
    const scale = timeScale(maxMs, widthPx);
    deepEqual([0, 10, 1000].map(scale.x), [0, 0, 0], `${maxMs} ms, ${widthPx} px`);
    deepEqual(tokenColumns([0, 10, 1000], scale), [0, 0, 0]);
  }
});

test("steady tokens stand at gaps that differ by one pixel at most, at any width and first token", () => {
  const lanes = [[100, 10, 10], [100, 10, 5], [100, 50, 50], [40, 25.5, 0], [333, 0.1, 1000], [50, 10, 205]];
  for (const widthPx of WIDTHS) {
    for (const [n, delayMs, ttftMs] of lanes) {
      const timesMs = steady(n, delayMs, ttftMs);
      for (const maxMs of [timesMs[n - 1], axisMaxMs(timesMs[n - 1]), 10 * timesMs[n - 1]]) {
        const found = gaps(tokenColumns(timesMs, timeScale(maxMs, widthPx)));
        const what = `${n} × ${delayMs} ms from ${ttftMs} of ${maxMs} ms, ${widthPx} px: ${found}`;
        ok(Math.max(...found) - Math.min(...found) <= 1, what);
      }
    }
  }
});

test("where a time falls on the half, noise does not make neighbours differ", () => {
  const timesMs = steady(100, 10, 5);
  deepEqual(new Set(gaps(tokenColumns(timesMs, timeScale(1000, 101)))), new Set([1]));
  const noisy = timesMs.map((ms, i) => ms + (i % 2 ? 1e-10 : -1e-10));
  deepEqual(tokenColumns(noisy, timeScale(1000, 101)), tokenColumns(timesMs, timeScale(1000, 101)));
});

test("every column is a whole pixel inside the width, in the order of time", () => {
  for (const widthPx of WIDTHS) {
    const columns = tokenColumns(steady(500, 7.3), timeScale(3000, widthPx));
    ok(columns.every((column) => Number.isInteger(column) && column >= 0 && column + 1 <= widthPx), `${widthPx} px`);
    ok(gaps(columns).every((gap) => gap >= 0), `${widthPx} px`);
  }
});

test("a late token stands in the last column", () => {
  deepEqual(tokenColumns([1000, 1084, 9e9], timeScale(1000, 300)), [299, 299, 299]);
});

test("there are as many columns as tokens", () => {
  const scale = timeScale(1000, 300);
  deepEqual(tokenColumns([], scale), []);
  deepEqual(tokenColumns([0], scale), [0]);
  deepEqual(new Set(tokenColumns(Array(10_000).fill(500), scale)), new Set([150]));
  equal(tokenColumns(Array(10_000).fill(500), scale).length, 10_000);
});

test("density counts every token once, in its column", () => {
  const scale = timeScale(1000, 11);
  deepEqual([...density([0, 100, 101, 500, 1000, 2000], scale)], [1, 2, 0, 0, 0, 1, 0, 0, 0, 0, 2]);
  for (const widthPx of WIDTHS) {
    const counts = density(steady(10_000, 1), timeScale(9000, widthPx));
    equal(counts.length, Math.floor(widthPx));
    equal(counts.reduce((sum, one) => sum + one, 0), 10_000, `${widthPx} px`);
  }
});

test("density bears no tokens, no width, and ten thousand tokens at once", () => {
  deepEqual([...density([], timeScale(1000, 3))], [0, 0, 0]);
  deepEqual([...density([1, 2], timeScale(1000, 0))], []);
  deepEqual([...density(Array(10_000).fill(1000), timeScale(1000, 3))], [0, 0, 10_000]);
  deepEqual([...density([0, 0], timeScale(0, 2))], [2, 0]);
});

test("a lane is dense where its ticks stand less than two pixels apart on the average", () => {
  const scale = timeScale(1000, 201);
  equal(needsDensity(steady(101, 10, 0), scale), false, "two pixels apart");
  equal(needsDensity(steady(102, 9.9, 0), scale), true, "a little less");
  equal(needsDensity(steady(10_000, 0.1), scale), true, "many more tokens than pixels");
  equal(needsDensity(steady(60, 6), scale), true, "crowded in a part of the axis");
});

test("tokens in one place are one tick, and not dense", () => {
  const scale = timeScale(1000, 201);
  for (const timesMs of [[], [500], Array(10_000).fill(1000)]) equal(needsDensity(timesMs, scale), false);
  const bursts = steady(1000, 1).map((ms) => Math.ceil(ms / 100) * 100);
  equal(needsDensity(bursts, scale), false, "ten bursts of a hundred");
  equal(needsDensity([1, 2, 3], timeScale(0, 0)), false);
});

test("an axis goes a little beyond the predicted end, and always holds the 100 ms line", () => {
  for (const predictedMs of [500, 1000, 5000, 600_000]) {
    ok(axisMaxMs(predictedMs) > predictedMs, `${predictedMs} ms`);
    ok(axisMaxMs(predictedMs) < predictedMs * 1.1, `${predictedMs} ms`);
  }
  for (const predictedMs of [null, 0, 10, 150]) equal(axisMaxMs(predictedMs), MAGNIFIED_MS);
});

test("the axis of a run is as long as its longest answer is planned to be, before it and while it goes on", () => {
  const plan = [{ predicted_ms: 1000 }, { predicted_ms: 5000 }, { predicted_ms: 40 }];
  for (const run of [null, { endMs: null }]) equal(runMaxMs(plan, run), axisMaxMs(5000));
  equal(runMaxMs([{ predicted_ms: 40 }], null), MAGNIFIED_MS, "with the 100 ms line on it");
});

test("the axis of a run that is over holds its end: it is as planned unless that is too short", () => {
  const plan = [{ predicted_ms: 1000 }, { predicted_ms: 5000 }];
  for (const endMs of [0, 80, 4000, 5000, 5004, axisMaxMs(5000)]) equal(runMaxMs(plan, { endMs }), axisMaxMs(5000), `${endMs} ms`);
  for (const endMs of [axisMaxMs(5000) + 1, 9000, 120_000]) equal(runMaxMs(plan, { endMs }), axisMaxMs(endMs), `${endMs} ms`);
  for (let endMs = 0; endMs < 9000; endMs += 7) ok(runMaxMs(plan, { endMs }) >= endMs, `${endMs} ms`);
});

test("the 100 ms line stands in the centre of the magnified strip", () => {
  equal(timeScale(MAGNIFIED_MS, 301).x(100), 150);
});

test("the first 100 ms are magnified where they are under 80 pixels", () => {
  equal(needsMagnifier(timeScale(1000, 801)), false);
  equal(needsMagnifier(timeScale(1000, 800)), true);
  equal(needsMagnifier(timeScale(5000, 1000)), true);
  equal(needsMagnifier(timeScale(200, 300)), false);
});

test("where there is nothing to magnify there is no strip", () => {
  equal(needsMagnifier(timeScale(5000, 0)), false);
  equal(needsMagnifier(timeScale(0, 500)), false);
  equal(needsMagnifier(timeScale(50, 60)), false, "an axis shorter than 100 ms");
});

test("an axis of 5 s is labelled in whole seconds", () => {
  const { unit, ticks } = axisTicks(5200, 698, 80);
  equal(unit, "s");
  deepEqual(ticks.map(({ label }) => label), ["0", "1", "2", "3", "4", "5"]);
  deepEqual(ticks.map(({ ms }) => ms), [0, 1000, 2000, 3000, 4000, 5000]);
});

test("the magnified strip is labelled in milliseconds up to its end", () => {
  const { unit, ticks } = axisTicks(MAGNIFIED_MS, 301, 60);
  equal(unit, "ms");
  const places = [[0, 0], [50, 75], [100, 150], [150, 225], [200, 300]];
  deepEqual(ticks, places.map(([ms, x]) => ({ ms, x, label: `${ms}` })));
});

test("labels have the decimals they need and no noise", () => {
  deepEqual(axisTicks(2080, 300, 50).ticks.map(({ label }) => label), ["0", "0.5", "1", "1.5", "2"]);
  deepEqual(axisTicks(0.35, 351, 100).ticks.map(({ label }) => label), ["0", "0.1", "0.2", "0.3"]);
  deepEqual(axisTicks(0.3, 301, 100).ticks.map(({ ms }) => ms), [0, 0.1, 0.2, 0.3]);
  deepEqual(axisTicks(1560, 300, 80).ticks.map(({ label }) => label), ["0", "500", "1,000", "1,500"]);
});

test("ticks keep their distance, stand on whole pixels and step by 1, 2 or 5", () => {
  for (const maxMs of [1, 35, 200, 1040, 1999, 2000, 5200, 61_000, 624_000]) {
    for (const widthPx of WIDTHS) {
      for (const minGapPx of [1, 40, 80]) {
        const { ticks } = axisTicks(maxMs, widthPx, minGapPx);
        const what = `${maxMs} ms, ${widthPx} px, ${minGapPx} px apart: ${JSON.stringify(ticks)}`;
        ok(gaps(ticks.map(({ x }) => x)).every((gap) => gap >= minGapPx), what);
        ok(ticks.every(({ ms, x }) => ms <= maxMs && Number.isInteger(x) && x >= 0 && x < widthPx), what);
        ok(ticks.every(({ ms, x }) => x === columnOf(ms, timeScale(maxMs, widthPx))), what);
        ok(ticks.length < 2 || /^[125]0*$/.test(String(ticks[1].ms).replace(/^0\.0*/, "")), what);
        equal(new Set(ticks.map(({ label }) => label)).size, ticks.length, what);
      }
    }
  }
});

test("ticks are as near to each other as they may: the next smaller step would be too near", () => {
  const { ticks } = axisTicks(1000, 1001, 60);
  deepEqual(ticks.map(({ ms }) => ms), Array.from({ length: 11 }, (_, i) => i * 100));
  equal(axisTicks(1000, 1001, 50).ticks.length, 21);
  equal(axisTicks(1000, 1001, 20).ticks.length, 51);
});

test("an axis without length or width has its zero alone", () => {
  for (const [maxMs, widthPx] of [[0, 500], [1000, 0], [1000, 1], [0, 0]]) {
    deepEqual(axisTicks(maxMs, widthPx, 50), { unit: "ms", ticks: [{ ms: 0, x: 0, label: "0" }] });
  }
  equal(axisTicks(5000, 30, 80).ticks.length, 1, "no room for a second");
});

test("a gap of nothing still gives no more ticks than pixels", () => {
  ok(axisTicks(1000, 300, 0).ticks.length <= 300);
});

test("the column of a time is the nearest to its place", () => {
  const scale = timeScale(5200, 698);
  for (const ms of steady(100, 50)) close(columnOf(ms, scale), scale.x(ms), 0.5);
});

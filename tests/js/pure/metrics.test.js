// @ts-check
import { close, deepEqual, equal, ok, test, throws } from "/tests/harness.js";
import {
  EXPECTED, LIMIT_MS, basePathMs, decodeTokensPerS, e2eMs, fluidity, gapMetrics, hundreds, itlsMs, outsideNt,
  overallTokensPerS, percentile, qoe, tokensBy, tpotMs, ttftMs,
} from "/static/js/pure/metrics.js";

const READER = { expectedTtftMs: 1000, readingGapMs: 200 };

/** A value of the golden file has at most six decimals, those of QoE and fluidity nine. */
const DIGITS = { qoe: 9, fluidity: 9 };

/**
 * A seeded generator of numbers from 0 to 1 (mulberry32), so that a failure comes again.
 * @param {number} seed
 * @returns {() => number}
 */
function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * @param {() => number} next
 * @returns {number[]} 0 to 39 arrivals, some of them together
 */
function someArrivals(next) {
  let ms = next() * 2000;
  return Array.from({ length: Math.floor(next() * 40) }, () => (ms += next() < 0.3 ? 0 : next() * 500));
}

/** @param {string} name */
const camelCase = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

/** @param {readonly number[]} arrivalsMs @param {import("/static/js/pure/metrics.js").Expected} [expected] */
function laneMetrics(arrivalsMs, expected) {
  const { qoe: quality, delayMs, wholeMs } = qoe(arrivalsMs, expected);
  return {
    ttftMs: ttftMs(arrivalsMs),
    e2eMs: e2eMs(arrivalsMs),
    tpotMs: tpotMs(arrivalsMs),
    ...gapMetrics(arrivalsMs),
    decodeTokensPerS: decodeTokensPerS(arrivalsMs),
    overallTokensPerS: overallTokensPerS(arrivalsMs),
    qoe: quality,
    qoeDelayMs: delayMs,
    qoeWholeMs: wholeMs,
    ...fluidity(arrivalsMs, expected),
  };
}

/** @returns {Promise<any>} */
async function golden() {
  return (await fetch("/golden/metrics.json")).json();
}

test("every golden case has exactly the measures that are tested", async () => {
  for (const { name, arrivals_ms, tokens_by, ...measures } of (await golden()).cases) {
    deepEqual(Object.keys(laneMetrics(arrivals_ms)), Object.keys(measures).map(camelCase), name);
  }
});

test("every measure of every golden case is equal to the digits given", async () => {
  const { cases, expected_ttft_ms, reading_gap_ms } = await golden();
  ok(cases.length >= 13, "the golden file has its cases");
  for (const { name, arrivals_ms, tokens_by, ...measures } of cases) {
    /** @type {Record<string, number | null>} */
    const actual = { ...laneMetrics(arrivals_ms, { expectedTtftMs: expected_ttft_ms, readingGapMs: reading_gap_ms }) };
    for (const [key, expected] of Object.entries(measures)) {
      const digits = DIGITS[/** @type {keyof typeof DIGITS} */ (key)] ?? 6;
      if (expected === null) equal(actual[camelCase(key)], null, `${name}, ${key}`);
      else close(actual[camelCase(key)], expected, 0.5000001 * 10 ** -digits, `${name}, ${key}`);
    }
  }
});

test("the tokens here at a time are those of every golden case", async () => {
  for (const { name, arrivals_ms, tokens_by } of (await golden()).cases) {
    for (const [ms, expected] of Object.entries(tokens_by)) {
      equal(tokensBy(arrivals_ms, Number(ms)), expected, `${name}, ${ms} ms`);
    }
  }
});

test("without a token every measure is undefined", () => {
  for (const [key, value] of Object.entries(laneMetrics([]))) equal(value, null, key);
  deepEqual(itlsMs([]), []);
});

test("one token has a TTFT, which is also its E2E, but nothing between tokens", () => {
  equal(ttftMs([52]), 52);
  equal(e2eMs([52]), 52);
  deepEqual(itlsMs([52]), []);
  equal(tpotMs([52]), null);
  equal(decodeTokensPerS([52]), null);
  close(overallTokensPerS([52]), 1000 / 52, 1e-12);
});

test("two tokens have one gap, and every percentile is that gap", () => {
  const { itlP50Ms, itlP95Ms, itlP99Ms, itlMaxMs, tpotMs: tpot } = laneMetrics([50, 80]);
  deepEqual([itlP50Ms, itlP95Ms, itlP99Ms, itlMaxMs, tpot], [30, 30, 30, 30, 30]);
  close(decodeTokensPerS([50, 80]), 1000 / 30, 1e-12);
});

test("tokens that came together have no decode rate, and no rate at all at 0 ms", () => {
  equal(decodeTokensPerS([500, 500, 500]), null);
  equal(overallTokensPerS([500, 500, 500]), 6);
  equal(overallTokensPerS([0, 0]), null);
  equal(tpotMs([500, 500, 500]), 0);
});

test("a percentile is interpolated between neighbours, whatever the order of the values", () => {
  equal(percentile([40, 10, 30, 20], 50), 25);
  equal(percentile([10, 20], 25), 12.5);
  equal(percentile([100, 9, 20], 100), 100, "sorted as numbers, not as text");
  equal(percentile([], 50), null);
});

test("a percentile leaves its values as they are", () => {
  const values = [3, 1, 2];
  percentile(values, 50);
  deepEqual(values, [3, 1, 2]);
});

test("a percentile outside 0 to 100 is refused", () => {
  for (const p of [-1, 100.1, NaN]) throws(() => percentile([1, 2], p), /from 0 to 100/, `p = ${p}`);
});

test("percentiles grow with p, from the least value to the greatest", () => {
  const next = random(1);
  for (let round = 0; round < 200; round += 1) {
    const values = Array.from({ length: 1 + Math.floor(next() * 30) }, () => next() * 10 ** Math.floor(next() * 6));
    const percentiles = Array.from({ length: 101 }, (_, p) => Number(percentile(values, p)));
    equal(percentiles[0], Math.min(...values));
    equal(percentiles[100], Math.max(...values));
    ok(percentiles.every((value, p) => p === 0 || value >= percentiles[p - 1]), `round ${round}: ${values}`);
  }
});

test("a token of exactly the time asked for is here, and one a microsecond later is not", () => {
  equal(tokensBy([99.999, 100, 100, 100.001], 100), 3);
  equal(tokensBy([0.1 + 0.2], 0.3), 1, "0.1 + 0.2 is 0.30000000000000004");
  equal(tokensBy([], 100), 0);
});

test("tokens here at a time are as many as counting one by one finds", () => {
  const next = random(2);
  for (let round = 0; round < 200; round += 1) {
    const arrivalsMs = someArrivals(next);
    const ms = next() * 8000;
    const counted = arrivalsMs.filter((arrivalMs) => Math.round(arrivalMs * 1000) <= Math.round(ms * 1000)).length;
    equal(tokensBy(arrivalsMs, ms), counted, `round ${round}`);
  }
});

test("of 100 tokens at 10 ms nine are here at 100 ms, where the tenth is a little late", () => {
  equal(tokensBy(Array.from({ length: 100 }, (_, i) => (i + 1) * 10 + 0.2), 100), 9);
});

test("QoE and fluidity lie between 0 and 1, and the waits are never negative", () => {
  const next = random(3);
  for (let round = 0; round < 500; round += 1) {
    const arrivalsMs = [next() * 3000, ...someArrivals(next)].sort((a, b) => a - b);
    const q = qoe(arrivalsMs, READER);
    const f = fluidity(arrivalsMs, READER);
    ok(Number(q.qoe) >= 0 && Number(q.qoe) <= 1 && q.qoe !== null, `round ${round}: QoE ${q.qoe}`);
    ok(Number(q.delayMs) >= 0 && Number(q.delayMs) <= Number(q.wholeMs), `round ${round}: ${q.delayMs}`);
    ok(Number(f.fluidity) >= 0 && Number(f.fluidity) <= 1 && f.fluidity !== null, `round ${round}: ${f.fluidity}`);
    ok(Number(f.deadlines) - Number(f.missed) <= arrivalsMs.length, `round ${round}: no token meets two deadlines`);
  }
});

test("QoE falls the longer one and the same stall lasts", () => {
  const values = [0, 500, 1000, 5000].map((stallMs) => Number(qoe([1000, 1200, 1400 + stallMs], READER).qoe));
  equal(values[0], 1);
  ok(values.every((value, i) => i === 0 || value < values[i - 1]), String(values));
});

test("a reader on pace waits for nothing, even where binary fractions are noisy", () => {
  const arrivalsMs = Array.from({ length: 1000 }, (_, i) => 1000.1 + i * 200);
  const reader = { expectedTtftMs: 1000.1, readingGapMs: 200 };
  deepEqual(qoe(arrivalsMs, reader), { qoe: 1, delayMs: 0, wholeMs: 99_900_000 });
  deepEqual(fluidity(arrivalsMs, reader), { fluidity: 1, missed: 0, deadlines: 1000 });
});

test("a gap of exactly the deadline is met, one of a microsecond more is missed once", () => {
  const late = [1000.1, 1500.1];
  equal(fluidity([...late, 1700.1], READER).missed, fluidity(late, READER).missed);
  equal(fluidity([...late, 1700.101], READER).missed, Number(fluidity(late, READER).missed) + 1);
});

test("a first token late by exactly two reading gaps misses three deadlines, with fractions too", () => {
  deepEqual(fluidity([1400], READER), { fluidity: 0, missed: 3, deadlines: 3 });
  deepEqual(fluidity([0.7], { expectedTtftMs: 0.1, readingGapMs: 0.3 }), { fluidity: 0, missed: 3, deadlines: 3 });
});

test("early tokens earn slack that a later stall uses up", () => {
  deepEqual(fluidity([500, 600, 1400], READER), { fluidity: 1, missed: 0, deadlines: 3 });
  equal(fluidity([500, 600, 1400.001], READER).missed, 1);
});

test("fluidity is that of the gaps and the slack of Etalon's own algorithm", () => {
  const next = random(4);
  for (let round = 0; round < 300; round += 1) {
    const arrivalsMs = someArrivals(next).map(Math.round);
    const { missed, deadlines } = etalon(arrivalsMs);
    const actual = fluidity(arrivalsMs, READER);
    deepEqual([actual.missed ?? 0, actual.deadlines ?? 0], [missed, deadlines], `round ${round}: ${arrivalsMs}`);
  }
});

/**
 * Algorithm 1 as it is printed, with gaps and slack, for whole milliseconds.
 * @param {number[]} arrivalsMs
 */
function etalon(arrivalsMs) {
  let [slackMs, missed, deadlines] = [0, 0, 0];
  arrivalsMs.forEach((arrivalMs, i) => {
    const gapMs = i === 0 ? arrivalMs : arrivalMs - arrivalsMs[i - 1];
    const deadlineMs = i === 0 ? READER.expectedTtftMs : READER.readingGapMs;
    const met = gapMs <= deadlineMs + slackMs;
    const misses = met ? 0 : Math.floor((gapMs - slackMs - deadlineMs) / READER.readingGapMs) + 1;
    missed += misses;
    deadlines += met ? 1 : misses;
    slackMs = met ? slackMs + deadlineMs - gapMs : 0;
  });
  return { missed, deadlines };
}

test("a reader without a reading gap has no fluidity, but a QoE", () => {
  const hasty = { expectedTtftMs: 0, readingGapMs: 0 };
  deepEqual(fluidity([10, 20], hasty), { fluidity: null, missed: null, deadlines: null });
  deepEqual(qoe([10, 20], hasty), { qoe: 0.25, delayMs: 30, wholeMs: 40 });
});

test("no measure is ever NaN or Infinity", () => {
  const next = random(5);
  const lists = [[], [0], [0, 0], [5], [5, 5], ...Array.from({ length: 200 }, () => someArrivals(next))];
  for (const arrivalsMs of lists) {
    for (const [key, value] of Object.entries(laneMetrics(arrivalsMs))) {
      ok(value === null || Number.isFinite(value), `${key} of ${arrivalsMs}: ${value}`);
    }
  }
});

test("the reading pace is 238 words a minute of 1.3 tokens, about 5.2 tokens a second", () => {
  equal(EXPECTED.expectedTtftMs, 1000);
  close(EXPECTED.readingGapMs, 60_000 / (238 * 1.3), 0.0005);
  close(1000 / EXPECTED.readingGapMs, 5.2, 0.05);
  deepEqual(laneMetrics([100, 900, 2000]), laneMetrics([100, 900, 2000], EXPECTED), "and it is the default");
});

const LANE = { ntMs: 1000, predictedMs: 1500, lastDueMs: 1500, lastSentMs: 1503, lastArrivalMs: 1592, basePathMs: 84 };

test("what is outside n × t has four parts: set by you, a late server, the base path, its extra", () => {
  deepEqual(outsideNt(LANE), { outsideMs: 592, setByYouMs: 500, serverLateMs: 3, basePathMs: 84, extraPathMs: 5 });
});

test("a lane that failed early is set by you too, with a negative part", () => {
  const failed = { ...LANE, predictedMs: 200, lastDueMs: 200, lastSentMs: 200.5, lastArrivalMs: 285 };
  const { outsideMs, setByYouMs } = outsideNt(failed);
  deepEqual([outsideMs, setByYouMs], [-715, -800]);
});

test("the four parts always add up", () => {
  const next = random(6);
  for (let round = 0; round < 1000; round += 1) {
    const [ntMs, predictedMs, late, pathMs, extra] = [5, 5, 2, 2, 2].map((power) => next() * 10 ** power);
    const lastSentMs = predictedMs + late;
    const lastArrivalMs = lastSentMs + pathMs + extra;
    const parts = outsideNt({
      ntMs, predictedMs, lastDueMs: predictedMs, lastSentMs, lastArrivalMs, basePathMs: pathMs,
    });
    const { outsideMs, setByYouMs, serverLateMs, basePathMs: baseMs, extraPathMs } = parts;
    const sum = Number(setByYouMs) + Number(serverLateMs) + Number(baseMs) + Number(extraPathMs);
    close(sum, lastArrivalMs - ntMs, 1e-9, `round ${round}`);
    equal(outsideMs, lastArrivalMs - ntMs, `round ${round}`);
  }
});

test("figures in tenths leave parts in tenths, which add up as shown", () => {
  const parts = outsideNt({
    ntMs: 1000, predictedMs: 1000.3, lastDueMs: 1000.3, lastSentMs: 1001.1, lastArrivalMs: 1085.7, basePathMs: 84.2,
  });
  const { outsideMs, ...addends } = parts;
  deepEqual(Object.values(addends).map((ms) => Number(ms).toFixed(1)), ["0.3", "0.8", "84.2", "0.4"]);
  equal(Number(outsideMs).toFixed(1), "85.7");
});

test("before the last planned token came there are no parts, nor where a figure is unknown", () => {
  const nothing = { outsideMs: null, setByYouMs: null, serverLateMs: null, basePathMs: null, extraPathMs: null };
  deepEqual(outsideNt({ ...LANE, lastDueMs: 1490 }), nothing);
  for (const key of Object.keys(LANE)) deepEqual(outsideNt({ ...LANE, [key]: null }), nothing, key);
});

test("the base path is the smallest of all tokens, and unknown without one", () => {
  const tokens = [{ sentMs: 10, arrivalMs: 95 }, { sentMs: 20, arrivalMs: 104 }, { sentMs: 30, arrivalMs: 120 }];
  equal(basePathMs(tokens), 84);
  equal(basePathMs([]), null);
});

test("the 100 ms line is passed once more every 100 ms, as the stage shows them", () => {
  equal(LIMIT_MS, 100);
  const expected = [[0, 0], [99.4, 0], [99.5, 1], [100, 1], [199, 1], [2304, 23], [4999.6, 50], [5000, 50], [-3, 0]];
  for (const [ms, times] of expected) equal(hundreds(ms), times, `${ms} ms`);
});

test("ten thousand tokens are measured too", () => {
  const arrivalsMs = Array.from({ length: 10_000 }, (_, i) => (i + 1) * 60);
  const { e2eMs: e2e, itlP99Ms, qoe: quality, deadlines } = laneMetrics(arrivalsMs);
  deepEqual([e2e, itlP99Ms, quality, deadlines], [600_000, 60, 1, 10_000]);
});

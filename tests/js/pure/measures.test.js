// @ts-check
import { close, deepEqual, equal, ok, test } from "/tests/harness.js";
import { OPENED, afterAll, drawn, failed, finished, planned, random, runOf, token, tokens } from "/tests/runs.js";
import { decimalMs } from "/static/js/pure/format.js";
import { LIMITS_MS, reportOf, reportsOf } from "/static/js/pure/measures.js";
import { expectedOf } from "/static/js/pure/metrics.js";
import { ROWS } from "/static/js/pure/table.js";

/** @import { Expected } from "/static/js/pure/metrics.js" */
/** @import { MeasureName, Measures } from "/static/js/pure/measures.js" */
/** @import { Action, PlannedLane } from "/static/js/pure/state.js" */

/** @type {Action} */
const DONE = { type: "done" };
/** @type {Action} */
const LOST = { type: "lost", reason: "the connection broke" };
/** @type {Action} */
const RESUMED = { type: "opened", resumed: true };
/** @type {Action} */
const HIDDEN = { type: "hidden" };
/** @type {Action} */
const REFUSED = { type: "refused", reason: "lane 1: tokens must be less", elapsedMs: 80 };

/** @param {number} elapsedMs @returns {Action} */
const stopped = (elapsedMs) => ({ type: "stopped", elapsedMs });

/** What only a whole answer has: what waits for tokens that never came would be left out of it. @type {MeasureName[]} */
const OF_THE_WHOLE = [
  "e2eMs",
  "tpotMs",
  "decodeTokensPerS",
  "overallTokensPerS",
  "qoe",
  "fluidity",
  "outsideMs",
  "setByYouMs",
  "serverLateMs",
  "basePathMs",
  "extraPathMs",
  "lastDrawingMs",
];

/**
 * @param {Action[]} actions
 * @param {PlannedLane} [plan]
 * @param {number} [elapsedMs]
 * @param {Expected} [expected]
 */
function report(actions, plan = planned(), elapsedMs = 1e6, expected) {
  const run = runOf(afterAll([plan], actions));
  return reportOf(run, 0, run.endMs ?? elapsedMs, expected);
}

/** @param {readonly number[]} arrivalsMs @returns {Action[]} tokens, each drawn 4 ms after it came */
const seen = (arrivalsMs) => arrivalsMs.flatMap((ms, i) => [token(i, ms), drawn(ms + 4)]);

/** @param {readonly number[]} arrivalsMs @returns {Action[]} a run that is over, with every token seen */
const whole = (arrivalsMs) => [OPENED, ...seen(arrivalsMs), finished((arrivalsMs.at(-1) ?? 0) + 1), DONE];

/**
 * A whole run whose tokens were late and long on their way by so much each.
 * @param {PlannedLane} plan
 * @param {(i: number) => number} lateMs
 * @param {(i: number) => number} pathMs
 * @returns {Action[]}
 */
function underWay(plan, lateMs, pathMs) {
  const sent = plan.due_ms.map((dueMs, i) => ({ dueMs, sentMs: dueMs + lateMs(i) }));
  const all = sent.map(
    ({ dueMs, sentMs }, i) =>
      /** @type {Action} */ ({
        type: "token",
        lane: 0,
        i,
        text: "a",
        dueMs,
        sentMs,
        arrivalMs: sentMs + pathMs(i),
      }),
  );
  return [OPENED, ...all, finished(1e7), DONE];
}

/** @param {Measures} measures */
const parts = ({ setByYouMs, serverLateMs, basePathMs, extraPathMs }) => [
  setByYouMs,
  serverLateMs,
  basePathMs,
  extraPathMs,
];

/** @param {(number | null)[]} values */
const sum = (values) => values.reduce((/** @type {number} */ all, value) => all + Number(value), 0);

/** @param {Measures} measures @param {MeasureName[]} names @param {string} [what] */
function unknown(measures, names, what) {
  for (const name of names) equal(measures[name], null, `${name} ${what ?? ""}`);
}

/** Every way in which a run of 100 tokens at 10 ms may be or end, and in what words. @type {Record<string, [Action[], string]>} */
const WAYS = {
  "just asked for": [[], "0 of 100"],
  "no token yet": [[OPENED], "0 of 100"],
  "one token yet": [[OPENED, ...seen([12])], "1 of 100"],
  "some tokens yet": [[OPENED, ...seen([12, 25, 31])], "3 of 100"],
  lost: [[OPENED, ...seen([12, 25]), LOST], "2 of 100"],
  "resumed, going on": [[OPENED, ...seen([12]), LOST, RESUMED, token(1, 900)], "2 of 100"],
  "stopped before a token": [[OPENED, stopped(60)], "stopped after 0 of 100 tokens"],
  "stopped after one": [[OPENED, ...seen([12]), stopped(60)], "stopped after 1 of 100 tokens"],
  "stopped in the middle": [[OPENED, ...seen([12, 25, 31]), stopped(500)], "stopped after 3 of 100 tokens"],
  "failed at 0": [[OPENED, failed(40), DONE], "failed after 0 of 100 tokens"],
  "failed in the middle": [[OPENED, ...seen([12, 22, 42]), failed(45), DONE], "failed after 3 of 100 tokens"],
  refused: [[REFUSED], "refused after 0 of 100 tokens"],
};

test("the limits of attention are 0.1, 1 and 10 s", () => {
  deepEqual([...LIMITS_MS], [100, 1_000, 10_000]);
});

test("every measure has a row in the table, and every row a measure", () => {
  deepEqual(Object.keys(report(whole([12])).measures).sort(), Object.keys(ROWS).sort());
});

/* A whole answer. */

test("every measure of every golden case is the golden value", async () => {
  const { cases, expected_ttft_ms, reading_gap_ms } = await (await fetch("/golden/metrics.json")).json();
  const expected = { expectedTtftMs: expected_ttft_ms, readingGapMs: reading_gap_ms };
  for (const golden of cases) {
    const { measures: m } = report(
      whole(golden.arrivals_ms),
      planned({ tokens: golden.arrivals_ms.length }),
      1e6,
      expected,
    );
    /** @type {[string, number | null, number | null][]} */
    const table = [
      ["TTFT", m.ttftMs, golden.ttft_ms],
      ["E2E", m.e2eMs, golden.e2e_ms],
      ["TPOT", m.tpotMs, golden.tpot_ms],
      ["p50", m.itlP50Ms, golden.itl_p50_ms],
      ["p95", m.itlP95Ms, golden.itl_p95_ms],
      ["p99", m.itlP99Ms, golden.itl_p99_ms],
      ["max", m.itlMaxMs, golden.itl_max_ms],
      ["decode", m.decodeTokensPerS, golden.decode_tokens_per_s],
      ["overall", m.overallTokensPerS, golden.overall_tokens_per_s],
      ["QoE", m.qoe, golden.qoe],
      ["fluidity", m.fluidity, golden.fluidity],
      ["by 0.1 s", m.here100Ms, golden.tokens_by[100]],
      ["by 1 s", m.here1000Ms, golden.tokens_by[1000]],
      ["by 10 s", m.here10000Ms, golden.tokens_by[10000]],
    ];
    for (const [name, actual, value] of table) {
      if (value === null) equal(actual, null, `${golden.name}, ${name}`);
      else close(actual, value, 5.1e-7, `${golden.name}, ${name}`);
    }
  }
});

test("perceived latency is the frame of the first token, and drawing it the time from its arrival to that", () => {
  const actions = [OPENED, token(0, 46.25), drawn(52), token(1, 70), drawn(81), finished(71), DONE];
  const { perceivedMs, ttftMs, firstDrawingMs, e2eMs, lastDrawingMs } = report(
    actions,
    planned({ tokens: 2 }),
  ).measures;
  deepEqual([perceivedMs, ttftMs, firstDrawingMs, e2eMs, lastDrawingMs], [52, 46.25, 5.75, 70, 11]);
});

test("a whole answer of ten tokens at 10 ms, 2 ms late each, has these measures", () => {
  const plan = planned({ tokens: 10 });
  const { title, isWhole, isPart, words, reason, measures } = report(whole(plan.due_ms.map((ms) => ms + 2)), plan);
  deepEqual([title, isWhole, isPart, words, reason], ["Streamed", true, false, "10 tokens", ""]);
  const { qoe, fluidity, itlP95Ms, itlP99Ms, decodeTokensPerS, overallTokensPerS, ...others } = measures;
  deepEqual(others, {
    perceivedMs: 16,
    firstDrawingMs: 4,
    ttftMs: 12,
    e2eMs: 102,
    tpotMs: 10,
    itlP50Ms: 10,
    itlMaxMs: 10,
    ntMs: 100,
    predictedMs: 100,
    outsideMs: 2,
    setByYouMs: 0,
    serverLateMs: 1,
    basePathMs: 1,
    extraPathMs: 0,
    lastDrawingMs: 4,
    here100Ms: 9,
    here1000Ms: 10,
    here10000Ms: 10,
  });
  deepEqual([qoe, fluidity, itlP95Ms, itlP99Ms, decodeTokensPerS], [1, 1, 10, 10, 100]);
  close(overallTokensPerS, (1000 * 10) / 102, 1e-9);
});

test("of 100 tokens at 10 ms that are never early, nine are here at 100 ms", () => {
  const plan = planned();
  equal(report(whole(plan.due_ms.map((ms) => ms + 0.2)), plan).measures.here100Ms, 9);
});

test("an answer is counted in words, thousands apart", () => {
  const table = /** @type {[number, string][]} */ ([
    [1, "1 token"],
    [2, "2 tokens"],
    [999, "999 tokens"],
    [10_000, "10,000 tokens"],
  ]);
  for (const [n, words] of table) {
    const plan = planned({ tokens: n });
    equal(report([OPENED, ...tokens(plan.due_ms), finished(1e6), DONE], plan).words, words);
  }
  equal(report([OPENED, stopped(500)], planned({ tokens: 10_000 })).words, "stopped after 0 of 10,000 tokens");
  equal(report([OPENED, stopped(500)], planned({ tokens: 1 })).words, "stopped after 0 of 1 token");
});

test("one token has a TTFT, which is its E2E, a rate with its wait, and nothing between tokens, with the reason", () => {
  const { measures, reason, isWhole } = report(whole([50]), planned({ tokens: 1, delay_ms: 40 }));
  deepEqual([isWhole, measures.ttftMs, measures.e2eMs, measures.overallTokensPerS], [true, 50, 50, 20]);
  unknown(measures, ["itlP50Ms", "itlP95Ms", "itlP99Ms", "itlMaxMs", "tpotMs", "decodeTokensPerS"]);
  equal(reason, "One token has no gaps.");
});

test("an answer that came all at once has no rate after its first token, and says why", () => {
  const plan = planned({ tokens: 3, delivery: "whole", due_ms: [30, 30, 30] });
  const { measures, reason } = report([OPENED, ...tokens([32, 32, 32]), drawn(40), finished(32), DONE], plan);
  deepEqual([measures.decodeTokensPerS, measures.tpotMs, measures.itlMaxMs, measures.e2eMs], [null, 0, 0, 32]);
  ok(/at once/.test(reason) && /rate/.test(reason), reason);
});

test("who expects less of a first token and reads faster gives an answer other scores, and nothing else", () => {
  const plan = planned({ tokens: 3, delay_ms: 1000 });
  const actions = whole([1000, 2000, 3000]);
  const patient = report(actions, plan, 1e6, { expectedTtftMs: 1000, readingGapMs: 1000 }).measures;
  // ideal 500, 600, 700; read 1000, 2000, 3000: behind by 4200 in all, of 3 × 3000 − 1800 = 7200
  const hasty = report(actions, plan, 1e6, { expectedTtftMs: 500, readingGapMs: 100 }).measures;
  deepEqual([patient.qoe, patient.fluidity], [1, 1]);
  close(hasty.qoe, 1 - 4200 / 7200, 1e-12);
  // the first misses 500, 600 … 1000 (6), each later one its deadline of 100 ms and nine more (10)
  equal(hasty.fluidity, 0);
  const without = (/** @type {Measures} */ { qoe: _, fluidity: __, ...others }) => others;
  deepEqual(without(hasty), without(patient));
});

/* Same finish, different feel. */

test("an early and a late stall end together with the same TPOT and fluidity, and differ in QoE", () => {
  const reader = { expectedTtftMs: 1000, readingGapMs: 200 };
  const plan = planned({ tokens: 10, delay_ms: 200, ttft_ms: 1000 });
  const stall = (/** @type {number} */ at) => whole(plan.due_ms.map((ms, i) => ms + (i + 1 >= at ? 2000 : 0)));
  const [early, late] = [stall(6), stall(10)].map((actions) => report(actions, plan, 1e6, reader).measures);
  for (const name of /** @type {MeasureName[]} */ (["ttftMs", "e2eMs", "tpotMs", "fluidity", "itlMaxMs"]))
    equal(early[name], late[name], name);
  close(early.qoe, 0.655172414, 5.1e-10);
  close(late.qoe, 0.931034483, 5.1e-10);
});

/* Outside n × t. */

test("what is outside n × t is told in its parts: set by you, a late server, the base path, its extra", () => {
  const plan = planned({ ttft_ms: 50 }); // so the last of 100 is due at 1,040 and n × t is 1,000
  const actions = underWay(
    plan,
    (i) => (i === 99 ? 1.2 : 0.3),
    (i) => (i === 99 ? 84.6 : i === 40 ? 84.2 : 90),
  );
  const { measures } = report(actions, plan);
  [40, 1.2, 84.2, 0.4].forEach((part, n) => close(parts(measures)[n], part, 1e-9, `part ${n}`));
  close(measures.outsideMs, 125.8, 1e-9);
});

test("the parts of outside n × t sum to it, and it to measured − n × t, for any run", () => {
  const next = random(11);
  for (let round = 0; round < 500; round += 1) {
    const ntMs = Math.round(next() * 5e6) / 1000;
    const n = 1 + Math.floor(next() * 30);
    const due_ms = Array.from({ length: n }, () => Math.round(next() * 5e6) / 1000).sort((a, b) => a - b);
    const plan = planned({ tokens: n, nt_ms: ntMs, due_ms, predicted_ms: due_ms.at(-1) });
    const [late, path] = [next() * 20, next() * 200];
    const actions = underWay(
      plan,
      () => Math.round(next() * late * 1000) / 1000,
      () => path + next() * 5,
    );
    const { measures } = report(actions, plan);
    ok(measures.outsideMs !== null, `round ${round}`);
    close(sum(parts(measures)), Number(measures.outsideMs), 0.05, `round ${round}`);
    close(sum(parts(measures)), Number(measures.e2eMs) - ntMs, 0.1 + 1e-9, `round ${round}`);
    ok(
      parts(measures)
        .slice(1)
        .every((part) => Number(part) >= -1e-9),
      `round ${round}: only what you set can be less than nothing`,
    );
  }
});

test("the parts add up as they are shown, each in tenths", () => {
  const shown = (/** @type {number | null} */ ms) => Number(decimalMs(ms).replaceAll(",", "").replace("−", "-"));
  const next = random(12);
  for (let round = 0; round < 500; round += 1) {
    const plan = planned({ tokens: 3, delay_ms: 1 + Math.round(next() * 1e5) / 1000 });
    const { measures } = report(
      underWay(
        plan,
        () => next() * 3,
        () => 0.2 + next(),
      ),
      plan,
    );
    close(sum(parts(measures).map(shown)), shown(measures.outsideMs), 1e-6, `round ${round}`);
  }
});

test("E2E, n × t and what is outside add up as they are shown, also just beyond 100 ms", () => {
  const shown = (/** @type {number | null} */ ms) => Number(decimalMs(ms).replaceAll(",", "").replace("−", "-"));
  const plan = planned({ tokens: 10 }); // n × t is 100
  for (let us = 10; us <= 400; us += 10) {
    const { measures } = report(
      underWay(
        plan,
        () => 0,
        () => us / 1000,
      ),
      plan,
    );
    const { e2eMs, ntMs, outsideMs } = measures;
    close(
      shown(e2eMs) - shown(ntMs),
      shown(outsideMs),
      1e-6,
      `${e2eMs} is shown as ${decimalMs(e2eMs)}, n × t as ${decimalMs(ntMs)}`,
    );
  }
});

test("an answer quicker than n × t has set by you less than nothing", () => {
  const plan = planned({ tokens: 5, delay_ms: 10, ttft_ms: 0 }); // the last is due at 40
  const { measures } = report(
    underWay(
      plan,
      () => 0.5,
      () => 2,
    ),
    plan,
  );
  deepEqual([measures.ntMs, measures.predictedMs, measures.setByYouMs], [50, 40, -10]);
  close(measures.outsideMs, -7.5, 1e-9);
});

/* An answer that is not whole. */

test("how far an answer came is said in words, however it ended", () => {
  for (const [way, [actions, words]] of Object.entries(WAYS)) equal(report(actions).words, words, way);
});

test("nothing of the whole is told of a part, and it is known to be one where some tokens came", () => {
  for (const [way, [actions]] of Object.entries(WAYS)) {
    const { measures, isWhole, isPart, words } = report(actions);
    equal(isWhole, false, way);
    equal(isPart, !/^(\w+ after )?0 /.test(words), way);
    unknown(measures, OF_THE_WHOLE, way);
    deepEqual([measures.ntMs, measures.predictedMs], [1000, 1000], `${way}: the plan is known anyway`);
  }
});

test("an answer that failed has the gaps of what came, and its first token", () => {
  const { measures, reason } = report(WAYS["failed in the middle"][0]); // at 12, 22, 42
  const { itlP50Ms, itlMaxMs, ttftMs, perceivedMs, firstDrawingMs, here100Ms } = measures;
  deepEqual([itlP50Ms, itlMaxMs, ttftMs, perceivedMs, firstDrawingMs, here100Ms], [15, 20, 12, 16, 4, 3]);
  close(measures.itlP95Ms, 19.5, 1e-9);
  close(measures.itlP99Ms, 19.9, 1e-9);
  ok(/not whole/i.test(reason), reason);
});

test("an answer of which nothing came has no measure but its plan, and says so", () => {
  for (const way of ["stopped before a token", "failed at 0", "refused"]) {
    const { measures, reason } = report(WAYS[way][0]);
    unknown(measures, ["ttftMs", "perceivedMs", "firstDrawingMs", "itlP50Ms", "itlP95Ms", "itlP99Ms", "itlMaxMs"], way);
    ok(/no token came/i.test(reason), `${way}: ${reason}`);
  }
});

test("of a run that is over, every dash has its reason", () => {
  /** @type {Record<string, [Action[], PlannedLane]>} */
  const more = {
    "one token": [whole([50]), planned({ tokens: 1 })],
    "all at once": [whole([50, 50, 50]), planned({ tokens: 3, delivery: "whole", due_ms: [50, 50, 50] })],
    hidden: [
      [OPENED, HIDDEN, token(0, 12), drawn(90, true), token(1, 95), finished(96), DONE, drawn(99, true)],
      planned({ tokens: 2 }),
    ],
  };
  const ways = Object.entries(WAYS).filter(([, [, words]]) => !/^\d+ of \d+$/.test(words));
  for (const [way, [actions]] of ways) more[way] = [actions, planned()];
  for (const [way, [actions, plan]] of Object.entries(more)) {
    const { measures, reason } = report(actions, plan);
    ok(Object.values(measures).includes(null), `${way}: there are dashes`);
    ok(reason.endsWith("."), `${way}: ${reason}`);
  }
});

test("an ordinary whole answer needs no reason, nor does one under way", () => {
  equal(report(whole([12, 25]), planned({ tokens: 2 })).reason, "");
  equal(report([OPENED, ...seen([12, 25])]).reason, "");
});

test("one answer of a run may be whole while another is not", () => {
  const plan = [planned({ tokens: 2 }), planned({ title: "Failing" })];
  const actions = [OPENED, token(0, 12, 0), token(0, 13, 1), token(1, 22, 0), finished(22, 0), failed(23, 1), DONE];
  const run = runOf(afterAll(plan, actions));
  const reports = reportsOf(run, 1e6);
  deepEqual(
    reports.map(({ title, isWhole, isPart, words }) => ({ title, isWhole, isPart, words })),
    [
      { title: "Streamed", isWhole: true, isPart: false, words: "2 tokens" },
      { title: "Failing", isWhole: false, isPart: true, words: "failed after 1 of 100 tokens" },
    ],
  );
  deepEqual(
    reports.map(({ measures }) => measures.e2eMs),
    [22, null],
  );
});

/* Tokens here by a limit. */

test("tokens here by a limit are known once it has passed, and not before", () => {
  const actions = [OPENED, ...tokens([12, 60, 100, 100.5, 400])];
  /** @type {[number, (number | null)[]][]} */
  const table = [
    [0, [null, null, null]],
    [99.9, [null, null, null]],
    [100, [3, null, null]],
    [1000, [3, 5, null]],
    [10_000, [3, 5, 5]],
  ];
  for (const [elapsedMs, expected] of table) {
    const { here100Ms, here1000Ms, here10000Ms } = report(actions, planned(), elapsedMs).measures;
    deepEqual([here100Ms, here1000Ms, here10000Ms], expected, `${elapsedMs} ms`);
  }
});

test("of an answer that is over all limits are known, of one that was stopped those before the stop", () => {
  /** @type {[Action[], (number | null)[]][]} */
  const table = [
    [
      [OPENED, token(0, 12), finished(13)],
      [1, 1, 1],
    ],
    [
      [OPENED, token(0, 12), failed(13)],
      [1, 1, 1],
    ],
    [
      [OPENED, token(0, 12), stopped(99)],
      [null, null, null],
    ],
    [
      [OPENED, token(0, 12), stopped(500)],
      [1, null, null],
    ],
    [
      [OPENED, token(0, 12), stopped(1000)],
      [1, 1, null],
    ],
  ];
  for (const [actions, expected] of table) {
    const { here100Ms, here1000Ms, here10000Ms } = report(actions, planned(), 50).measures;
    deepEqual([here100Ms, here1000Ms, here10000Ms], expected);
  }
  const run = runOf(afterAll([planned()], [OPENED, token(0, 12), stopped(500)]));
  equal(reportOf(run, 0, 1e6).measures.here1000Ms, null, "the clock of whoever asks changes nothing");
});

/* Resumed, hidden. */

test("a resumed run says so, and keeps its measures, the wait included", () => {
  const actions = [OPENED, ...seen([12]), LOST, RESUMED, ...[token(1, 912), drawn(916)], finished(913), DONE];
  const { measures, reason, isWhole } = report(actions, planned({ tokens: 2 }));
  deepEqual([isWhole, measures.itlMaxMs, measures.e2eMs], [true, 900, 912]);
  ok(/resumed/i.test(reason), reason);
});

test("in a hidden tab nobody saw the first token, so that is not known, but when it came is", () => {
  const actions = [OPENED, HIDDEN, token(0, 12), token(1, 22), drawn(40, true), finished(23), DONE];
  const { measures, reason } = report(actions, planned({ tokens: 2 }));
  unknown(measures, ["perceivedMs", "firstDrawingMs", "lastDrawingMs"]);
  deepEqual([measures.ttftMs, measures.e2eMs], [12, 22]);
  ok(/hidden/i.test(reason), reason);
});

test("a first token that was seen before the tab was hidden is not said to be unknown", () => {
  const actions = [OPENED, ...seen([12]), HIDDEN, token(1, 22), drawn(40, true), finished(23), DONE];
  const { measures, reason } = report(actions, planned({ tokens: 2 }));
  deepEqual([measures.perceivedMs, measures.firstDrawingMs, measures.lastDrawingMs], [16, 4, null]);
  ok(/hidden/i.test(reason), reason);
  ok(/some|for a while|meanwhile/i.test(reason), `it was hidden only in part: “${reason}”`);
});

/* Whatever the run. */

test("no measure is ever NaN or Infinity, no word undefined, and a whole is never mixed with a part", () => {
  const next = random(13);
  /** @type {((lastMs: number) => Action[])[]} */
  const ends = [
    () => [],
    (ms) => [finished(ms), DONE],
    (ms) => [failed(ms), DONE],
    (ms) => [stopped(ms)],
    () => [LOST],
    () => [LOST, { type: "gave up" }],
    (ms) => [LOST, { ...REFUSED, elapsedMs: ms }],
    (ms) => [LOST, RESUMED, finished(ms), DONE],
    (ms) => [HIDDEN, drawn(ms, true), finished(ms), DONE],
    (ms) => [drawn(ms), finished(ms)],
  ];
  for (let round = 0; round < 1500; round += 1) {
    let ms = next() < 0.2 ? 0 : next() * 1500;
    const n = Math.floor(next() ** 2 * 40);
    const isAtOnce = next() < 0.2;
    const arrivalsMs = Array.from({ length: n }, () => (ms += isAtOnce || next() < 0.3 ? 0 : next() * 300));
    const end = ends[Math.floor(next() * ends.length)];
    const delay_ms = next() < 0.1 ? 0 : Math.round(next() * 1e5) / 1000;
    const plan = planned({ tokens: Math.max(1, n), delay_ms, ...(next() < 0.1 ? { due_ms: [] } : {}) });
    const expected =
      next() < 0.1
        ? { expectedTtftMs: 0, readingGapMs: 0 }
        : expectedOf(Math.floor(next() * 6e4), 10 + Math.floor(next() * 1990));
    const actions = [OPENED, ...(next() < 0.5 ? seen(arrivalsMs) : tokens(arrivalsMs)), ...end(ms)];
    const { measures, words, reason, isWhole, isPart } = report(
      actions,
      plan,
      next() < 0.2 ? 0 : ms + next() * 20_000,
      expected,
    );
    const what = `round ${round}: ${arrivalsMs}, ${JSON.stringify(end(ms))}`;
    for (const [name, value] of Object.entries(measures))
      ok(value === null || Number.isFinite(value), `${name} is ${value}, ${what}`);
    ok(!/NaN|Infinity|undefined|null/.test(words + reason), `${words} ${reason}, ${what}`);
    ok(!(isWhole && isPart), what);
    if (!isWhole) unknown(measures, OF_THE_WHOLE, what);
  }
});

test("of an answer that failed it is not said that all came at once, when not all came", () => {
  const run = runOf(afterAll([planned()], [OPENED, ...tokens([50, 50.5, 51]), failed(52)]));
  equal(reportOf(run, 0, 52).reason, "Not whole: gaps are of what came, and the rest is not known.");
});

// @ts-check
import { deepEqual, equal, ok, test } from "/tests/harness.js";
import { planned, random } from "/tests/runs.js";
import { ROWS, areLevel, bestOf, cellsOf } from "/static/js/pure/table.js";

/** @import { MeasureName, Measures, Report } from "/static/js/pure/measures.js" */
/** @import { PlannedLane } from "/static/js/pure/state.js" */

const NAMES = /** @type {MeasureName[]} */ (Object.keys(ROWS));
const NOTHING = /** @type {Measures} */ (Object.fromEntries(NAMES.map((name) => [name, null])));
const STREAMED = planned();
const SLOWER = planned({ delay_ms: 20 });
const WHOLE = planned({ title: "All at once", delivery: "whole", due_ms: Array(100).fill(1000) });

/** @type {MeasureName[]} */
const OF_GAPS = ["itlP50Ms", "itlP95Ms", "itlP99Ms", "itlMaxMs", "tpotMs", "decodeTokensPerS"];

/**
 * @param {Partial<Measures>} measures
 * @param {Partial<Report>} [more]
 * @returns {Report} of a whole answer
 */
function report(measures, more = {}) {
  return {
    title: "Streamed",
    isWhole: true,
    isPart: false,
    words: "",
    reason: "",
    measures: { ...NOTHING, ...measures },
    ...more,
  };
}

const PART = { isWhole: false, isPart: true };

/** @param {MeasureName} name @param {(number | null)[]} values @returns {string} a letter for each answer: b is best */
function best(name, values, plan = values.map((_, n) => (n ? SLOWER : STREAMED))) {
  const reports = values.map((value) => report({ [name]: value }));
  return bestOf(name, reports, plan)
    .map((isBest) => (isBest ? "b" : "-"))
    .join("");
}

/** @param {MeasureName} name @param {Report[]} reports @param {PlannedLane[]} [plan] */
const cells = (name, reports, plan = reports.map((_, n) => (n ? SLOWER : STREAMED)), isOver = true) =>
  cellsOf(name, reports, plan, isOver);

/* What a cell says. */

test("each measure is written in the digits of its kind", () => {
  /** @type {[MeasureName, number, string][]} */
  const table = [
    ["perceivedMs", 2304.44, "2,304.4"],
    ["ttftMs", 52, "52.0"],
    ["ttftMs", 100.04, "100.1"],
    ["e2eMs", 5004.26, "5,004.3"],
    ["here100Ms", 9, "9"],
    ["here1000Ms", 1000, "1,000"],
    ["here10000Ms", 10_000, "10,000"],
    ["qoe", 0.6551, "0.655"],
    ["qoe", 1, "1.000"],
    ["qoe", 0.99999, "0.999"],
    ["fluidity", 0.45, "0.450"],
    ["itlP50Ms", 15, "15.0"],
    ["itlP99Ms", 19.94, "19.9"],
    ["itlMaxMs", 2200, "2,200.0"],
    ["itlP95Ms", 19.5, "19.5"],
    ["tpotMs", 10, "10.0"],
    ["decodeTokensPerS", 5, "5.00"],
    ["overallTokensPerS", 98.04, "98.0"],
    ["overallTokensPerS", 1234.6, "1,235"],
    ["ntMs", 5000, "5,000.0"],
    ["predictedMs", 5040, "5,040.0"],
    ["outsideMs", -7.5, "−7.5"],
    ["setByYouMs", -0, "0.0"],
    ["serverLateMs", 1.2, "1.2"],
    ["basePathMs", 84.2, "84.2"],
    ["extraPathMs", 0.4, "0.4"],
    ["firstDrawingMs", 5.75, "5.8"],
    ["lastDrawingMs", 11, "11.0"],
  ];
  for (const [name, value, text] of table)
    equal(cells(name, [report({ [name]: value })])[0].text, text, `${name} ${value}`);
  equal(new Set(table.map(([name]) => name)).size, NAMES.length, "the table of this test has every row");
});

test("what is not known is a dash and never the best, in every row", () => {
  for (const name of NAMES) {
    for (const isOver of [true, false]) {
      for (const { text, isBest } of cells(
        name,
        [report({}), report({ [name]: 5 }), report({})],
        [STREAMED, STREAMED, STREAMED],
        isOver,
      ).filter((_, n) => n !== 1)) {
        deepEqual([text, isBest], ["–", false], name);
      }
    }
  }
});

test("tokens here stand beside the tokens due by then: ten of 100 at 10 ms at 0.1 s, and all of them later", () => {
  const measured = report({ here100Ms: 9, here1000Ms: 99, here10000Ms: 100 });
  /** @type {[MeasureName, string, string][]} */
  const table = [
    ["here100Ms", "9", "10 due"],
    ["here1000Ms", "99", "100 due"],
    ["here10000Ms", "100", "100 due"],
  ];
  for (const [name, text, note] of table) deepEqual(cells(name, [measured]), [{ text, note, isBest: false }], name);
  equal(cells("here100Ms", [report({})], [WHOLE])[0].note, "0 due", "and it is known before it is measured");
});

test("what is due of ten thousand tokens is separated at the thousands", () => {
  equal(
    cells("here10000Ms", [report({ here10000Ms: 9_990 })], [planned({ tokens: 10_000, delay_ms: 1 })])[0].note,
    "10,000 due",
  );
});

test("the best is marked in words beside the figure, and only when the run is over", () => {
  const reports = [report({ ttftMs: 12 }), report({ ttftMs: 5002 })];
  deepEqual(
    cells("ttftMs", reports).map(({ note, isBest }) => ({ note, isBest })),
    [
      { note: "best", isBest: true },
      { note: "", isBest: false },
    ],
  );
  ok(cells("ttftMs", reports, [STREAMED, STREAMED], false).every(({ note, isBest }) => note === "" && !isBest));
});

test("several notes are all there", () => {
  const reports = [report({ here100Ms: 9 }), report({ here100Ms: 0 })];
  deepEqual(
    cells("here100Ms", reports, [STREAMED, WHOLE]).map(({ note }) => note),
    ["10 due · best", "0 due"],
  );
});

test("gaps of a part are said to be so, while it goes on and when it is over", () => {
  const part = report({ itlP50Ms: 10, itlP95Ms: 10, itlP99Ms: 10, itlMaxMs: 10 }, PART);
  for (const name of /** @type {MeasureName[]} */ (["itlP50Ms", "itlP95Ms", "itlP99Ms", "itlMaxMs"])) {
    equal(cells(name, [part])[0].note, "of a part", name);
    equal(cells(name, [part], [STREAMED], false)[0].note, "so far", name);
  }
});

test("a dash is not said to be of a part, nor is what is known of a first token", () => {
  const part = report({ ttftMs: 12, perceivedMs: 16, ntMs: 1000 }, PART);
  for (const name of /** @type {MeasureName[]} */ ([
    "itlP50Ms",
    "itlMaxMs",
    "tpotMs",
    "e2eMs",
    "ttftMs",
    "perceivedMs",
    "ntMs",
  ])) {
    equal(cells(name, [part])[0].note, "", name);
  }
});

test("of an answer sent whole, what is from token to token is said to be all at once, and nothing else is", () => {
  for (const name of NAMES) {
    const [{ note }] = cells(name, [report({ [name]: 0 })], [WHOLE]);
    equal(note.includes("all at once"), OF_GAPS.includes(name), name);
  }
});

test("an answer that came within a timer's grain is said to be all at once, and one in pieces to be so", () => {
  const brought = { ttftMs: 12, e2eMs: 12.4, itlP50Ms: 0, tpotMs: 0.01 };
  const [inOne] = cells("itlP50Ms", [report({ ...brought, decodeTokensPerS: null })]);
  const [inPieces] = cells("itlP50Ms", [report({ ...brought, e2eMs: 500, decodeTokensPerS: 200 })]);
  deepEqual([inOne.note, inPieces.note], ["all at once", "in pieces"]);
  equal(cells("itlP50Ms", [report({ ...brought, decodeTokensPerS: null }, PART)])[0].note, "in pieces · of a part");
  equal(
    cells("itlP50Ms", [report(brought, PART)], [STREAMED], false)[0].note,
    "so far",
    "which has room beside a figure",
  );
});

/* Which is best. */

test("less is better of a wait, more of a rate, a score or tokens here, and the rest is not judged", () => {
  /** @type {Record<string, MeasureName[]>} */
  const rows = {
    "b-": ["perceivedMs", "ttftMs", "itlP50Ms", "itlP95Ms", "itlP99Ms", "itlMaxMs", "tpotMs", "e2eMs"],
    "-b": ["here100Ms", "here1000Ms", "here10000Ms", "qoe", "fluidity", "decodeTokensPerS", "overallTokensPerS"],
    "--": [
      "firstDrawingMs",
      "ntMs",
      "predictedMs",
      "outsideMs",
      "setByYouMs",
      "serverLateMs",
      "basePathMs",
      "extraPathMs",
      "lastDrawingMs",
    ],
  };
  for (const [expected, names] of Object.entries(rows)) {
    for (const name of names) equal(best(name, [10, 90]), expected, name);
  }
  equal(Object.values(rows).flat().length, NAMES.length, "every row is here");
});

test("those level with the best are best too, unless all are", () => {
  /** @type {[MeasureName, (number | null)[], string][]} */
  const table = [
    ["ttftMs", [12, 13.9, 5000], "bb-"],
    ["ttftMs", [12, 14, 5000], "b--"],
    ["ttftMs", [12, 13.9], "--"],
    ["ttftMs", [0, 0], "--"],
    ["e2eMs", [5000, 5049, 9000], "bb-"],
    ["e2eMs", [5000, 5060, 9000], "b--"],
    ["e2eMs", [5000, 5049], "--"],
    ["qoe", [0.655, 0.931], "-b"],
    ["qoe", [1, 0.995, 0.2], "bb-"],
    ["qoe", [0, 0], "--"],
    ["here100Ms", [9, 10], "-b"],
    ["here100Ms", [0, 0, 0], "---"],
    ["here10000Ms", [10_000, 9_950, 5], "bb-"],
    ["overallTokensPerS", [20, 20, 5], "bb-"],
    ["overallTokensPerS", [0.5, 0.6], "-b"],
  ];
  for (const [name, values, expected] of table) equal(best(name, values), expected, `${name} ${values}`);
});

test("an answer that is whole by then has no fewer tokens here than a longer one", () => {
  const plan = [planned({ tokens: 30 }), planned({ tokens: 40, delay_ms: 20 }), planned({ tokens: 50, delay_ms: 30 })];
  equal(best("here10000Ms", [30, 40, 50], plan), "---");
  equal(best("here1000Ms", [30, 40, 33], plan), "bb-");
  equal(best("here100Ms", [9, 5, 3], plan), "b--");
});

test("where fewer than two are known, none is best", () => {
  for (const name of NAMES) {
    equal(best(name, [10]), "-", name);
    equal(best(name, [null, null]), "--", name);
    equal(best(name, [null, 10, null]), "---", name);
  }
});

test("a part is never best, however good, and does not keep two whole ones from being compared", () => {
  const reports = [report({ ttftMs: 1 }, PART), report({ ttftMs: 12 }), report({ ttftMs: 60 })];
  deepEqual(bestOf("ttftMs", reports, [STREAMED, STREAMED, SLOWER]), [false, true, false]);
  deepEqual(bestOf("ttftMs", reports.slice(0, 2), [STREAMED, SLOWER]), [false, false], "one alone is best of nothing");
});

test("an answer sent whole is not the best from token to token, but may be in its total", () => {
  for (const name of OF_GAPS) {
    equal(best(name, name === "decodeTokensPerS" ? [100, 9e5] : [10, 0], [STREAMED, WHOLE]), "--", name);
    equal(
      best(name, name === "decodeTokensPerS" ? [100, 9e5, 20] : [10, 0, 50], [STREAMED, WHOLE, SLOWER]),
      "b--",
      name,
    );
  }
  equal(best("e2eMs", [5000, 1000], [STREAMED, WHOLE]), "-b");
});

test("an answer that a buffering proxy brings all at once is not the best from token to token either", () => {
  const buffered = planned({ due_ms: Array(100).fill(2000), predicted_ms: 2000 });
  const streamed = report({ ttftMs: 12, e2eMs: 1002, itlP50Ms: 10, itlMaxMs: 11, tpotMs: 10, decodeTokensPerS: 100 });
  const atOnce = report({
    ttftMs: 2001,
    e2eMs: 2001.1,
    itlP50Ms: 0,
    itlMaxMs: 0.1,
    tpotMs: 0.001,
    decodeTokensPerS: 990_000,
  });
  for (const name of /** @type {MeasureName[]} */ (["itlP50Ms", "itlMaxMs", "tpotMs", "decodeTokensPerS"])) {
    deepEqual(bestOf(name, [streamed, atOnce], [STREAMED, buffered]), [false, false], name);
  }
});

test("best marks are never on a part, an unknown or all that are whole, whatever the values", () => {
  const next = random(21);
  for (let round = 0; round < 2000; round += 1) {
    const name = NAMES[Math.floor(next() * NAMES.length)];
    const spread = 10 ** (next() * 6 - 3);
    const reports = Array.from({ length: 1 + Math.floor(next() * 4) }, () => {
      const value = next() < 0.15 ? null : next() < 0.1 ? 0 : 100 + next() * spread;
      return report({ [name]: value }, next() < 0.2 ? PART : {});
    });
    const plan = reports.map(() => (next() < 0.2 ? WHOLE : STREAMED));
    const marks = bestOf(name, reports, plan);
    const what = `round ${round}: ${name} ${reports.map(({ measures, isWhole }) => `${measures[name]}${isWhole ? "" : " (part)"}`)}: ${marks}`;
    equal(marks.length, reports.length, what);
    marks.forEach((isBest, n) => ok(!isBest || (reports[n].isWhole && reports[n].measures[name] !== null), what));
    const compared = reports.map(
      ({ isWhole, measures }, n) =>
        isWhole && measures[name] !== null && !(OF_GAPS.includes(name) && plan[n].delivery === "whole"),
    );
    ok(!marks.some(Boolean) || marks.some((isBest, n) => compared[n] && !isBest), what);
    const values = reports.map(({ measures }) => Number(measures[name]));
    const isBetter = (/** @type {number} */ a, /** @type {number} */ b) =>
      ROWS[name].better === "less" ? a < b : a > b;
    marks.forEach(
      (isBest, n) =>
        isBest &&
        marks.forEach((other, m) => {
          ok(other || !compared[m] || !isBetter(values[m], values[n]), `an unmarked one is better, ${what}`);
        }),
    );
    cells(name, reports, plan).forEach(({ isBest, note }, n) =>
      deepEqual([isBest, /best/.test(note)], [marks[n], marks[n]], what),
    );
  }
});

test("two values are level within the grain of a timer, or within one in a hundred", () => {
  /** @type {[number, number, boolean][]} */
  const table = [
    [12, 13.9, true],
    [12, 14, false],
    [0, 0, true],
    [0, 1.9, true],
    [5000, 5050, true],
    [5000, 5051, false],
    [1000, 1011, false],
    [1000, 1010, true],
  ];
  for (const [a, b, expected] of table) {
    equal(areLevel(a, b), expected, `${a}, ${b}`);
    equal(areLevel(b, a), expected, `${b}, ${a}`);
  }
});

test("of twins none is best: what differs between them is chance", () => {
  equal(best("ttftMs", [12, 60], [STREAMED, planned()]), "--");
  equal(best("ttftMs", [12, 60, 13], [STREAMED, SLOWER, planned()]), "b-b");
});

test("a disturbed run has no best", () => {
  const resumed = { marks: "resumed" };
  deepEqual(bestOf("ttftMs", [report({ ttftMs: 1 }, resumed), report({ ttftMs: 60 }, resumed)], [STREAMED, SLOWER]), [
    false,
    false,
  ]);
});

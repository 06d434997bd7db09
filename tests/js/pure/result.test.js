// @ts-check
import { deepEqual, equal, ok, test, throws } from "/tests/harness.js";
import { reportsOf } from "/static/js/pure/measures.js";
import { EXPECTED } from "/static/js/pure/metrics.js";
import { csvOf } from "/static/js/pure/csv.js";
import { ResultError, readResult, resultOf } from "/static/js/pure/result.js";
import { OPENED, TAKEN_AT, afterAll, drawn, failed, finished, planned, runOf, tokens } from "/tests/runs.js";

/** @import { Action, Run } from "/static/js/pure/state.js" */

const SAVED = { version: "1.2.3", browser: "a browser", clockResolutionMs: 0.1 };
const CIRCUMSTANCES = { ...SAVED, link: "http://x/?lane=tokens:3" };
const DONE = /** @type {Action} */ ({ type: "done" });

/** @param {Action[]} [actions] @returns {Run} */
function someRun(actions = [finished(30), drawn(35), DONE]) {
  return runOf(afterAll([planned({ tokens: 3 })], [OPENED, ...tokens([10, 20.1234, 30]), ...actions]));
}

/** @param {Run} run @returns {any} */
function result(run) {
  return resultOf(run, reportsOf(run, run.endMs ?? 0), EXPECTED, CIRCUMSTANCES);
}

test("a result names its measures as the wire names times", () => {
  const { measures } = result(someRun()).lanes[0];
  for (const name of ["ttft_ms", "e2e_ms", "itl_p50_ms", "here_100_ms", "decode_tokens_per_s", "nt_ms", "qoe"])
    ok(name in measures, name);
});

test("a result says how and where it was measured", () => {
  const { about } = result(someRun([{ type: "hidden" }, finished(30), DONE]));
  deepEqual(
    [about.browser, about.clock_resolution_ms, about.was_hidden, about.how_it_ended],
    ["a browser", 0.1, true, "done"],
  );
});

for (const [what, actions] of /** @type {[string, Action[]][]} */ ([
  ["finished", [finished(36), drawn(37), DONE]],
  ["failed", [failed(31), DONE]],
  ["stopped", [{ type: "stopped", elapsedMs: 1500 }]],
  ["resumed", [{ type: "lost", reason: "" }, { type: "opened", resumed: true }, finished(30), DONE]],
])) {
  test(`a run that ${what} is read back with the same measures`, () => {
    const run = someRun(actions);
    const read = { ...readResult(JSON.stringify(result(run))), number: 9 };
    deepEqual(reportsOf(read, read.endMs ?? 0), reportsOf({ ...run, lanes: rounded(run) }, run.endMs ?? 0));
    deepEqual(read.saved, SAVED);
    deepEqual([read.endMs, read.phase, read.takenAt], [run.endMs, run.phase, TAKEN_AT]);
    deepEqual(read.query, { lanes: [{ tokens: "3" }], say: "" });
  });
}

/** @param {Run} run its lanes as a file has them: in whole microseconds, due as planned */
function rounded({ lanes, plan }) {
  return lanes.map(({ tokens, ...lane }, n) => {
    const exact = tokens.map((token, i) => ({
      ...token,
      dueMs: plan[n].due_ms[i],
      arrivalMs: Math.round(token.arrivalMs * 1000) / 1000,
    }));
    return { ...lane, tokens: exact, arrivalsMs: exact.map(({ arrivalMs }) => arrivalMs) };
  });
}

test("what is no result is refused", () => {
  for (const text of ["", "[]", "null", '"x"', "{}", "<html>"])
    throws(() => readResult(text), /not JSON|not a result/, text);
  throws(() => readResult('{"format":"trickle-result","format_version":1}'), /about/);
});

test("a refusal is an error of its own kind", () => {
  try {
    readResult("{");
    ok(false);
  } catch (error) {
    ok(error instanceof ResultError);
  }
});

test("more than four answers, or tokens without an end, are refused", () => {
  const four = result(someRun());
  throws(() => readResult(JSON.stringify({ ...four, lanes: Array(5).fill(four.lanes[0]) })), /a list of 1 to 4/);
  const due_ms = Array.from({ length: 10_001 }, (_, i) => i);
  throws(
    () => readResult(JSON.stringify({ ...four, lanes: [{ ...four.lanes[0], due_ms }] })),
    /lanes\[0\]\.due_ms must be a list of 0 to 3/,
  );
});

test("a table has one kind of record a line, and as many cells in each", () => {
  const lines = csvOf(result(someRun())).trimEnd().split("\r\n");
  const kinds = new Set(lines.slice(1).map((line) => line.split(",")[0]));
  deepEqual([...kinds], ["about", "setting", "end", "measure", "token"]);
  equal(lines.filter((line) => line.startsWith("token,")).length, 3);
});

test("a text with anything in it is one cell, which no spreadsheet takes for a formula", () => {
  const run = someRun();
  run.lanes[0].tokens[0].text = '=1+1, "quoted"\r\n';
  const line = csvOf(result(run))
    .split("\r\n")
    .find((line) => line.startsWith("token,0,,,0,"));
  equal(line, 'token,0,,,0,"""=1+1, \\""quoted\\""\\r\\n""",10,9,10,35');
});

test("what a file says besides is not taken over", () => {
  const odd = result(someRun());
  odd.lanes[0].settings["=cmd|x"] = 1;
  odd.lanes[0].settings.__proto__ = { tokens: 5 };
  const { plan } = readResult(JSON.stringify(odd));
  deepEqual(
    Object.keys(plan[0]).filter((name) => name.startsWith("=")),
    [],
  );
});

for (const [what, spoil, problem] of /** @type {[string, (result: any) => void, string][]} */ ([
  [
    "a link without its lanes",
    ({ about }) => (about.link = "http://x/"),
    'about.link must be a link with as many lanes, 1, but was "http://x/"',
  ],
  [
    "a date that is none",
    ({ about }) => (about.taken_at = "soon"),
    'about.taken_at must be a date and time, but was "soon"',
  ],
  [
    "an end that is none",
    ({ about }) => (about.ended_ms = null),
    'about.ended_ms must be a number from 0 to 1,000,000,000, but was "null"',
  ],
  [
    "an end before its last token",
    ({ about }) => (about.ended_ms = 29.9),
    'about.ended_ms must be a number from 30 to 1,000,000,000, but was "29.9"',
  ],
  [
    "a mark that is neither true nor false",
    ({ about }) => (about.was_hidden = "yes"),
    'about.was_hidden must be true or false, but was "yes"',
  ],
  [
    "a mark that is missing",
    ({ about }) => delete about.was_resumed,
    'about.was_resumed must be true or false, but was "" (it is missing)',
  ],
  [
    "no tokens at all",
    ({ lanes }) => (lanes[0].settings.tokens = 0),
    'lanes[0].settings.tokens must be a whole number from 1 to 10,000, but was "0"',
  ],
  [
    "no title",
    ({ lanes }) => (lanes[0].settings.title = ""),
    'lanes[0].settings.title must be text of 1 to 80 characters, but was ""',
  ],
  [
    "a setting of the wrong kind",
    ({ lanes }) => (lanes[0].settings.jitter = "0.5x"),
    'lanes[0].settings.jitter must be a number from 0 to 4,294,967,295, but was "0.5x"',
  ],
  [
    "a setting that is neither number nor text",
    ({ lanes }) => (lanes[0].settings.text = {}),
    'lanes[0].settings.text must be text of at most 20,000 characters, but was "{}"',
  ],
  [
    "a finished answer of no tokens",
    ({ lanes }) => Object.assign(lanes[0], { due_ms: [], tokens: [] }),
    'lanes[0].tokens.length must be 3, as it finished, but was "0"',
  ],
  [
    "an answer that was done and has no end",
    ({ lanes }) => (lanes[0].end = null),
    'lanes[0].end must be an object, but was "null"',
  ],
  [
    "times that fall",
    ({ lanes }) => (lanes[0].due_ms[1] = 9),
    'lanes[0].due_ms[1] must be a number from 10 to 1,000,000,000, but was "9"',
  ],
  [
    "a token before the one before it",
    ({ lanes }) => (lanes[0].tokens[2].arrival_ms = 20),
    'lanes[0].tokens[2].arrival_ms must be a number from 20.123 to 1,000,000,000, but was "20"',
  ],
  [
    "a token that was seen before it came",
    ({ lanes }) => (lanes[0].tokens[2].drawn_ms = 29),
    'lanes[0].tokens[2].drawn_ms must be null or a number from 30 to 1,000,000,000, but was "29"',
  ],
  [
    "a token that is none",
    ({ lanes }) => (lanes[0].tokens[0] = []),
    'lanes[0].tokens[0] must be an object, but was "[]"',
  ],
])) {
  test(`a result with ${what} is refused`, () => {
    const odd = result(someRun());
    spoil(odd);
    throws(() => readResult(JSON.stringify(odd)), new RegExp(`^${problem.replace(/[[\]().]/g, "\\$&")}$`));
  });
}

test("the largest that a page may save is read back: seed, title, link and text", () => {
  const run = someRun();
  Object.assign(run.plan[0], { seed: 2 ** 32 - 1, title: `${"🚀".repeat(40)}, all at once` });
  run.lanes[0].tokens[0].text = "x".repeat(10_000);
  const saved = result(run);
  saved.about.link = `?lane=tokens:3&say=${"%F0%9F%9A%80".repeat(500)}&${"x".repeat(5_000)}`;
  deepEqual(readResult(JSON.stringify(saved)).plan, run.plan);
});

test("an answer that was opened from disk is not in the link, and is read back all the same", () => {
  const plan = [planned({ tokens: 2, opened: "a.json" }), planned({ tokens: 3 })];
  const run = runOf(
    afterAll(plan, [OPENED, ...tokens([1, 2]), ...tokens([1, 2, 3], 1), finished(2), finished(3, 1), DONE]),
  );
  const { query, plan: readPlan } = readResult(JSON.stringify(result(run)));
  deepEqual(query.lanes, [{ opened: "a.json" }, { tokens: "3" }]);
  equal(readPlan[0].opened, "a.json");
  const two = { ...result(run), about: { ...result(run).about, link: "?lane=tokens:2&lane=tokens:3" } };
  throws(() => readResult(JSON.stringify(two)), /as many lanes/);
});

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
  throws(() => readResult(JSON.stringify({ ...four, lanes: Array(5).fill(four.lanes[0]) })), /one to 4/);
  const due_ms = Array.from({ length: 10_001 }, (_, i) => i);
  throws(() => readResult(JSON.stringify({ ...four, lanes: [{ ...four.lanes[0], due_ms }] })), /at most one a token/);
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
  deepEqual(Object.keys(plan[0]).filter((name) => name.startsWith("=")), []);
});

for (const [what, spoil, problem] of /** @type {[string, (result: any) => void, RegExp][]} */ ([
  ["a link without its lanes", (odd) => (odd.about.link = "http://x/"), /as many lanes/],
  ["a date that is none", (odd) => (odd.about.taken_at = "soon"), /taken_at/],
  ["an end that is none", (odd) => (odd.about.ended_ms = null), /ended_ms/],
  ["no tokens at all", (odd) => (odd.lanes[0].settings.tokens = 0), /tokens must be a whole number/],
  ["a finished answer of no tokens", (odd) => Object.assign(odd.lanes[0], { due_ms: [], tokens: [] }), /all its tokens/],
  ["a setting that is neither number nor text", (odd) => (odd.lanes[0].settings.jitter = {}), /each setting/],
])) {
  test(`a result with ${what} is refused`, () => {
    const odd = result(someRun());
    spoil(odd);
    throws(() => readResult(JSON.stringify(odd)), problem);
  });
}

test("an answer that was opened from disk is not in the link, and is read back all the same", () => {
  const plan = [planned({ tokens: 2, opened: "a.json" }), planned({ tokens: 3 })];
  const run = runOf(afterAll(plan, [OPENED, ...tokens([1, 2]), ...tokens([1, 2, 3], 1), finished(2), finished(3, 1), DONE]));
  const { query, plan: readPlan } = readResult(JSON.stringify(result(run)));
  deepEqual(query.lanes, [{ opened: "a.json" }, { tokens: "3" }]);
  equal(readPlan[0].opened, "a.json");
  const two = { ...result(run), about: { ...result(run).about, link: "?lane=tokens:2&lane=tokens:3" } };
  throws(() => readResult(JSON.stringify(two)), /as many lanes/);
});

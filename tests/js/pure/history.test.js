// @ts-check
import { deepEqual, equal, ok, test } from "/tests/harness.js";
import { MOST_ENTRIES, entryOf, readEntries, summariesOf, withEntry } from "/static/js/pure/history.js";
import { reportsOf } from "/static/js/pure/measures.js";
import { OPENED, afterAll, drawn, failed, finished, planned, runOf, tokens } from "/tests/runs.js";

/** @import { Entry } from "/static/js/pure/history.js" */
/** @import { Action } from "/static/js/pure/state.js" */

/**
 * @param {number} e2eMs
 * @param {string} [query]
 * @param {Action[]} [actions]
 * @returns {Entry} of a run of two tokens, drawn 5 ms after they came
 */
function entry(e2eMs, query = "lane=tokens:2", actions = [finished(e2eMs), drawn(e2eMs + 5), { type: "done" }]) {
  const run = runOf(
    afterAll([planned({ tokens: 2 })], [OPENED, ...tokens([10]), drawn(15), ...tokens([10, e2eMs]), ...actions]),
  );
  return entryOf(query, ["tokens:2"], run, reportsOf(run, run.endMs ?? 0));
}

test("the median and range of a configuration are those of its runs", () => {
  const [{ runs, lanes, leftOut }] = summariesOf([entry(30), entry(50), entry(20)]);
  equal(runs, 3);
  deepEqual(leftOut, []);
  equal(lanes[0].counted, 3);
  deepEqual(lanes[0].spreads.e2eMs, { median: 30, low: 20, high: 50 });
  deepEqual(lanes[0].spreads.perceivedMs, { median: 15, low: 15, high: 15 });
});

test("what is outside n × t is rounded as the total is, to which it adds up as shown", () => {
  const entries = [205.5, 205.6].map((arrivalMs) => {
    /** @type {Action} */
    const last = { type: "token", lane: 0, i: 1, text: "", dueMs: 200, sentMs: 201, arrivalMs };
    const plan = [planned({ tokens: 2, delay_ms: 100 })];
    const run = runOf(afterAll(plan, [OPENED, ...tokens([102]), last, finished(arrivalMs), { type: "done" }]));
    return entryOf("", [""], run, reportsOf(run, arrivalMs));
  });
  const [{ lanes }] = summariesOf(entries);
  deepEqual([lanes[0].spreads.e2eMs.median, lanes[0].spreads.outsideMs.median], [205.55, 5.55]);
});

test("each configuration is summed up on its own, the last run first", () => {
  const summaries = summariesOf([entry(30, "a"), entry(20, "b"), entry(40, "a")]);
  deepEqual(
    summaries.map(({ query, runs }) => [query, runs]),
    [
      ["a", 2],
      ["b", 1],
    ],
  );
});

for (const [reason, actions] of /** @type {[string, Action[]][]} */ ([
  ["stopped", [{ type: "stopped", elapsedMs: 40 }]],
  ["resumed", [{ type: "lost", reason: "" }, { type: "opened", resumed: true }, finished(40), { type: "done" }]],
  ["hidden", [{ type: "hidden" }, finished(40), { type: "done" }]],
  ["failed", [failed(40), { type: "done" }]],
])) {
  test(`a run that was ${reason} is counted and in no median`, () => {
    const [{ runs, lanes, leftOut }] = summariesOf([entry(30), entry(35, "lane=tokens:2", actions)]);
    deepEqual([runs, lanes[0].counted], [2, 1]);
    deepEqual(leftOut, [reason]);
    deepEqual(lanes[0].spreads.e2eMs, { median: 30, low: 30, high: 30 });
  });
}

test("where no run counts nothing is known", () => {
  const [{ lanes }] = summariesOf([entry(30, "a", [{ type: "stopped", elapsedMs: 40 }])]);
  deepEqual(lanes[0].spreads.e2eMs, { median: null, low: null, high: null });
});

test("the oldest run goes where there are too many", () => {
  const full = Array.from({ length: MOST_ENTRIES }, (_, n) => ({ query: String(n), lanes: [], leftOut: "" }));
  const entries = withEntry(full, entry(30, "new"));
  equal(entries.length, MOST_ENTRIES);
  equal(entries[0].query, "1");
  equal(entries.at(-1)?.query, "new");
});

test("what was kept is read back, and anything else is nothing", () => {
  const entries = [entry(30), entry(20, "b", [{ type: "stopped", elapsedMs: 40 }])];
  deepEqual(readEntries(JSON.stringify(entries)), entries);
  for (const text of [
    "",
    "{",
    "null",
    "7",
    '{"query":"a"}',
    "[null]",
    '[{"query":"a","leftOut":"","lanes":[{}]}]',
    '[{"query":"a","leftOut":"","lanes":[{"settings":"","measures":{"e2eMs":"1"}}]}]',
  ]) {
    deepEqual(readEntries(text), [], text);
  }
  ok(summariesOf([]).length === 0);
});

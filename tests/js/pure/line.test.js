// @ts-check
import { deepEqual, equal, test } from "/tests/harness.js";
import { lineOf, partsOfLine } from "/static/js/pure/line.js";
import { dayOf } from "/static/js/pure/words.js";
import { OPENED, afterAll, drawn, failed, finished, planned, runOf, tokens } from "/tests/runs.js";

/** @import { Action, State } from "/static/js/pure/state.js" */
/** @import { Step } from "/static/js/pure/talk.js" */

const PLAN = [planned({ tokens: 2 })];
const SCENE = {
  ...{ slug: "s", query: "lane=tokens:2", pictures: [], minutes: 1 },
  ...{ ask: "How long?", observe: "It took {1.whole}." },
};
const ANSWER = [OPENED, ...tokens([40, 90]), drawn(91)];
const WHOLE = [...ANSWER, finished(90), drawn(92), /** @type {Action} */ ({ type: "done", elapsedMs: 92 })];
const BROKEN = [...ANSWER, failed(90), drawn(92), /** @type {Action} */ ({ type: "done", elapsedMs: 92 })];
const CUT = /** @type {Action} */ ({ ...failed(90), reason: "the connection was cut after 15 tokens" });

/**
 * @param {Step["line"]} line
 * @param {State} state
 * @param {typeof SCENE} [scene]
 */
function lineIn(line, state, scene = SCENE) {
  const shown = { run: state.run, elapsedMs: 1_234, look: /** @type {const} */ ("live") };
  return lineOf({ shows: "answers", line }, scene, state, shown);
}

for (const [what, line, state, expected] of /** @type {[string, Step["line"], State, string][]} */ ([
  ["before the run the question", "ask", { ...afterAll(PLAN), run: null }, "How long?"],
  ["while it runs the clock, whatever the step", "observe", afterAll(PLAN, ANSWER), "1,234 ms · 12 × 100 ms"],
  ["at its end what was seen", "observe", afterAll(PLAN, WHOLE), "It took 90 ms."],
  ["of a failed one that it failed", "observe", afterAll(PLAN, BROKEN), "The model failed. It took –."],
  [
    "of a recording that broke off that it did",
    "observe",
    afterAll(PLAN, [...ANSWER, CUT, ...BROKEN.slice(-2)]),
    "A recording broke off. It took –.",
  ],
  [
    "of a stopped one that it was stopped",
    "observe",
    afterAll(PLAN, [...ANSWER, { type: "stopped", elapsedMs: 95 }]),
    "Stopped. It took –.",
  ],
  [
    "of one that was resumed and then failed both",
    "observe",
    afterAll(PLAN, [OPENED, { type: "lost", reason: "" }, { type: "opened", resumed: true }, ...BROKEN.slice(1)]),
    "The model failed. Resumed after a lost connection. It took –.",
  ],
  [
    "of a resumed one that it was resumed",
    "observe",
    afterAll(PLAN, [OPENED, { type: "lost", reason: "" }, { type: "opened", resumed: true }, ...WHOLE.slice(1)]),
    "Resumed after a lost connection. It took 90 ms.",
  ],
])) {
  test(`${what} is told`, () => equal(lineIn(line, state), expected));
}

test("of a result that was opened it is told at every step that it is one", () => {
  const state = afterAll(PLAN, WHOLE);
  const saved = { version: "", browser: "", clockResolutionMs: 0.1 };
  const opened = { ...state, run: { ...runOf(state), saved } };
  for (const line of /** @type {const} */ (["ask", "clock", "observe"])) {
    equal(lineIn(line, opened), `A result from a file, measured on ${dayOf(runOf(state))}. It took 90 ms.`);
  }
});

test("why there is no run is told instead of the question", () => {
  const problem = { field: "lane", lane: 0, value: "", range: "", detail: "It can't be reached." };
  const state = { ...afterAll(PLAN), run: null, plan: null, problems: [problem] };
  equal(lineIn("ask", state), "It can't be reached.");
});

for (const [line, parts] of /** @type {[string, string[]][]} */ ([
  ["Seen after 52 ms and 5,004 ms.", ["Seen after ", "52 ms", " and ", "5,004 ms", "."]],
  ["1,234 ms · 12 × 100 ms", ["", "1,234 ms", " · 12 × 100 ms"]],
  ["How long?", ["How long?"]],
])) {
  test(`“${line}” has its times apart`, () => deepEqual(partsOfLine(line), parts));
}

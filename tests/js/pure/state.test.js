// @ts-check
import { deepEqual, equal, ok, test } from "/tests/harness.js";
import {
  OPENED,
  REQUESTED_AT,
  TAKEN_AT,
  afterAll,
  drawn,
  failed,
  finished,
  planned,
  runOf,
  token,
  tokens,
} from "/tests/runs.js";
import { elapsedMs, initialState, isActive, laneEndMs, perceivedMs, reduce } from "/static/js/pure/state.js";

/** @import { Action, Phase } from "/static/js/pure/state.js" */

const QUERY = { lanes: [{ tokens: "2" }], say: "" };
const OTHER_QUERY = { lanes: [{ tokens: "3" }], say: "Hello" };
const PLAN = [planned({ tokens: 2 })];
const TWO = [planned({ tokens: 2 }), planned({ tokens: 3 })];

/** Every way in which a run is over, with what the clock then shows. @type {[Action[], Phase, number][]} */
const ENDS = [
  [[OPENED, token(0, 12), token(1, 25), finished(26), { type: "done" }], "done", 25],
  [[OPENED, token(0, 12), failed(40), { type: "done" }], "done", 40],
  [[OPENED, token(0, 12), { type: "stopped", elapsedMs: 500 }], "stopped", 500],
  [[{ type: "lost", reason: "the connection broke" }, { type: "refused", reason: "no", elapsedMs: 80 }], "refused", 80],
];

/** What can happen in a run, or come too late for it. @type {Action[]} */
const ANYTHING = [
  OPENED,
  { type: "opened", resumed: true },
  token(0, 900),
  token(1, 901),
  finished(902),
  failed(903),
  { type: "lost", reason: "late" },
  { type: "gave up" },
  { type: "refused", reason: "late", elapsedMs: 904 },
  { type: "stopped", elapsedMs: 905 },
  { type: "done" },
  { type: "hidden" },
];

test("at first there is a query, and neither a plan nor a run", () => {
  const { query, plan, problems, run } = initialState(QUERY);
  deepEqual({ query, plan, problems, run }, { query: QUERY, plan: null, problems: [], run: null });
});

test("without a run, what happens in runs changes nothing", () => {
  const state = initialState(QUERY);
  for (const action of [...ANYTHING, drawn(10)]) equal(reduce(state, action), state, action.type);
});

test("without a plan no run begins", () => {
  equal(reduce(initialState(QUERY), { type: "requested", atMs: 5, takenAt: TAKEN_AT }).run, null);
});

test("a whole run goes from connecting to done, and keeps every token", () => {
  let state = afterAll(PLAN);
  equal(runOf(state).phase, "connecting");
  /** @type {[Action, Phase][]} */
  const steps = [
    [OPENED, "open"], [token(0, 12), "open"], [token(1, 25), "open"], [finished(26), "open"], [{ type: "done" }, "done"],
  ];
  for (const [action, phase] of steps) {
    ok(isActive(state.run), `before ${action.type}`);
    state = reduce(state, action);
    equal(runOf(state).phase, phase, action.type);
  }
  ok(!isActive(state.run));
  const [lane] = runOf(state).lanes;
  deepEqual(lane.tokens, [
    { text: " 0", dueMs: 10, sentMs: 11, arrivalMs: 12, drawnMs: null },
    { text: " 1", dueMs: 23, sentMs: 24, arrivalMs: 25, drawnMs: null },
  ]);
  deepEqual(lane.arrivalsMs, [12, 25]);
  deepEqual(lane.end, { how: "finished", reason: "stop", atMs: 26 });
});

test("times are whole microseconds, whatever is left over of a browser's clock: so a result has them", () => {
  const tokens = [token(0, 12.000_000_4), token(1, 35.650_000_09)];
  const state = afterAll(PLAN, [OPENED, ...tokens, finished(36.000_000_1), drawn(40.1 + 1e-9)]);
  const [lane] = runOf(state).lanes;
  deepEqual([lane.arrivalsMs, lane.end?.atMs], [[12, 35.65], 36]);
  deepEqual(lane.tokens.map(({ sentMs, arrivalMs }) => [sentMs, arrivalMs]), [[11, 12], [34.65, 35.65]]);
  ok(lane.tokens.every(({ drawnMs }) => drawnMs === Math.round((drawnMs ?? 0) * 1000) / 1000));
  for (const type of /** @type {const} */ (["stopped", "refused"])) {
    const ended = afterAll(PLAN, [OPENED, { type, reason: "", elapsedMs: 500.000_000_1 }]);
    equal(runOf(ended).endMs, 500);
  }
});

test("a run keeps the plan it began with", () => {
  const state = reduce(afterAll(PLAN), { type: "planned", plan: TWO });
  equal(runOf(state).plan, PLAN);
  equal(state.plan, TWO);
});

test("each run begins with nothing, and has a number of its own", () => {
  const first = afterAll(PLAN, ENDS[0][0]);
  const second = reduce(first, { type: "requested", atMs: 9_000, takenAt: TAKEN_AT });
  deepEqual([runOf(second).lanes[0].tokens, runOf(second).endMs, runOf(second).requestedAt], [[], null, 9_000]);
  deepEqual([runOf(first).number, runOf(second).number], [1, 2]);
  equal(runOf(first).lanes[0].tokens.length, 2, "the first is as it was");
});

test("the numbers of runs go on after an edit, or a view would take the next run for the last", () => {
  /** @type {Action[]} */
  const next = [
    { type: "edited", query: OTHER_QUERY }, { type: "planned", plan: PLAN }, { type: "requested", atMs: 9_000, takenAt: TAKEN_AT },
  ];
  const second = next.reduce(reduce, afterAll(PLAN, ENDS[0][0]));
  const third = [...ENDS[0][0], ...next].reduce(reduce, second);
  deepEqual([runOf(second).number, runOf(third).number], [2, 3]);
});

test("tokens sent again after a resume are ignored", () => {
  const before = afterAll(PLAN, [OPENED, token(0, 12), { type: "lost", reason: "" }, { type: "opened", resumed: true }]);
  const [lane] = runOf([token(0, 900), token(1, 901), token(0, 902)].reduce(reduce, before)).lanes;
  deepEqual(lane.arrivalsMs, [12, 901]);
  deepEqual(lane.tokens.map(({ text }) => text), [" 0", " 1"]);
});

test("the first finish or failure of an answer is kept, those sent again are not", () => {
  for (const [first, second] of [[finished(26), finished(90)], [failed(26), failed(90)], [failed(26), finished(90)]]) {
    const run = runOf(afterAll(PLAN, [OPENED, token(0, 12), first, { type: "opened", resumed: true }, second]));
    equal(run.lanes[0].end?.atMs, 26);
    equal(run.lanes[0].end?.how, first.type === "ended" ? first.how : "");
  }
});

test("a lost connection is told with its reason until it is open again, which is remembered", () => {
  const lost = afterAll(PLAN, [OPENED, { type: "lost", reason: "shutdown" }]);
  deepEqual([runOf(lost).phase, runOf(lost).reason, runOf(lost).wasResumed], ["lost", "shutdown", false]);
  const open = reduce(lost, { type: "opened", resumed: true });
  deepEqual([runOf(open).phase, runOf(open).reason, runOf(open).wasResumed], ["open", "", true]);
  ok(runOf([{ type: /** @type {const} */ ("lost"), reason: "" }, OPENED].reduce(reduce, open)).wasResumed, "for good");
});

test("a run that was given up is not over, because it can be resumed", () => {
  const state = afterAll(PLAN, [OPENED, token(0, 12), { type: "lost", reason: "" }, { type: "gave up" }]);
  equal(runOf(state).phase, "gave up");
  ok(isActive(state.run));
  const resumed = [{ type: /** @type {const} */ ("opened"), resumed: true }, token(1, 900)].reduce(reduce, state);
  deepEqual(runOf(resumed).lanes[0].arrivalsMs, [12, 900]);
});

test("the clock goes on from the request, and is never negative", () => {
  const run = runOf(afterAll(PLAN));
  deepEqual([-1, 0, 52.5].map((ms) => elapsedMs(run, REQUESTED_AT + ms)), [0, 0, 52.5]);
});

test("however a run ends, its clock stands still there", () => {
  for (const [actions, phase, endMs] of ENDS) {
    const run = runOf(afterAll(PLAN, actions));
    deepEqual([run.phase, run.endMs, elapsedMs(run, REQUESTED_AT + 60_000)], [phase, endMs, endMs]);
    ok(!isActive(run), phase);
  }
});

test("at the end the clock shows the last arrival of all answers, or a failure that came later", () => {
  /** @param {Action[]} actions */
  const endMs = (...actions) => runOf(afterAll(TWO, [OPENED, ...actions, { type: "done" }])).endMs;
  equal(endMs(...tokens([12, 25], 0), finished(25.5, 0), ...tokens([11, 22, 33], 1), finished(34, 1)), 33);
  equal(endMs(...tokens([11, 22, 33], 1), finished(34, 1), ...tokens([12, 45], 0), finished(46, 0)), 45);
  equal(endMs(...tokens([12, 25], 0), finished(26, 0), ...tokens([11], 1), failed(90, 1)), 90);
  equal(endMs(failed(7, 0), ...tokens([11, 22, 33], 1), finished(34, 1)), 33);
});

test("an answer is over with its last token, or with its failure, and not before", () => {
  const running = runOf(afterAll(PLAN, [OPENED, token(0, 12)])).lanes[0];
  equal(laneEndMs(running), null);
  equal(laneEndMs(runOf(afterAll(PLAN, [OPENED, token(0, 12), token(1, 25), finished(99)])).lanes[0]), 25);
  equal(laneEndMs(runOf(afterAll(PLAN, [OPENED, token(0, 12), failed(40)])).lanes[0]), 40);
  equal(laneEndMs(runOf(afterAll(PLAN, [OPENED, failed(40)])).lanes[0]), 40);
});

test("after its end nothing changes a run", () => {
  for (const [actions, phase] of ENDS) {
    const state = afterAll(PLAN, actions);
    const before = structuredClone(state.run);
    for (const action of ANYTHING) {
      equal(reduce(state, action).run, state.run, `${action.type} after ${phase}`);
      deepEqual(state.run, before, `${action.type} after ${phase}`);
    }
  }
});

test("what is edited while a run is under way leaves the run alone", () => {
  const state = afterAll(PLAN, [OPENED, token(0, 12)]);
  const edited = reduce(state, { type: "edited", query: OTHER_QUERY });
  equal(edited.run, state.run);
  deepEqual([edited.query, edited.plan], [OTHER_QUERY, null]);
});

test("what is edited after a run takes its result away, which belongs to the old settings", () => {
  for (const [actions, phase] of ENDS) {
    const { query, plan, run } = reduce(afterAll(PLAN, actions), { type: "edited", query: OTHER_QUERY });
    deepEqual({ query, plan, run }, { query: OTHER_QUERY, plan: null, run: null }, phase);
  }
});

test("problems with a query last until it is edited or planned", () => {
  const problems = [{ lane: 0, field: "tokens", value: "x", range: "a number", detail: "too many" }];
  const misfit = reduce(initialState(QUERY), { type: "misfit", problems });
  deepEqual([misfit.problems, misfit.plan], [problems, null]);
  deepEqual(reduce(misfit, { type: "edited", query: OTHER_QUERY }).problems, []);
  deepEqual(reduce(misfit, { type: "planned", plan: PLAN }).problems, []);
  deepEqual(initialState(QUERY, problems).problems, problems);
});

test("a frame marks all tokens that are new with its time, in every answer, and none twice", () => {
  const start = [OPENED, token(0, 10, 0), ...tokens([11, 12], 1)];
  const actions = [drawn(20), token(1, 25, 0), token(2, 33, 1), drawn(40), drawn(60)];
  const { lanes } = runOf(actions.reduce(reduce, afterAll(TWO, start)));
  deepEqual(lanes.map((lane) => lane.tokens.map(({ drawnMs }) => drawnMs)), [[20, 40], [20, 20, 40]]);
});

test("tokens that came while the tab was hidden are never given a time", () => {
  const actions = [OPENED, token(0, 10, 1), drawn(250, true), token(1, 260, 1), drawn(270), drawn(300)];
  const [, lane] = runOf(afterAll(TWO, actions)).lanes;
  deepEqual(lane.tokens.map(({ drawnMs }) => drawnMs), [null, 270]);
});

test("a frame with nothing new to draw changes nothing", () => {
  const state = afterAll(PLAN, [OPENED, token(0, 10), drawn(20)]);
  equal(reduce(state, drawn(40)).run, state.run);
});

test("tokens that came with the end are still marked when they are drawn, and the clock stays", () => {
  const run = runOf(afterAll(PLAN, [...ENDS[0][0], drawn(40)]));
  deepEqual(run.lanes[0].tokens.map(({ drawnMs }) => drawnMs), [40, 40]);
  equal(run.endMs, 25);
});

test("what is felt first is when the first token was seen, unknown before and in a hidden tab", () => {
  /** @param {Action[]} actions */
  const perceived = (...actions) => perceivedMs(runOf(afterAll(PLAN, [OPENED, ...actions])).lanes[0]);
  equal(perceived(), null);
  equal(perceived(token(0, 10)), null);
  equal(perceived(token(0, 10), drawn(20), token(1, 25), drawn(40)), 20);
  equal(perceived(token(0, 10), drawn(20, true), token(1, 25), drawn(40)), null);
});

test("a run in which the tab was hidden remembers it", () => {
  const state = afterAll(PLAN, [OPENED]);
  ok(!runOf(state).wasHidden);
  ok(runOf([{ type: /** @type {const} */ ("hidden") }, token(0, 12)].reduce(reduce, state)).wasHidden);
});

test("each answer has tokens and an end of its own", () => {
  const { lanes } = runOf(afterAll(TWO, [OPENED, token(0, 11, 1), token(1, 12, 1), failed(13, 1), token(0, 14, 0)]));
  deepEqual(lanes.map((lane) => lane.arrivalsMs), [[14], [11, 12]]);
  deepEqual(lanes.map((lane) => lane.end?.how ?? null), [null, "failed"]);
});

test("the list of tokens is appended to and never copied, because a copy costs more the longer it gets", () => {
  const before = afterAll(PLAN, [OPENED, token(0, 12)]);
  const lists = { tokens: runOf(before).lanes[0].tokens, arrivalsMs: runOf(before).lanes[0].arrivalsMs };
  const actions = [drawn(20), token(1, 25), finished(26), { type: /** @type {const} */ ("done") }, drawn(40)];
  const [lane] = runOf(actions.reduce(reduce, before)).lanes;
  ok(lane.tokens === lists.tokens && lane.arrivalsMs === lists.arrivalsMs, "they are the same lists");
  equal(lists.tokens.length, 2);
});

test("what changes a run gives a new state, so that a view can tell", () => {
  let state = afterAll(PLAN);
  for (const action of [OPENED, token(0, 12), drawn(20), finished(26), /** @type {Action} */ ({ type: "done" })]) {
    const next = reduce(state, action);
    ok(next !== state && next.run !== state.run, action.type);
    state = next;
  }
});

test("renaming keeps the result of a run, and gives it the new name", () => {
  const query = { lanes: [{ tokens: "100" }], say: "" };
  const over = { ...afterAll(PLAN, ENDS[0][0]), query };
  const edited = reduce(over, { type: "edited", query: { ...query, lanes: [{ tokens: "100", title: "Mine" }] } });
  ok(edited.run !== null);
  const plan = PLAN.map((lane) => ({ ...lane, title: "Mine" }));
  equal(runOf(reduce(edited, { type: "planned", plan })).plan[0].title, "Mine");
  equal(reduce(over, { type: "edited", query: { ...query, lanes: [{ tokens: "7" }] } }).run, null);
});

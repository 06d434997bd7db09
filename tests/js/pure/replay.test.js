// @ts-check
import { deepEqual, equal, ok, test } from "/tests/harness.js";
import { OPENED, REQUESTED_AT, TAKEN_AT, afterAll, finished, planned, tokens } from "/tests/runs.js";
import { SLOWER, asOf, isMoving, shownAt } from "/static/js/pure/replay.js";
import { reduce } from "/static/js/pure/state.js";

/** @import { Action, Look, State } from "/static/js/pure/state.js" */

const PLAN = [planned({ tokens: 30 }), planned({ tokens: 30, delivery: "whole" })];

/** A pair of 30 tokens at 10 ms: streamed each 1 ms late, and all at once after 301 ms. @type {Action[]} */
const WHOLE = [
  OPENED,
  ...tokens(PLAN[0].due_ms.map((due) => due + 1)),
  finished(301),
  ...tokens(PLAN[0].due_ms.map(() => 301), 1),
  finished(301, 1),
  { type: "done" },
];

const after = afterAll(PLAN, WHOLE);

/** @param {Look} look @returns {State} */
const looking = (look) => reduce(after, { type: "looked", look });

/** @param {import("/static/js/pure/replay.js").Shown} shown */
const here = ({ run }) => run?.lanes.map(({ tokens }) => tokens.length);

test("live, a run is shown as it is", () => {
  const shown = shownAt(after, REQUESTED_AT + 9_999);
  deepEqual([shown.run, shown.elapsedMs, shown.look], [after.run, 301, "live"]);
});

test("frozen, both answers stand as they stood at 100 ms", () => {
  const shown = shownAt(looking({ how: "frozen" }), REQUESTED_AT + 9_999);
  deepEqual([here(shown), shown.elapsedMs, shown.look], [[9, 0], 100, "frozen"]);
});

test("a run that has not come to 100 ms yet goes on until it has", () => {
  const begun = reduce(afterAll(PLAN, WHOLE.slice(0, 4)), { type: "looked", look: { how: "frozen" } });
  equal(shownAt(begun, REQUESTED_AT + 60).look, "live");
  equal(shownAt(begun, REQUESTED_AT + 160).look, "frozen");
});

test("in slow motion everything takes ten times as long, and then the run is as it was", () => {
  const slow = looking({ how: "slow", since: 20_000 });
  const at = (/** @type {number} */ ms) => shownAt(slow, 20_000 + ms);
  deepEqual([here(at(0)), at(0).elapsedMs], [[0, 0], 0]);
  deepEqual([here(at(1_000)), at(1_000).elapsedMs, at(1_000).look], [[9, 0], 100, "slow"]);
  deepEqual(here(at(SLOWER * 300)), [29, 0]);
  deepEqual([at(SLOWER * 301).run, at(SLOWER * 301).look], [after.run, "live"]);
});

test("slow motion asks for frames until its end, a frozen or finished run for none", () => {
  const slow = looking({ how: "slow", since: 20_000 });
  ok(isMoving(slow, shownAt(slow, 20_010)));
  ok(!isMoving(slow, shownAt(slow, 20_000 + SLOWER * 301)));
  const frozen = looking({ how: "frozen" });
  ok(!isMoving(frozen, shownAt(frozen, 20_000)));
});

test("looking changes nothing that was measured", () => {
  const before = JSON.stringify(after.run);
  shownAt(looking({ how: "slow", since: 0 }), 500);
  asOf(/** @type {import("/static/js/pure/state.js").Run} */ (after.run), 50).lanes[0].tokens.pop();
  equal(JSON.stringify(after.run), before);
});

test("a new run, and an edit, are looked at live", () => {
  const frozen = looking({ how: "frozen" });
  equal(reduce(frozen, { type: "requested", atMs: 9_000, takenAt: TAKEN_AT }).look.how, "live");
  equal(reduce(frozen, { type: "edited", query: { lanes: [{}], say: "" } }).look.how, "live");
});

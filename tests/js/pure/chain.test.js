// @ts-check
import { deepEqual, equal, ok, test } from "/tests/harness.js";
import { LINKS, chainAt, linkMs } from "/static/js/pure/chain.js";

test("sums are done together after one step, links one after another", () => {
  for (const [ms, sums, links] of [
    [0, 0, 0],
    [399, 0, 0],
    [400, 8, 1],
    [1_200, 8, 3],
    [3_200, 8, 8],
    [9_999, 8, 8],
  ]) {
    deepEqual(chainAt(5_000, ms, false), { sums, links }, `at ${ms} ms`);
  }
});

test("in a short run the links are done by its end", () => {
  for (const predicted of [80, 1_000, 3_200, 60_000]) {
    ok(linkMs(predicted) * LINKS <= predicted);
    equal(chainAt(predicted, predicted, false).links, LINKS);
  }
});

test("a run that is over has all of them, and one of no time too", () => {
  deepEqual(chainAt(5_000, 10, true), { sums: 8, links: 8 });
  deepEqual(chainAt(0, 0, false), { sums: 8, links: 8 });
});

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
    deepEqual(chainAt(5_000, ms), { sums, links }, `at ${ms} ms`);
  }
});

test("in a short run the links are done by its end", () => {
  for (const predicted of [80, 1_000, 3_200, 60_000]) {
    ok(linkMs(predicted) * LINKS <= predicted);
    equal(chainAt(predicted, predicted).links, LINKS);
  }
});

test("a run of no time has all of them", () => {
  deepEqual(chainAt(0, 0), { sums: 8, links: 8 });
});

// @ts-check
import { deepEqual, equal, ok, test } from "/tests/harness.js";
import { planned } from "/tests/runs.js";
import { LINKS, chainAt, tokensALink } from "/static/js/pure/chain.js";

test("of slow tokens each is a link, and the sums are done with the first", () => {
  const slow = planned({ tokens: 12, delay_ms: 500 });
  for (const [made, sums, links] of [
    [0, 0, 0],
    [1, 8, 1],
    [3, 8, 3],
    [8, 8, 8],
    [12, 8, 8],
  ]) {
    deepEqual(chainAt(slow, made), { sums, links }, `${made} tokens`);
  }
});

test("of fast ones a link stands for as many as the eye needs, if the answer has them for all links", () => {
  const table = [
    [100, 50, 8],
    [100, 10, 12],
    [10_000, 1, 400],
    [100, 0, 12],
    [7, 10, 1],
    [1, 0, 1],
    [100, 10_000, 1],
  ];
  for (const [tokens, delay_ms, each] of table) equal(tokensALink(planned({ tokens, delay_ms })), each);
});

test("an answer long enough has lit all links by its end, and never more", () => {
  for (let tokens = LINKS; tokens < 200; tokens += 1) {
    for (const delay_ms of [0, 1, 10, 49, 50, 266, 267, 400, 5_000]) {
      const plan = planned({ tokens, delay_ms });
      equal(chainAt(plan, tokens).links, LINKS);
      ok(chainAt(plan, tokens - 1).links >= LINKS - 1 || tokensALink(plan) === 1);
    }
  }
});

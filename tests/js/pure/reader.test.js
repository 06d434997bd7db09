// @ts-check
import { equal, test } from "/tests/harness.js";
import { EXPECTED } from "/static/js/pure/metrics.js";
import { readerWords, tokensRead } from "/static/js/pure/reader.js";

const GAP = 200;

test("a reader reads the first token as it comes, and each next one a gap later", () => {
  const all = [50, 50, 50, 50];
  for (const [ms, read] of [[49, 0], [50, 1], [249, 1], [250, 2], [450, 3], [9_999, 4]]) equal(tokensRead(all, ms, GAP), read);
});

test("a reader who is faster than the stream reads each token as it comes", () => {
  for (const [ms, read] of [[999, 0], [1_000, 1], [1_999, 1], [2_000, 2], [2_600, 3]]) {
    equal(tokensRead([1_000, 2_000, 2_600], ms, GAP), read);
  }
});

test("a stall makes a reader wait, and what was missed is not caught up", () => {
  const arrivals = [0, 10, 3_000, 3_000, 3_000];
  for (const [ms, read] of [[200, 2], [2_999, 2], [3_000, 3], [3_199, 3], [3_200, 4], [3_400, 5]]) {
    equal(tokensRead(arrivals, ms, GAP), read);
  }
});

test("nothing has been read of nothing", () => equal(tokensRead([], 1_000, GAP), 0));

test("the ordinary pace is 238 words a minute at 1.3 tokens a word", () => {
  const all = Array.from({ length: 400 }, () => 0);
  equal(tokensRead(all, 60_000), Math.floor(60_000 / EXPECTED.readingGapMs) + 1);
  equal(Math.round(60_000 / EXPECTED.readingGapMs), Math.round(238 * 1.3));
});

test("the words say whether the stream is ahead, or the reader waits", () => {
  equal(readerWords(0, 0, false), "a reader waits for the first token");
  equal(readerWords(46, 12, false), "34 tokens ahead of a reader");
  equal(readerWords(5, 5, false), "a reader waits");
  equal(readerWords(5, 5, true), "a reader has read it all");
});

// @ts-check
import { equal, ok, test } from "/tests/harness.js";
import { MILLION, longWords, moneyWords, passesWords, priceOf, problemWithPrice } from "/static/js/pure/cost.js";

test("a price is a plain number from 0 to 1,000,000 with at most 6 decimals, or nothing", () => {
  for (const [text, price] of /** @type {const} */ ([
    ["", null],
    ["0", 0],
    ["2.5", 2.5],
    ["0.000001", 0.000001],
    ["1000000", 1_000_000],
    ["1000000.000000", 1_000_000],
  ])) {
    equal(problemWithPrice(text), "", text);
    equal(priceOf(text), price);
  }
  for (const text of [
    "-1",
    "1000000.000001",
    "1000001",
    "0.0000001",
    "1e3",
    "2,5",
    ".5",
    "5.",
    "€5",
    "٣",
    "NaN",
    "Infinity",
    " 1",
    "99999999",
  ]) {
    ok(problemWithPrice(text).startsWith("A number from 0 to 1,000,000, with at most 6 decimals"), text);
    equal(priceOf(text), null, text);
  }
  ok(problemWithPrice("1,000").includes("without commas"));
});

test("passes are as many as tokens", () => {
  equal(passesWords(100, 1), "100");
  equal(passesWords(10_000, MILLION), "10,000,000,000");
});

test("money is tokens by price, and more than nothing is never shown as nothing", () => {
  const table = /** @type {const} */ ([
    [100, 1, 10, "0.001"],
    [100, MILLION, 10, "1,000"],
    [100, 1, 0, "0"],
    [1, 1, 0.000001, "under 0.000001"],
    [10_000, MILLION, 1_000_000, "10,000,000,000"],
    [333, MILLION, 0.123456, "41.11"],
    [1, 1, 1, "0.000001"],
    [12_345, MILLION, 1, "12,345"],
  ]);
  for (const [n, answers, price, words] of table) equal(moneyWords(n, answers, price), words);
});

test("a long wait is told in its largest unit", () => {
  const table = /** @type {const} */ ([
    [0, "0 ms"],
    [999, "999 ms"],
    [1_000, "1 second"],
    [90_000, "1.5 minutes"],
    [3_600_000, "1 hour"],
    [5_000 * MILLION, "58 days"],
    [100 * MILLION, "1.2 days"],
    [60_000 * MILLION, "1.9 years"],
    [600_000 * MILLION, "19 years"],
  ]);
  for (const [ms, words] of table) equal(longWords(ms), words);
});

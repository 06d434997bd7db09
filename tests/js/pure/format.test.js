// @ts-check
import { deepEqual, equal, ok, test } from "/tests/harness.js";
import { count, decimalMs, isolated, percent, rate, score, seconds, tidy, times, verdict, wholeMs } from "/static/js/pure/format.js";
import { tokensBy } from "/static/js/pure/metrics.js";

/** @type {Record<string, (value: number | null | undefined) => string>} */
const FORMATS = { wholeMs, decimalMs, seconds, count, times, rate, percent, score, tidy };

/**
 * @param {(value: number) => string} format
 * @param {[number, string][]} table
 */
function shows(format, table) {
  for (const [value, expected] of table) equal(format(value), expected, String(value));
}

test("what is not known is a dash in every format", () => {
  for (const [name, format] of Object.entries(FORMATS)) {
    for (const value of [null, undefined, NaN, Infinity, -Infinity]) equal(format(value), "–", `${name}(${value})`);
  }
});

test("no format shows a negative zero", () => {
  for (const [name, format] of Object.entries(FORMATS)) ok(/^0/.test(format(-0)), `${name} gives ${format(-0)}`);
  for (const format of [wholeMs, decimalMs, seconds, count, percent, score, tidy]) ok(/^0/.test(format(-1e-9)), format.name);
});

test("whole milliseconds are rounded and separated at the thousands", () => {
  shows(wholeMs, [[0, "0"], [52, "52"], [52.5, "53"], [2304.4, "2,304"], [999.5, "1,000"], [600_000, "600,000"]]);
});

test("decimal milliseconds keep their decimals, as many as asked for", () => {
  shows(decimalMs, [[0, "0.0"], [2304.4, "2,304.4"], [2304.46, "2,304.5"], [84, "84.0"]]);
  equal(decimalMs(193.9237, 3), "193.924");
  equal(decimalMs(193.9237, 0), "194");
});

test("less than nothing has a true minus sign", () => {
  equal(decimalMs(-1234.5), "−1,234.5");
  equal(wholeMs(-3), "−3");
});

test("seconds come from milliseconds, with their unit", () => {
  shows(seconds, [[0, "0.0 s"], [2204, "2.2 s"], [999.9, "1.0 s"], [59_960, "60.0 s"], [1_234_500, "1,234.5 s"]]);
  equal(seconds(2204, 0), "2 s");
});

test("counts are whole and separated at the thousands", () => {
  shows(count, [[0, "0"], [100, "100"], [10_000, "10,000"], [1_234_567, "1,234,567"]]);
});

test("ratios have two digits below ten and are whole from there", () => {
  shows(times, [[0, "0.0×"], [0.48, "0.48×"], [1, "1.0×"], [9.6, "9.6×"], [9.96, "10×"], [49.6, "50×"], [1234.5, "1,235×"]]);
});

test("rates have three digits and are whole from a hundred on", () => {
  shows(rate, [[5, "5.00"], [2.368421, "2.37"], [19.94, "19.9"], [99.97, "100"], [100, "100"], [1234.6, "1,235"]]);
});

test("a share is a whole percentage, and less than all is never 100%", () => {
  shows(percent, [[0, "0%"], [0.45, "45%"], [0.310344828, "31%"], [299 / 300, "99%"], [1, "100%"]]);
});

test("a score has three decimals, and less than all is never 1.000, nor more than nothing 0.000", () => {
  shows(score, [[0, "0.000"], [0.45, "0.450"], [0.655172414, "0.655"], [0.931034483, "0.931"], [0.9995, "0.999"]]);
  shows(score, [[0.99999999, "0.999"], [0.0001, "0.001"], [0.0014, "0.001"], [0.9994, "0.999"], [1, "1.000"]]);
});

test("a greater score is never shown as the smaller", () => {
  for (let i = 1; i <= 20_000; i += 1) ok(score(i / 20_000) >= score((i - 1) / 20_000), String(i));
});

test("numbers of an axis have the decimals they need", () => {
  shows(tidy, [[0, "0"], [0.5, "0.5"], [1, "1"], [0.1 + 0.2, "0.3"], [1500, "1,500"], [0.002, "0.002"]]);
});

test("exactly 100 ms is inside, and a microsecond more is outside", () => {
  deepEqual(verdict(100), { inside: true, text: "inside 100 ms" });
  deepEqual(verdict(100.001), { inside: false, text: "outside 100 ms" });
  deepEqual(verdict(0), { inside: true, text: "inside 100 ms" });
  deepEqual(verdict(5004), { inside: false, text: "outside 100 ms" });
});

test("the noise of binary fractions does not push 100 ms outside", () => {
  const noisy = 100.1 - 0.1 + 1e-10;
  ok(noisy > 100, "the value is noisy");
  equal(verdict(noisy).inside, true);
  equal(wholeMs(noisy), "100");
});

test("where nothing has come yet there is no verdict", () => {
  for (const value of [null, undefined, NaN]) deepEqual(verdict(value), { inside: null, text: "–" });
});

test("a figure shown beside the verdict never contradicts it, nor do the tokens here at 100 ms", () => {
  for (let us = 98_000; us <= 102_000; us += 1) {
    const ms = us / 1000;
    const { inside } = verdict(ms);
    for (const digits of [0, 1, 2, 3]) {
      equal(Number(decimalMs(ms, digits)) <= 100, inside, `${ms} ms as ${decimalMs(ms, digits)}`);
    }
    equal(tokensBy([ms], 100) === 1, inside, `${ms} ms`);
  }
});

test("a figure just beyond the limit is shown as the next one, any other as the nearest", () => {
  shows(wholeMs, [[99.4, "99"], [99.6, "100"], [100, "100"], [100.3, "101"], [101.3, "101"], [200.3, "200"]]);
  shows(decimalMs, [[99.96, "100.0"], [100.04, "100.1"], [100.14, "100.1"]]);
});

test("another limit is named and kept likewise", () => {
  deepEqual(verdict(1000.3, 1000), { inside: false, text: "outside 1,000 ms" });
  equal(wholeMs(1000.3, 1000), "1,001");
  equal(wholeMs(100.3, 1000), "100");
});

test("a visitor's words turn nothing round but themselves", () => {
  for (const text of ["Streamed", "", "été 😀 ½"]) equal(isolated(text), text);
  for (const text of ["\u202eback", "שלום", "\u0627"]) equal(isolated(text), `\u2068${text}\u2069`);
  equal(isolated("a\u2069\u202eb"), "\u2068a\u202eb\u2069"); // it would end what isolates it
  equal(isolated("\u202ea\u2067b\u2066\u2068"), "\u2068\u202eab\u2069"); // our end would be theirs
});

// @ts-check
import { close, deepEqual, equal, ok, test } from "/tests/harness.js";
import { SLIDER_PLACES, nextStep, placeOf, problemWith, valueAt } from "/static/js/pure/settings.js";

/** The settings that have a slider. */
const TOKENS = { low: 1, high: 10_000, decimals: false };
const DELAY = { low: 0, high: 10_000, decimals: true };
const TTFT = { low: 0, high: 60_000, decimals: true };
const SLIDERS = { TOKENS, DELAY, TTFT };

/** A whole number without a 0 in its range, and one so narrow that it has fewer values than the slider places. */
const BURST = { low: 1, high: 100, decimals: false };
const GROWTH = { low: 0, high: 10, decimals: true };

const PLACES = Array.from({ length: SLIDER_PLACES + 1 }, (_, place) => place);

test("plain numbers inside the range are right, also at its edges", () => {
  for (const text of ["1", "10000", "100", "007"]) equal(problemWith(text, TOKENS), "", text);
  for (const text of ["0", "0.0", "0.001", "10.5", "10000", "10000.000"]) equal(problemWith(text, DELAY), "", text);
});

test("one past an edge is wrong", () => {
  for (const text of ["0", "10001"]) ok(problemWith(text, TOKENS), text);
  for (const text of ["10000.001", "10001"]) ok(problemWith(text, DELAY), text);
  ok(problemWith("60000.001", TTFT));
});

test("what only looks like a number is wrong", () => {
  const bad = [
    "", " ", "nan", "NaN", "inf", "Infinity", "-Infinity", "1e3", "1E3", "0x10", "0b1", "1_000", "１２", "٣", " 5 ",
    "5\n", "5 5", "+5", "-5", "-0", "5.", ".5", "1.2.3", "1.2345", "5,5", "5,000", "5ms", "five", "9".repeat(5000),
    "0".repeat(15) + "5",
  ];
  for (const [name, limits] of Object.entries(SLIDERS)) {
    for (const text of bad) ok(problemWith(text, limits), `${name}: ${JSON.stringify(text.slice(0, 20))}`);
  }
});

test("a whole number has no decimals, not even zeros", () => {
  for (const text of ["5.5", "5.0"]) equal(problemWith(text, TOKENS), "a whole number from 1 to 10,000", text);
});

test("the problem names the range", () => {
  equal(problemWith("nan", TOKENS), "a whole number from 1 to 10,000");
  equal(problemWith("-5", DELAY), "a number from 0 to 10,000, with at most three decimals");
  equal(problemWith("99999", TTFT), "a number from 0 to 60,000, with at most three decimals");
});

test("who separates thousands, as the page itself does, is told to leave the comma out", () => {
  equal(problemWith("5,000", TOKENS), "a whole number from 1 to 10,000, without commas");
});

test("the slider's ends reach the limits", () => {
  for (const [name, limits] of Object.entries({ ...SLIDERS, BURST, GROWTH })) {
    deepEqual([valueAt(0, limits), valueAt(SLIDER_PLACES, limits)], [limits.low, limits.high], name);
    deepEqual([placeOf(limits.low, limits), placeOf(limits.high, limits)], [0, SLIDER_PLACES], name);
  }
});

test("further along the slider the value is never less, and all are inside the limits", () => {
  for (const [name, limits] of Object.entries({ ...SLIDERS, BURST, GROWTH })) {
    const values = PLACES.map((place) => valueAt(place, limits));
    ok(values.every((value, place) => place === 0 || value >= values[place - 1]), `${name}: ${values}`);
    ok(values.every((value) => value >= limits.low && value <= limits.high), `${name}: ${values}`);
  }
});

test("a greater value is never further back on the slider, and all lie on it", () => {
  for (const [name, limits] of Object.entries(SLIDERS)) {
    const values = Array.from({ length: 1001 }, (_, i) => limits.low + (i / 1000) ** 3 * (limits.high - limits.low));
    const places = values.map((value) => placeOf(value, limits));
    ok(places.every((place, i) => i === 0 || place >= places[i - 1]), `${name}: ${places}`);
    ok(places.every((place) => Number.isInteger(place) && place >= 0 && place <= SLIDER_PLACES), `${name}: ${places}`);
  }
});

test("equal steps of the slider are equal factors", () => {
  const quarters = [1, 2, 3].map((quarter) => valueAt((quarter * SLIDER_PLACES) / 4, TOKENS));
  deepEqual(quarters, [10, 100, 1000]);
  deepEqual([10, 100, 1000].map((value) => placeOf(value, TOKENS)), [50, 100, 150]);
});

test("a value of the slider has two digits at most", () => {
  for (const [name, limits] of Object.entries(SLIDERS)) {
    for (const place of PLACES) {
      const value = valueAt(place, limits);
      equal(value, Number(value.toPrecision(2)), `${name}, place ${place}`);
    }
  }
});

test("every value of the slider may be typed as well", () => {
  for (const [name, limits] of Object.entries({ ...SLIDERS, BURST, GROWTH })) {
    const wrong = PLACES.map((place) => String(valueAt(place, limits))).filter((text) => problemWith(text, limits));
    deepEqual(wrong, [], name);
  }
});

test("a value of the slider keeps its value where the slider is put for it", () => {
  for (const [name, limits] of Object.entries({ ...SLIDERS, BURST, GROWTH })) {
    const values = PLACES.map((place) => valueAt(place, limits));
    deepEqual(values.filter((value) => valueAt(placeOf(value, limits), limits) !== value), [], name);
  }
});

test("a typed value lies on the slider within a place of it", () => {
  for (const value of [1, 2, 15, 99, 333, 4567, 9999]) {
    const place = placeOf(value, TOKENS);
    const [before, after] = [Math.max(0, place - 1), Math.min(SLIDER_PLACES, place + 1)];
    ok(valueAt(before, TOKENS) <= value * 1.05 && valueAt(after, TOKENS) >= value / 1.05, `${value} at ${place}`);
  }
  close(placeOf(100, DELAY), SLIDER_PLACES / 2, 0);
});

test("keys go through 1, 2, 5, 10, 20 … and stop at the limits", () => {
  const up = [1];
  while (up[up.length - 1] < 10_000) up.push(nextStep(up[up.length - 1], 1, TOKENS));
  deepEqual(up, [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000]);
  deepEqual([nextStep(10_000, 1, TOKENS), nextStep(1, -1, TOKENS), nextStep(1, -1, DELAY)], [10_000, 1, 0]);
  deepEqual([nextStep(0, 1, DELAY), nextStep(33.3, 1, DELAY), nextStep(33.3, -1, DELAY)], [1, 50, 20]);
});

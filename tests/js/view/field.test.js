// @ts-check
import { deepEqual, equal, ok, test } from "/tests/harness.js";
import { Field } from "/static/js/view/field.js";

/** A field as _field.html has it, and what it changed. */
function scene({ low = 1, high = 10_000, decimals = false } = {}) {
  const root = document.createElement("div");
  Object.assign(root.dataset, { name: "tokens", low, high, decimals });
  const part = (/** @type {string} */ tag, /** @type {string} */ name) => {
    const element = root.appendChild(document.createElement(tag));
    element.dataset.part = name;
    return element;
  };
  const slider = /** @type {HTMLInputElement} */ (part("input", "slider"));
  Object.assign(slider, { type: "range", min: "0", step: "1" });
  const input = /** @type {HTMLInputElement} */ (part("input", "input"));
  const problem = part("p", "problem");
  document.body.replaceChildren(root);
  /** @type {[string, string][]} */
  const changes = [];
  const field = new Field(root, (name, value) => changes.push([name, value]));
  field.update("100", "");
  /** @param {string} text */
  const type = (text) => {
    input.focus();
    input.value = text;
    input.dispatchEvent(new Event("input"));
  };
  /** @param {number} place */
  const slide = (place) => {
    slider.focus();
    slider.value = String(place);
    slider.dispatchEvent(new Event("input"));
  };
  return { field, slider, input, problem, changes, type, slide };
}

test("field and slider show the same value, and the slider says it", () => {
  const { slider, input } = scene();
  deepEqual([input.value, slider.value, slider.max, slider.ariaValueText], ["100", "100", "200", "100"]);
});

test("where the answers differ the field is empty and says so", () => {
  const { field, input } = scene();
  field.update("", "");
  deepEqual([input.value, input.placeholder], ["", "differ"]);
});

test("a right value is passed on as the URL has it", () => {
  const { type, changes, field } = scene({ low: 0, decimals: true });
  for (const text of ["50", " 7 ", "007.50", "0.001"]) type(text);
  deepEqual(changes.map(([, value]) => value), ["50", "7", "7.5", "0.001"]);
  equal(changes[0][0], "tokens");
  ok(!field.isWrong);
});

test("a wrong value is told beside the field and not passed on, until it is right", () => {
  const { type, changes, field, problem } = scene();
  type("1e3");
  deepEqual([field.isWrong, problem.textContent, changes], [true, "a whole number from 1 to 10,000", []]);
  type("1000");
  deepEqual([field.isWrong, problem.textContent, changes], [false, "", [["tokens", "1000"]]]);
});

test("what is being typed is left alone, and so is what is wrong when the field is left", () => {
  const { type, field, input } = scene({ low: 0, decimals: true });
  type("7.0");
  field.update("100", "");
  equal(input.value, "7.0", "a right one");
  type("5.");
  field.update("100", "");
  equal(input.value, "5.", "a wrong one");
  input.blur();
  field.update("100", "");
  deepEqual([input.value, field.isWrong], ["5.", true]);
});

test("the slider passes on its value, and mends a wrong one", () => {
  const { type, slide, field, input, problem, changes } = scene();
  type("wrong");
  slide(150);
  deepEqual([field.isWrong, problem.textContent, input.value, changes], [false, "", "1000", [["tokens", "1000"]]]);
});

test("the slider's arrow keys lead from one end to the other", () => {
  for (const decimals of [false, true]) {
    for (const [from, step, to] of [[0, 1, 200], [200, -1, 0]]) {
      const { field, slider, slide, changes } = scene({ low: decimals ? 0 : 1, decimals });
      slide(from);
      for (let presses = 0; presses < 200; presses += 1) {
        slide(Number(slider.value) + step);
        field.update(changes[changes.length - 1][1], ""); // the page does so in the next frame
      }
      equal(Number(slider.value), to, `from ${from}, ${decimals ? "decimals" : "whole numbers"}`);
    }
  }
});

test("what the server says against a value is told beside it", () => {
  const { field, problem } = scene();
  field.update("100", "lane 1: tokens must be less");
  deepEqual([field.isWrong, problem.textContent], [true, "lane 1: tokens must be less"]);
});

// @ts-check
import { deepEqual, equal, test, throws } from "/tests/harness.js";
import { RecordingError, failureOf, plannedAs, readRecording } from "/static/js/pure/recording.js";

/** @import { Recording } from "/static/js/pure/recording.js" */

const HEAD = {
  format: "trickle-recording",
  format_version: 1,
  source: "http://127.0.0.1:11434/v1",
  model: "llama3",
  recorded_at: "2026-11-30T21:00:00Z",
};

/** @param {number[]} arrivalsMs @param {Partial<Recording>} [instead] @returns {Recording} */
function recording(arrivalsMs, instead = {}) {
  return { ...HEAD, ended: "done", tokens: arrivalsMs.map((arrival_ms, i) => ({ text: ` ${i}`, arrival_ms })), ...instead };
}

/** @param {string} file @returns {string} */
function toldOf(file) {
  try {
    readRecording(file);
    return "";
  } catch (error) {
    if (error instanceof RecordingError) return error.message;
    throw error;
  }
}

test("what is told of a file is what the server tells too", async () => {
  const { cases } = await (await fetch("/golden/recordings.json")).json();
  for (const { name, file, told } of cases) equal(toldOf(file), told.join("; "), name);
});

test("what does not say that it is a recording is none", () => {
  for (const text of ["", "{", "[]", "null", "5", '{"format": "trickle-result"}']) equal(readRecording(text), null, text);
});

test("half of a character is no text", () => {
  const file = JSON.stringify(recording([1])).replace(" 0", "\\ud83d");
  throws(() => readRecording(file), /^tokens\[0\]\.text .* \(it has half of a character\)$/);
});

test("of many problems the first are told, and how many more there are", () => {
  const file = JSON.stringify(recording(Array(1_000).fill(-1)));
  throws(() => readRecording(file), /tokens\[4\].*; and 995 more problems$/);
  throws(() => readRecording(JSON.stringify(recording(Array(10_001).fill(1)))), /^tokens must be a list of 1 to 10,000/);
});

test("a lane plays each token exactly when it came", () => {
  const planned = plannedAs(recording([12.345, 12.345, 80.001, 1001]), { opened: "a.json" });
  deepEqual(planned, {
    opened: "a.json",
    title: "llama3",
    tokens: 4,
    delay_ms: 329.552,
    ttft_ms: 12.345,
    delivery: "token",
    nt_ms: 1318.208,
    predicted_ms: 1001,
    due_ms: [12.345, 12.345, 80.001, 1001],
  });
  equal(plannedAs(recording([7.5]), {}).delay_ms, 0);
});

test("all at once it comes with its last, or not at all where it broke off", () => {
  deepEqual(plannedAs(recording([1, 2, 3]), { delivery: "whole" }).due_ms, [3, 3, 3]);
  deepEqual(plannedAs(recording([1, 2, 3], { ended: "cut" }), { delivery: "whole" }).due_ms, []);
});

test("one that broke off says so after its last token", () => {
  equal(failureOf(recording([1])), "");
  equal(failureOf(recording([1, 2], { ended: "cut" })), "the connection was cut after 2 tokens");
  deepEqual(plannedAs(recording([1, 2], { ended: "failed" }), {}).fail_at, 2);
});

test("it is called as its model is, unless it has a name of its own", () => {
  const titles = [["a,b:c", "a b:c"], [" two \n lines ", "two lines"], ["m".repeat(41), "m".repeat(40)], [",", "Streamed"]];
  for (const [model, title] of titles) equal(plannedAs(recording([1], { model }), {}).title, title);
  equal(plannedAs(recording([1]), { title: "Mine" }).title, "Mine");
});

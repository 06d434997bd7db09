// @ts-check
import { deepEqual, equal, test } from "/tests/harness.js";
import { presetOf, withHonestTitle, withPreset } from "/static/js/pure/presets.js";

const SLOW = {
  title: "Slow",
  source: "Chosen.",
  settings: { tokens: "5", delay_ms: "900" },
};
const FAST = {
  title: "Fast",
  source: "Chosen.",
  settings: { tokens: "5", delay_ms: "1" },
};
const PRESETS = [SLOW, FAST];

test("settings are known as the preset that they are, however they came about", () => {
  deepEqual(presetOf({ tokens: "5", delay_ms: "900", delivery: "whole", title: "Mine" }, PRESETS), {
    preset: SLOW,
    isChanged: false,
  });
  equal(presetOf({ tokens: "6", delay_ms: "900" }, PRESETS), null);
});

test("a chosen preset that was changed is remembered as changed", () => {
  const chosen = withPreset({}, SLOW, PRESETS);
  deepEqual(presetOf({ ...chosen, delay_ms: "800" }, PRESETS), { preset: SLOW, isChanged: true });
  deepEqual(presetOf({ ...chosen, jitter: "1" }, PRESETS), { preset: SLOW, isChanged: true });
  deepEqual(presetOf({ ...chosen, delay_ms: "1" }, PRESETS), { preset: FAST, isChanged: false });
});

test("a preset keeps how an answer is sent, and a title of one's own", () => {
  const { title, delivery } = withPreset({ title: "Mine", delivery: "whole", jitter: "1" }, SLOW, PRESETS);
  deepEqual([title, delivery], ["Mine", "whole"]);
  equal(withPreset({ title: "Fast" }, SLOW, PRESETS).title, "Slow");
  equal("jitter" in withPreset({ jitter: "1" }, SLOW, PRESETS), false);
});

test("a preset's title goes with its numbers, and one's own stays", () => {
  const chosen = withPreset({}, SLOW, PRESETS);
  equal(withHonestTitle(chosen, PRESETS), chosen);
  equal("title" in withHonestTitle({ ...chosen, tokens: "6" }, PRESETS), false);
  equal(withHonestTitle({ tokens: "6", title: "Mine" }, PRESETS).title, "Mine");
});

test("a time to first token is not in the title of an answer that is sent all at once, which has the preset still", () => {
  const late = { ...SLOW, title: "Late", settings: { ...SLOW.settings, ttft_ms: "3000" } };
  const whole = withHonestTitle(withPreset({ delivery: "whole" }, late, [late]), [late]);
  equal("title" in whole, false);
  deepEqual(presetOf(whole, [late]), { preset: late, isChanged: false });
});

test("of two presets with the same numbers it is the one that was chosen, or that a link calls it", () => {
  const other = { ...SLOW, title: "Other" };
  const both = [SLOW, other];
  const chosen = withPreset({ title: "Mine" }, other, both);
  deepEqual(presetOf(chosen, both), { preset: other, isChanged: false });
  deepEqual(presetOf({ ...chosen, tokens: "6" }, both), { preset: other, isChanged: true });
  deepEqual(presetOf({ ...SLOW.settings, title: "Other" }, both), { preset: other, isChanged: false });
  deepEqual(presetOf({ ...SLOW.settings }, both), { preset: SLOW, isChanged: false });
});

const LLAMA = {
  title: "llama",
  source: "llama3, recorded.",
  settings: { recording: "llama" },
};

test("a recording is called as its model is, and keeps how it is sent", () => {
  const presets = [...PRESETS, LLAMA];
  const lane = withPreset({ tokens: "5", title: "Slow", delivery: "whole" }, LLAMA, presets);
  deepEqual(lane, { recording: "llama", delivery: "whole", preset: LLAMA.title });
  deepEqual(presetOf({ recording: "llama", title: "Mine" }, presets), { preset: LLAMA, isChanged: false });
  deepEqual(presetOf({ recording: "llama", flush_ms: "5" }, presets), { preset: LLAMA, isChanged: true });
  deepEqual(withHonestTitle({ tokens: "7", title: "llama" }, presets), { tokens: "7", title: "llama" });
});

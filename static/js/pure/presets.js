// @ts-check
/**
 * Which preset an answer's settings are, or were before they were changed. The page remembers under the name `preset`
 * what was chosen; the URL holds the settings themselves, so that it means the same if a preset ever changes.
 */

/** @import { LaneSettings } from "./query.js" */

/** @typedef {{ title: string, source: string, settings: LaneSettings }} Preset */

/** What is off, and may be written all the same. @type {LaneSettings} */
const DEFAULTS = { jitter: "0", growth_ms: "0", burst: "1", flush_ms: "0", seed: "1" };

/** What one may set beside a preset, and have it still. */
const BESIDE = ["title", "delivery", "text", "preset"];

/**
 * @param {LaneSettings} lane
 * @param {readonly Preset[]} presets
 * @returns {{ preset: Preset, isChanged: boolean } | null} null for settings of one's own
 */
export function presetOf(lane, presets) {
  const same = presets.filter(({ settings }) => isSame(lane, settings));
  // Two may have the same numbers: then it is the one that was chosen, or in a link the one that it is called.
  const preset =
    [lane.preset, lane.title].map((name) => same.find(({ title }) => title === name)).find(Boolean) ?? same[0];
  if (preset) return { preset, isChanged: false };
  const chosen = presets.find(({ title, settings }) =>
    lane.recording ? settings.recording === lane.recording : title === lane.preset,
  );
  return chosen ? { preset: chosen, isChanged: true } : null;
}

/**
 * @param {LaneSettings} lane
 * @param {Preset} preset
 * @param {readonly Preset[]} presets
 * @returns {LaneSettings} the preset's, sent as the lane was, under its own title or else the preset's; a recording is called as its
 *   model is, which the server knows
 */
export function withPreset({ title, delivery }, preset, presets) {
  const hasOwnTitle = title !== undefined && !isPresetTitle(title, presets);
  const { settings } = preset;
  const shown = hasOwnTitle ? title : settings.recording ? "" : preset.title;
  return { ...settings, ...(delivery && { delivery }), ...(shown && { title: shown }), preset: preset.title };
}

/**
 * A preset's title is for its own settings only.
 * @param {LaneSettings} lane
 * @param {readonly Preset[]} presets
 * @returns {LaneSettings}
 */
export function withHonestTitle(lane, presets) {
  const { title, ...others } = lane;
  if (title === undefined || !isPresetTitle(title, presets)) return lane;
  const isIts = presets.some((preset) => preset.title === title && isSame(lane, preset.settings));
  // A time to first token is kept only by an answer that is streamed.
  return isIts && !(lane.delivery === "whole" && lane.ttft_ms) ? lane : others;
}

/** @param {string} title @param {readonly Preset[]} presets */
function isPresetTitle(title, presets) {
  return presets.some((preset) => preset.title === title && !preset.settings.recording);
}

/** @param {LaneSettings} lane @param {LaneSettings} settings */
function isSame(lane, settings) {
  const names = Object.keys({ ...lane, ...settings }).filter((name) => !BESIDE.includes(name));
  return names.every((name) => (lane[name] ?? DEFAULTS[name]) === (settings[name] ?? DEFAULTS[name]));
}

// @ts-check
/** The answers of the page as a scene, to be put into a deck of one's own. */

import { maySet, served, writeLane } from "./query.js";

/** @import { Query } from "./query.js" */

/** What a visitor's own text is called in the deck. */
const TEXT_NAME = "my-text";

/**
 * @param {Query} query
 * @param {string} title
 * @returns {string} TOML, as README.md describes it
 */
export function sceneToml({ lanes, say }, title) {
  const kept = served({ lanes, say }).lanes.map(({ preset: _, ...lane }) => lane);
  const withText = kept.map((lane) => (say && maySet(lane, "text") ? { ...lane, text: TEXT_NAME } : lane));
  const text = say ? `[texts]\n${TEXT_NAME} = ${quoted(say)}\n\n` : "";
  const list = withText.map((lane) => `  ${quoted(writeLane(lane))},\n`).join("");
  return `${text}[[scenes]]\nslug = "my-scene"\ntitle = ${quoted(title)}\nlanes = [\n${list}]\nask = ""\nobserve = ""\n`;
}

/** JSON's strings are TOML's, but for the one sign that JSON leaves as it is. @param {string} text */
function quoted(text) {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}

// @ts-check
/** The answers of the page as a scene, to be put into a deck of one's own. */

import { maySet, served, writeLane } from "./query.js";

/** @import { Query } from "./query.js" */

/** What a visitor's own text is called in the deck. */
const TEXT_NAME = "my-text";

/** As long as a title of a scene may be. */
const LONGEST_TITLE = 80;

/**
 * @param {Query} query
 * @param {readonly string[]} titles of the answers
 * @returns {string} TOML, as README.md describes it
 */
export function sceneToml({ lanes, say }, titles) {
  const own = say.trim();
  const kept = served({ lanes, say }).lanes.map(({ preset: _, ...lane }) => lane);
  const withText = kept.map((lane) => (own && maySet(lane, "text") ? { ...lane, text: TEXT_NAME } : lane));
  const text = own
    ? `# A deck has one list of texts: ${TEXT_NAME} belongs into it.\n[texts]\n${TEXT_NAME} = ${quoted(own)}\n\n`
    : "";
  const list = withText.map((lane) => `  ${quoted(writeLane(lane))},\n`).join("");
  const title = [...titles.join(", ")].slice(0, LONGEST_TITLE).join("").trim() || "My scene";
  return `${text}[[scenes]]\nslug = "my-scene"\ntitle = ${quoted(title)}\nlanes = [\n${list}]\nask = ""\nobserve = ""\n`;
}

/** JSON's strings are TOML's, but for the one sign that JSON leaves as it is. @param {string} text */
function quoted(text) {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}

// @ts-check
/**
 * The address bar ↔ what it asks for. The URL is the whole state: each answer's settings as the text they are
 * written in, and the visitor's own text.
 */

/** @typedef {Record<string, string>} LaneSettings setting name → its text, only what is set */
/** @typedef {{ lanes: LaneSettings[], say: string }} Query `say` is "" for the built-in texts */

/**
 * @param {string} search what stands in a URL after the "?"
 * @returns {Query}
 */
export function readQuery(search) {
  const params = new URLSearchParams(search);
  return { lanes: params.getAll("lane").map(readLane), say: params.get("say") ?? "" };
}

/**
 * @param {Query} query
 * @returns {string} as short and readable as a URL may be
 */
export function writeQuery({ lanes, say }) {
  const parts = lanes.map((lane) => `lane=${encode(writeLane(lane))}`);
  if (say !== "") parts.push(`say=${encode(say)}`);
  return parts.join("&");
}

/**
 * @param {LaneSettings} lane
 * @returns {string} name:value pairs, joined by commas
 */
export function writeLane(lane) {
  return Object.entries(lane)
    .map(([name, value]) => `${name}:${value}`)
    .join(",");
}

/**
 * @param {Query} query
 * @param {(lane: LaneSettings) => LaneSettings} change
 * @returns {Query} with every lane changed
 */
export function withLanes(query, change) {
  return { ...query, lanes: query.lanes.map(change) };
}

/**
 * @param {LaneSettings} lane
 * @param {string} name
 * @param {string | undefined} value "" or undefined takes the setting out
 * @returns {LaneSettings}
 */
export function withSetting(lane, name, value) {
  const { [name]: _, ...others } = lane;
  return value ? { ...lane, [name]: value } : others;
}

/** @param {string} text */
function readLane(text) {
  const pairs = text === "" ? [] : text.split(",");
  return Object.fromEntries(pairs.map(cutAtColon));
}

/** @param {string} pair @returns {[string, string]} */
function cutAtColon(pair) {
  const colon = pair.indexOf(":");
  return [pair.slice(0, colon), pair.slice(colon + 1)];
}

/** @param {string} text */
function encode(text) {
  // Half of a character, which can be pasted but not written in a URL, becomes the sign for an unknown one.
  const whole = text.replace(/[\ud800-\udfff]/gu, "\ufffd");
  // A query may hold these as they are, and they are what makes a lane readable.
  return encodeURIComponent(whole).replaceAll("%3A", ":").replaceAll("%2C", ",").replaceAll("%20", "+");
}

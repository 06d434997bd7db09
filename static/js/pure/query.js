// @ts-check
/**
 * The address bar ↔ what it asks for. The URL is the whole state: each answer's settings as the text they are
 * written in, and the visitor's own text.
 */

/**
 * Setting name → its text, only what is set. Two are the page's own: `preset`, see presets.js, and `opened`, the name of
 * a recording that was opened from disk, which the server knows nothing of.
 * @typedef {Record<string, string>} LaneSettings
 */
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
    .filter(([name]) => name !== "preset")
    .map(([name, value]) => `${name}:${value}`)
    .join(",");
}

/** What may be set beside a recording: what the model did is recorded. Delays on the way are the server's to add. */
const BESIDE_OPENED = ["opened", "title", "delivery"];
const BESIDE_RECORDING = ["recording", "preset", "title", "delivery", "flush_ms", "cut_at"];

/** @param {LaneSettings} lane @param {string} name whether that can be set there */
export function maySet(lane, name) {
  if (lane.opened) return BESIDE_OPENED.includes(name);
  return !lane.recording || BESIDE_RECORDING.includes(name);
}

/**
 * @param {LaneSettings[]} lanes
 * @param {string} name
 * @returns {string} the value if all that can have one have the same; "" if it is off, or they differ
 */
export function shared(lanes, name) {
  const own = lanes.filter((lane) => maySet(lane, name));
  // Without a time to first token, the first takes as long as any other.
  const values = own.map((lane) => lane[name] ?? (name === "ttft_ms" ? lane.delay_ms : ""));
  return values.every((value) => value === values[0]) ? (values[0] ?? "") : "";
}

/**
 * @param {LaneSettings} lane
 * @param {string} name
 * @param {string} value "" takes it out
 * @returns {LaneSettings} with it, and with what can't be without it; as it was where it can't be set
 */
export function changed(lane, name, value) {
  if (!maySet(lane, name)) return lane;
  if (name === "ttft_ms") return withSetting(lane, name, value === lane.delay_ms ? "" : value);
  if (name !== "stall_at" && name !== "stall_ms") return withSetting(lane, name, value);
  if (value === "") return withSetting(withSetting(lane, "stall_at", ""), "stall_ms", "");
  const half = String(Math.ceil(Number(lane.tokens) / 2));
  return { ...lane, stall_at: lane.stall_at ?? half, stall_ms: lane.stall_ms ?? "1000", [name]: value };
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
 * @param {Query} query
 * @param {number} number
 * @param {(lane: LaneSettings) => LaneSettings} change
 * @returns {Query} with one lane changed
 */
export function withLane(query, number, change) {
  return { ...query, lanes: query.lanes.map((lane, n) => (n === number ? change(lane) : lane)) };
}

/** @param {Query} query @param {number} number @returns {Query} with a copy of a lane after it */
export function withDuplicate(query, number) {
  return { ...query, lanes: query.lanes.toSpliced(number + 1, 0, query.lanes[number]) };
}

/** @param {Query} query @returns {Query} what the server is asked for, and a link can hold */
export function served(query) {
  return { ...query, lanes: query.lanes.filter((lane) => !lane.opened) };
}

/** @param {Query} query @param {string} opened @returns {Query} with a recording that was opened under that name */
export function withOpened(query, opened) {
  return { ...query, lanes: [...query.lanes, { opened }] };
}

/** @param {Query} query @returns {Query} with a copy of the first lane at the end, so that the others keep their colours */
export function withAnother(query) {
  return { ...query, lanes: [...query.lanes, query.lanes[0]] };
}

/** @param {Query} query @param {number} number @returns {Query} without a lane */
export function withoutLane(query, number) {
  return { ...query, lanes: query.lanes.toSpliced(number, 1) };
}

/**
 * @param {Query} query
 * @returns {Query} with the twin of its first lane, the same answer sent all at once
 */
export function withTwin(query) {
  const { title: _, ...lane } = query.lanes[0];
  return { ...query, lanes: [...query.lanes, { ...lane, delivery: "whole" }] };
}

/** @param {Query} query whether an answer that is sent all at once is among its lanes */
export function hasTwin({ lanes }) {
  return lanes.some((lane) => lane.delivery === "whole");
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

/** @param {Query} a @param {Query} b whether they say the same, in whatever order a lane's settings stand */
export function isSameQuery(a, b) {
  return inOrder(a) === inOrder(b);
}

/** @param {Query} query */
function inOrder({ lanes, say }) {
  return JSON.stringify([say, ...lanes.map((lane) => Object.entries(lane).sort(([a], [b]) => (a < b ? -1 : 1)))]);
}

/** @param {Query} query @returns {Query} what is run, whatever it is called */
export function withoutTitles({ lanes, say }) {
  return { say, lanes: lanes.map(({ title: _, preset: __, ...lane }) => lane) };
}

/** @param {string} text name:value pairs, joined by commas @returns {LaneSettings} */
export function readLane(text) {
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

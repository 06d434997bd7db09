// @ts-check
/** How the page that presents and the speaker's window talk: each pair on a channel of its own, and no server between. */

/**
 * What the presenting page says of itself, several times a second.
 * @typedef {object} Now
 * @property {number} since when the page was opened
 * @property {string} deck
 * @property {number} at the scene; −1 where the page's own answers are shown
 * @property {number} count of scenes
 * @property {string} line
 * @property {string} step
 * @property {string[]} figures one an answer
 * @property {string} planned
 * @property {number} talkMs since the talk began
 * @property {string} pace
 * @property {boolean} isBlack
 */
/** @typedef {{ now: Now } | { do: string } | { press: string, shiftKey: boolean } | { hello: true }} Message */

/**
 * @param {string} name
 * @param {(message: Message) => void} hear
 * @returns {{ say: (message: Message) => void, close: () => void }}
 */
export function openChannel(name, hear) {
  const channel = new BroadcastChannel(`trickle-talk-${name}`);
  channel.addEventListener("message", ({ data }) => hear(data));
  return { say: (message) => channel.postMessage(message), close: () => channel.close() };
}

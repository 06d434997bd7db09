// @ts-check
/**
 * Which step of the loop is under way: look at what is there, generate the next token, add it, ask whether that was
 * the last. Only arrivals add a token; the plan says when the next one may be expected.
 */

import { isKept, madeInAll, madeMs, madeSoFar } from "./made.js";

/** @import { Lane, PlannedLane } from "./state.js" */

/** @typedef {"look" | "generate" | "add" | "ask"} Step in the order of a pass */

/**
 * @typedef {object} LoopState
 * @property {"rest" | "slow" | "fast" | "over"} pace fast: too fast for single steps
 * @property {Step | null} step the one that is lit; null where none is
 * @property {number} pass the one under way, from 1; 0 at rest
 * @property {number} travelled how far the newest token is on its way into the output, 0 to 1
 */

/** From here on single steps can be followed by eye; four of them share this time. */
const SLOW_GAP_MS = 333;

/** A pass ends with its token: what follows an arrival is adding it. @type {Step[]} */
const BETWEEN_ARRIVALS = ["add", "ask", "look", "generate"];

/** @type {LoopState} */
const AT_REST = { pace: "rest", step: null, pass: 0, travelled: 1 };

/**
 * @param {PlannedLane} plan
 * @param {Lane | null} lane null before a run
 * @param {number} elapsedMs
 * @param {boolean} isOver nothing more will come
 * @returns {LoopState}
 */
export function loopAt(plan, lane, elapsedMs, isOver) {
  if (!lane) return AT_REST;
  const made = madeSoFar(plan, lane, elapsedMs);
  if (isOver || lane.end)
    return { ...AT_REST, pace: "over", step: lane.end?.how === "finished" ? "ask" : null, pass: made };
  const all = madeInAll(plan);
  const untilMs = made < all ? madeMs(plan, made) : plan.predicted_ms;
  if (made === 0) return firstAt(untilMs, elapsedMs);
  // Tokens that are kept back arrive long after they were made, so their steps go by the plan, and none travels.
  const fromMs = isKept(plan) ? madeMs(plan, made - 1) : lane.arrivalsMs[made - 1];
  const gapMs = made < all ? Math.max(0, untilMs - fromMs) : plan.delay_ms;
  if (Math.max(gapMs, plan.delay_ms) < SLOW_GAP_MS) return { ...AT_REST, pace: "fast", pass: made };
  // A token that was late leaves its successor less time, and its own steps should still be seen.
  const quarters = (4 * (elapsedMs - fromMs)) / Math.max(gapMs, plan.delay_ms / 2);
  const last = made < all ? 3 : 1;
  const number = Math.min(last, Math.max(0, Math.floor(quarters)));
  const travelled = isKept(plan) ? 1 : Math.min(1, Math.max(0, quarters));
  return { pace: "slow", step: BETWEEN_ARRIVALS[number], pass: number < 2 ? made : made + 1, travelled };
}

/** Before the first token there is nothing to add and to ask. @param {number} untilMs @param {number} elapsedMs @returns {LoopState} */
function firstAt(untilMs, elapsedMs) {
  if (untilMs < SLOW_GAP_MS) return { ...AT_REST, pace: "fast", pass: 1 };
  return { ...AT_REST, pace: "slow", step: elapsedMs * 2 < untilMs ? "look" : "generate", pass: 1 };
}

/**
 * Lines of a text that grows by tokens: the last ones of it, broken between words, where a word fits into a line. Wide
 * signs (as of Chinese) count twice.
 * @param {readonly string[][]} lines tokens by lines; the empty list is no text
 * @param {string} token
 * @param {number} width in signs
 * @param {number} most lines to be kept
 * @returns {string[][]}
 */
export function linesWith(lines, token, width, most) {
  if (/^\s*\n/.test(token)) return [...lines, []].slice(-most);
  const last = lines.at(-1) ?? [];
  const fits = last.length === 0 || widthOf(last.join("")) + widthOf(token.trimEnd()) <= width;
  if (fits) return [...lines.slice(0, -1), [...last, last.length === 0 ? token.trimStart() : token]];
  const word = isInWord(token) ? last.findLastIndex((piece) => !isInWord(piece)) : -1;
  const kept = word > 0 ? word : last.length; // the first of a line has lost its space
  const [first, ...others] = [...last.slice(kept), token];
  return [...lines.slice(0, -1), last.slice(0, kept), [first.trimStart(), ...others]].slice(-most);
}

/** Whether it goes on with the word before it, or ends it as a comma does. @param {string} token */
function isInWord(token) {
  return !/^\s/.test(token);
}

/** @param {string} text @returns {number} */
function widthOf(text) {
  return [...text].reduce((width, sign) => width + (sign > "\u1100" ? 2 : 1), 0);
}

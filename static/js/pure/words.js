// @ts-check
/** What the page says, in plain words; how it looks is the views' business. */

import { count, decimalMs, isolated, product, seconds, shownMs, tidy, times, verdict, wholeMs } from "./format.js";
import { LIMIT_MS, hundreds, tokensBy } from "./metrics.js";
import { readLane } from "./query.js";
import { firstTokenMs, laneEndMs, perceivedMs } from "./state.js";

/** @import { Lane, PlannedLane, Problem, Run, Token } from "./state.js" */

/** A token this late against the plan is missing; a planned gap, however long, never is. */
const STALLED_AFTER_MS = 3_000;

/** Why a run is lost where the server has no place for it. */
const FULL = "full";

/** @typedef {"connecting" | "waiting" | "streaming" | "stalled" | "lost" | "gave up" | "refused" | "failed" | "stopped" | "done"} LaneState */

/**
 * @param {Run} run
 * @param {number} number the lane's
 * @param {number} elapsedMs
 * @returns {{ state: LaneState, words: string }}
 */
export function laneStatus(run, number, elapsedMs) {
  const lane = run.lanes[number];
  if (lane.end?.how === "failed") return { state: "failed", words: failedWords(lane.end.reason) };
  if (lane.end) return { state: "done", words: "done" };
  if (run.phase !== "open") return { state: run.phase, words: phaseWords(run) };
  const overdueMs = elapsedMs - nextDueMs(run.plan[number], lane);
  if (overdueMs >= STALLED_AFTER_MS) {
    return { state: "stalled", words: `stalled: a token is ${seconds(overdueMs)} overdue` };
  }
  if (lane.tokens.length === 0) return { state: "waiting", words: "waiting for the first token" };
  return { state: "streaming", words: "streaming" };
}

/** @param {string} reason */
function failedWords(reason) {
  return reason.includes("failed") ? reason : `failed: ${reason}`;
}

/** @param {Run} run */
function phaseWords({ phase, reason, wasOpened }) {
  switch (phase) {
    case "connecting":
      return "connecting";
    case "lost":
      if (reason === FULL) return "the server is full, trying again";
      if (!wasOpened) return "the server can't be reached";
      return reason === "shutdown" ? "the server is restarting, resuming" : "connection lost, resuming";
    case "gave up":
      return "connection lost";
    case "refused":
      return `refused: ${reason}`;
    default:
      return phase;
  }
}

/** @param {PlannedLane} plan @param {Lane} lane */
function nextDueMs(plan, lane) {
  return plan.due_ms[lane.tokens.length] ?? plan.predicted_ms;
}

/**
 * The answer's biggest figure: how long until something could be seen.
 * @param {Run | null} run
 * @param {number} number the lane's
 * @param {number} elapsedMs
 * @returns {{ figure: string, words: string, verdict: string, inside: boolean | null }}
 */
export function firstFigure(run, number, elapsedMs) {
  const lane = run?.lanes[number];
  if (!run || !lane) return { figure: "–", words: "ms to first token", verdict: "", inside: null };
  const firstMs = firstTokenMs(lane);
  if (firstMs !== null) {
    const { inside, text } = verdict(firstMs);
    const seen = perceivedMs(lane) === null ? " (arrived; not seen, the tab was hidden)" : "";
    return { figure: wholeMs(firstMs), words: lane.end ? "ms" : "ms to first token", verdict: text + seen, inside };
  }
  const waitedMs = laneEndMs(lane) ?? elapsedMs;
  const beyondMs = waitedMs - LIMIT_MS;
  const passed = beyondMs > 0 ? `100 ms passed ${seconds(beyondMs)} ago` : "";
  const isOver = lane.end !== null || run.endMs !== null;
  return {
    figure: wholeMs(waitedMs),
    words: isOver ? "ms, nothing came" : "ms, nothing yet",
    verdict: isOver ? "no token came" : passed,
    inside: beyondMs > 0 ? false : null,
  };
}

/**
 * The whole answer: not yet, or how long it took.
 * @param {Run | null} run
 * @param {PlannedLane} plan
 * @param {number} number the lane's
 * @returns {{ caption: string, figure: string, words: string, verdict: string }}
 */
export function wholeFigure(run, plan, number) {
  const lane = run?.lanes[number];
  const notYet = { figure: "not yet", words: "", verdict: "whole answer" };
  if (!run || !lane) return { caption: `${count(plan.tokens)} tokens`, ...notYet, figure: "–" };
  const here = `${count(lane.tokens.length)} of ${count(plan.tokens)} tokens`;
  if (lane.end?.how === "failed") return { caption: here, ...notYet, figure: "never" };
  if (!lane.end) return { caption: here, ...notYet, figure: run.endMs === null ? "not yet" : "unfinished" };
  const e2eMs = /** @type {number} */ (laneEndMs(lane));
  return { caption: "whole answer after", figure: wholeMs(e2eMs), words: "ms", verdict: wholeVerdict(lane, e2eMs) };
}

/** @param {Lane} lane @param {number} e2eMs */
function wholeVerdict(lane, e2eMs) {
  const limits = e2eMs < LIMIT_MS ? verdict(e2eMs).text : `${count(hundreds(e2eMs))} × 100 ms`;
  const ratio = e2eMs / (firstTokenMs(lane) || Infinity);
  return ratio >= 1.5 ? `${limits} · ${times(ratio)} as long` : limits;
}

/**
 * What T ≈ n × t says of a lane, and how it turned out.
 * @param {PlannedLane} plan
 * @param {Lane | null} lane
 * @returns {string}
 */
export function resultWords(plan, lane) {
  const theory = `${product(plan.tokens, plan.delay_ms)} ≈ ${wholeMs(plan.nt_ms)} ms`;
  if (lane?.end?.how !== "finished") {
    const differs = plan.predicted_ms !== plan.nt_ms;
    return differs ? `${theory} · ${wholeMs(plan.predicted_ms)} ms planned` : theory;
  }
  const e2eMs = /** @type {number} */ (laneEndMs(lane));
  const outside = shownMs(e2eMs) - shownMs(plan.nt_ms); // of the figures as shown, so that they add up
  const rest = `${wholeMs(outside)} ms outside n × t`;
  if (plan.predicted_ms === plan.nt_ms) return `${theory} predicted · ${wholeMs(e2eMs)} ms measured · ${rest}`;
  return `${theory} · ${wholeMs(plan.predicted_ms)} planned · ${wholeMs(e2eMs)} measured · ${rest}`;
}

/**
 * How many tokens were here at 100 ms, as measured, beside as planned. A token due at exactly 100 ms is never early, so
 * it is due and not yet here.
 * @param {PlannedLane} plan
 * @param {Lane | null} lane
 * @param {number} elapsedMs
 * @returns {string} "" before there is something to say
 */
export function atTheLine(plan, lane, elapsedMs) {
  const due = `${count(tokensBy(plan.due_ms, LIMIT_MS))} due`;
  if (!lane || (elapsedMs < LIMIT_MS && !lane.end)) return `at 100 ms: ${due}`;
  return `at 100 ms: ${count(tokensBy(lane.arrivalsMs, LIMIT_MS))} here, ${due}`;
}

/** @param {number} elapsedMs */
export function hundredsWords(elapsedMs) {
  return `${count(hundreds(elapsedMs))} × 100 ms`;
}

/**
 * What is wrong with a run, in a sentence or two; "" for an ordinary one.
 * @param {Run} run
 */
export function noticeWords(run) {
  const notices = [];
  if (looksBuffered(run)) notices.push("Something between you and the server is buffering this stream.");
  if (run.phase === "lost" && run.reason === FULL) {
    notices.push("The server is full; the page tries again by itself, in a few seconds.");
  } else if (run.phase === "lost" && run.wasOpened) {
    notices.push("The connection is lost; it is being resumed, and no token goes missing.");
  }
  if (run.phase === "lost" && run.reason !== FULL && !run.wasOpened) {
    notices.push("The server can't be reached; trying again.");
  }
  if (run.phase === "gave up") notices.push("The connection is lost. Press Resume to go on where it broke off.");
  if (run.phase === "refused") notices.push(`The server refused: ${run.reason}`);
  return notices.join(" ");
}

/**
 * What sets a run apart from an ordinary one, in a word or two each.
 * @param {Run} run
 */
export function runMarks(run) {
  const marks = [];
  if (run.phase === "stopped") marks.push("stopped");
  marks.push(...disturbances(run));
  if (run.saved) marks.push(`opened, measured on ${dayOf(run)}`);
  return marks.join(", ");
}

/** What makes a run's times unlike those of others. @param {Run} run @returns {string[]} */
export function disturbances({ wasResumed, wasHidden }) {
  return [...(wasResumed ? ["resumed"] : []), ...(wasHidden ? ["was hidden"] : [])];
}

/** @param {Run} run @returns {string} the day it was measured, where it is looked at: "2026-11-30" */
export function dayOf({ takenAt }) {
  return new Date(takenAt).toLocaleDateString("sv"); // Swedish dates are ISO dates
}

/** Below this, a busy machine brings neighbours together by itself. */
const FAST_MS = 20;

/**
 * Whether more than half of a lane's tokens came together with the one before, though none was planned so. Not told
 * after a resume, while hidden or in a page that was busy: then it has another reason.
 * @param {Run} run
 */
export function looksBuffered(run) {
  if (run.wasResumed || run.wasHidden || run.wasBusy) return false;
  return run.lanes.some(({ tokens, together }, number) => {
    const isSlow = run.plan[number].delay_ms >= FAST_MS;
    return isSlow && tokens.length >= 4 && together > tokens.length / 2;
  });
}

/**
 * One token looked at closely.
 * @param {PlannedLane} plan
 * @param {readonly Token[]} tokens of its lane
 * @param {number} i the token's
 */
export function tokenWords(plan, tokens, i) {
  const { text, dueMs, sentMs, arrivalMs, drawnMs } = tokens[i];
  const whose = `${isolated(plan.title)}, token ${count(i + 1)} of ${count(plan.tokens)}, “${isolated(text.trim()) || "¶"}”`;
  const server = `due ${decimalMs(dueMs)} · sent ${decimalMs(sentMs)}`;
  const here = `arrived ${decimalMs(arrivalMs)} · drawn ${decimalMs(drawnMs)} ms`;
  const after = i === 0 ? "" : ` · ${decimalMs(arrivalMs - tokens[i - 1].arrivalMs)} ms after the one before`;
  return `${whose}: ${server} · ${here}${after}`;
}

/** @param {PlannedLane} plan the settings in short */
export function settingsInShort({ tokens, delay_ms: delayMs, delivery, recording, opened }) {
  const isRecorded = recording !== undefined || opened !== undefined;
  if (delivery === "whole") return isRecorded ? "recorded, sent when it is whole" : "sent when it is whole";
  const words = `${count(tokens)} ${tokens === 1 ? "token" : "tokens"}`;
  return isRecorded ? `recorded, ${words}` : `${words}, ${tidy(delayMs)} ms each`;
}

/** @param {PlannedLane} plan the settings in short, where its title does not say them already */
export function besideTitle(plan) {
  const isTold = plan.delivery === "token" && plan.title === product(plan.tokens, plan.delay_ms);
  return isTold ? "" : settingsInShort(plan);
}

/**
 * What is set beside n and t, in a few words each.
 * @param {Record<string, unknown>} settings as the server or a URL has them
 * @returns {string[]}
 */
export function besides({ delivery, ...settings }) {
  const { delay_ms, ttft_ms = delay_ms, jitter, growth_ms, burst, flush_ms, ...events } = numbers(settings);
  const { stall_at, stall_ms, fail_at, cut_at } = events;
  const words = [];
  if (ttft_ms !== delay_ms) words.push(`first after ${wholeMs(ttft_ms)} ms`);
  if (jitter) words.push(`jitter ${tidy(jitter)}`);
  if (growth_ms) words.push(`${tidy(growth_ms)} ms more each time`);
  if (burst > 1) words.push(`${count(burst)} at a time`);
  if (flush_ms) words.push(`buffered for ${tidy(flush_ms)} ms`);
  if (stall_at) words.push(`${wholeMs(stall_ms)} ms of nothing before token ${count(stall_at)}`);
  if (fail_at >= 0) words.push(`fails after ${count(fail_at)}`);
  if (cut_at) words.push(`cut after ${count(cut_at)}`);
  if (delivery === "whole") words.push("all at once");
  return words;
}

/** @param {Record<string, unknown>} settings @returns {Record<string, number>} */
function numbers(settings) {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, Number(value)]));
}

/**
 * The settings of a lane as a URL has them, for people: "100 × 10 ms, jitter 0.5".
 * @param {string} text
 */
export function laneWords(text) {
  const settings = readLane(text);
  const { recording, opened } = settings;
  if (recording || opened) return [`${recording ?? opened}, recorded`, ...besides(settings)].join(", ");
  return [product(Number(settings.tokens), Number(settings.delay_ms)), ...besides(settings)].join(", ");
}

const DEFAULT_TITLES = ["Streamed", "All at once"];

/**
 * Gives answers of the same title one that tells them apart: their settings for a default title, how they are sent, or
 * else their place.
 * @param {PlannedLane[]} plan
 * @returns {PlannedLane[]}
 */
export function withTellingTitles(plan) {
  return plan.map((lane) => {
    const alike = plan.filter(({ title }) => title === lane.title);
    return alike.length < 2 ? lane : { ...lane, title: tellingTitle(lane, alike) };
  });
}

/** @param {PlannedLane} lane @param {PlannedLane[]} alike */
function tellingTitle(lane, alike) {
  const others = alike.filter((other) => other !== lane);
  const settings = product(lane.tokens, lane.delay_ms);
  const isTelling = others.every(({ tokens, delay_ms: delayMs }) => product(tokens, delayMs) !== settings);
  if (DEFAULT_TITLES.includes(lane.title) && isTelling) return settings;
  const isSentAnotherWay = others.every(({ delivery }) => delivery !== lane.delivery);
  if (!isSentAnotherWay) return `${lane.title} ${alike.indexOf(lane) + 1}`;
  return lane.delivery === "whole" ? `${lane.title}, all at once` : lane.title;
}

/**
 * A problem in the words of the page instead of the wire's.
 * @param {Problem} problem
 * @param {ReadonlyMap<string | null, string>} labels what the fields are called
 * @param {number} answers how many there are
 */
export function problemWords({ field, lane, value, range, detail }, labels, answers) {
  const whose = lane >= 0 && answers > 1 ? `Answer ${lane + 1}: ` : "";
  if (field === "predicted_ms") return `${whose}it would last ${minutes(value)}, and may last ${minutes(range)}.`;
  const label = labels.get(field);
  return label ? `${whose}${label} must be ${range}.` : detail;
}

/** @param {string} text with one number of milliseconds in it */
function minutes(text) {
  return `${tidy(Math.round(Number(text.replace(/[^\d.]/g, "")) / 6_000) / 10)} minutes`;
}

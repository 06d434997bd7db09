// @ts-check
/** Fills measured numbers into what a scene says of its run: `{2.whole}`, `{2.whole/1.whole}`. The server has checked them. */

import { longestGapMs } from "./charts.js";
import { count, rate, times, wholeMs } from "./format.js";
import { cameAtOnce } from "./measures.js";
import { LIMIT_MS, decodeTokensPerS, tokensBy } from "./metrics.js";
import { firstTokenMs } from "./state.js";

/** @import { Lane, Run } from "./state.js" */

const UNKNOWN = "–";
const PLACEHOLDER = /\{(\d)\.(\w+)(?:\/(\d)\.(\w+))?\}/g;

/** @type {Record<string, { of: (lane: Lane) => number | null, write: (value: number) => string }>} */
const MEASURES = {
  first: { of: (lane) => firstTokenMs(lane), write: (ms) => `${wholeMs(ms)} ms` },
  whole: { of: (lane) => whole(lane, lane.arrivalsMs.at(-1)), write: (ms) => `${wholeMs(ms)} ms` },
  pause: {
    of: ({ arrivalsMs }) => (arrivalsMs.length > 1 ? longestGapMs(arrivalsMs) : null),
    write: (ms) => `${wholeMs(ms)} ms`,
  },
  at100: { of: ({ arrivalsMs }) => tokensBy(arrivalsMs, LIMIT_MS), write: count },
  tokens: { of: ({ arrivalsMs }) => arrivalsMs.length, write: count },
  rate: {
    of: (lane) => (cameAtOnce(lane.arrivalsMs) ? null : whole(lane, decodeTokensPerS(lane.arrivalsMs))),
    write: (tokensPerS) => `${rate(tokensPerS)} tokens/s`,
  },
};

/**
 * @param {string} text
 * @param {Run | null} run
 * @returns {string} with "–" where nothing was measured
 */
export function filled(text, run) {
  return text.replace(PLACEHOLDER, (_, lane, name, otherLane, otherName) => {
    const value = valueOf(run, lane, name);
    if (otherLane === undefined) return value === null ? UNKNOWN : MEASURES[name].write(value);
    const other = valueOf(run, otherLane, otherName);
    return value === null || !other ? UNKNOWN : times(value / other);
  });
}

/** @param {Run | null} run @param {string} lane from 1, as people count @param {string} name */
function valueOf(run, lane, name) {
  const measured = run?.lanes[Number(lane) - 1];
  return measured ? (MEASURES[name]?.of(measured) ?? null) : null;
}

/** What only a whole answer has. @param {Lane} lane @param {number | null | undefined} value */
function whole({ end }, value) {
  return end?.how === "finished" ? (value ?? null) : null;
}

// @ts-check
/**
 * The measures of perceived and total latency, from the arrival times of one lane. Times are milliseconds since
 * the request was made, and never decrease. What is undefined is `null`, never NaN or Infinity. Collecting the
 * arrivals and writing the numbers for people are left to others.
 *
 * TTFT, ITL, TPOT and E2E are those of vLLM's `bench serve`.
 */

/**
 * What a reader expects: the first token after this long, each later one after this gap.
 * @typedef {{ expectedTtftMs: number, readingGapMs: number }} Expected
 */

/** @typedef {{ qoe: number | null, delayMs: number | null, wholeMs: number | null }} Qoe */

/** @typedef {{ fluidity: number | null, missed: number | null, deadlines: number | null }} Fluidity */

/**
 * Where the difference between E2E and n × t comes from; the last four add up to the first.
 * @typedef {object} OutsideNt
 * @property {number | null} outsideMs E2E − n × t
 * @property {number | null} setByYouMs first token, stalls, growth, jitter, buffering: the plan − n × t
 * @property {number | null} serverLateMs how late the server sent the last token
 * @property {number | null} basePathMs the fastest way of any token, the connection included
 * @property {number | null} extraPathMs how much longer the last token's way was
 */

/** What a typical internet application is expected to answer within. */
export const LIMIT_MS = 100;

/** Silent reading of English non-fiction: Brysbaert 2019, doi.org/10.1016/j.jml.2019.104047. */
const WORDS_PER_MINUTE = 238;

/** A rule of thumb for English and the tokenizers of large language models. */
const TOKENS_PER_WORD = 1.3;

/** A timer's grain at either end, 1 ms each: times may differ by that much without being different. */
export const LEVEL_MS = 2;

/** Nielsen's limit for a flow of thought not to break. */
const EXPECTED_TTFT_MS = 1000;

/** @type {Readonly<Expected>} */
export const EXPECTED = Object.freeze(expectedOf(EXPECTED_TTFT_MS, WORDS_PER_MINUTE));

/**
 * What somebody expects who wants the first token so soon and reads so fast: at 238 words a minute, 5.2 tokens/s or
 * 193.924 ms a token.
 * @param {number} expectedTtftMs
 * @param {number} wordsPerMinute
 * @returns {Expected}
 */
export function expectedOf(expectedTtftMs, wordsPerMinute) {
  return { expectedTtftMs, readingGapMs: Math.round(60_000_000 / (wordsPerMinute * TOKENS_PER_WORD)) / 1000 };
}

/**
 * The gaps between tokens: half, 95 and 99 of 100 are at most so long, and the longest.
 * @param {readonly number[]} arrivalsMs
 */
export function gapMetrics(arrivalsMs) {
  const sortedMs = ascending(itlsMs(arrivalsMs));
  return {
    itlP50Ms: percentileOfAscending(sortedMs, 50),
    itlP95Ms: percentileOfAscending(sortedMs, 95),
    itlP99Ms: percentileOfAscending(sortedMs, 99),
    itlMaxMs: percentileOfAscending(sortedMs, 100),
  };
}

/**
 * Time to first token.
 * @param {readonly number[]} arrivalsMs
 * @returns {number | null}
 */
export function ttftMs(arrivalsMs) {
  return arrivalsMs[0] ?? null;
}

/**
 * End-to-end latency: when the last token was here.
 * @param {readonly number[]} arrivalsMs
 * @returns {number | null}
 */
export function e2eMs(arrivalsMs) {
  return arrivalsMs.at(-1) ?? null;
}

/**
 * Inter-token latencies: the n − 1 gaps between neighbours, in order.
 * @param {readonly number[]} arrivalsMs
 * @returns {number[]}
 */
export function itlsMs(arrivalsMs) {
  return arrivalsMs.slice(1).map((arrivalMs, i) => arrivalMs - arrivalsMs[i]);
}

/**
 * The value that `p` percent of the values do not exceed, interpolated linearly between neighbours (as numpy does).
 * @param {readonly number[]} values in any order
 * @param {number} p 0 to 100
 * @returns {number | null} null of no values
 */
export function percentile(values, p) {
  return percentileOfAscending(ascending(values), p);
}

/**
 * Time per output token: the mean gap after the first token.
 * @param {readonly number[]} arrivalsMs
 * @returns {number | null} null for fewer than two tokens
 */
export function tpotMs(arrivalsMs) {
  return ratio(decodeMs(arrivalsMs), arrivalsMs.length - 1);
}

/**
 * (n − 1) / (E2E − TTFT): the rate once the first token was here.
 * @param {readonly number[]} arrivalsMs
 * @returns {number | null} null for fewer than two tokens, and where all came at once
 */
export function decodeTokensPerS(arrivalsMs) {
  return ratio((arrivalsMs.length - 1) * 1000, decodeMs(arrivalsMs));
}

/**
 * n / E2E: the rate with the wait for the first token.
 * @param {readonly number[]} arrivalsMs
 * @returns {number | null} null for no tokens, and where all came at 0 ms
 */
export function overallTokensPerS(arrivalsMs) {
  return ratio(arrivalsMs.length * 1000, e2eMs(arrivalsMs) ?? 0);
}

/**
 * How many tokens were here at `ms`, the ones of that very microsecond included.
 * @param {readonly number[]} arrivalsMs
 * @param {number} ms
 * @returns {number}
 */
export function tokensBy(arrivalsMs, ms) {
  let low = 0;
  let high = arrivalsMs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (toUs(arrivalsMs[middle]) <= toUs(ms)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Andes-style quality of experience: 1 if one can read at the reading pace from the expected first token on, less
 * the longer the reader is kept behind it. With D the expected TTFT, r the reading rate and dᵢ the arrivals:
 * idealᵢ = D + (i − 1) / r; read₁ = max(d₁, D), readᵢ = max(dᵢ, readᵢ₋₁ + 1/r); and
 * QoE = 1 − Σ(readᵢ − idealᵢ) / Σ(readₙ − idealᵢ), where 0/0 = 1 (nothing to wait for).
 * After Andes (arXiv 2404.16283, equation 3), as others restate it.
 * @param {readonly number[]} arrivalsMs
 * @param {Expected} [expected]
 * @returns {Qoe} `delayMs` and `wholeMs` are the two sums; all null for no tokens
 */
export function qoe(arrivalsMs, { expectedTtftMs, readingGapMs } = EXPECTED) {
  if (arrivalsMs.length === 0) return { qoe: null, delayMs: null, wholeMs: null };
  const gapUs = toUs(readingGapMs);
  let idealUs = toUs(expectedTtftMs);
  let readUs = Math.max(toUs(arrivalsMs[0]), idealUs);
  let [idealSumUs, readSumUs] = [idealUs, readUs];
  for (const arrivalMs of arrivalsMs.slice(1)) {
    idealUs += gapUs;
    readUs = Math.max(toUs(arrivalMs), readUs + gapUs);
    idealSumUs += idealUs;
    readSumUs += readUs;
  }
  const delayUs = readSumUs - idealSumUs;
  const wholeUs = readUs * arrivalsMs.length - idealSumUs;
  return { qoe: wholeUs === 0 ? 1 : 1 - delayUs / wholeUs, delayMs: delayUs / 1000, wholeMs: wholeUs / 1000 };
}

/**
 * The fluidity index of Etalon (arXiv 2507.09019, algorithm 1): the share of deadlines that were met. The first token
 * is due at the expected TTFT, each later one a reading gap after the deadline before it, so that early tokens earn
 * slack. A late token misses its deadline and every further one that passed before it came; from its arrival on,
 * deadlines are counted anew.
 *
 * Etalon writes this with gaps and a slack that is carried over; absolute deadlines say the same (deadline =
 * arrival before + slack + D), and in whole microseconds they are exact: a gap of just the deadline is met even
 * where 1000.1 + 200 would not quite be 1200.1.
 * @param {readonly number[]} arrivalsMs
 * @param {Expected} [expected] with a reading gap of at least a microsecond
 * @returns {Fluidity} all null for no tokens, and for a reading gap of 0, whose missed deadlines nobody can count
 */
export function fluidity(arrivalsMs, { expectedTtftMs, readingGapMs } = EXPECTED) {
  const gapUs = toUs(readingGapMs);
  if (arrivalsMs.length === 0 || !(gapUs > 0)) return { fluidity: null, missed: null, deadlines: null };
  let deadlineUs = toUs(expectedTtftMs);
  let met = 0;
  let missed = 0;
  for (const arrivalUs of arrivalsMs.map(toUs)) {
    if (arrivalUs <= deadlineUs) {
      met += 1;
      deadlineUs += gapUs;
    } else {
      missed += Math.floor((arrivalUs - deadlineUs) / gapUs) + 1;
      deadlineUs = arrivalUs + gapUs;
    }
  }
  return { fluidity: met / (met + missed), missed, deadlines: met + missed };
}

/**
 * Measured against n × t, in four parts that add up. Figures rounded to tenths before they come in leave parts in
 * tenths, which then add up as shown too.
 * @param {object} lane
 * @param {number | null} lane.ntMs tokens × delay
 * @param {number | null} lane.predictedMs when the plan's last token is due
 * @param {number | null} lane.lastDueMs when the last token that came was due
 * @param {number | null} lane.lastSentMs when the server sent it, since the run started there
 * @param {number | null} lane.lastArrivalMs when it was here, since the request was made
 * @param {number | null} lane.basePathMs see `basePathMs`
 * @returns {OutsideNt} all null until the answer is whole: before that the parts would leave out what is still to come
 */
export function outsideNt({ ntMs, predictedMs, lastDueMs, lastSentMs, lastArrivalMs, basePathMs }) {
  if (
    ntMs === null ||
    predictedMs === null ||
    lastDueMs === null ||
    lastSentMs === null ||
    lastArrivalMs === null ||
    basePathMs === null ||
    toUs(lastDueMs) !== toUs(predictedMs)
  ) {
    return { outsideMs: null, setByYouMs: null, serverLateMs: null, basePathMs: null, extraPathMs: null };
  }
  return {
    outsideMs: lastArrivalMs - ntMs,
    setByYouMs: predictedMs - ntMs,
    serverLateMs: lastSentMs - lastDueMs,
    basePathMs,
    extraPathMs: lastArrivalMs - lastSentMs - basePathMs,
  };
}

/**
 * The smallest arrival − sent. The two count from different moments (request made, run started), so this has the
 * making of the connection in it, as well as the way of the fastest token.
 * @param {readonly { sentMs: number, arrivalMs: number }[]} tokens
 * @returns {number | null} null for no tokens
 */
export function basePathMs(tokens) {
  if (tokens.length === 0) return null;
  return tokens.reduce((least, { sentMs, arrivalMs }) => Math.min(least, arrivalMs - sentMs), Infinity);
}

/**
 * How many whole times 100 ms fit, as in "23 × 100 ms so far". Counted from whole milliseconds, as the stage shows
 * them: 4,999.6 ms stands there as 5,000, beside which "49 × 100 ms" would be wrong.
 * @param {number} ms
 * @returns {number}
 */
export function hundreds(ms) {
  return Math.max(0, Math.floor(Math.round(ms) / LIMIT_MS));
}

/**
 * Whole microseconds, the unit of the schedule. No browser's clock is finer than 5 µs, so nothing is lost but the
 * noise of binary fractions, and sums and comparisons become exact.
 * @param {number} ms
 * @returns {number}
 */
function toUs(ms) {
  return Math.round(ms * 1000);
}

/**
 * E2E − TTFT.
 * @param {readonly number[]} arrivalsMs
 * @returns {number} 0 for fewer than two tokens
 */
function decodeMs(arrivalsMs) {
  return (e2eMs(arrivalsMs) ?? 0) - (ttftMs(arrivalsMs) ?? 0);
}

/**
 * @param {number} part
 * @param {number} whole
 * @returns {number | null} null where `whole` is not positive
 */
function ratio(part, whole) {
  return whole > 0 ? part / whole : null;
}

/**
 * @param {readonly number[]} values
 * @returns {Float64Array} a sorted copy
 */
function ascending(values) {
  return Float64Array.from(values).sort();
}

/**
 * @param {Float64Array} values
 * @param {number} p
 * @returns {number | null}
 */
function percentileOfAscending(values, p) {
  if (!(p >= 0 && p <= 100)) throw new RangeError(`p: ${p} is not from 0 to 100`);
  if (values.length === 0) return null;
  const position = ((values.length - 1) * p) / 100;
  const below = values[Math.floor(position)];
  const above = values[Math.ceil(position)];
  return below + (above - below) * (position % 1);
}

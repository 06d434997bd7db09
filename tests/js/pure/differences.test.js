// @ts-check
import { equal, ok, test } from "/tests/harness.js";
import { OPENED, afterAll, drawn, failed, finished, planned, random, runOf, token, tokens } from "/tests/runs.js";
import { chatWords } from "/static/js/pure/chat.js";
import { differencesWords } from "/static/js/pure/differences.js";
import { verdict, wholeMs } from "/static/js/pure/format.js";
import { reportsOf } from "/static/js/pure/measures.js";
import { ROWS } from "/static/js/pure/table.js";

/** @import { Measures, Report } from "/static/js/pure/measures.js" */
/** @import { Action, PlannedLane } from "/static/js/pure/state.js" */

const NOTHING = /** @type {Measures} */ (Object.fromEntries(Object.keys(ROWS).map((name) => [name, null])));
/** @type {Action} */
const DONE = { type: "done" };

/**
 * @param {string} title
 * @param {number} firstMs
 * @param {number} e2eMs
 * @param {number} [qoe]
 * @param {Partial<Measures>} [more]
 * @returns {Report} of a whole answer
 */
function answer(title, firstMs, e2eMs, qoe = 1, more = {}) {
  const measures = { ...NOTHING, perceivedMs: firstMs, ttftMs: firstMs, e2eMs, qoe, ...more };
  return { title, isWhole: true, isPart: false, words: "100 tokens", reason: "", measures };
}

/** @param {string} title @param {number | null} firstMs @param {string} words @returns {Report} of one that is not whole */
function part(title, firstMs, words) {
  const measures = { ...NOTHING, perceivedMs: firstMs, ttftMs: firstMs };
  return { title, isWhole: false, isPart: firstMs !== null, words, reason: "", measures };
}

/** @param {[Report[], string][]} table */
function says(table) {
  for (const [reports, expected] of table) equal(differencesWords(reports), expected);
}

/* What sets answers apart. */

test("the opening pair: streamed starts sooner, and both end together", () => {
  says([
    [
      [answer("Streamed", 52, 5004), answer("All at once", 5004, 5004)],
      "Streamed starts 5.0 s sooner; both end at 5.0 s.",
    ],
  ]);
  says([
    [
      [answer("Streamed", 60, 5004), answer("All at once", 4960, 5004)],
      "Streamed starts 4.9 s sooner; both end at 5.0 s.",
    ],
  ]);
});

test("the one that starts sooner is named, wherever it stands", () => {
  says([
    [[answer("A", 1012, 2000), answer("B", 12, 2000)], "B starts 1.0 s sooner; both end at 2.0 s."],
    [[answer("A", 12, 2000), answer("B", 412, 2000)], "A starts 400 ms sooner; both end at 2.0 s."],
  ]);
});

test("answers that start or end level, as the table has it, do so together", () => {
  says([
    [[answer("A", 39, 1002), answer("B", 40, 1010)], "Both start together, after 40 ms; both end at 1.0 s."],
    [[answer("A", 12, 1002), answer("B", 40, 1030)], "A starts 28 ms sooner; A ends at 1.0 s, B 28 ms later."],
    [[answer("A", 99.5, 1002), answer("B", 100.5, 1002)], "A starts 1 ms sooner; both end at 1.0 s."], // either side of 100
    [
      [answer("A", 12, 1000), answer("B", 12, 1000), answer("C", 13, 1001)],
      "All start together, after 13 ms; all end at 1.0 s.",
    ],
  ]);
});

test("answers whose ends anybody sees apart do not end together, however long they are", () => {
  for (const [a, b] of [
    [60_000, 60_500],
    [600_000, 605_000],
  ]) {
    const words = differencesWords([answer("A", 12, a), answer("B", 12, b)]);
    ok(!/both end/.test(words), `${b - a} ms apart: “${words}”`);
  }
});

test("answers that end apart say when each does, and how many times as late the last is", () => {
  says([
    [
      [answer("A", 52, 5002), answer("B", 12, 1002)],
      "B starts 40 ms sooner; B ends at 1.0 s, A at 5.0 s, 5.0× as late.",
    ],
    [
      [answer("A", 12, 200), answer("B", 12, 400), answer("C", 12, 800)],
      "All start together, after 12 ms; A ends at 200 ms, C at 800 ms, 4.0× as late.",
    ],
  ]);
});

test("of three or four, the first to start and the last are named", () => {
  says([
    [
      [answer("A", 5000, 5000), answer("B", 12, 5000), answer("C", 1012, 5000)],
      "B starts first, 5.0 s before A; all end at 5.0 s.",
    ],
  ]);
});

test("of three, no one is said to start first where two do so together", () => {
  const words = differencesWords([answer("A", 12, 5000), answer("B", 12.2, 5000), answer("C", 5000, 5000)]);
  ok(!/A starts first/.test(words), words);
  ok(words.includes("B"), `B starts as soon as A: “${words}”`);
});

test("whoever reads along feels two stalls differently that end together: the better of two is said to be better", () => {
  const early = answer("Early stall", 1000, 4800, 0.655172414);
  const late = answer("Late stall", 1000, 4800, 0.931034483);
  const words = differencesWords([early, late]);
  ok(words.startsWith("Both start together, after 1.0 s; both end at 4.8 s. "), words);
  for (const figure of ["0.931", "0.655"]) ok(words.includes(figure), words);
  ok(words.indexOf("Late stall") >= 0 && words.indexOf("Late stall") < words.indexOf("0.931"), words);
  ok(
    /\bbetter\b/.test(words) && !/\b(best|worst)\b/.test(words),
    `two are better and worse, not best and worst: “${words}”`,
  );
});

test("of three that feel different, the best and the worst are named, wherever they stand", () => {
  const words = differencesWords([answer("A", 12, 5000, 0.7), answer("B", 12, 5000, 0.2), answer("C", 12, 5000, 0.9)]);
  ok(words.endsWith("To somebody who reads along, C feels best (QoE 0.900), B worst (0.200)."), words);
});

test("of three, no one is said to feel best where two feel the same", () => {
  const words = differencesWords([
    answer("A", 12, 5000, 0.9),
    answer("B", 12, 5000, 0.9),
    answer("C", 5000, 5000, 0.2),
  ]);
  ok(!/(^|[ ,])(A|B) feels best/.test(words), `A and B are level: “${words}”`);
});

test("a difference that nobody feels is not mentioned", () => {
  for (const [a, b] of [
    [1, 1],
    [1, 0.96],
    [0.5, 0.53],
    [0, 0],
  ]) {
    equal(
      differencesWords([answer("A", 12, 1000, a), answer("B", 12, 1000, b)]),
      "Both start together, after 12 ms; both end at 1.0 s.",
    );
  }
});

test("the figures of a difference differ as they are shown, and nothing is 1.0× as late or as long", () => {
  const next = random(31);
  for (let round = 0; round < 3000; round += 1) {
    const e2eMs = 10 + next() ** 3 * 20_000;
    const laterMs = e2eMs + next() * 300;
    for (const reports of [[answer("A", 5, e2eMs), answer("B", 5, laterMs)], [answer("A", e2eMs, laterMs)]]) {
      const words = differencesWords(reports);
      const what = `${e2eMs} and ${laterMs} ms: “${words}”`;
      ok(!words.includes("1.0×"), what);
      const two =
        / ends at (.*), B at (.*?)(,|\.$)/.exec(words) ?? / after (.*) and is whole after (.*?)(,|\.$)/.exec(words);
      ok(!two || two[1] !== two[2], what);
    }
  }
});

test("an answer drawn all in one frame is not said to start after its end", () => {
  const atOnce = answer("B", 45, 31, 1, { ttftMs: 31 });
  equal(differencesWords([answer("A", 12, 31), atOnce]), "A starts 19 ms sooner; both end at 31 ms.");
});

test("where the first token was not seen, when it came counts", () => {
  const hidden = answer("B", 0, 2000, 1, { perceivedMs: null, ttftMs: 1012 });
  equal(differencesWords([answer("A", 12, 2000), hidden]), "A starts 1.0 s sooner; both end at 2.0 s.");
});

/* One answer, or not all whole. */

test("an answer alone says when it starts, when it is whole, and how many times as long that is", () => {
  says([
    [[answer("Streamed", 12, 1002)], "Streamed starts after 12 ms and is whole after 1.0 s, 84× as long."],
    [[answer("Streamed", 0, 400)], "Streamed starts after 0 ms and is whole after 400 ms."],
  ]);
});

test("an answer alone that came all at once says so, without saying it twice", () => {
  for (const title of ["Mine", "All at once"]) {
    const words = differencesWords([answer(title, 5000, 5001)]);
    ok(/\b(at once|one piece|one go)\b/.test(words) && words.includes("5.0 s"), words);
    ok(!/all at once.*all at once/i.test(words), words);
  }
});

test("an answer that streams for half a second after a long wait did not come all at once", () => {
  const words = differencesWords([answer("Streamed", 60_000, 60_500)]); // 51 tokens at 10 ms
  ok(!/at once/.test(words), `it streamed for 500 ms: “${words}”`);
});

test("all that end first are named, as are all that start first", () => {
  says([
    [
      [answer("A", 12, 630), answer("B", 630, 631), answer("C", 12, 1231)],
      "A and C start first, 618 ms before B; A and B end at 630 ms, C at 1.2 s, 2.0× as late.",
    ],
    [
      [answer("A", 12, 2000), answer("B", 12, 2001), answer("C", 12, 2002), answer("D", 12, 2500)],
      "All start together, after 12 ms; A, B and C end at 2.0 s, D 500 ms later.",
    ],
  ]);
});

test("where none is whole it is said, and how far the only one came", () => {
  says([
    [[], ""],
    [[part("A", 12, "stopped after 3 of 100 tokens")], "A is not whole: stopped after 3 of 100 tokens."],
    [[part("A", 12, ""), part("B", null, "")], "Neither is whole, so there is nothing to compare."],
    [[part("A", 12, ""), part("B", null, ""), part("C", 9, "")], "None is whole, so there is nothing to compare."],
  ]);
});

test("where only one of several is whole, that is said", () => {
  const words = differencesWords([part("A", 12, "failed after 3 of 100 tokens"), answer("B", 12, 1000)]);
  equal(words, "Only B is whole, so there is nothing to compare it with.");
});

test("an answer that is not whole is left out of the comparison, and is said to be", () => {
  const words = differencesWords([
    answer("Streamed", 12, 5000),
    part("Failing", 1, "failed after 3 of 100 tokens"),
    answer("Other", 5000, 5000),
  ]);
  ok(words.includes("Streamed starts 5.0 s sooner"), words);
  ok(words.includes("Failing"), `“both” of three leaves one in doubt: “${words}”`);
});

/* A sentence for a chat. */

test("the sentence for a chat stands alone: titles, n, t, first token and whole answer", () => {
  const plan = [planned({ delay_ms: 50 }), planned({ title: "All at once", delay_ms: 50, delivery: "whole" })];
  equal(
    chatWords([answer("Streamed", 52, 5004), answer("All at once", 5004, 5004)], plan),
    "Streamed (100 tokens at 50 ms): first token after 52 ms, whole answer after 5,004 ms. " +
      "All at once (100 tokens at 50 ms): first token after 5,004 ms, whole answer after 5,004 ms.",
  );
});

test("one token is one, and a fraction of a millisecond is kept", () => {
  const [one] = chatWords([answer("A", 12, 12)], [planned({ tokens: 1, delay_ms: 0.5 })]).split(":");
  equal(one, "A (1 token at 0.5 ms)");
  ok(chatWords([answer("A", 12, 12)], [planned({ tokens: 10_000 })]).startsWith("A (10,000 tokens at 10 ms): "));
});

test("an answer that is not whole says how far it came, and never has a total", () => {
  const stopped = chatWords([part("A", 52, "stopped after 3 of 100 tokens")], [planned()]);
  equal(stopped, "A (100 tokens at 10 ms): first token after 52 ms, stopped after 3 of 100 tokens.");
  const none = chatWords([part("A", null, "failed after 0 of 100 tokens")], [planned()]);
  ok(none.includes("failed after 0 of 100 tokens") && !/first token after|whole answer/.test(none), none);
});

test("the figures of the chat are those of the stage, and agree with its verdict around 100 ms", () => {
  for (let us = 99_000; us <= 101_500; us += 50) {
    const ms = us / 1000;
    const words = chatWords([answer("A", ms, ms)], [planned()]);
    ok(words.includes(`first token after ${wholeMs(ms)} ms`), `${ms}: “${words}”`);
    ok(words.includes(`whole answer after ${wholeMs(ms)} ms`), `${ms}: “${words}”`);
    equal(words.includes("inside 100 ms"), verdict(ms).inside, `${ms}: “${words}”`);
  }
  ok(
    chatWords([answer("A", 50, 100 + 1e-10)], [planned()]).includes("inside 100 ms"),
    "noise of binary fractions decides nothing",
  );
});

test("the sentence of a run that was resumed or hidden says so", () => {
  const plan = [planned({ tokens: 2 })];
  /** @type {[RegExp, Action[]][]} */
  const table = [
    [/hidden/i, [OPENED, { type: "hidden" }, token(0, 12), token(1, 22), drawn(40, true), finished(23), DONE]],
    [
      /resumed/i,
      [
        OPENED,
        token(0, 12),
        { type: "lost", reason: "" },
        { type: "opened", resumed: true },
        token(1, 900),
        drawn(901),
        finished(900),
        DONE,
      ],
    ],
  ];
  for (const [pattern, actions] of table) {
    const words = chatWords(reportsOf(runOf(afterAll(plan, actions)), 1000), plan);
    ok(pattern.test(words), `“${words}”`);
  }
});

/* Whatever the run. */

test("no words have NaN, Infinity, null or undefined in them, and sentences end", () => {
  const next = random(32);
  /** @type {((ms: number, lane: number) => Action[])[]} */
  const ends = [(ms, lane) => [finished(ms, lane)], (ms, lane) => [failed(ms, lane)], () => []];
  for (let round = 0; round < 600; round += 1) {
    const plan = Array.from(
      { length: 1 + Math.floor(next() * 4) },
      (_, n) => /** @type {PlannedLane} */ (planned({ title: `T${n}`, tokens: 1 + Math.floor(next() * 20) })),
    );
    const lanes = plan.flatMap(({ tokens: n }, lane) => {
      let ms = next() < 0.2 ? 0 : next() * 2000;
      const end = ends[Math.floor(next() * 3)];
      const here = end === ends[0] ? n : Math.floor(next() * n);
      const isAtOnce = next() < 0.3;
      return [
        ...tokens(
          Array.from({ length: here }, () => (ms += isAtOnce ? 0 : next() * 200)),
          lane,
        ),
        ...end(ms, lane),
      ];
    });
    const isDrawn = next() < 0.7;
    const last = /** @type {Action} */ (next() < 0.5 ? DONE : { type: "stopped", elapsedMs: 9000 });
    const run = runOf(afterAll(plan, [OPENED, ...lanes, ...(isDrawn ? [drawn(8000)] : []), last]));
    const reports = reportsOf(run, 9000);
    for (const words of [differencesWords(reports), chatWords(reports, plan)]) {
      ok(!/NaN|Infinity|null|undefined|–|-\d/.test(words), words);
      ok(words === "" || words.endsWith("."), words);
      ok(!/ {2}|\.\.|^ /.test(words), words);
    }
  }
});

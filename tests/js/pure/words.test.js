// @ts-check
import { deepEqual, equal, ok, test } from "/tests/harness.js";
import { OPENED, REQUESTED_AT, afterAll, drawn, failed, finished, planned, runOf, token, tokens } from "/tests/runs.js";
import {
  atTheLine,
  besideTitle,
  firstFigure,
  hundredsWords,
  laneStatus,
  laneWords,
  looksBuffered,
  noticeWords,
  problemWords,
  resultWords,
  runMarks,
  settingsInShort,
  tokenWords,
  wholeFigure,
  withTellingTitles,
} from "/static/js/pure/words.js";
import { reduce } from "/static/js/pure/state.js";

/** @import { Action, PlannedLane } from "/static/js/pure/state.js" */

/** @type {Action} */
const LOST = { type: "lost", reason: "the connection broke" };
/** @type {Action} */
const STOPPED = { type: "stopped", elapsedMs: 500 };
/** @type {Action} */
const REFUSED = { type: "refused", reason: "lane 1: tokens must be less", elapsedMs: 80 };

/** @param {Action[]} actions @param {PlannedLane} [plan] */
const runWith = (actions, plan = planned()) => runOf(afterAll([plan], actions));

/** @param {Action[]} actions @param {number} elapsedMs @param {PlannedLane} [plan] */
const status = (actions, elapsedMs, plan) => laneStatus(runWith(actions, plan), 0, elapsedMs);

/** @param {Action[]} actions @param {number} elapsedMs */
const first = (actions, elapsedMs) => firstFigure(runWith(actions), 0, elapsedMs);

/** @param {Action[]} actions @param {PlannedLane} [plan] */
const whole = (actions, plan = planned()) => wholeFigure(runWith(actions, plan), plan, 0);

/** @param {number} lateMs */
const arrivals = (lateMs, plan = planned()) => plan.due_ms.map((dueMs) => dueMs + lateMs);

/** @param {number} lateMs @param {PlannedLane} [plan] @returns {Action[]} */
const wholeRun = (lateMs, plan) => [OPENED, ...tokens(arrivals(lateMs, plan)), finished(99_999), { type: "done" }];

/** @param {Action[]} actions @param {PlannedLane} [plan] */
const result = (actions, plan = planned()) => resultWords(plan, runWith(actions, plan).lanes[0]);

/* What an answer is doing. */

test("each state of an answer has a name and words of its own", () => {
  /** @type {[Action[], string, string][]} */
  const table = [
    [[], "connecting", "connecting"],
    [[OPENED], "waiting", "waiting for the first token"],
    [[OPENED, token(0, 12)], "streaming", "streaming"],
    [[OPENED, token(0, 12), LOST], "lost", "connection lost, resuming"],
    [[OPENED, token(0, 12), { type: "lost", reason: "shutdown" }], "lost", "the server is restarting, resuming"],
    [[OPENED, token(0, 12), LOST, { type: "opened", resumed: true }], "streaming", "streaming"],
    [[OPENED, token(0, 12), LOST, { type: "gave up" }], "gave up", "connection lost"],
    [[{ type: "lost", reason: "full" }], "lost", "the server is full, trying again"],
    [[LOST, REFUSED], "refused", "refused: lane 1: tokens must be less"],
    [[OPENED, token(0, 12), failed(40)], "failed", "failed: out of memory"],
    [[OPENED, token(0, 12), STOPPED], "stopped", "stopped"],
    [wholeRun(2), "done", "done"],
  ];
  for (const [actions, state, words] of table) deepEqual(status(actions, 50), { state, words });
  equal(new Set(table.map(([, , words]) => words)).size, table.length - 1, "only streaming comes twice");
});

test("a planned wait for the first token is never stalled, however long", () => {
  const plan = planned({ ttft_ms: 5_000 });
  for (const ms of [0, 2_999, 3_001, 5_000, 7_999]) equal(status([OPENED], ms, plan).state, "waiting", `${ms} ms`);
});

test("a planned gap between tokens is never stalled, however long", () => {
  const plan = planned({ tokens: 3, due_ms: [10, 60_010, 60_020], predicted_ms: 60_020 });
  for (const ms of [12, 3_100, 63_009]) equal(status([OPENED, token(0, 12)], ms, plan).state, "streaming", `${ms} ms`);
});

test("an answer that is sent whole is not stalled while it is held back", () => {
  const plan = planned({ delivery: "whole", due_ms: Array(100).fill(10_000), predicted_ms: 10_000 });
  for (const ms of [3_001, 12_999]) equal(status([OPENED], ms, plan).state, "waiting", `${ms} ms`);
  equal(status([OPENED], 13_000, plan).state, "stalled");
});

test("a token that is overdue by three seconds is stalled, the first as any other", () => {
  const plan = planned({ ttft_ms: 5_000, delay_ms: 100 });
  equal(status([OPENED], 7_999.9, plan).state, "waiting");
  deepEqual(status([OPENED], 8_000, plan), { state: "stalled", words: "stalled: a token is 3.0 s overdue" });
  equal(status([OPENED, token(0, 5_002)], 8_099.9, plan).state, "streaming");
  equal(status([OPENED, token(0, 5_002)], 9_600, plan).words, "stalled: a token is 4.5 s overdue");
});

test("a stalled answer streams again with the next token", () => {
  const plan = planned({ tokens: 3, delay_ms: 1_000 });
  equal(status([OPENED, token(0, 1_002)], 5_500, plan).state, "stalled");
  equal(status([OPENED, token(0, 1_002), token(1, 5_500)], 5_500, plan).state, "streaming");
});

test("an end that doesn't come is overdue too", () => {
  const actions = [OPENED, ...tokens(arrivals(2))];
  equal(status(actions, 3_999).state, "streaming");
  equal(status(actions, 4_000).state, "stalled");
});

test("while it isn't connected an answer is not stalled but what it is", () => {
  equal(status([], 60_000).state, "connecting");
  equal(status([OPENED, LOST], 60_000).state, "lost");
  equal(status([OPENED, STOPPED], 60_000).state, "stopped");
});

test("what ended stays ended when the others are stopped or the connection is lost", () => {
  const plan = [planned({ tokens: 1 }), planned({ tokens: 1 }), planned()];
  for (const action of [STOPPED, LOST]) {
    const before = [OPENED, token(0, 12, 0), finished(13, 0), failed(14, 1), token(0, 12, 2)];
    const run = runOf(afterAll(plan, [...before, action]));
    deepEqual([0, 1, 2].map((lane) => laneStatus(run, lane, 600).state), ["done", "failed", action.type]);
  }
});

/* The first figure. */

test("before a run there is no figure", () => {
  deepEqual(firstFigure(null, 0, 0), { figure: "–", words: "ms to first token", verdict: "", inside: null });
});

test("before the first token the figure counts, and says how long ago 100 ms passed", () => {
  /** @type {[number, string, string, boolean | null][]} */
  const table = [
    [0, "0", "", null],
    [52.4, "52", "", null],
    [100, "100", "", null],
    [600, "600", "100 ms passed 0.5 s ago", false],
    [2_304, "2,304", "100 ms passed 2.2 s ago", false],
  ];
  for (const [ms, figure, verdict, inside] of table) {
    deepEqual(first([OPENED], ms), { figure, words: "ms, nothing yet", verdict, inside });
  }
});

test("with the first token the figure stops at the time at which it was seen", () => {
  for (const elapsed of [60, 900, 100_000]) {
    deepEqual(first([OPENED, token(0, 46), drawn(52), token(1, 70), drawn(80)], elapsed), {
      figure: "52", words: "ms to first token", verdict: "inside 100 ms", inside: true,
    });
  }
});

test("a first token that came inside 100 ms and was seen after is outside", () => {
  deepEqual(first([OPENED, token(0, 99), drawn(100.2)], 120), {
    figure: "101", words: "ms to first token", verdict: "outside 100 ms", inside: false,
  });
  equal(first([OPENED, token(0, 99), drawn(100)], 120).inside, true, "exactly 100 ms is inside");
});

test("a first token that came while the tab was hidden is told by its arrival, and that it was not seen", () => {
  const figure = first([OPENED, token(0, 46), { type: "hidden" }, drawn(250, true), token(1, 270), drawn(280)], 300);
  deepEqual([figure.figure, figure.inside], ["46", true]);
  ok(/^inside 100 ms .*not seen.*hidden/.test(figure.verdict), figure.verdict);
});

test("the figure stays when the answer is over", () => {
  const actions = [OPENED, token(0, 46), drawn(52), ...tokens(arrivals(2)).slice(1), finished(1_003)];
  deepEqual(first(actions, 9_000), { figure: "52", words: "ms", verdict: "inside 100 ms", inside: true });
});

test("an answer that failed with no token says that none came, and stops at its failure", () => {
  for (const elapsed of [600, 90_000]) {
    deepEqual(first([OPENED, failed(600)], elapsed), {
      figure: "600", words: "ms, nothing came", verdict: "no token came", inside: false,
    });
  }
});

test("a run that was stopped or refused before the first token says that none came", () => {
  for (const end of [STOPPED, REFUSED]) equal(first([OPENED, end], 500).verdict, "no token came");
  equal(first([OPENED, token(0, 46), drawn(52), STOPPED], 500).verdict, "inside 100 ms");
});

/* The whole answer. */

test("before a run the whole answer is a number of tokens", () => {
  const { caption, figure } = wholeFigure(null, planned({ tokens: 10_000 }), 0);
  deepEqual([caption, figure], ["10,000 tokens", "–"]);
});

test("while it streams it is not yet, and so many tokens of all", () => {
  const { caption, figure, words } = whole([OPENED, token(0, 12), token(1, 22)]);
  deepEqual([caption, figure, words], ["2 of 100 tokens", "not yet", ""]);
});

test("a whole answer has its total, in hundreds of milliseconds and beside its first token", () => {
  const plan = planned({ delay_ms: 50 });
  const [one, ...others] = tokens(arrivals(2, plan));
  deepEqual(whole([OPENED, one, drawn(52), ...others, finished(5_003)], plan), {
    caption: "whole answer after", figure: "5,002", words: "ms", verdict: "50 × 100 ms · 96× as long",
  });
});

test("a whole answer inside 100 ms says so, and one that comes all at once is no multiple of its first token", () => {
  const short = [OPENED, token(0, 52), token(1, 60), finished(61)];
  equal(whole(short, planned({ tokens: 2 })).verdict, "inside 100 ms");
  const atOnce = [OPENED, token(0, 520), token(1, 520), finished(521)];
  equal(whole(atOnce, planned({ tokens: 2 })).verdict, "5 × 100 ms");
});

test("an answer that failed or was stopped says how far it came, and never a total", () => {
  const failure = whole([OPENED, token(0, 12), failed(40)]);
  deepEqual([failure.caption, failure.figure], ["1 of 100 tokens", "never"]);
  const stopped = whole([OPENED, token(0, 12), STOPPED]);
  deepEqual([stopped.caption, stopped.figure], ["1 of 100 tokens", "unfinished"]);
  for (const { figure, words, verdict } of [failure, stopped]) ok(!/\d/.test(figure + words + verdict), figure);
});

test("an answer is no multiple of a first token that came at once", () => {
  const actions = [OPENED, token(0, 0), drawn(0), token(1, 520), finished(521)];
  equal(whole(actions, planned({ tokens: 2 })).verdict, "5 × 100 ms");
});

/* What was predicted and measured. */

test("the worked example: predicted, measured, and what is outside n × t", () => {
  equal(result(wholeRun(4)), "100 × 10 ms ≈ 1,000 ms predicted · 1,004 ms measured · 4 ms outside n × t");
});

test("before the end there is n × t, and what was planned where that differs", () => {
  const slow = planned({ ttft_ms: 5_000 });
  equal(resultWords(planned(), null), "100 × 10 ms ≈ 1,000 ms");
  equal(resultWords(slow, null), "100 × 10 ms ≈ 1,000 ms · 5,990 ms planned");
  equal(result([OPENED, token(0, 12)]), "100 × 10 ms ≈ 1,000 ms");
});

test("an answer that failed or was stopped has nothing measured to compare", () => {
  for (const end of [failed(40), STOPPED]) ok(!result([OPENED, token(0, 12), end]).includes("measured"));
});

test("the figures add up as they are shown, also around 100 ms", () => {
  for (const [count, delayMs] of [[10, 10], [100, 10], [3, 33.3], [7, 0.5], [100, 0], [20, 5.055]]) {
    const plan = planned({ tokens: count, delay_ms: delayMs });
    for (const lateMs of [0, 0.2, 0.3, 0.5, 0.6, 4, 99.9, 100, 100.2]) {
      const words = result(wholeRun(lateMs, plan), plan);
      const figures = words.split(" ≈ ")[1].split(" · ");
      const [predicted, measured, outside] = figures.map((figure) => Number(figure.replace(/\D/g, "")));
      equal(outside, measured - predicted, words);
    }
  }
});

test("an answer that was quicker than n × t has a negative part outside", () => {
  const plan = planned({ ttft_ms: 0 });
  equal(result(wholeRun(2, plan), plan), "100 × 10 ms ≈ 1,000 ms · 990 planned · 992 measured · −8 ms outside n × t");
});

/* The line, and the settings. */

test("of 100 tokens at 10 ms nine are here at 100 ms, and ten due", () => {
  const [lane] = runWith(wholeRun(0.2)).lanes;
  equal(atTheLine(planned(), lane, 100), "at 100 ms: 9 here, 10 due");
  equal(atTheLine(planned(), lane, 1_000), "at 100 ms: 9 here, 10 due", "and it stays so");
});

test("before 100 ms have passed, the line says only what is due", () => {
  equal(atTheLine(planned(), null, 0), "at 100 ms: 10 due");
  equal(atTheLine(planned(), runWith([OPENED, token(0, 12)]).lanes[0], 99.9), "at 100 ms: 10 due");
});

test("an answer sent whole has none here and none due at 100 ms", () => {
  const plan = planned({ delivery: "whole", due_ms: Array(100).fill(1_000) });
  equal(atTheLine(plan, runWith([OPENED], plan).lanes[0], 150), "at 100 ms: 0 here, 0 due");
});

test("the hundreds are counted as the line is crossed", () => {
  const figures = [0, 99.4, 100, 2_304, 123_456].map(hundredsWords);
  deepEqual(figures, ["0 × 100 ms", "0 × 100 ms", "1 × 100 ms", "23 × 100 ms", "1,234 × 100 ms"]);
});

test("the settings in short name n and t, or that it is the same sent whole", () => {
  equal(settingsInShort(planned({ tokens: 10_000, delay_ms: 0.5 })), "10,000 tokens, 0.5 ms each");
  equal(settingsInShort(planned({ tokens: 1 })), "1 token, 10 ms each");
  equal(settingsInShort(planned({ delivery: "whole" })), "sent when it is whole");
  equal(settingsInShort(planned({ recording: "llama" })), "recorded, 100 tokens");
  equal(settingsInShort(planned({ opened: "a.json", delivery: "whole" })), "recorded, sent when it is whole");
});

test("a title that is the settings is enough; how an answer is sent is said beside it", () => {
  equal(besideTitle(planned({ title: "Streamed" })), "100 tokens, 10 ms each");
  equal(besideTitle(planned({ title: "100 × 10 ms" })), "");
  equal(besideTitle(planned({ title: "100 × 10 ms", delivery: "whole" })), "sent when it is whole");
});

/* All of it, in states that hardly occur. */

test("no words ever have NaN, Infinity, null or undefined in them", () => {
  const plans = [
    planned(),
    planned({ tokens: 1, delay_ms: 0 }),
    planned({ due_ms: [], predicted_ms: 0, ttft_ms: 0 }), // fails before its first token, which is due at once
    planned({ delay_ms: 0.001 }),
    planned({ tokens: 10_000, delay_ms: 60 }),
    planned({ delivery: "whole", due_ms: Array(100).fill(0) }),
  ];
  /** @type {Action[][]} */
  const histories = [
    [],
    [OPENED],
    [LOST],
    [LOST, REFUSED],
    [{ type: "gave up" }],
    [{ type: "done" }],
    [OPENED, { type: "done" }],
    [STOPPED],
    [OPENED, finished(0)],
    [OPENED, failed(0)],
    [OPENED, finished(50), { type: "done" }],
    [OPENED, token(0, 0), drawn(0), finished(0), { type: "done" }],
    [OPENED, token(0, 0)],
    [OPENED, token(0, 200), drawn(250, true), token(1, 300), failed(400), { type: "done" }],
    wholeRun(0),
    [...wholeRun(0), { type: "hidden" }, drawn(5_000)],
  ];
  for (const plan of plans) {
    for (const actions of histories) {
      for (const elapsed of [0, 99.999, 100, 100.0001, 3_600_000]) {
        const run = runWith(actions, plan);
        const lane = run.lanes[0];
        const all = [
          laneStatus(run, 0, elapsed), firstFigure(run, 0, elapsed), wholeFigure(run, plan, 0), resultWords(plan, lane),
          atTheLine(plan, lane, elapsed), hundredsWords(elapsed), settingsInShort(plan),
        ];
        const said = JSON.stringify(all, (key, value) => (key === "inside" ? "" : value)); // which may be null
        ok(!/NaN|Infinity|null|undefined|∞|\[object/.test(said), said);
      }
    }
  }
});

/* Notices. */

/** @param {number[]} arrivalsMs @param {Partial<PlannedLane>} [settings] @param {Action[]} [others] */
function runArriving(arrivalsMs, settings = { delay_ms: 20 }, others = []) {
  const plan = planned({ ...settings, tokens: arrivalsMs.length });
  const arrived = arrivalsMs.map((arrivalMs, i) => ({ ...token(i, arrivalMs), dueMs: plan.due_ms[i] }));
  return runOf(/** @type {Action[]} */ ([OPENED, ...others, ...arrived]).reduce(reduce, afterAll([plan])));
}

test("tokens that come in pieces though none was planned so tell of a buffering proxy", () => {
  const inPieces = [60, 60.5, 61, 120, 120.1, 121, 180, 180, 180.2];
  ok(looksBuffered(runArriving(inPieces)));
  ok(noticeWords(runArriving(inPieces)).includes("buffering"));
  ok(!looksBuffered(runArriving([20, 40, 60, 80, 80.5, 120])), "one pair is not half of them");
  ok(!looksBuffered(runArriving([20, 20.5, 21])), "three are too few to tell");
});

test("what has another reason is not taken for a buffering proxy", () => {
  const inPieces = [60, 60.5, 61, 120, 120.1, 121, 180, 180, 180.2];
  ok(!looksBuffered(runArriving(inPieces, { delay_ms: 19 })), "a fast run");
  ok(!looksBuffered(runArriving(inPieces, { delay_ms: 20, due_ms: inPieces })), "a planned burst");
  ok(!looksBuffered(runArriving(inPieces, { delay_ms: 20 }, [{ type: "hidden" }])), "a hidden tab");
  ok(!looksBuffered(runArriving(inPieces, { delay_ms: 20 }, [{ type: "busy" }])), "a busy page");
  ok(!looksBuffered(runArriving(inPieces, { delay_ms: 20 }, [{ type: "opened", resumed: true }])), "a resumed run");
});

test("a run that was resumed, hidden or stopped is marked so, an ordinary one is not", () => {
  const ended = /** @type {Action[]} */ ([{ type: "ended", lane: 0, how: "finished", reason: "stop", arrivalMs: 9 }, { type: "done" }]);
  /** @param {Action[]} actions */
  const marks = (actions) => runMarks(runOf([OPENED, ...actions, ...ended].reduce(reduce, afterAll([planned()]))));
  equal(marks([]), "");
  equal(marks([{ type: "opened", resumed: true }]), "resumed");
  equal(marks([{ type: "opened", resumed: true }, { type: "hidden" }]), "resumed, was hidden");
  equal(marks([{ type: "stopped", elapsedMs: 5 }]), "stopped");
});

/* Titles. */

test("answers of the same default title are told apart by their settings, or else by their place", () => {
  /** @param {Partial<PlannedLane>[]} lanes */
  const titles = (...lanes) => withTellingTitles(lanes.map(planned)).map(({ title }) => title);
  deepEqual(titles({}, { title: "All at once", delivery: "whole" }), ["Streamed", "All at once"]);
  deepEqual(titles({ tokens: 50 }, { tokens: 100 }), ["50 × 10 ms", "100 × 10 ms"]);
  deepEqual(titles({}, {}), ["Streamed 1", "Streamed 2"]);
  deepEqual(titles({ title: "Mine" }, { title: "Mine" }), ["Mine 1", "Mine 2"]);
  deepEqual(titles({ title: "Mine" }, { title: "Mine", delivery: "whole" }), ["Mine", "Mine, all at once"]);
});

/* Problems. */

test("a problem is told in the words of the page, and for which answer where there are several", () => {
  const problem = { lane: 1, field: "stall_at", value: "9", range: "a whole number from 1 to the number of tokens", detail: "lane 2: …" };
  const labels = new Map([["stall_at", "stall before"]]);
  equal(problemWords(problem, labels, 2), "Answer 2: stall before must be a whole number from 1 to the number of tokens.");
  equal(problemWords({ ...problem, lane: 0 }, labels, 1), "stall before must be a whole number from 1 to the number of tokens.");
  equal(problemWords({ ...problem, field: "say" }, labels, 1), "lane 2: …");
});

test("an answer that would last too long is told in minutes", () => {
  const problem = { lane: 0, field: "predicted_ms", value: "10,000,000.0", range: "at most 600,000", detail: "" };
  equal(problemWords(problem, new Map(), 1), "it would last 166.7 minutes, and may last 10 minutes.");
});

/* An answer that is drawn all in one frame. */

test("the first token of an answer that comes all at once is never said to be later than the whole", () => {
  const plan = planned({ tokens: 3, delivery: "whole", due_ms: [30, 30, 30] });
  const actions = /** @type {Action[]} */ ([
    OPENED, token(0, 31), token(1, 31), token(2, 31), { type: "drawn", now: REQUESTED_AT + 45, hidden: false },
    { type: "ended", lane: 0, how: "finished", reason: "stop", arrivalMs: 31 }, { type: "done" },
  ]);
  const run = runOf(actions.reduce(reduce, afterAll([plan])));
  equal(firstFigure(run, 0, 31).figure, "31");
  equal(wholeFigure(run, plan, 0).figure, "31");
});

/* One token looked at closely. */

/** @param {Partial<import("/static/js/pure/state.js").Token>} [times] */
const aToken = (times = {}) => ({ text: " When", dueMs: 20, sentMs: 20.2, arrivalMs: 104.44, drawnMs: 112, ...times });

test("a token says whose it is, which of how many, its text, and when it was due, sent, here and drawn", () => {
  equal(
    tokenWords(planned(), [aToken({ arrivalMs: 94.38 }), aToken()], 1),
    "Streamed, token 2 of 100, “When”: due 20.0 · sent 20.2 · arrived 104.4 · drawn 112.0 ms · 10.1 ms after the one before",
  );
});

test("the first token comes after none, and thousands are separated", () => {
  const words = tokenWords(planned({ tokens: 10_000 }), [aToken({ dueMs: 2304 })], 0);
  ok(words.startsWith("Streamed, token 1 of 10,000, “When”: due 2,304.0 · "), words);
  ok(!words.includes("before"), words);
  const late = Array.from({ length: 1_200 }, () => aToken());
  ok(tokenWords(planned({ tokens: 10_000 }), late, 1_199).includes("token 1,200 of 10,000"));
});

test("a token that was not drawn has a dash there", () => {
  ok(tokenWords(planned(), [aToken({ drawnMs: null })], 0).endsWith("arrived 104.4 · drawn – ms"));
});

test("a token that came together with the one before has a gap of nothing, which is told", () => {
  ok(tokenWords(planned(), [aToken(), aToken()], 1).endsWith(" · 0.0 ms after the one before"));
});

test("a token that is only a line break can be seen to be one", () => {
  for (const text of ["\n", "\n\n", " \n"]) ok(tokenWords(planned(), [aToken({ text })], 0).includes("“¶”"), JSON.stringify(text));
});

for (const [text, words] of [
  ["ttft_ms:500", "first after 500 ms"],
  ["ttft_ms:10", ""],
  ["growth_ms:0.5", "0.5 ms more each time"],
  ["burst:5", "5 at a time"],
  ["burst:1", ""],
  ["flush_ms:250", "buffered for 250 ms"],
  ["stall_at:3,stall_ms:1000", "1,000 ms of nothing before token 3"],
  ["fail_at:0", "fails after 0"],
  ["cut_at:2", "cut after 2"],
]) {
  test(`${text} is told as “${words}”`, () => {
    equal(laneWords(`tokens:5,delay_ms:10,${text}`), ["5 × 10 ms", words].filter(Boolean).join(", "));
  });
}

test("a lane's settings from a URL are told in words", () => {
  equal(laneWords("tokens:1000,delay_ms:10"), "1,000 × 10 ms");
  equal(laneWords("recording:llama,flush_ms:5"), "llama, recorded, buffered for 5 ms");
  equal(laneWords("opened:a.json"), "a.json, recorded");
  equal(laneWords("tokens:5,delay_ms:2.5,jitter:0.5,delivery:whole"), "5 × 2.5 ms, jitter 0.5, all at once");
});

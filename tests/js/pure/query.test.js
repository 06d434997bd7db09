// @ts-check
import { deepEqual, equal, ok, test } from "/tests/harness.js";
import { random } from "/tests/runs.js";
import {
  changed, hasTwin, maySet, readQuery, served, shared, withDuplicate, withLane, withLanes, withOpened, withSetting,
  withTwin, withoutLane, writeLane, writeQuery,
} from "/static/js/pure/query.js";

/** @import { Query } from "/static/js/pure/query.js" */

/** What a query, a lane or a URL gives a meaning to, and letters of every size in UTF-8. */
const PIECES = [
  ..."aZ09 +%&=#?/;:,'\"<>\\~\n\t\0",
  "%2C", "%3A", "%20", "%2B", "&lane=", "\r\n", "é", "e\u0301", "ß", "日", "😀", "👩\u200d🚀", "\u202e", "\u2028", "\ufeff",
];

/** @param {() => number} next @param {string[]} pieces */
function someText(next, pieces) {
  return Array.from({ length: Math.floor(next() * 12) }, () => pieces[Math.floor(next() * pieces.length)]).join("");
}

/** @param {Query} query @param {string} [message] */
function comesBack(query, message) {
  deepEqual(readQuery(writeQuery(query)), query, message ?? writeQuery(query));
}

test("a query is written as the server's documentation writes it", () => {
  const query = { lanes: [{ tokens: "100", delay_ms: "10", delivery: "whole" }], say: "" };
  equal(writeQuery(query), "lane=tokens:100,delay_ms:10,delivery:whole");
});

test("several answers and a text stand one after another, in their order", () => {
  const query = { lanes: [{ tokens: "1" }, { tokens: "2" }, { tokens: "3" }, { tokens: "4" }], say: "Hello you" };
  equal(writeQuery(query), "lane=tokens:1&lane=tokens:2&lane=tokens:3&lane=tokens:4&say=Hello+you");
  comesBack(query);
});

test("without a text of one's own, none is written", () => {
  ok(!writeQuery({ lanes: [{}], say: "" }).includes("say"));
});

test("an answer with nothing set is still an answer", () => {
  equal(writeQuery({ lanes: [{}], say: "" }), "lane=");
  comesBack({ lanes: [{}], say: "" });
  comesBack({ lanes: [{}, { tokens: "5" }, {}], say: "" });
});

test("an empty query has no answers and no text", () => {
  deepEqual(readQuery(""), { lanes: [], say: "" });
  equal(writeQuery({ lanes: [], say: "" }), "");
});

test("the question mark of a location's search is not part of the first name", () => {
  deepEqual(readQuery("?lane=tokens:5"), { lanes: [{ tokens: "5" }], say: "" });
});

test("a query is read from every way in which a browser or server writes it", () => {
  const query = { lanes: [{ tokens: "5", title: "two words" }], say: "a b" };
  deepEqual(readQuery("lane=tokens:5,title:two+words&say=a+b"), query);
  deepEqual(readQuery("lane=tokens%3A5%2Ctitle%3Atwo%20words&say=a%20b"), query);
});

test("a title may have colons", () => {
  const query = { lanes: [{ title: "10:30: lunch", tokens: "5" }], say: "" };
  equal(writeQuery(query), "lane=title:10:30:+lunch,tokens:5");
  comesBack(query);
});

test("a text may have all that a lane or a query gives a meaning to", () => {
  const texts = ["50% off & more", "1+1=2", "a, b: c", "?#/", "line\nbreak", " ", "日本語 ß é 😀"];
  for (const say of [...texts, ...PIECES]) {
    comesBack({ lanes: [{ tokens: "5" }], say }, JSON.stringify(say));
  }
});

test("half of a character, which a URL can't have, is written as the sign for an unknown one", () => {
  equal(readQuery(writeQuery({ lanes: [{}], say: "a\ud83db" })).say, "a\ufffdb");
});

test("any settings and any text come back as they were", () => {
  const next = random(1);
  const pieces = PIECES.filter((piece) => !piece.includes(",")); // no title can have one
  for (let round = 0; round < 500; round += 1) {
    const lane = () => ({ title: someText(next, pieces), tokens: "5" });
    const lanes = Array.from({ length: 1 + Math.floor(next() * 4) }, lane);
    comesBack({ lanes, say: someText(next, PIECES) });
  }
});

test("what URLSearchParams reads, as the server does, is what was written", () => {
  const next = random(2);
  for (let round = 0; round < 500; round += 1) {
    /** @type {Query} */
    const query = { lanes: [{ title: someText(next, PIECES) }, { tokens: "5" }], say: `.${someText(next, PIECES)}` };
    const params = new URLSearchParams(writeQuery(query));
    const expected = [["lane", writeLane(query.lanes[0])], ["lane", "tokens:5"], ["say", query.say]];
    deepEqual([...params], expected, writeQuery(query));
  }
});

test("what is written is a query that a URL leaves as it is", () => {
  const next = random(3);
  const pieces = PIECES.filter((piece) => piece !== "'"); // a URL escapes it, though a query may hold it
  for (let round = 0; round < 500; round += 1) {
    const written = writeQuery({ lanes: [{ tokens: "5" }], say: `.${someText(next, pieces)}` });
    equal(new URL(`http://localhost/?${written}`).search, `?${written}`);
  }
});

test("a setting is put in, changed in its place, or taken out", () => {
  const lane = { tokens: "100", delay_ms: "10" };
  equal(writeLane(withSetting(lane, "delivery", "whole")), "tokens:100,delay_ms:10,delivery:whole");
  equal(writeLane(withSetting(lane, "tokens", "5")), "tokens:5,delay_ms:10");
  for (const nothing of ["", undefined]) equal(writeLane(withSetting(lane, "tokens", nothing)), "delay_ms:10");
  deepEqual(withSetting(lane, "ttft_ms", ""), lane, "what isn't set can be taken out too");
  deepEqual(withSetting({ tokens: "5" }, "tokens", undefined), {}, "the last one leaves an answer with nothing set");
});

test("a setting of 0 is a setting", () => {
  deepEqual(withSetting({}, "delay_ms", "0"), { delay_ms: "0" });
});

test("a change leaves the query as it was, and gives one with all answers changed", () => {
  /** @type {Query} */
  const query = { lanes: [{ tokens: "5", ttft_ms: "1" }, { tokens: "6" }], say: "Hello" };
  const copy = structuredClone(query);
  const changed = withLanes(query, (lane) => withSetting(withSetting(lane, "delay_ms", "20"), "ttft_ms", ""));
  deepEqual(changed, { lanes: [{ tokens: "5", delay_ms: "20" }, { tokens: "6", delay_ms: "20" }], say: "Hello" });
  deepEqual(query, copy);
});

/* Several answers. */

const A = { tokens: "100", delay_ms: "10", title: "Mine" };
const B = { tokens: "50", delay_ms: "10" };

test("an answer is changed, doubled and taken out without touching the others, or the query it was in", () => {
  const query = { lanes: [A, B], say: "x" };
  deepEqual(withLane(query, 1, (lane) => ({ ...lane, tokens: "7" })).lanes, [A, { ...B, tokens: "7" }]);
  deepEqual(withDuplicate(query, 0).lanes, [A, A, B]);
  deepEqual(withoutLane(query, 0), { lanes: [B], say: "x" });
  deepEqual(query, { lanes: [A, B], say: "x" });
});

test("the twin is the first answer again, sent whole, under a title of its own", () => {
  const pair = withTwin({ lanes: [A], say: "" });
  deepEqual(pair.lanes, [A, { tokens: "100", delay_ms: "10", delivery: "whole" }]);
  deepEqual([hasTwin({ lanes: [A], say: "" }), hasTwin(pair)], [false, true]);
});

test("what answers share is told, and that they differ", () => {
  equal(shared([A, B], "delay_ms"), "10");
  equal(shared([A, B], "tokens"), "");
  equal(shared([A, B], "jitter"), "", "which none of them sets");
  equal(shared([A, B], "ttft_ms"), "10", "the first token takes as long as any other");
  equal(shared([{ ...A, ttft_ms: "500" }, B], "ttft_ms"), "");
});

test("a setting that needs another brings it along, and takes it away", () => {
  deepEqual(changed(B, "stall_at", "9"), { ...B, stall_at: "9", stall_ms: "1000" });
  deepEqual(changed(B, "stall_ms", "500"), { ...B, stall_at: "25", stall_ms: "500" });
  deepEqual(changed({ ...B, stall_at: "9", stall_ms: "1000" }, "stall_ms", ""), B);
  deepEqual(changed({ ...B, stall_at: "9", stall_ms: "1000" }, "stall_at", ""), B);
});

test("the first token follows the time per token until it is something else", () => {
  deepEqual(changed(B, "ttft_ms", "300"), { ...B, ttft_ms: "300" });
  deepEqual(changed({ ...B, ttft_ms: "300" }, "ttft_ms", "10"), B);
});

test("what a model did is recorded, and a change of all answers leaves it as it was", () => {
  const recorded = { recording: "llama" };
  for (const name of ["tokens", "delay_ms", "ttft_ms", "jitter", "stall_at", "fail_at", "text", "seed"]) {
    equal(changed(recorded, name, "5"), recorded, name);
    equal(changed({ opened: "a.json" }, name, "5").tokens, undefined, name);
  }
  deepEqual(changed(recorded, "flush_ms", "5"), { recording: "llama", flush_ms: "5" });
  deepEqual(changed({ opened: "a.json" }, "title", "Mine"), { opened: "a.json", title: "Mine" });
  equal(maySet({ opened: "a.json" }, "flush_ms"), false, "the server buffers, not the page");
});

test("what answers share is said of those that can have it", () => {
  equal(shared([{ recording: "llama" }, { tokens: "5" }], "tokens"), "5");
  equal(shared([{ recording: "llama" }], "tokens"), "");
  equal(shared([{ recording: "llama" }, { delivery: "whole" }], "delivery"), "");
});

test("what was opened from disk is in no link, and the server is not asked for it", () => {
  const query = withOpened({ lanes: [{ tokens: "5" }], say: "" }, "a.json");
  deepEqual(query.lanes, [{ tokens: "5" }, { opened: "a.json" }]);
  equal(writeQuery(served(query)), "lane=tokens:5");
});

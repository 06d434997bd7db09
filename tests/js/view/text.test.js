// @ts-check
import { deepEqual, equal, ok, test } from "/tests/harness.js";
import { random } from "/tests/runs.js";
import { TextView } from "/static/js/view/text.js";

/** @import { Token } from "/static/js/pure/state.js" */

/** @param {string[]} texts @returns {Token[]} */
const tokensOf = (texts) => texts.map((text) => ({ text, dueMs: 0, sentMs: 0, arrivalMs: 0, drawnMs: null }));

/** Enough for the text to be some screens long. */
const LONG = tokensOf(Array.from({ length: 400 }, (_, i) => `${i === 0 ? "" : " "}word${i}`));

/** As answer.css has it: a box of a fixed size that scrolls and keeps spaces, and a caret that makes no line higher. */
function scene() {
  const scroller = document.createElement("div");
  scroller.style.cssText = "width: 400px; height: 100px; overflow-y: auto; white-space: pre-wrap; font: 20px/1.4 system-ui";
  const caret = document.createElement("span");
  caret.style.cssText = "display: inline-block; width: 3px; height: 1.05em; vertical-align: -0.15em";
  scroller.append(caret);
  document.body.replaceChildren(scroller);
  const text = new TextView(scroller);
  /** What a frame does. @param {Parameters<TextView["update"]>} what */
  const update = (...what) => (text.update(...what), text.follow());
  return { scroller, caret, view: { update } };
}

/** @param {HTMLElement} scroller */
const paragraphs = (scroller) => [...scroller.querySelectorAll("p")].map((paragraph) => paragraph.textContent);

/** @param {HTMLElement} scroller */
function textNodes(scroller) {
  const walker = document.createTreeWalker(scroller, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) nodes.push(/** @type {Text} */ (walker.currentNode));
  return nodes;
}

/** Browsers tell of scrolling before they paint the next frame. */
const painted = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));

/** @param {HTMLElement} scroller @returns {number} pixels below what is seen */
const below = ({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight;

test("before a run there is the caret and no text", () => {
  const { scroller, caret, view } = scene();
  view.update(0, []);
  equal(scroller.textContent, "");
  deepEqual([...scroller.querySelectorAll("*")].filter((element) => element !== caret).length, 0);
});

test("the text is exactly the tokens joined, as they come", () => {
  const { scroller, view } = scene();
  const tokens = tokensOf(["When", " a", "  model", "\t", "<b>", "&amp;", "\n", "\u202e", "👩", "\u200d🚀", "."]);
  for (let here = 1; here <= tokens.length; here += 1) {
    view.update(1, tokens.slice(0, here));
    equal(scroller.textContent, tokens.slice(0, here).map(({ text }) => text).join(""));
  }
  deepEqual([...scroller.querySelectorAll("*")].map(({ tagName }) => tagName), ["P", ...tokens.map(() => "SPAN"), "SPAN"], "and nothing became markup");
});

test("a blank line begins a paragraph, wherever the frames fall", () => {
  const texts = ["One", ".", "\n\n", "Two", " and", "\n\n", "three"];
  const next = random(1);
  for (let round = 0; round < 50; round += 1) {
    const { scroller, view } = scene();
    for (let here = 0; here < texts.length; ) {
      here = Math.min(texts.length, here + 1 + Math.floor(next() * 3));
      view.update(1, tokensOf(texts.slice(0, here)));
    }
    deepEqual(paragraphs(scroller), ["One.", "Two and", "three"], `round ${round}`);
  }
});

test("paragraphs joined by blank lines are the tokens joined, however many line breaks there are", () => {
  const next = random(2);
  const pieces = ["a", " b", "\n", "\n\n", "\n\n\n", "\r\n"];
  for (let round = 0; round < 300; round += 1) {
    const { scroller, view } = scene();
    const texts = Array.from({ length: 12 }, () => pieces[Math.floor(next() * pieces.length)]);
    for (let here = 0; here < texts.length; ) {
      here = Math.min(texts.length, here + 1 + Math.floor(next() * 4));
      view.update(1, tokensOf(texts.slice(0, here)));
    }
    equal(paragraphs(scroller).join("\n\n"), texts.join(""), JSON.stringify(texts));
  }
});

test("the caret stands at the end, in the last paragraph", () => {
  const { scroller, caret, view } = scene();
  for (const texts of [["a"], ["a", " b"], ["a", " b", "\n\n"], ["a", " b", "\n\n", "c"]]) {
    view.update(1, tokensOf(texts));
    equal(caret.parentElement, scroller.lastElementChild, JSON.stringify(texts));
    equal(caret.parentElement?.lastChild, caret, JSON.stringify(texts));
  }
  equal(scroller.querySelectorAll("span:not(.token)").length, 1);
});

test("each token is an element of its own, every other one marked", () => {
  const { scroller, view } = scene();
  for (const here of [1, 40, 41, 400]) {
    view.update(1, LONG.slice(0, here));
    deepEqual(
      [...scroller.querySelectorAll(".token")].map((element) => [element.textContent, element.classList.contains("odd")]),
      LONG.slice(0, here).map(({ text }, i) => [text, i % 2 === 1]),
    );
  }
});

test("the newest token is marked while tokens come slowly enough to follow", () => {
  const { scroller, view } = scene();
  const newest = () => [...scroller.querySelectorAll(".newest")].map((element) => element.textContent);
  for (let here = 1; here <= 3; here += 1) {
    view.update(1, LONG.slice(0, here), 333);
    deepEqual(newest(), [LONG[here - 1].text]);
  }
  view.update(2, LONG.slice(0, 2), 332);
  deepEqual(newest(), []);
});

test("what a reader has read is marked, and no longer when they are sent away", () => {
  const { scroller, view } = scene();
  const read = () => scroller.querySelectorAll(".read").length;
  for (const count of [0, 3, 10, 4]) {
    view.update(1, LONG.slice(0, 10), 0, count);
    equal(read(), count);
  }
  view.update(1, LONG.slice(0, 10));
  equal(read(), 0);
});

test("a replay that has fewer tokens begins anew", () => {
  const { scroller, view } = scene();
  view.update(-1, LONG.slice(0, 10));
  view.update(-1, LONG.slice(0, 2));
  equal(scroller.textContent, LONG[0].text + LONG[1].text);
});

test("an update without a new token touches nothing", () => {
  const { scroller, view } = scene();
  view.update(1, LONG);
  const observer = new MutationObserver(() => {});
  observer.observe(scroller, { childList: true, characterData: true, attributes: true, subtree: true });
  for (let i = 0; i < 10; i += 1) view.update(1, LONG);
  equal(observer.takeRecords().length, 0);
});

test("what is drawn is never touched again: only the caret moves", () => {
  const { scroller, caret, view } = scene();
  const tokens = tokensOf(["One", ".", "\n\n", "Two", " and", "\n\n", "three", " and", " four"]);
  view.update(1, tokens.slice(0, 4));
  const nodes = textNodes(scroller);
  const before = nodes.map(({ data }) => data);
  const blocks = [...scroller.querySelectorAll("p")];
  const observer = new MutationObserver(() => {});
  observer.observe(scroller, { childList: true, characterData: true, subtree: true });
  for (let here = 5; here <= tokens.length; here += 1) view.update(1, tokens.slice(0, here));
  const records = observer.takeRecords();
  ok(records.every(({ type }) => type === "childList"), "no text changed");
  ok(records.flatMap(({ removedNodes }) => [...removedNodes]).every((node) => node === caret), "nothing else was taken away");
  const after = textNodes(scroller);
  ok(nodes.every((node, i) => node === after[i]), "they are the same nodes");
  deepEqual(nodes.map(({ data }) => data), before);
  ok(blocks.every((block, i) => block === scroller.querySelectorAll("p")[i]));
});

test("words that are drawn stay where they are", () => {
  const { scroller, view } = scene();
  view.update(1, LONG.slice(0, 10));
  const range = document.createRange();
  const place = () => {
    range.selectNodeContents(textNodes(scroller)[0]);
    const { x, y, width, height } = range.getBoundingClientRect();
    return [x, y + scroller.scrollTop, width, height];
  };
  const before = place();
  for (let here = 11; here <= 60; here += 1) view.update(1, LONG.slice(0, here));
  deepEqual(place(), before);
});

test("a new run clears the text, also to nothing", () => {
  const { scroller, caret, view } = scene();
  view.update(1, tokensOf(["old", "\n\n", "text"]));
  view.update(2, tokensOf(["new"]));
  deepEqual(paragraphs(scroller), ["new"]);
  view.update(3, []);
  equal(scroller.textContent, "");
  deepEqual([...scroller.childNodes], [caret]);
  view.update(3, tokensOf(["again"]));
  equal(scroller.textContent, "again");
});

test("who reads at the end is taken along", async () => {
  const { scroller, view } = scene();
  for (let here = 100; here <= 400; here += 100) {
    view.update(1, LONG.slice(0, here));
    ok(scroller.scrollHeight > scroller.clientHeight, "it scrolls");
    ok(below(scroller) <= 1, `${below(scroller)} px are below`);
    await painted();
  }
});

test("who scrolls up stays there", async () => {
  const { scroller, view } = scene();
  view.update(1, LONG.slice(0, 100));
  await painted();
  scroller.scrollTop -= 60;
  await painted();
  scroller.scrollTop += 30; // a part of the way back is not the end
  const { scrollTop } = scroller;
  await painted();
  for (let here = 101; here <= 400; here += 100) {
    view.update(1, LONG.slice(0, here));
    await painted();
  }
  equal(scroller.scrollTop, scrollTop);
});

test("who scrolls up by little, as with a trackpad or in a smooth scroll's first frame, stays there too", async () => {
  const { scroller, view } = scene();
  view.update(1, LONG.slice(0, 100));
  await painted();
  for (let here = 101; here <= 120; here += 1) {
    scroller.scrollTop -= 3;
    await painted();
    view.update(1, LONG.slice(0, here));
    await painted();
  }
  ok(below(scroller) >= 60, `only ${below(scroller)} px are below`);
});

test("who comes back to the end is taken along again", async () => {
  const { scroller, view } = scene();
  view.update(1, LONG.slice(0, 100));
  await painted();
  scroller.scrollTop = 0;
  await painted();
  view.update(1, LONG.slice(0, 200));
  equal(scroller.scrollTop, 0);
  scroller.scrollTop = scroller.scrollHeight;
  await painted();
  view.update(1, LONG.slice(0, 300));
  ok(below(scroller) <= 1, `${below(scroller)} px are below`);
});

test("a new run takes along who had scrolled up in the last one", async () => {
  const { scroller, view } = scene();
  view.update(1, LONG);
  await painted();
  scroller.scrollTop = 0;
  await painted();
  view.update(2, LONG.slice(0, 1));
  await painted();
  view.update(2, LONG);
  ok(below(scroller) <= 1, `${below(scroller)} px are below`);
});

test("a selection survives what comes after it", () => {
  const { scroller, view } = scene();
  const tokens = tokensOf(["One", " more", " time", "\n\n", "Two", " more", "\n\n", "three"]);
  view.update(1, tokens.slice(0, 1));
  view.update(1, tokens.slice(0, 3));
  const [first, , second] = textNodes(scroller);
  const selection = /** @type {Selection} */ (getSelection());
  selection.setBaseAndExtent(first, 1, second, second.length);
  for (let here = 4; here <= tokens.length; here += 1) {
    view.update(1, tokens.slice(0, here));
    equal(selection.toString(), "ne more time");
  }
  ok(selection.anchorNode === first && selection.focusNode === second);
});

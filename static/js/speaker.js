// @ts-check
/** The speaker's window: shows what the page that presents says, and tells it what to do. It runs nothing itself. */

import { openChannel } from "./transport/channel.js";
import { byId, partsOf, setText } from "./view/dom.js";
import { isForTheBrowser, keyOf } from "./view/keys.js";

/** @import { Now } from "./transport/channel.js" */

/** After this long without a word, the page that presents is gone. */
const SILENT_AFTER_MS = 3_000;

/** Of the keys that write nothing, those of a talk; the others are left to the browser. */
const KEYS = ["PageDown", "PageUp", "F5", "Enter", "Escape"];

let heardAt = -Infinity;
// Open as long as the window.
const { say } = openChannel(location.hash.slice(1), (message) => "now" in message && show(message.now));
say({ hello: true });

// All of these live as long as the window.
setInterval(() => performance.now() - heardAt > SILENT_AFTER_MS && showSilence(), SILENT_AFTER_MS);
for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-do]"))) {
  button.addEventListener("click", ({ detail }) => {
    say({ do: button.dataset.do ?? "" });
    if (detail > 0) button.blur(); // one that was clicked leaves Space and Enter to the talk
  });
}
document.addEventListener("keydown", (event) => {
  const key = keyOf(event);
  const isOfButton = event.target instanceof HTMLButtonElement && (key === " " || key === "Enter");
  if (isForTheBrowser(event) || isOfButton || !(key.length === 1 || KEYS.includes(key))) return;
  event.preventDefault();
  if (!event.repeat) say({ press: key, shiftKey: event.shiftKey });
});

/** @param {Now} now */
function show({ deck, at, count, line, step, figures, planned, talkMs, pace, isBlack }) {
  heardAt = performance.now();
  const scenes = /** @type {HTMLElement[]} */ ([
    ...document.querySelectorAll(`.scene[data-deck="${CSS.escape(deck)}"]`),
  ]);
  setText(byId("status"), isBlack ? "The screen is black." : "");
  setText(byId("where"), at < 0 ? "now: the page's own answers" : `now: scene ${at + 1} of ${count}`);
  setText(byId("now-title"), titleOf(scenes[at]));
  setText(byId("then-title"), titleOf(scenes[at + 1]) || "the end");
  setText(byId("said"), line);
  setText(byId("doing"), step);
  setText(byId("planned"), planned);
  setText(byId("time"), clock(talkMs));
  setText(byId("pace"), pace);
  showFigures(figures);
  showNotes(scenes[at]);
}

/** @param {string[]} figures */
function showFigures(figures) {
  const list = byId("figures");
  while (list.children.length > figures.length) list.lastElementChild?.remove();
  while (list.children.length < figures.length) list.append(document.createElement("li"));
  figures.forEach((figure, n) => setText(/** @type {HTMLElement} */ (list.children[n]), figure));
}

/** @param {HTMLElement | undefined} scene */
function showNotes(scene) {
  const slug = scene?.dataset.slug ?? "";
  const notes = byId("notes");
  if (notes.dataset.slug === slug) return;
  notes.dataset.slug = slug;
  notes.replaceChildren(...(scene ? [partsOf(scene).notes.cloneNode(true)] : []));
}

function showSilence() {
  setText(byId("status"), "The page that presents does not answer: was it closed, or opened anew? Press N there.");
}

/** @param {HTMLElement | undefined} scene */
function titleOf(scene) {
  return scene ? (partsOf(scene).title.textContent ?? "") : "";
}

/** @param {number} ms @returns {string} minutes and seconds: "12:05" */
function clock(ms) {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

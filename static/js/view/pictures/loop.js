// @ts-check
/** The loop: the step under way is lit, and the token just made travels into the output. */

import { count } from "../../pure/format.js";
import { linesWith, loopAt } from "../../pure/loop.js";
import { isKept } from "../../pure/made.js";
import { partsOf, setAttribute, setText } from "../dom.js";

/** @import { Token } from "../../pure/state.js" */
/** @import { Moment } from "../pictures.js" */

/** Signs on a line of the output box, and its lines. */
const WIDTH = 19;
const LINES = 7;

/** Of what came while the picture was out of sight, no more than this is needed to fill the box. */
const ENOUGH = WIDTH * LINES;

/** Where a token starts, and what its way bends towards: out of “generate”, past “add it”. */
const START = { x: 238, y: 124 };
const BEND = { x: 330, y: 215 };

export class Loop {
  #root;
  #parts;
  #lines;
  #run = 0;
  #shown = 0;
  /** @type {string[][]} */
  #text = [];
  #landing = START;

  /** @param {HTMLElement} root */
  constructor(root) {
    this.#root = root;
    this.#parts = partsOf(root);
    this.#lines = /** @type {SVGTextElement[]} */ ([...this.#parts.lines.children]);
  }

  /** @param {Moment} moment */
  update({ plan: [plan], run, elapsedMs }) {
    const lane = run?.lanes[0] ?? null;
    const { pace, step, pass, travelled } = loopAt(plan, lane, elapsedMs, run !== null && run.endMs !== null);
    const isMade = lane !== null && lane.tokens.length > 0;
    this.#root.dataset.pace = pace;
    this.#root.dataset.now = step ?? "";
    setText(
      this.#parts.pass,
      pace === "rest" ? `0 of ${count(plan.tokens)}` : `${count(pass)} of ${count(plan.tokens)}`,
    );
    const none = lane && isKept(plan) ? "kept back" : "nothing yet";
    setText(this.#parts.nothing, pace === "over" ? "nothing came" : none);
    this.#parts.nothing.toggleAttribute("hidden", isMade);
    this.#write(run?.number ?? 0, lane?.tokens ?? [], pace === "slow");
    this.#move(pace === "slow" && step === "add" ? travelled : 1);
  }

  /** @param {number} run @param {readonly Token[]} tokens @param {boolean} isSlow */
  #write(run, tokens, isSlow) {
    if (run === this.#run && tokens.length === this.#shown) return;
    if (run !== this.#run || tokens.length < this.#shown) this.#text = [];
    else if (this.#shown < tokens.length - ENOUGH) this.#text = [];
    const from = this.#text.length === 0 ? 0 : this.#shown;
    for (const { text } of tokens.slice(Math.max(from, tokens.length - ENOUGH))) {
      this.#text = linesWith(this.#text, text, WIDTH, LINES);
    }
    this.#run = run;
    this.#shown = tokens.length;
    this.#lines.forEach((line, n) => this.#writeLine(line, n));
    if (isSlow) this.#aim(tokens.at(-1)?.text.trim() ?? "");
  }

  /** @param {SVGTextElement} line @param {number} n */
  #writeLine(line, n) {
    const tokens = this.#text[n] ?? [];
    const isLast = n === this.#text.length - 1;
    const [before, newest] = /** @type {HTMLCollectionOf<HTMLElement>} */ (/** @type {unknown} */ (line.children));
    setText(before, (isLast ? tokens.slice(0, -1) : tokens).join(""));
    setText(newest, isLast ? (tokens.at(-1) ?? "") : "");
  }

  /** Where the newest token stands, which only the browser's font knows. @param {string} token */
  #aim(token) {
    const line = this.#lines[this.#text.length - 1];
    const place = /** @type {SVGTSpanElement} */ (line?.lastElementChild);
    const [box, text] = this.#parts.traveller.children;
    setText(/** @type {HTMLElement} */ (text), token);
    setAttribute(box, "width", /** @type {SVGTextElement} */ (text).getComputedTextLength() + 12);
    if (!place?.textContent) return;
    const spaces = place.textContent.length - place.textContent.trimStart().length;
    const { x, y } = place.getStartPositionOfChar(Math.min(spaces, place.getNumberOfChars() - 1));
    const narrow = this.#root.dataset.shape === "narrow";
    this.#landing = narrow ? { x: x + NARROW.x, y: y + NARROW.y } : { x, y };
  }

  /** @param {number} travelled 0 to 1, where it is no longer to be seen */
  #move(travelled) {
    const { traveller } = this.#parts;
    this.#root.toggleAttribute("data-travels", travelled < 1);
    if (travelled >= 1) return;
    const eased = travelled * travelled * (3 - 2 * travelled);
    const bend = this.#root.dataset.shape === "narrow" ? START : BEND;
    const x = along(START.x, bend.x, this.#landing.x, eased);
    const y = along(START.y, bend.y, this.#landing.y, eased);
    setAttribute(traveller, "transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
  }
}

/** How pictures/loop.css moves the output in the narrow shape. */
const NARROW = { x: -320, y: 262 };

/** On a quadratic curve. @param {number} from @param {number} by @param {number} to @param {number} share */
function along(from, by, to, share) {
  const rest = 1 - share;
  return rest * rest * from + 2 * rest * share * by + share * share * to;
}

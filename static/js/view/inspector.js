// @ts-check
/** One token looked at closely: which, chosen by keyboard, by slider or by whoever points at it, and its times in words. */

import { tokenWords } from "../pure/words.js";
import { byId, setText } from "./dom.js";

/** @import { PlannedLane, Run } from "../pure/state.js" */

const HINT = "Point at a token, or move the slider, to see when it was due, sent, here and drawn.";

export class Inspector {
  #lane = /** @type {HTMLSelectElement} */ (byId("inspected-lane"));
  #token = /** @type {HTMLInputElement} */ (byId("inspected-token"));
  #words = byId("inspected");
  #said = "";
  /** The token that was chosen, also while it isn't here. */
  #wanted = 0;
  #changed;

  /** @param {() => void} changed asks for a frame */
  constructor(changed) {
    this.#changed = changed;
    // Both live as long as the page.
    this.#lane.addEventListener("change", changed);
    this.#token.addEventListener("input", () => {
      this.#wanted = this.#token.valueAsNumber - 1;
      changed();
    });
  }

  /** @param {number} lane @param {number} i the token's */
  look(lane, i) {
    this.#lane.value = String(lane);
    this.#wanted = i;
    this.#changed();
  }

  /**
   * @param {PlannedLane[]} plan
   * @param {Run | null} run
   * @returns {{ lane: number, i: number } | null} the token that is looked at; null where none is here
   */
  update(plan, run) {
    this.#updateLanes(plan);
    const lane = Number(this.#lane.value);
    const here = run?.lanes[lane].tokens.length ?? 0;
    const i = Math.min(this.#wanted, here - 1);
    this.#token.max = String(Math.max(1, here)); // never disabled: that would take the focus away
    this.#token.value = String(Math.max(1, i + 1));
    if (!run || here === 0) {
      this.#say(HINT);
      return null;
    }
    this.#say(tokenWords(plan[lane], run.lanes[lane].tokens, i));
    return { lane, i };
  }

  /** @param {PlannedLane[]} plan */
  #updateLanes(plan) {
    if (this.#lane.options.length !== plan.length) {
      this.#lane.replaceChildren(...plan.map((_, n) => new Option("", String(n))));
    }
    plan.forEach(({ title }, number) => setText(this.#lane.options[number], title));
  }

  /** @param {string} words */
  #say(words) {
    if (words === this.#said) return;
    this.#said = words;
    setText(this.#words, words);
    this.#token.setAttribute("aria-valuetext", words);
  }
}

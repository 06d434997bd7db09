// @ts-check
/** Slow motion and the freeze at 100 ms: their buttons, and what the stage says meanwhile. */

import { LIMIT_MS } from "../pure/metrics.js";
import { byId } from "./dom.js";

/** @import { Shown } from "../pure/replay.js" */
/** @import { State } from "../pure/state.js" */

export class Looks {
  #slow = /** @type {HTMLButtonElement} */ (byId("slow"));
  #freeze = /** @type {HTMLButtonElement} */ (byId("freeze"));

  /** @param {{ slow: () => void, freeze: () => void }} actions */
  constructor(actions) {
    // Both live as long as the page.
    this.#slow.addEventListener("click", actions.slow);
    this.#freeze.addEventListener("click", actions.freeze);
  }

  /** @param {State} state @param {Shown} shown */
  update({ run }, { look }) {
    this.#slow.disabled = !run || run.endMs === null;
    this.#freeze.disabled = !run || (run.endMs !== null && run.endMs <= LIMIT_MS);
    this.#slow.setAttribute("aria-pressed", String(look === "slow"));
    this.#freeze.setAttribute("aria-pressed", String(look === "frozen"));
    document.body.dataset.look = look;
  }
}

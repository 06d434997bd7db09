// @ts-check
/** The page's state, and the only way to change it. */

import { reduce } from "../pure/state.js";

/** @import { Action, State } from "../pure/state.js" */

export class Store {
  #state;
  #changed;

  /** @param {State} initial @param {() => void} changed asks for a frame */
  constructor(initial, changed) {
    this.#state = initial;
    this.#changed = changed;
  }

  get state() {
    return this.#state;
  }

  /** @param {Action} action */
  dispatch(action) {
    this.#state = reduce(this.#state, action);
    this.#changed();
  }

  /** What is drawn now; it asks for no further frame. @param {number} now performance.now() @param {boolean} hidden */
  drawn(now, hidden) {
    this.#state = reduce(this.#state, { type: "drawn", now, hidden });
  }
}

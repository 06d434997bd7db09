// @ts-check
/** How long a talk has lasted: from its first step on, and over a reload of the page. */

import { paceWords } from "../pure/talk.js";
import { keepForVisit, keptForVisit } from "./prefs.js";

/** @import { Scene } from "../pure/talk.js" */

const KEPT_AS = "talk";

export class TalkClock {
  /** In ms since the epoch; null before the first step. @type {number | null} */
  #beganAt;
  /** The scene with which the talk began, so that one that begins in the middle is not ahead of its plan. @type {number} */
  #from;

  constructor() {
    [this.#beganAt = null, this.#from = 0] = JSON.parse(keptForVisit(KEPT_AS) || "[]");
  }

  get elapsedMs() {
    return this.#beganAt === null ? 0 : Date.now() - this.#beganAt;
  }

  /** Starts unless it runs. @param {number} at the scene that is shown; −1 for none */
  start(at) {
    if (this.#beganAt !== null) return;
    this.#beganAt = Date.now();
    this.#from = Math.max(0, at);
    keepForVisit(KEPT_AS, JSON.stringify([this.#beganAt, this.#from]));
  }

  reset() {
    this.#beganAt = null;
  }

  /** How far the talk is from its plan, in words. @param {readonly Scene[]} scenes @param {number} at */
  pace(scenes, at) {
    return paceWords(scenes.slice(this.#from), at - this.#from, this.elapsedMs);
  }
}

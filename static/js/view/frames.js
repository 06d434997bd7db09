// @ts-check
/**
 * When to draw: at most once a frame, and in a hidden tab, where browsers give no frames, a few times a second, so
 * that nothing piles up and the page is right when it is looked at again.
 */

const HIDDEN_EVERY_MS = 250;

/** @type {FrameSource} */
const browser = {
  isHidden: () => document.hidden,
  onVisibility: (act) => document.addEventListener("visibilitychange", act), // lives as long as the page
  requestFrame: (act) => requestAnimationFrame(act),
  cancelFrame: (frame) => cancelAnimationFrame(frame),
};

/**
 * @typedef {object} FrameSource what a test replaces, since a headless page is never hidden
 * @property {() => boolean} isHidden
 * @property {(act: () => void) => void} onVisibility
 * @property {(act: () => void) => number} requestFrame
 * @property {(frame: number) => void} cancelFrame
 */

export class Frames {
  #draw;
  #source;
  #isPending = false;
  #frame = 0;
  #timer = 0;

  /**
   * @param {(hidden: boolean) => void} draw
   * @param {FrameSource} [source]
   */
  constructor(draw, source = browser) {
    this.#draw = draw;
    this.#source = source;
    source.onVisibility(() => this.#restart());
  }

  /** Asks for one drawing; asking again before it comes changes nothing. */
  request() {
    if (this.#isPending) return;
    this.#isPending = true;
    if (this.#source.isHidden()) this.#timer = window.setTimeout(() => this.#now(), HIDDEN_EVERY_MS);
    else this.#frame = this.#source.requestFrame(() => this.#now());
  }

  /** A frame asked for before the tab was hidden would come only after. */
  #restart() {
    if (!this.#isPending) return;
    this.#source.cancelFrame(this.#frame);
    window.clearTimeout(this.#timer);
    this.#isPending = false;
    this.request();
  }

  #now() {
    this.#isPending = false;
    this.#draw(this.#source.isHidden());
  }
}

// @ts-check
import { deepEqual, equal, ok, test } from "/tests/harness.js";
import { Frames } from "/static/js/view/frames.js";

/** A tab that a test hides and shows, and whose frames and timers come when it says so. */
class Tab {
  isHidden = false;
  /** @type {Map<number, () => void>} */
  frames = new Map();
  /** @type {Map<number, { act: () => void, ms: number }>} */
  timers = new Map();
  /** @type {boolean[]} whether it was hidden, for each drawing */
  drawn = [];
  #visibility = () => {};
  #last = 0;

  constructor() {
    this.views = new Frames((hidden) => this.drawn.push(hidden), {
      isHidden: () => this.isHidden,
      onVisibility: (act) => (this.#visibility = act),
      requestFrame: (act) => this.#keep(this.frames, act),
      cancelFrame: (frame) => this.frames.delete(frame),
    });
  }

  /** @param {boolean} isHidden */
  hide(isHidden = true) {
    this.isHidden = isHidden;
    this.#visibility();
  }

  frame() {
    const acts = [...this.frames.values()];
    this.frames.clear();
    for (const act of acts) act();
  }

  tick() {
    const timers = [...this.timers.values()];
    this.timers.clear();
    for (const { act } of timers) act();
  }

  /** @param {() => void} act @param {number} ms */
  setTimeout(act, ms) {
    return this.#keep(this.timers, { act, ms });
  }

  /** @template T @param {Map<number, T>} map @param {T} value */
  #keep(map, value) {
    this.#last += 1;
    map.set(this.#last, value);
    return this.#last;
  }
}

/**
 * A test in which the window's timers are those of a tab.
 * @param {string} name
 * @param {(tab: Tab) => void} fn
 */
function testTab(name, fn) {
  test(name, () => {
    const { setTimeout, clearTimeout } = window;
    const tab = new Tab();
    Object.assign(window, {
      setTimeout: (/** @type {() => void} */ act, /** @type {number} */ ms) => tab.setTimeout(act, ms),
      clearTimeout: (/** @type {number} */ timer) => tab.timers.delete(timer),
    });
    try {
      fn(tab);
    } finally {
      Object.assign(window, { setTimeout, clearTimeout });
    }
  });
}

testTab("nothing is drawn that wasn't asked for", (tab) => {
  deepEqual([tab.frames.size, tab.timers.size, tab.drawn], [0, 0, []]);
});

testTab("however often it is asked, one frame draws once", (tab) => {
  for (let i = 0; i < 100; i += 1) tab.views.request();
  equal(tab.frames.size, 1);
  deepEqual(tab.drawn, [], "not before the frame");
  tab.frame();
  deepEqual(tab.drawn, [false]);
  deepEqual([tab.frames.size, tab.timers.size], [0, 0]);
});

testTab("after a drawing, the next is asked for in the next frame", (tab) => {
  for (let i = 0; i < 3; i += 1) {
    tab.views.request();
    tab.frame();
  }
  deepEqual(tab.drawn, [false, false, false]);
});

test("asking while it draws asks for the next frame, which is how a run goes on", () => {
  /** @type {(() => void)[]} */
  const acts = [];
  const frames = new Frames(() => frames.request(), {
    isHidden: () => false, onVisibility: () => {}, requestFrame: (act) => acts.push(act), cancelFrame: () => {},
  });
  frames.request();
  for (let i = 0; i < 3; i += 1) acts[i]();
  equal(acts.length, 4);
});

testTab("a hidden tab has no frames, so a timer draws a few times a second and is told of it", (tab) => {
  tab.hide();
  for (let i = 0; i < 100; i += 1) tab.views.request();
  deepEqual([tab.frames.size, tab.timers.size], [0, 1]);
  const [{ ms }] = tab.timers.values();
  ok(ms >= 100 && ms <= 500, `after ${ms} ms`);
  tab.tick();
  deepEqual(tab.drawn, [true]);
  tab.views.request();
  deepEqual([tab.frames.size, tab.timers.size], [0, 1], "and again");
});

testTab("a frame that was asked for before the tab was hidden is drawn by the timer, once", (tab) => {
  tab.views.request();
  tab.hide();
  deepEqual([tab.frames.size, tab.timers.size], [0, 1]);
  tab.tick();
  tab.frame();
  deepEqual(tab.drawn, [true]);
});

testTab("when the tab is seen again the next frame draws and not the timer, once", (tab) => {
  tab.hide();
  tab.views.request();
  tab.hide(false);
  deepEqual([tab.frames.size, tab.timers.size], [1, 0]);
  tab.frame();
  tab.tick();
  deepEqual(tab.drawn, [false]);
});

testTab("a tab that is hidden and seen in quick turns still draws once", (tab) => {
  tab.views.request();
  for (let i = 0; i < 10; i += 1) tab.hide(i % 2 === 0);
  tab.views.request();
  deepEqual([tab.frames.size, tab.timers.size], [1, 0]);
  tab.frame();
  deepEqual(tab.drawn, [false]);
});

testTab("hiding a tab that has nothing to draw draws nothing", (tab) => {
  tab.hide();
  tab.hide(false);
  deepEqual([tab.frames.size, tab.timers.size], [0, 0]);
  tab.views.request();
  tab.frame();
  tab.hide();
  deepEqual([tab.frames.size, tab.timers.size], [0, 0], "nor once it was drawn");
});

// @ts-check
import { deepEqual, equal, test } from "/tests/harness.js";
import { back, next, paceWords, stepsOf, whileRunning } from "/static/js/pure/talk.js";

/** @import { Scene } from "/static/js/pure/talk.js" */

/** @param {Partial<Scene>} [scene] @returns {Scene} */
function scene(scene = {}) {
  return { slug: "a", query: "lane=tokens:3", pictures: [], ask: "?", observe: "!", minutes: 2, ...scene };
}

const TWO = "lane=tokens:3&lane=tokens:3";

/** @param {Partial<Scene>} of */
function steps(of) {
  return stepsOf(scene(of)).map(({ shows, line }) => `${shows} ${line}`);
}

test("a scene asks, runs, and says what was seen", () => {
  deepEqual(steps({}), ["answers ask", "answers clock", "answers observe"]);
  deepEqual(steps({ observe: "" }), ["answers ask", "answers clock"]);
});

test("a lone answer is seen in its picture, and several come before theirs", () => {
  deepEqual(steps({ pictures: ["loop", "chain"] }), ["loop ask", "loop clock", "loop observe", "chain observe"]);
  deepEqual(steps({ query: TWO, pictures: ["path"] }), [
    "answers ask",
    "answers clock",
    "answers observe",
    "path observe",
  ]);
});

test("a scene that runs nothing shows its pictures one after another", () => {
  deepEqual(steps({ query: "", pictures: ["loop", "cost"] }), ["loop ask", "cost ask"]);
  deepEqual(steps({ query: "" }), [" ask"]);
});

test("one button goes through a whole talk, starting each run once", () => {
  const scenes = [
    scene(),
    scene({ query: "", pictures: ["cost"] }),
    scene({ query: TWO, pictures: ["path"], observe: "" }),
  ];
  const effects = [];
  let place = { at: -1, step: 2 };
  for (let presses = 0; presses < 20; presses += 1) {
    const went = next(scenes, place, false);
    if (went.place.at === place.at && went.place.step === place.step) break;
    effects.push(went.effect);
    place = went.place;
  }
  deepEqual(effects, ["scene", "start", "none", "scene", "scene", "start", "none"]);
  deepEqual(place, { at: 2, step: 2 });
});

test("while a run goes on nothing is skipped", () => {
  deepEqual(next([scene(), scene()], { at: 0, step: 1 }, true), { place: { at: 0, step: 1 }, effect: "none" });
});

test("back goes to the beginning of a scene, then to the one before, and stays at the first", () => {
  const scenes = [scene(), scene()];
  deepEqual(back(scenes, { at: 1, step: 2 }).place, { at: 1, step: 0 });
  deepEqual(back(scenes, { at: 1, step: 0 }).place, { at: 0, step: 0 });
  deepEqual(back(scenes, { at: 0, step: 0 }).place, { at: 0, step: 0 });
});

test("a run that is started by another key is at its clock", () => {
  deepEqual(whileRunning([scene()], { at: 0, step: 0 }), { at: 0, step: 1 });
  deepEqual(whileRunning([scene()], { at: 0, step: 2 }), { at: 0, step: 2 });
  deepEqual(whileRunning([scene({ query: "" })], { at: 0, step: 0 }), { at: 0, step: 0 });
});

for (const [at, minutes, words] of /** @type {[number, number, string][]} */ ([
  [0, 0, "on time"],
  [0, 2, "on time"],
  [0, 2.1, "1 min behind"],
  [1, 2.5, "on time"],
  [1, 6, "2 min behind"],
  [2, 1.5, "2 min ahead"],
  [2, 3.5, "on time"],
])) {
  test(`${minutes} minutes into a talk of 2 a scene, scene ${at + 1} is ${words}`, () => {
    equal(paceWords([scene(), scene(), scene()], at, minutes * 60_000), words);
  });
}

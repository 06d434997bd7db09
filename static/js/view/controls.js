// @ts-check
/** The bar at the bottom: Start and Stop, and the three settings that matter most, for all answers. */

import { maySet, shared } from "../pure/query.js";
import { isActive } from "../pure/state.js";
import { problemWords } from "../pure/words.js";
import { byId, partsOf, setText } from "./dom.js";
import { Field } from "./field.js";

/** @import { State } from "../pure/state.js" */

/**
 * @typedef {object} ControlsActions
 * @property {() => void} startOrStop
 * @property {(name: string, value: string) => void} setAll
 * @property {() => void} add
 * @property {() => void} repeat
 * @property {() => void} editAll
 */

/** What the panel's fields are called, by the names of their settings. */
const LABELS = new Map(
  [...document.querySelectorAll("#settings [data-name]")].map((root) => [
    root.getAttribute("data-name"),
    root.querySelector("label")?.textContent ?? "",
  ]),
);

export class Controls {
  #start = byId("start");
  #startLabel = partsOf(this.#start).label;
  #add = byId("add");
  #repeat = byId("repeat");
  #problems = byId("problems");
  #note = byId("note");
  #fields;
  #maxLanes = Number(document.body.dataset.maxLanes);

  /** @param {ControlsActions} actions */
  constructor(actions) {
    const roots = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#controls .field"));
    this.#fields = [...roots].map((root) => new Field(root, actions.setAll));
    // These live as long as the page.
    byId("controls").addEventListener("submit", (event) => {
      event.preventDefault();
      actions.startOrStop();
    });
    this.#add.addEventListener("click", actions.add);
    this.#repeat.addEventListener("click", actions.repeat);
    byId("open-settings").addEventListener("click", actions.editAll);
  }

  /** @param {string} name @returns {Field} */
  field(name) {
    return /** @type {Field} */ (this.#fields.find((field) => field.name === name));
  }

  /** Goes to the first field with a wrong value, if there is one. */
  focusProblem() {
    const field = this.#fields.find((field) => field.isWrong);
    field?.focus();
    return field !== undefined;
  }

  /** @param {State} state */
  update({ query, problems, run, plan, repeat }) {
    setText(this.#startLabel, startWords(run, repeat));
    this.#start.dataset.active = String(isActive(run));
    setText(this.#repeat, repeat ? `Stop: run ${repeat.number} of ${repeat.of}` : "Run ×10");
    for (const field of this.#fields) {
      const problem = problems.find(({ field: name }) => name === field.name);
      const isFixed = query.lanes.every((lane) => !maySet(lane, field.name));
      field.update(shared(query.lanes, field.name), problem?.range ?? "", "differ", isFixed);
    }
    const words = new Set(problems.map((problem) => problemWords(problem, LABELS, query.lanes.length)));
    setText(this.#problems, [...words].join(" "));
    setText(this.#note, run && plan && run.plan !== plan ? "Changes apply to the next run." : "");
    this.#add.hidden = query.lanes.length >= this.#maxLanes;
  }
}

/** @param {State["run"]} run @param {State["repeat"]} repeat */
function startWords(run, repeat) {
  if (run?.phase === "gave up") return "Resume";
  if (isActive(run) || repeat) return "Stop";
  return run ? "Run again" : "Start";
}

// @ts-check
/** Start and Stop, and the settings of all answers. */

import { isActive } from "../pure/state.js";
import { byId, partsOf, setText } from "./dom.js";
import { Field } from "./field.js";

/** @import { LaneSettings } from "../pure/query.js" */
/** @import { State } from "../pure/state.js" */

/**
 * @typedef {object} Actions
 * @property {() => void} startOrStop
 * @property {(name: string, value: string) => void} set a setting of all answers
 * @property {(text: string) => void} say
 */

export class Controls {
  #start = byId("start");
  #say = /** @type {HTMLInputElement} */ (byId("say"));
  #problems = byId("problems");
  #note = byId("note");
  #fields;

  /** @param {Actions} actions */
  constructor(actions) {
    const roots = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#controls .field[data-name]"));
    this.#fields = [...roots].map((root) => new Field(root, actions.set));
    // These live as long as the page.
    byId("controls").addEventListener("submit", (event) => {
      event.preventDefault();
      actions.startOrStop();
    });
    this.#say.addEventListener("input", () => actions.say(this.#say.value));
  }

  /** Goes to the first field with a wrong value, if there is one. */
  focusProblem() {
    const field = this.#fields.find((field) => field.isWrong);
    field?.focus();
    return field !== undefined;
  }

  /** @param {State} state */
  update({ query, problems, run, plan }) {
    const label = isActive(run) ? "Stop" : run ? "Run again" : "Start";
    setText(partsOf(this.#start).label, label);
    this.#start.dataset.active = String(isActive(run));
    for (const field of this.#fields) {
      const problem = problems.find(({ field: name }) => name === field.name);
      field.update(shared(query.lanes, field.name), problem?.detail ?? "");
    }
    if (document.activeElement !== this.#say) this.#say.value = query.say;
    setText(this.#problems, problems.map(({ detail }) => detail).join(" · "));
    setText(this.#note, isActive(run) && run.plan !== plan ? "Changes apply to the next run." : "");
  }
}

/**
 * @param {LaneSettings[]} lanes
 * @param {string} name
 * @returns {string} the value if all have the same, else ""
 */
function shared(lanes, name) {
  // Without a time to first token, the first takes as long as any other.
  const values = lanes.map((lane) => lane[name] ?? (name === "ttft_ms" ? lane.delay_ms : ""));
  return values.every((value) => value === values[0]) ? values[0] : "";
}

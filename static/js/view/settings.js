// @ts-check
/** The panel with everything that can be set, of all answers or of one; it stands beside the stage while one tries. */

import { presetOf } from "../pure/presets.js";
import { maySet, readQuery, shared } from "../pure/query.js";
import { byId, setText } from "./dom.js";
import { Field } from "./field.js";

/** @import { Preset } from "../pure/presets.js" */
/** @import { LaneSettings } from "../pure/query.js" */
/** @import { Problem, State } from "../pure/state.js" */

const OPENED = "Opened from disk: it stays in this page, and no link holds it. What the model did stays as it was.";

/** A lane's number, or all of them. @typedef {number | "all"} Target */
/**
 * @typedef {object} SettingsActions
 * @property {(target: Target, name: string, value: string) => void} set "" takes the setting out
 * @property {(target: Target, preset: Preset) => void} usePreset
 * @property {(text: string) => void} say
 * @property {(number: number) => void} duplicate
 * @property {(number: number) => void} remove
 * @property {() => void} restore
 * @property {() => void} changed something to draw anew
 */

export class Settings {
  #dialog = /** @type {HTMLDialogElement} */ (byId("settings"));
  #target = /** @type {HTMLSelectElement} */ (byId("target"));
  #title = /** @type {HTMLInputElement} */ (byId("title"));
  #say = /** @type {HTMLTextAreaElement} */ (byId("say"));
  #preset = /** @type {HTMLSelectElement} */ (byId("preset"));
  #source = byId("source");
  #remove = /** @type {HTMLButtonElement} */ (byId("remove"));
  #duplicate = /** @type {HTMLButtonElement} */ (byId("duplicate"));
  #maxLanes = Number(document.body.dataset.maxLanes);
  #fields;
  #choices;
  presets = [...this.#preset.options].slice(1).map(readPreset);

  /** @param {SettingsActions} actions */
  constructor(actions) {
    /** @param {string} name @param {string} value */
    const set = (name, value) => actions.set(this.target, name, value);
    this.#fields = all(this.#dialog, ".field").map((root) => new Field(root, set));
    this.#choices = all(this.#dialog, ".choice[data-name]").map((root) => choice(root, set));
    // These live as long as the page.
    this.#target.addEventListener("change", () => {
      for (const field of this.#fields) field.reset();
      actions.changed();
    });
    this.#title.addEventListener("input", () => set("title", this.#title.value.replaceAll(",", "")));
    this.#say.addEventListener("input", () => actions.say(this.#say.value));
    this.#preset.addEventListener("change", () => {
      const chosen = this.presets[this.#preset.selectedIndex - 1];
      if (chosen) actions.usePreset(this.target, chosen);
    });
    this.#duplicate.addEventListener("click", () => actions.duplicate(Number(this.#target.value)));
    this.#remove.addEventListener("click", () => actions.remove(Number(this.#target.value)));
    byId("restore").addEventListener("click", actions.restore);
  }

  /** @returns {Target} */
  get target() {
    return this.#target.value === "all" ? "all" : Number(this.#target.value);
  }

  /** @param {Target} target @param {State} state */
  open(target, state) {
    for (const field of this.#fields) field.reset();
    if (!this.#dialog.open) this.#dialog.show();
    this.update(state);
    this.#target.value = String(target);
  }

  close() {
    this.#dialog.close();
  }

  /** Goes to the first field with a wrong value, if it can be seen. */
  focusProblem() {
    const field = this.#dialog.open ? this.#fields.find((field) => field.isWrong) : undefined;
    field?.focus();
    return field !== undefined;
  }

  /** @param {State} state */
  update({ query, plan, problems }) {
    if (!this.#dialog.open) return;
    const titles = query.lanes.map((lane, n) => plan?.[n]?.title ?? lane.title ?? `Answer ${n + 1}`);
    this.#updateTargets(titles);
    const { target } = this;
    const lanes = target === "all" ? query.lanes : [query.lanes[target]];
    for (const field of this.#fields) {
      const { name } = field;
      field.update(
        shared(lanes, name),
        problemOf(problems, name, target),
        emptyMeans(lanes, name),
        isFixed(lanes, name),
      );
    }
    for (const { name, select } of this.#choices) {
      select.value = shared(lanes, name) || firstIf(lanes, name, select);
      select.disabled = isFixed(lanes, name);
    }
    this.#updatePreset(lanes);
    if (document.activeElement !== this.#title) this.#title.value = lanes[0].title ?? "";
    this.#title.placeholder = target === "all" ? "" : titles[target];
    if (document.activeElement !== this.#say) this.#say.value = query.say;
    for (const element of all(this.#dialog, "[data-one]")) element.hidden = target === "all";
    this.#remove.disabled = query.lanes.length === 1;
    this.#duplicate.disabled = query.lanes.length >= this.#maxLanes;
  }

  /** @param {LaneSettings[]} lanes */
  #updatePreset(lanes) {
    const [first, ...others] = lanes.map((lane) => presetOf(lane, this.presets));
    const isShared = others.every((other) => other?.preset === first?.preset && other?.isChanged === first?.isChanged);
    const shown = isShared ? first : null;
    const opened = lanes.every(({ opened }) => opened === lanes[0].opened) ? (lanes[0].opened ?? "") : "";
    setText(this.#preset.options[0], opened || (shown?.isChanged ? `${shown.preset.title}, changed` : "choose …"));
    this.#preset.selectedIndex = shown && !shown.isChanged ? this.presets.indexOf(shown.preset) + 1 : 0;
    setText(this.#source, opened ? OPENED : shown ? shown.preset.source : "");
  }

  /** @param {string[]} titles */
  #updateTargets(titles) {
    const { value } = this.#target;
    const options = [["all", "all answers"], ...titles.map((title, n) => [String(n), title])];
    if (this.#target.options.length !== options.length) {
      this.#target.replaceChildren(...options.map(([value]) => new Option("", value)));
    }
    options.forEach(([, title], n) => setText(this.#target.options[n], title));
    // Where the answer is gone, the one that is now last takes its place.
    this.#target.value = value === "all" ? value : String(Math.min(Number(value), titles.length - 1));
  }
}

/** @param {HTMLElement} root @param {string} selector @returns {HTMLElement[]} */
function all(root, selector) {
  return [.../** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(selector))];
}

/** @param {HTMLOptionElement} option @returns {Preset} */
function readPreset({ value, text, title }) {
  return { title: text, source: title, settings: readQuery(value).lanes[0] };
}

/** @param {HTMLElement} root @param {(name: string, value: string) => void} set */
function choice(root, set) {
  const name = root.dataset.name ?? "";
  const select = /** @type {HTMLSelectElement} */ (root.querySelector("select"));
  select.addEventListener("change", () => set(name, select.value)); // lives as long as the page
  return { name, select };
}

/** What no answer sets is at its default, the first of the choices. @param {LaneSettings[]} lanes @param {string} name @param {HTMLSelectElement} select */
function firstIf(lanes, name, select) {
  return lanes.every((lane) => lane[name] === undefined) ? select.options[1].value : "";
}

/** @param {LaneSettings[]} lanes @param {string} name whether recordings say it, and nobody can set it */
function isFixed(lanes, name) {
  return lanes.every((lane) => !maySet(lane, name));
}

/** @param {LaneSettings[]} lanes @param {string} name */
function emptyMeans(lanes, name) {
  return lanes.every((lane) => lane[name] === undefined) ? "off" : "differ";
}

/** @param {Problem[]} problems @param {string} name @param {Target} target */
function problemOf(problems, name, target) {
  return problems.find(({ field, lane }) => field === name && (target === "all" || lane === target))?.range ?? "";
}

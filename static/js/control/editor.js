// @ts-check
/** What the visitor changes: each change is a new query, which the address bar and the next plan follow. */

import { withHonestTitle, withPreset } from "../pure/presets.js";
import {
  changed,
  hasTwin,
  withAnother,
  withDuplicate,
  withLane,
  withLanes,
  withOpened,
  withTwin,
  withoutLane,
} from "../pure/query.js";
import { nextStep } from "../pure/settings.js";

/** @import { Preset } from "../pure/presets.js" */
/** @import { LaneSettings, Query } from "../pure/query.js" */
/** @import { Limits } from "../pure/settings.js" */
/** @import { Target } from "../view/settings.js" */
/** @import { Store } from "./store.js" */

export class Editor {
  #store;
  #opened;
  #edited;
  /** The menu's presets, once it is there. @type {readonly Preset[]} */
  presets = [];

  /**
   * @param {Store} store
   * @param {Query} opened what the page opened with
   * @param {(query: Query) => void} edited
   */
  constructor(store, opened, edited) {
    this.#store = store;
    this.#opened = opened;
    this.#edited = edited;
  }

  /** @param {Target} target @param {string} name @param {string} value */
  set(target, name, value) {
    this.#change(target, (lane) => changed(lane, name, value));
  }

  /** @param {string} text for all answers; "" for the built-in ones */
  say(text) {
    this.#edited({ ...this.#query, say: text });
  }

  /** @param {Target} target @param {Preset} preset */
  usePreset(target, preset) {
    this.#change(target, (lane) => withPreset(lane, preset, this.presets));
  }

  /** @param {string} name @param {1 | -1} direction @param {Limits} limits */
  step(name, direction, limits) {
    this.#change("all", (lane) => changed(lane, name, String(nextStep(Number(lane[name]), direction, limits))));
  }

  /** A pair is what one compares, so an answer that has no twin gets it first. */
  add() {
    this.#edited(hasTwin(this.#query) ? withAnother(this.#query) : withTwin(this.#query));
  }

  /** @param {string} opened the name of a recording; a full stage takes no more */
  open(opened) {
    this.#edited(withOpened(this.#query, opened));
  }

  /** @param {number} number */
  duplicate(number) {
    this.#edited(withDuplicate(this.#query, number));
  }

  /** @param {number} number */
  remove(number) {
    this.#edited(withoutLane(this.#query, number));
  }

  restore() {
    this.#edited(this.#opened);
  }

  get #query() {
    return this.#store.state.query;
  }

  /** @param {Target} target @param {(lane: LaneSettings) => LaneSettings} change */
  #change(target, change) {
    const honest = (/** @type {LaneSettings} */ lane) => withHonestTitle(change(lane), this.presets);
    this.#edited(target === "all" ? withLanes(this.#query, honest) : withLane(this.#query, target, honest));
  }
}

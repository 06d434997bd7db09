// @ts-check
/** Recordings that were opened from disk: this page alone holds them, and plans what they play as the server does. */

import { served, writeQuery } from "../pure/query.js";
import { failureOf, plannedAs } from "../pure/recording.js";
import { fetchPlan } from "../transport/plan.js";

/** @import { LaneSettings, Query } from "../pure/query.js" */
/** @import { Recording } from "../pure/recording.js" */
/** @import { PlannedLane, Problem } from "../pure/state.js" */
/** @import { Part } from "../transport/playing.js" */

export class Opened {
  /** By the name that lanes have for it. @type {Map<string, Recording>} */
  #recordings = new Map();

  /**
   * @param {string} file its name
   * @param {Recording} recording
   * @returns {string} what a lane calls it: as its file is called, unless another is called so
   */
  keep(file, recording) {
    const written = JSON.stringify(recording);
    const base = file.replaceAll(",", " "); // which parts the settings of a lane
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? base : `${base} (${number})`;
      const other = this.#recordings.get(name);
      if (other && JSON.stringify(other) !== written) continue;
      this.#recordings.set(name, recording);
      return name;
    }
  }

  /**
   * The plan of all lanes, in their order: the server's of those that it plays, this page's of the others.
   * @param {Query} query
   * @param {AbortSignal} signal
   * @returns {ReturnType<typeof fetchPlan>}
   */
  async plan(query, signal) {
    const { lanes } = query;
    const missing = lanes.findIndex(({ opened }) => opened && !this.#recordings.has(opened));
    if (missing >= 0) return { plan: null, problems: [notOpened(lanes[missing].opened, missing)] };
    const numbers = servedNumbers(lanes);
    const { plan, problems } = numbers.length > 0 ? await fetchPlan(writeQuery(served(query)), signal) : NOTHING;
    if (!plan) return { plan, problems: problems.map((one) => ({ ...one, lane: numbers[one.lane] ?? -1 })) };
    return { plan: lanes.map((lane, n) => this.#planned(lane) ?? plan[numbers.indexOf(n)]), problems: [] };
  }

  /** @param {Query} query @param {PlannedLane[]} plan @returns {Part[]} what this page plays of it */
  partsOf({ lanes }, plan) {
    return lanes.flatMap(({ opened }, lane) => {
      const recording = this.#recordings.get(opened);
      return recording ? [partOf(recording, lane, plan[lane])] : [];
    });
  }

  /** @param {LaneSettings} lane */
  #planned(lane) {
    const recording = this.#recordings.get(lane.opened);
    return recording && plannedAs(recording, lane);
  }
}

const NOTHING = { plan: [], problems: /** @type {[]} */ ([]) };

/** The server counts its own lanes only. @param {readonly LaneSettings[]} lanes @returns {number[]} theirs on the page */
export function servedNumbers(lanes) {
  return [...lanes.keys()].filter((n) => !lanes[n].opened);
}

/** @param {Recording} recording @param {number} lane @param {PlannedLane} plan @returns {Part} */
function partOf(recording, lane, { due_ms: dueMs, predicted_ms: endMs }) {
  return { lane, texts: recording.tokens.map(({ text }) => text), dueMs, endMs, failure: failureOf(recording) };
}

/** A saved result may have an answer whose file is elsewhere. @param {string} opened @param {number} lane @returns {Problem} */
function notOpened(opened, lane) {
  const detail = `Answer ${lane + 1} plays ${opened}, which is not open in this page: open it again, or remove the answer.`;
  return { lane, field: "opened", value: opened, range: "", detail };
}

// @ts-check
/** The runs of this visit, kept until the tab is closed or they are to be forgotten: median and range of each configuration. */

import { count, decimalMs } from "../pure/format.js";
import { SUMMED, entryOf, readEntries, summariesOf, withEntry } from "../pure/history.js";
import { reportsOf } from "../pure/measures.js";
import { readQuery, served, withoutTitles, writeLane, writeQuery } from "../pure/query.js";
import { laneWords } from "../pure/words.js";
import { byId } from "./dom.js";
import { keepForVisit, keptForVisit } from "./prefs.js";

/** @import { Entry, Spread, Summary } from "../pure/history.js" */
/** @import { Expected } from "../pure/metrics.js" */
/** @import { Run } from "../pure/state.js" */

const KEPT_AS = "runs";

export class Visits {
  #root = byId("visits");
  #table = /** @type {HTMLTableElement} */ (this.#root.querySelector("table"));
  #entries = readEntries(keptForVisit(KEPT_AS));
  #recorded = 0;

  constructor() {
    // Lives as long as the page.
    byId("forget").addEventListener("click", () => {
      this.#set([]);
      byId("measures-title").focus(); // what had the focus is gone
    });
    this.#show();
  }

  /**
   * Adds a run that is over, once; a result that was opened is no run.
   * @param {Run} run
   * @param {Expected} expected
   * @returns {boolean} whether it was added
   */
  record(run, expected) {
    if (run.number === this.#recorded || run.saved) return false;
    this.#recorded = run.number;
    const query = withoutTitles(run.query);
    const reports = reportsOf(run, run.endMs ?? 0, expected);
    this.#set(withEntry(this.#entries, entryOf(writeQuery(query), query.lanes.map(writeLane), run, reports)));
    return true;
  }

  /** @param {Entry[]} entries */
  #set(entries) {
    this.#entries = entries;
    keepForVisit(KEPT_AS, JSON.stringify(entries));
    this.#show();
  }

  #show() {
    this.#root.hidden = this.#entries.length === 0;
    for (const body of [...this.#table.tBodies]) body.remove();
    this.#table.append(...summariesOf(this.#entries).map(bodyOf));
  }
}

/** @param {Summary} summary */
function bodyOf({ query, runs, leftOut, lanes }) {
  const body = document.createElement("tbody");
  lanes.forEach(({ settings, counted, spreads }, number) => {
    const row = body.insertRow();
    row.dataset.lane = String(number);
    const heading = document.createElement("th");
    heading.scope = "row";
    const link = Object.assign(document.createElement("a"), {
      href: `?${writeQuery(served(readQuery(query)))}`,
      textContent: laneWords(settings) + ownWords(query),
    });
    heading.append(link);
    row.append(heading);
    const left = leftOut.length && counted < runs ? ` of ${count(runs)}: ${leftOut.join(", ")}` : "";
    row.insertCell().append(`${count(counted)}${left}`);
    for (const name of SUMMED) row.insertCell().append(...spreadParts(spreads[name]));
  });
  return body;
}

/** @param {string} query */
function ownWords(query) {
  return readQuery(query).say === "" ? "" : ", own text";
}

/** @param {Spread} spread */
function spreadParts({ median, low, high }) {
  const range = document.createElement("small");
  if (decimalMs(low) !== decimalMs(high)) range.append(`${decimalMs(low)} to ${decimalMs(high)}`);
  return [decimalMs(median), range];
}

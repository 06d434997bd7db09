// @ts-check
/** What one takes away: the link, the commands, and of a run that is over its picture, its sentence and its data. */

import { chatWords } from "../pure/chat.js";
import { csvOf } from "../pure/csv.js";
import { reportsOf } from "../pure/measures.js";
import { served, withoutTitles, writeQuery } from "../pure/query.js";
import { resultOf } from "../pure/result.js";
import { sceneToml } from "../pure/scene.js";
import { clockResolutionMs } from "../transport/clock.js";
import { drawCard } from "./card.js";
import { byId, partsOf, setText } from "./dom.js";
import { toggleDialog } from "./dialogs.js";

/** @import { Expected } from "../pure/metrics.js" */
/** @import { Query } from "../pure/query.js" */
/** @import { Run, State } from "../pure/state.js" */

export class Share {
  #dialog = /** @type {HTMLDialogElement} */ (byId("share"));
  #link = /** @type {HTMLInputElement} */ (byId("link"));
  #card = /** @type {HTMLImageElement} */ (byId("card"));
  #save = /** @type {HTMLAnchorElement} */ (byId("save-card"));
  #chat = byId("chat");
  #curls = byId("curls");
  #copied = byId("copied");
  #toml = /** @type {HTMLTextAreaElement} */ (byId("toml"));
  /** @type {{ run: Run, expected: Expected } | null} */
  #result = null;
  /** @type {string[]} */
  #urls = [];

  constructor() {
    // All of these live as long as the page.
    byId("copy-link").addEventListener("click", () => this.#copy(this.#link.value, this.#link));
    byId("copy-toml").addEventListener("click", () => this.#copy(this.#toml.value, this.#toml));
    byId("copy-chat").addEventListener("click", () => this.#copyChat());
    byId("save-csv").addEventListener("click", () => this.#download("csv", "text/csv", csvOf));
    byId("save-json").addEventListener("click", () =>
      this.#download("json", "application/json", (result) => JSON.stringify(result, null, 1)),
    );
    this.#dialog.addEventListener("close", () => this.#close());
  }

  /** @param {State} state @param {Expected} expected */
  open(state, expected) {
    const { query, plan } = state;
    this.#link.value = linkTo(query);
    this.#curls.replaceChildren(
      ...query.lanes.flatMap(({ opened }, n) =>
        opened ? [] : [this.#curl(query, n, plan?.[n].title ?? `Answer ${n + 1}`)],
      ),
    );
    byId("not-in-link").hidden = query.lanes.every(({ opened }) => !opened);
    this.#toml.value = sceneToml(query, plan?.map(({ title }) => title) ?? []);
    setText(this.#copied, "");
    this.#result = null;
    byId("result").hidden = true;
    toggleDialog("share");
    this.update(state, expected);
  }

  /** A run may end while one looks. @param {State} state @param {Expected} expected */
  update({ run }, expected) {
    if (!this.#dialog.open || !run || run.endMs === null || run.number === this.#result?.run.number) return;
    this.#result = { run, expected };
    byId("result").hidden = false;
    this.#showResult(this.#result);
  }

  /** @param {{ run: Run, expected: Expected }} result */
  #showResult({ run, expected }) {
    const reports = reportsOf(run, run.endMs ?? 0, expected);
    setText(this.#chat, chatWords(reports, run.plan));
    this.#card.src = this.#url(drawCard(run, reports));
    this.#card.alt = this.#chat.textContent ?? "";
    this.#save.href = this.#card.src;
  }

  /** @param {string} ending @param {string} type @param {(result: object) => string} write */
  #download(ending, type, write) {
    if (!this.#result) return;
    const { run, expected } = this.#result;
    const reports = reportsOf(run, run.endMs ?? 0, expected);
    const here = { version: document.body.dataset.version ?? "", browser: navigator.userAgent, clockResolutionMs: 0 };
    const measured = run.saved ?? { ...here, clockResolutionMs: clockResolutionMs() };
    const result = resultOf(run, reports, expected, { ...measured, link: linkTo(run.query) });
    const link = document.createElement("a");
    link.href = this.#url(new Blob([write(result)], { type }));
    link.download = `trickle.${ending}`;
    link.click();
  }

  /** The sentence, with the link to what it speaks of. */
  #copyChat() {
    if (this.#result) this.#copy(`${this.#chat.textContent} ${linkTo(this.#result.run.query)}`, this.#chat);
  }

  /** @param {Blob} blob @returns {string} an address for it, until the dialog is closed */
  #url(blob) {
    const url = URL.createObjectURL(blob);
    this.#urls.push(url);
    return url;
  }

  #close() {
    for (const url of this.#urls.splice(0)) URL.revokeObjectURL(url);
    this.#card.removeAttribute("src");
    this.#save.removeAttribute("href");
  }

  /** @param {Query} query @param {number} number the lane's @param {string} title */
  #curl(query, number, title) {
    const { lanes, say } = withoutTitles(query);
    const url = new URL(`plain?${writeQuery({ lanes: [lanes[number]], say })}`, document.baseURI);
    const template = /** @type {HTMLTemplateElement} */ (byId("curl-template"));
    const row = /** @type {HTMLElement} */ (template.content.firstElementChild?.cloneNode(true));
    const { command, copy } = partsOf(row);
    const field = /** @type {HTMLInputElement} */ (command);
    field.value = `curl -N '${url.href.replaceAll("'", "%27")}'`;
    field.setAttribute("aria-label", `Command for ${title}`);
    copy.setAttribute("aria-label", `Copy the command for ${title}`);
    copy.addEventListener("click", () => this.#copy(field.value, field)); // lives as long as the row
    return row;
  }

  /**
   * Puts a text on the clipboard where the browser allows that (not on plain http), and else selects it.
   * @param {string} text
   * @param {HTMLElement} source where it stands
   */
  async #copy(text, source) {
    try {
      await navigator.clipboard.writeText(text);
      setText(this.#copied, "Copied.");
    } catch {
      if (source instanceof HTMLInputElement || source instanceof HTMLTextAreaElement) source.select();
      else getSelection()?.selectAllChildren(source);
      setText(this.#copied, "The browser does not allow it here: it is selected, so that you can copy it yourself.");
    }
  }
}

/** @param {Query} query */
function linkTo(query) {
  return new URL(`?${writeQuery(served(query))}`, document.baseURI).href;
}

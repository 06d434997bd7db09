// @ts-check
/** Dialogs: the help, and what opens and closes any of them. */

import { byId } from "./dom.js";

/** @import { Hotkey } from "./keys.js" */

/** Gives every dialog its ✕. */
export function listenForClose() {
  for (const button of document.querySelectorAll("dialog [data-close]")) {
    button.addEventListener("click", () => button.closest("dialog")?.close()); // lives as long as the page
  }
}

/** @param {string} id */
export function toggleDialog(id) {
  const dialog = /** @type {HTMLDialogElement} */ (byId(id));
  if (dialog.open) dialog.close();
  else dialog.showModal();
}

/** @param {string} id @returns {boolean} whether it was open */
export function closeDialog(id) {
  const dialog = /** @type {HTMLDialogElement} */ (byId(id));
  const wasOpen = dialog.open;
  dialog.close();
  return wasOpen;
}

/** @returns {boolean} whether one lay over the page and had all keys */
export function closeModal() {
  const modal = /** @type {HTMLDialogElement | null} */ (document.querySelector("dialog:modal"));
  modal?.close();
  return modal !== null;
}

/** @param {Hotkey[]} hotkeys the table that the keys themselves work from */
export function listKeys(hotkeys) {
  const rows = hotkeys.flatMap(({ label, does }) => (label && does ? [element("dt", label), element("dd", does)] : []));
  byId("keys").replaceChildren(...rows);
}

/** @param {string} name @param {string} text */
function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

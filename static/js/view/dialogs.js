// @ts-check
/** Dialogs: help and sharing, and what closes any of them. */

import { byId, setText } from "./dom.js";

/** @import { Hotkey } from "./keys.js" */

/** Gives every dialog its ✕. */
export function closeDialogs() {
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

/** @param {Hotkey[]} hotkeys the table that the keys themselves work from */
export function listKeys(hotkeys) {
  const rows = hotkeys.flatMap(({ label, does }) => [element("dt", label), element("dd", does)]);
  byId("keys").replaceChildren(...rows);
}

/** Shows the link, and puts it on the clipboard where the browser allows that (not on plain http). */
export function share() {
  toggleDialog("share");
  const link = /** @type {HTMLInputElement} */ (byId("link"));
  link.value = location.href;
  link.select();
  setText(byId("copied"), "");
  byId("copy").onclick = () => copy(link);
}

/** @param {HTMLInputElement} link */
async function copy(link) {
  link.select();
  try {
    await navigator.clipboard.writeText(link.value);
    setText(byId("copied"), "Copied.");
  } catch {
    setText(byId("copied"), "The browser does not allow it here: the link is selected, copy it with Ctrl-C.");
  }
}

/** @param {string} name @param {string} text */
function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

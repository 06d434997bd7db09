// @ts-check
/** The keys: one table, which also makes the help; and the rule that a key is left to whoever uses it itself. */

/** @typedef {{ key: string, label: string, does: string, act: () => void }} Hotkey */

/**
 * @param {Hotkey[]} hotkeys
 * @param {() => boolean} areOn whether keys other than Space are switched on (WCAG 2.1.4)
 */
export function listenForKeys(hotkeys, areOn) {
  // Lives as long as the page.
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.defaultPrevented) return;
    const hotkey = hotkeys.find(({ key }) => key === event.key || key === event.key.toLowerCase());
    const isAlwaysOn = hotkey?.key === " " || hotkey?.key === "Escape";
    if (!hotkey || !(isAlwaysOn || areOn()) || usesItself(event)) return;
    event.preventDefault();
    hotkey.act();
  });
}

/** What is typed into; not the kinds of input that are clicked. */
const FIELDS = "input:not([type=range], [type=checkbox]), textarea, select, [contenteditable]";
const PRESSED = "button, a, summary, [type=checkbox]";

/** @param {KeyboardEvent} event */
function usesItself({ key, target }) {
  if (!(target instanceof Element)) return false;
  if (key === "Escape") return document.querySelector("dialog:modal") !== null; // which the browser closes
  if (target.closest("dialog:modal")) return true; // the page behind it is out of reach
  return target.closest(FIELDS) !== null || ((key === " " || key === "Enter") && target.closest(PRESSED) !== null);
}

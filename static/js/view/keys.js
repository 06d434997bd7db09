// @ts-check
/** The keys: one table, which also makes the help; and the rule that a key is left to whoever uses it itself. */

/**
 * @typedef {object} Hotkey
 * @property {string} key
 * @property {string} [label] for the help, with `does`; without, it is another way to do what stands there already
 * @property {string} [does]
 * @property {() => boolean} [when] it does anything at all; else the key is left to the browser
 * @property {(event: { shiftKey: boolean }) => void} act
 */

/**
 * @param {Hotkey[]} hotkeys
 * @param {() => boolean} areOn whether keys that write a sign are switched on, but for Space (WCAG 2.1.4)
 */
export function listenForKeys(hotkeys, areOn) {
  // Lives as long as the page.
  document.addEventListener("keydown", (event) => {
    if (isForTheBrowser(event) || event.defaultPrevented) return;
    const hotkey = hotkeyOf(hotkeys, keyOf(event), areOn());
    if (!hotkey || usesItself(event)) return;
    event.preventDefault(); // also of a key that is held down: F5 must not load the page anew
    if (!event.repeat) hotkey.act(event);
  });
}

/** @param {Hotkey[]} hotkeys @param {string} key @param {boolean} areOn */
export function hotkeyOf(hotkeys, key, areOn) {
  const isAlwaysOn = key === " " || key.length > 1;
  return isAlwaysOn || areOn ? hotkeys.find((hotkey) => fits(hotkey, key)) : undefined;
}

/** Brackets are held with AltGr or Option on many keyboards. @param {KeyboardEvent} event */
export function isForTheBrowser({ key, ctrlKey, metaKey, altKey }) {
  return metaKey || ((ctrlKey || altKey) && !(altKey && "[]{}".includes(key)));
}

/**
 * What was pressed; where the keyboard writes other letters than ours, and a clicker's “.” comes as a colon (French), by
 * the key's place.
 * @param {KeyboardEvent} event
 * @returns {string}
 */
export function keyOf({ key, code }) {
  if (key.length > 1 || (key <= "~" && key !== ":")) return key;
  if (code === "Period") return ".";
  return code.startsWith("Key") ? code.slice(3).toLowerCase() : key;
}

/** @param {Hotkey} hotkey @param {string} pressed */
function fits({ key, when }, pressed) {
  return (key === pressed || key === pressed.toLowerCase()) && (when?.() ?? true);
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

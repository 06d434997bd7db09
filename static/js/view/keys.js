// @ts-check
/** The keys: one table, and the rule that a key does nothing where the focused element uses it itself. */

/** @typedef {{ key: string, does: string, act: () => void }} Hotkey */

/** @param {Hotkey[]} hotkeys */
export function listenForKeys(hotkeys) {
  // Lives as long as the page.
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const hotkey = hotkeys.find(({ key }) => key === event.key);
    if (!hotkey || usesKeys(event.target)) return;
    event.preventDefault();
    hotkey.act();
  });
}

/** @param {EventTarget | null} target */
function usesKeys(target) {
  return target instanceof Element && target.closest("input, textarea, select, button, a, summary, [contenteditable]") !== null;
}

// @ts-check
/** The table of keys: what each does, in the order and words of the help. */

/** @import { Hotkey } from "../view/keys.js" */
/** @import { Presenter } from "../view/presenter.js" */

/**
 * @typedef {Record<"startOrStop" | "runAgain" | "slow" | "freeze" | "restore" | "openSettings" | "showTokens" | "showReader"
 *   | "changeTheme" | "repeat" | "openMeasures" | "openHelp" | "goNext" | "goBack" | "fullscreen" | "join" | "openSpeaker" | "leave",
 *   () => void> & {
 *   step: (name: "tokens" | "delay_ms", direction: 1 | -1) => void,
 *   startTalk: (event: { shiftKey: boolean }) => void,
 * }} HotkeyActions
 */

/** @param {Presenter} presenter @param {HotkeyActions} actions @returns {Hotkey[]} */
export function hotkeysOf(presenter, actions) {
  return [...pageKeys(presenter, actions), ...talkKeys(presenter, actions)];
}

/** @param {Presenter} presenter @param {HotkeyActions} actions @returns {Hotkey[]} */
function pageKeys(presenter, actions) {
  const { step } = actions;
  const isAtHome = () => !presenter.isOn;
  return [
    { key: " ", label: "Space", does: "start, or stop", act: actions.startOrStop },
    { key: "r", label: "R", does: "run again from the start", act: actions.runAgain },
    { key: "s", label: "S", does: "slow motion: the last run, 10 times slower", act: actions.slow },
    { key: "z", label: "Z", does: "freeze: as it stood at 100 ms", act: actions.freeze },
    { key: "[", label: "[", does: "less time per token, all answers", act: () => step("delay_ms", -1) },
    { key: "]", label: "]", does: "more time per token", act: () => step("delay_ms", 1) },
    { key: "{", label: "{", does: "fewer tokens, all answers", act: () => step("tokens", -1) },
    { key: "}", label: "}", does: "more tokens", act: () => step("tokens", 1) },
    {
      key: "0",
      label: "0",
      does: "restore what this page opened with",
      when: () => !presenter.hasTyped,
      act: actions.restore,
    },
    { key: "e", label: "E", does: "settings", when: isAtHome, act: actions.openSettings },
    { key: "k", label: "K", does: "show what a token is", act: actions.showTokens },
    { key: "m", label: "M", does: "somebody who reads along", act: actions.showReader },
    { key: "t", label: "T", does: "light or dark", act: actions.changeTheme },
    { key: "x", label: "X", does: "run it ten times", when: isAtHome, act: actions.repeat },
    { key: "d", label: "D", does: "every measure, below the stage", when: isAtHome, act: actions.openMeasures },
    { key: "?", label: "?", does: "this help", act: actions.openHelp },
  ];
}

/** @param {Presenter} presenter @param {HotkeyActions} actions @returns {Hotkey[]} */
function talkKeys(presenter, actions) {
  const when = () => presenter.isOn;
  const hasTyped = () => presenter.isOn && presenter.hasTyped;
  const digits = [..."0123456789"].map((digit) => ({ key: digit, when, act: () => presenter.type(digit) }));
  return [
    { key: "p", label: "P", does: "present", act: () => presenter.present() },
    { key: "PageDown", label: "Page Down", does: "presenting: the next thing", when, act: actions.goNext },
    { key: "PageUp", label: "Page Up", does: "presenting: back", when, act: actions.goBack },
    { key: "F5", label: "F5", does: "start the talk (Ctrl-R loads the page anew)", act: actions.startTalk },
    { key: "b", label: "B or .", does: "presenting: black", when, act: () => presenter.toggleBlack() },
    { key: ".", when, act: () => presenter.toggleBlack() },
    { key: "f", label: "F", does: "full screen", act: actions.fullscreen },
    { key: "+", label: "+ −", does: "presenting: larger, smaller", when, act: () => presenter.resize(1) },
    { key: "=", when, act: () => presenter.resize(1) },
    { key: "-", when, act: () => presenter.resize(-1) },
    { key: "j", label: "J", does: "join: a QR code for the room", act: actions.join },
    { key: "n", label: "N", does: "the speaker's window", act: actions.openSpeaker },
    ...digits,
    {
      key: "Enter",
      label: "1 … Enter",
      does: "presenting: to a scene",
      when: hasTyped,
      act: () => presenter.goToTyped(),
    },
    { key: "Escape", label: "Esc", does: "close, or stop presenting", act: actions.leave },
  ];
}

// @ts-check
/** Files that are opened in the page: a result is shown again, a recording is one more answer. Neither leaves the page. */

import { RecordingError, readRecording } from "../pure/recording.js";
import { ResultError, readResult } from "../pure/result.js";
import { FileError, readText } from "../transport/file.js";

/** @import { Recording } from "../pure/recording.js" */

const KNOWN = [FileError, RecordingError, ResultError];

/**
 * @typedef {object} FileActions
 * @property {(run: ReturnType<typeof readResult>) => void} showResult
 * @property {(name: string, recording: Recording) => void} addRecording it may throw a FileError
 * @property {(problem: string) => void} tell what is wrong with a file; "" for nothing
 */

/**
 * @param {readonly HTMLElement[]} inputs that choose a file
 * @param {FileActions} actions
 */
export function listenForFiles(inputs, actions) {
  for (const input of /** @type {HTMLInputElement[]} */ (inputs)) {
    input.addEventListener("change", () => open(input, actions)); // lives as long as the page
  }
}

/** @param {HTMLInputElement} input @param {FileActions} actions */
async function open(input, { showResult, addRecording, tell }) {
  const [file] = input.files ?? [];
  if (!file) return;
  input.value = ""; // the same file can be opened again
  tell("");
  try {
    const text = await readText(file);
    const recording = readRecording(text);
    if (recording) addRecording(file.name, recording);
    else showResult(readResult(text));
    scrollTo({ top: 0 });
  } catch (error) {
    const isKnown = KNOWN.some((kind) => error instanceof kind);
    tell(`${file.name}: ${isKnown ? /** @type {Error} */ (error).message : "it can't be read"}.`);
  }
}

// @ts-check
/**
 * A result as a table with one kind of record a line: `about`, `setting`, `end`, `measure` (name and value) and `token`.
 * Texts are written as JSON strings, so that they come back as they were, and no cell begins as a formula does.
 */

const COLUMNS = ["record", "lane", "name", "value", "i", "text", "due_ms", "sent_ms", "arrival_ms", "drawn_ms"];

/**
 * @param {any} result as `resultOf` gives it
 * @returns {string} CSV as RFC 4180 has it
 */
export function csvOf({ about, lanes }) {
  const rows = [COLUMNS, ...pairs("about", "", about), ...lanes.flatMap(laneRows)];
  return rows.map((row) => COLUMNS.map((_, n) => cell(row[n])).join(",")).join("\r\n") + "\r\n";
}

/** @param {any} lane of a result @param {number} number @returns {unknown[][]} */
function laneRows({ settings, end, measures, due_ms: dueMs, tokens }, number) {
  return [
    ...pairs("setting", number, settings),
    ...pairs("end", number, end ?? {}),
    ...pairs("measure", number, measures),
    ...tokens.map((/** @type {any} */ token, /** @type {number} */ i) => {
      const { text, sent_ms: sentMs, arrival_ms: arrivalMs, drawn_ms: drawnMs } = token;
      return ["token", number, "", "", i, JSON.stringify(text), dueMs[i], sentMs, arrivalMs, drawnMs];
    }),
  ];
}

/** @param {string} record @param {number | ""} lane @param {object} values @returns {unknown[][]} */
function pairs(record, lane, values) {
  return Object.entries(values).map(([name, value]) => {
    return [record, lane, name, typeof value === "string" ? JSON.stringify(value) : value];
  });
}

/** @param {unknown} value */
function cell(value) {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

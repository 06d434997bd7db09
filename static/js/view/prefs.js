// @ts-check
/** What a visitor likes to see, kept in their browser: theme, keys, tokens, reader, what one expects. Not in the URL: links are for others. */

/**
 * @param {string} name
 * @param {string} otherwise
 */
export function preference(name, otherwise) {
  try {
    return localStorage.getItem(name) ?? otherwise;
  } catch {
    return otherwise; // storage can be switched off
  }
}

/** @param {string} name @param {string} value */
export function prefer(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Then it holds for this page.
  }
}

/** Changes between light and dark, from whichever is seen now. */
export function switchTheme() {
  const { dataset } = document.documentElement;
  const isDark = dataset.theme ? dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  dataset.theme = isDark ? "light" : "dark";
  prefer("theme", dataset.theme);
}

/**
 * A checkbox that is remembered.
 * @param {HTMLInputElement} box
 * @param {boolean} otherwise
 * @param {(on: boolean) => void} changed also called at once, with what was remembered
 */
export function remember(box, otherwise, changed) {
  box.checked = preference(box.id, String(otherwise)) === "true";
  box.addEventListener("change", () => {
    prefer(box.id, String(box.checked));
    changed(box.checked);
  });
  changed(box.checked);
}

/**
 * A number that is remembered, unless it is out of its field's range.
 * @param {HTMLInputElement} field with its default as its value
 * @param {() => void} changed also called at once, with what was remembered
 */
export function rememberNumber(field, changed) {
  field.value = preference(field.id, field.defaultValue);
  if (!field.validity.valid) field.value = field.defaultValue;
  field.addEventListener("input", () => {
    if (field.validity.valid) prefer(field.id, field.value);
    changed();
  });
  changed();
}

/** What is kept as long as the tab is, and over a reload. @param {string} name @returns {string} "" for nothing */
export function keptForVisit(name) {
  try {
    return sessionStorage.getItem(name) ?? "";
  } catch {
    return ""; // storage can be switched off
  }
}

/** @param {string} name @param {string} value */
export function keepForVisit(name, value) {
  try {
    sessionStorage.setItem(name, value);
  } catch {
    // Then it is kept as long as this page.
  }
}

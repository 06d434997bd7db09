// Sets the chosen theme before anything is drawn, so that a dark room sees no white flash. Not a module: those wait.
"use strict";
try {
  const theme = localStorage.getItem("theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch {
  // Storage can be switched off; then the system's theme is used.
}

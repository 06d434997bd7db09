// @ts-check
/** Watches a presenter's own decks while they are being written: a saved one brings the page anew. */

const EVERY_MS = 2_000;

/** Does nothing where there are only the built-in scenes, which don't change. */
export function watchDecks() {
  const shown = document.body.dataset.ownDecks;
  if (shown === undefined) return;
  // Lives as long as the page.
  setInterval(async () => {
    const isBusy = document.hidden || document.querySelector("[data-state=streaming], [data-state=waiting]");
    const isInMidScene = !["ask", undefined].includes(document.body.dataset.line);
    if (isBusy || isInMidScene) return;
    const now = await versionOf();
    if (now === "" || now === shown) return;
    // Scenes are made by the server; the address keeps the place, unless the scene there has another name now.
    const { ok } = await fetch(location.href, { method: "HEAD" });
    if (ok) location.reload();
    else location.assign(document.baseURI);
  }, EVERY_MS);
}

/** @returns {Promise<string>} "" where no server answers */
async function versionOf() {
  try {
    const response = await fetch("scenes.json", { method: "HEAD" });
    return response.headers.get("etag") ?? "";
  } catch {
    return "";
  }
}

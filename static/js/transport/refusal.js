// @ts-check
/** Why a stream was not opened, which an EventSource doesn't tell: the same is asked again by HEAD, which starts nothing. */

import { fetchPlan } from "./plan.js";

/** @typedef {{ reason: string, retryAfterMs: number | null }} Refusal null where asking again would not help */

/** A full server and one that knows this client too well: there will be room again. */
const LATER = [429, 503];

/**
 * @param {string} query as `writeQuery` gives it
 * @returns {Promise<Refusal | null>} null if the server would serve it, or is not there
 * @throws {TypeError} where no server answers
 */
export async function whyRefused(query) {
  const response = await fetch(`stream?${query}`, { method: "HEAD" });
  const seconds = Number(response.headers.get("retry-after"));
  if (LATER.includes(response.status) && seconds > 0) return { reason: "full", retryAfterMs: seconds * 1000 };
  if (response.ok || response.status >= 500) return null; // a proxy says 502 or 503 while a server restarts
  const { problems } = await fetchPlan(query); // it has the same problems, and a body to tell them in
  const details = problems.map(({ detail }) => detail).join("; ");
  return { reason: details || `status ${response.status}`, retryAfterMs: null };
}

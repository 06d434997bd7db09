// @ts-check
/** Asks the server for the plan of a query: when each token is due, or what is wrong with the query. */

/** @import { PlannedLane, Problem } from "../pure/state.js" */

/**
 * @param {string} query as `writeQuery` gives it
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ plan: PlannedLane[], problems: [] } | { plan: null, problems: Problem[] }>}
 * @throws {TypeError} where no server answers
 */
export async function fetchPlan(query, signal) {
  const response = await fetch(`plan?${query}`, { signal });
  const body = await response.json();
  if (response.ok) return { plan: body.lanes, problems: [] };
  const errors = body.errors ?? [{ field: "", value: "", range: "", lane: null, detail: body.detail }];
  return { plan: null, problems: errors.map(readProblem) };
}

/** @param {Problem & { lane: number | null }} error @returns {Problem} */
function readProblem({ field, value, range, lane, detail }) {
  return { field, value, range, lane: lane ?? -1, detail };
}

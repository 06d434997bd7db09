// @ts-check
import { deepEqual, equal, test } from "/tests/harness.js";
import { whyRefused } from "/static/js/transport/refusal.js";

/** @param {Response[]} answers of the server, in their order @returns {Promise<unknown>} what was made of them, and what was asked */
async function told(answers) {
  const asked = /** @type {string[]} */ ([]);
  const { fetch } = globalThis;
  globalThis.fetch = async (url, options) => {
    asked.push(`${options?.method ?? "GET"} ${url}`);
    return /** @type {Response} */ (answers.shift());
  };
  try {
    return [await whyRefused("lane=tokens:0"), ...asked];
  } finally {
    globalThis.fetch = fetch;
  }
}

const HEAD = "HEAD stream?lane=tokens:0";

/** @param {number} status @param {Record<string, string>} [headers] */
function answer(status, headers) {
  return new Response(null, { status, headers });
}

test("a server that would serve it, or is not there, refuses nothing", async () => {
  for (const status of [200, 500, 502, 503, 504]) deepEqual(await told([answer(status)]), [null, HEAD]);
});

test("a full server says when to come again", async () => {
  const full = [{ reason: "full", retryAfterMs: 3_000 }, HEAD];
  for (const status of [503, 429]) deepEqual(await told([answer(status, { "Retry-After": "3" })]), full);
});

test("why a query is wrong is asked of its plan", async () => {
  const problem = { field: "tokens", value: "0", range: "…", lane: 0, detail: "lane 1: tokens must be more" };
  const plan = new Response(JSON.stringify({ errors: [problem] }), { status: 400 });
  const [refusal] = /** @type {any[]} */ (await told([answer(400), plan]));
  deepEqual(refusal, { reason: "lane 1: tokens must be more", retryAfterMs: null });
});

test("where the plan is right, the status says that it was refused", async () => {
  const plan = new Response(JSON.stringify({ lanes: [] }), { status: 200 });
  const [refusal] = /** @type {any[]} */ (await told([answer(403), plan]));
  equal(refusal.reason, "status 403");
});

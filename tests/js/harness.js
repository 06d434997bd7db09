// @ts-check
/**
 * The smallest test harness that the pure modules need: a test file imports it, declares its tests,
 * and `test_modules.py` calls `run()` in a browser. Finding files and reporting are left to pytest.
 */

/** @typedef {{ name: string, error: string | null }} Result One test; `error` is null where it passed. */

/** A test that waits for what never comes must fail by itself, or the whole run would hang. */
const TIMEOUT_MS = 10_000;

/** @type {{ name: string, fn: () => unknown }[]} */
const tests = [];

/**
 * Declares a test. `fn` may be async; the test fails if it throws or rejects.
 * @param {string} name
 * @param {() => unknown} fn
 */
export function test(name, fn) {
  if (tests.some((other) => other.name === name)) throw new Error(`two tests are named “${name}”`);
  tests.push({ name, fn });
}

/**
 * Runs every declared test, in order, one after another.
 * @returns {Promise<Result[]>}
 */
export async function run() {
  const results = [];
  for (const { name, fn } of tests) results.push({ name, error: await failure(fn) });
  return results;
}

/**
 * Passes if both are the same value (`Object.is`: NaN equals NaN, 0 and -0 differ).
 * @param {unknown} actual
 * @param {unknown} expected
 * @param {string} [message]
 */
export function equal(actual, expected, message) {
  if (!Object.is(actual, expected)) fail(`got ${show(actual)}, expected ${show(expected)}`, message);
}

/**
 * Passes if both have the same structure: arrays, plain objects, Maps and Sets (in their order), with
 * `Object.is` for the rest. A property that is undefined differs from one that is missing.
 * @param {unknown} actual
 * @param {unknown} expected
 * @param {string} [message]
 */
export function deepEqual(actual, expected, message) {
  const path = difference(actual, expected, "");
  if (path === null) return;
  fail(`${path ? `they differ at ${path}: ` : ""}got ${show(actual)}, expected ${show(expected)}`, message);
}

/**
 * Passes if `actual` is a number at most `tolerance` away from `expected`.
 * @param {unknown} actual
 * @param {number} expected
 * @param {number} tolerance
 * @param {string} [message]
 */
export function close(actual, expected, tolerance, message) {
  if (typeof actual === "number" && Math.abs(actual - expected) <= tolerance) return;
  fail(`got ${show(actual)}, expected ${expected} ± ${tolerance}`, message);
}

/**
 * Passes if `value` is truthy.
 * @param {unknown} value
 * @param {string} [message]
 */
export function ok(value, message) {
  if (!value) fail(`got ${show(value)}, expected something true`, message);
}

/**
 * Passes if `fn` throws, and its message matches `pattern` where one is given.
 * @param {() => unknown} fn
 * @param {RegExp} [pattern]
 * @param {string} [message]
 */
export function throws(fn, pattern, message) {
  let thrown;
  try {
    fn();
  } catch (error) {
    thrown = { text: error instanceof Error ? error.message : String(error) };
  }
  if (!thrown) fail("it did not throw", message);
  else if (pattern && !pattern.test(thrown.text)) {
    fail(`it threw ${show(thrown.text)}, expected ${pattern}`, message);
  }
}

/**
 * @param {string} what
 * @param {string | undefined} message
 */
function fail(what, message) {
  throw new Error(message ? `${message}: ${what}` : what);
}

/**
 * @param {() => unknown} fn
 * @returns {Promise<string | null>} Why it failed, with the place.
 */
async function failure(fn) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not over after ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
  });
  try {
    await Promise.race([fn(), late]);
    return null;
  } catch (error) {
    return error instanceof Error ? describe(error) : `it threw ${show(error)}`;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * @param {Error} error
 * @returns {string} The error and the line of its stack outside this file, which is where the test stands.
 */
function describe(error) {
  const places = (error.stack ?? "").split("\n").filter((line) => /^\s+at .*:\d+:\d+\)?$/.test(line));
  const place = places.find((line) => !line.includes(import.meta.url));
  const name = error.name === "Error" ? "" : `${error.name}: `;
  return name + error.message + (place ? `\n${place.replaceAll(location.origin, "")}` : "");
}

/**
 * @param {unknown} a
 * @param {unknown} b
 * @param {string} path
 * @returns {string | null} The path of the first difference, "" for the values themselves, null for none.
 */
function difference(a, b, path) {
  if (Object.is(a, b)) return null;
  if (!isObject(a) || !isObject(b) || Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return path;
  if (a instanceof Map || a instanceof Set) {
    return difference([...a], [.../** @type {Iterable<unknown>} */ (/** @type {unknown} */ (b))], path);
  }
  if (!Array.isArray(a) && ![Object.prototype, null].includes(Object.getPrototypeOf(a))) return path;
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const inner = Array.isArray(a) ? `${path}[${key}]` : `${path}.${key}`;
    if (!Object.hasOwn(a, key) || !Object.hasOwn(b, key)) return inner;
    const found = difference(a[key], b[key], inner);
    if (found !== null) return found;
  }
  return null;
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isObject(value) {
  return typeof value === "object" && value !== null;
}

/**
 * @param {unknown} value
 * @returns {string} The value as one would write it, with what JSON leaves out or changes.
 */
function show(value) {
  if (Object.is(value, -0)) return "-0";
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "object" || value === null) return String(value);
  if (value instanceof Map || value instanceof Set) return `${value.constructor.name} ${show([...value])}`;
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (Array.isArray(value)) return `[${Array.from(value, show).join(", ")}]`;
  const pairs = Object.entries(value).map(([key, inner]) => `${key}: ${show(inner)}`);
  return `{${pairs.join(", ")}}`;
}

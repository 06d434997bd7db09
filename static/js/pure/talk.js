// @ts-check
/**
 * The course of a talk: scenes in their order, and of each scene the steps that a presenter takes with one button. What
 * a step looks like is left to the views.
 */

/**
 * @typedef {object} Scene
 * @property {string} slug
 * @property {string} query its lanes; "" of a scene that runs nothing
 * @property {string[]} pictures
 * @property {string} ask
 * @property {string} observe with placeholders
 * @property {number} minutes planned
 */
/** What is in the middle, and which line is below: a question, the clock of the run, or what was seen in it. */
/** @typedef {{ shows: string, line: "ask" | "clock" | "observe" }} Step `shows` is "answers", a picture, or "" */
/** @typedef {{ at: number, step: number }} Place −1 is before the first scene: the answers that the page has */
/** @typedef {"start" | "scene" | "none"} Effect what is to be done on the way: start the run, open the scene's lanes */

export const ANSWERS = "answers";

/** The answers that the page has, when they are presented without a scene. @type {Step[]} */
const OWN_STEPS = [
  { shows: ANSWERS, line: "ask" },
  { shows: ANSWERS, line: "clock" },
  { shows: ANSWERS, line: "observe" },
];

/**
 * A lone answer is seen inside its first picture; of several, the answers come first and the pictures after them.
 * @param {Scene | undefined} scene
 * @returns {Step[]} at least one
 */
export function stepsOf(scene) {
  if (!scene) return OWN_STEPS;
  const { query, pictures, observe } = scene;
  if (query === "") return (pictures.length ? pictures : [""]).map((shows) => ({ shows, line: "ask" }));
  const isAlone = query.split("&").length === 1 && pictures.length > 0;
  const shows = isAlone ? pictures[0] : ANSWERS;
  const after = isAlone ? pictures.slice(1) : pictures;
  /** @type {Step[]} */
  const steps = [
    { shows, line: "ask" },
    { shows, line: "clock" },
  ];
  if (observe !== "") steps.push({ shows, line: "observe" });
  return [
    ...steps,
    ...after.map((picture) => /** @type {Step} */ ({ shows: picture, line: observe ? "observe" : "clock" })),
  ];
}

/**
 * The next thing: start the run, say what was seen, show a picture, and then the next scene.
 * @param {readonly Scene[]} scenes
 * @param {Place} place
 * @param {boolean} isRunning then the room is watching, and nothing is skipped
 * @returns {{ place: Place, effect: Effect }}
 */
export function next(scenes, { at, step }, isRunning) {
  const steps = stepsOf(scenes[at]);
  if (isRunning) return { place: { at, step }, effect: "none" };
  if (step + 1 < steps.length) {
    const starts = steps[step + 1].line === "clock" && steps[step].line === "ask";
    return { place: { at, step: step + 1 }, effect: starts ? "start" : "none" };
  }
  const isLast = at + 1 >= scenes.length;
  return isLast ? { place: { at, step }, effect: "none" } : { place: { at: at + 1, step: 0 }, effect: "scene" };
}

/**
 * Back to the beginning of a scene, and from there to the one before.
 * @param {readonly Scene[]} _
 * @param {Place} place
 * @returns {{ place: Place, effect: Effect }}
 */
export function back(_, { at, step }) {
  if (step > 0 || at <= 0) return { place: { at, step: 0 }, effect: "scene" };
  return { place: { at: at - 1, step: 0 }, effect: "scene" };
}

/**
 * Where one is while a run goes on: it may be started at any step, and then its clock is what to see.
 * @param {readonly Scene[]} scenes
 * @param {Place} place
 * @returns {Place}
 */
export function whileRunning(scenes, { at, step }) {
  const steps = stepsOf(scenes[at]);
  return steps[step].line === "ask" && steps[step + 1]?.line === "clock" ? { at, step: step + 1 } : { at, step };
}

/**
 * How far the talk is from its plan.
 * @param {readonly Scene[]} scenes
 * @param {number} at the scene that is shown
 * @param {number} elapsedMs since the talk began
 * @returns {string} "on time" anywhere within the time that is planned for the scene
 */
export function paceWords(scenes, at, elapsedMs) {
  const beganMin = minutesOf(scenes.slice(0, Math.max(0, at)));
  const endsMin = minutesOf(scenes.slice(0, at + 1));
  const nowMin = elapsedMs / 60_000;
  if (nowMin > endsMin) return `${Math.ceil(nowMin - endsMin)} min behind`;
  if (beganMin - nowMin >= 1) return `${Math.floor(beganMin - nowMin)} min ahead`;
  return "on time";
}

/** @param {readonly Scene[]} scenes */
function minutesOf(scenes) {
  return scenes.reduce((sum, { minutes }) => sum + minutes, 0);
}

// @ts-check
/**
 * All explaining pictures on the page, in their section and in scenes: brings them up to date, during a run only those
 * in sight, gives each the shape that its width allows, and keeps a clicker's keys from their fields while presenting.
 * Those of a talk's scenes are drawn at rest when it begins, for a handout that may be printed at any time.
 */

import { isActive } from "../pure/state.js";
import { withTellingTitles } from "../pure/words.js";
import { Chain } from "./pictures/chain.js";
import { Cost } from "./pictures/cost.js";
import { Formula } from "./pictures/formula.js";
import { Loop } from "./pictures/loop.js";
import { Path } from "./pictures/path.js";

/** @import { PlannedLane, Run } from "../pure/state.js" */

/** @typedef {{ plan: PlannedLane[], run: Run | null, elapsedMs: number }} Moment what all pictures show */
/** @typedef {{ update: (moment: Moment) => void }} Picture complete and idempotent, at a cost that doesn't grow with n */

/** @type {Record<string, new (root: HTMLElement) => Picture>} */
const KINDS = { loop: Loop, chain: Chain, path: Path, formula: Formula, cost: Cost };

/** Narrower, a drawing's second half goes below its first. */
const WIDE_FROM_PX = 480;

export class Pictures {
  /** @type {Map<Element, Picture>} */
  #pictures = new Map();
  /** @type {Set<Element>} */
  #seen = new Set();
  /** @type {Moment | null} */
  #moment = null;
  /** Those that show anything. @type {Set<Element>} */
  #drawn = new Set();
  #areScenesAsked = false;
  #planOf;

  /**
   * @param {() => void} changed asks for a frame
   * @param {(query: string) => Promise<{ plan?: PlannedLane[] | null }>} planOf
   */
  constructor(changed, planOf) {
    this.#planOf = planOf;
    // All of these live as long as the page.
    const sight = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) this.#seen[isIntersecting ? "add" : "delete"](target);
      changed();
    });
    const shapes = new ResizeObserver((entries) => {
      for (const { target, contentRect } of entries) shape(/** @type {HTMLElement} */ (target), contentRect.width);
      changed();
    });
    for (const root of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-picture]"))) {
      const Kind = KINDS[root.dataset.picture ?? ""];
      if (!Kind) continue;
      this.#pictures.set(root, new Kind(root));
      sight.observe(root);
      shapes.observe(root);
      root.addEventListener("pointerup", () => isPresenting() && blurWithin(root));
    }
    new MutationObserver(() => this.#leaveKeysToPresenting()).observe(document.body, {
      attributeFilter: ["data-presenting"],
    });
    this.#leaveKeysToPresenting();
    window.addEventListener("beforeprint", () => this.#drawAll());
  }

  /** @param {Moment} moment */
  update(moment) {
    this.#moment = moment;
    if (!isActive(moment.run)) return this.#drawAll();
    for (const root of this.#seen) this.#draw(root, moment);
  }

  /** @param {Element} root @param {Moment} moment */
  #draw(root, moment) {
    this.#pictures.get(root)?.update(moment);
    this.#drawn.add(root);
  }

  /** One plan after another, as there is no hurry; the scene that is shown has its own. */
  async #drawScenes() {
    if (this.#areScenesAsked) return;
    this.#areScenesAsked = true;
    const others = document.querySelectorAll(".scene:not([data-shown]):has(.picture)");
    const scenes = /** @type {HTMLElement[]} */ ([...others]);
    for (const query of new Set(scenes.map(({ dataset }) => dataset.query ?? ""))) {
      const { plan } = await this.#planOf(query).catch(() => ({ plan: null }));
      if (!plan) continue;
      const alike = scenes.filter(({ dataset }) => dataset.query === query);
      for (const root of alike.flatMap((scene) => [...scene.querySelectorAll(".picture")])) {
        if (!this.#drawn.has(root)) this.#draw(root, { plan: withTellingTitles(plan), run: null, elapsedMs: 0 });
      }
    }
  }

  /**
   * At rest, all can be looked at, printed or photographed. Those of scenes out of sight stand as their own run left
   * them.
   */
  #drawAll() {
    for (const root of this.#pictures.keys()) {
      if (this.#moment && (this.#seen.has(root) || !root.closest(".scene"))) this.#draw(root, this.#moment);
    }
  }

  /** PageDown moves a slider that has the focus, and it is what a clicker says for “next”. */
  #leaveKeysToPresenting() {
    for (const root of this.#pictures.keys()) {
      const fields = /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("input, button"));
      for (const field of fields) field.tabIndex = isPresenting() ? -1 : 0;
      if (isPresenting()) blurWithin(root);
    }
    if (isPresenting()) this.#drawScenes();
  }
}

function isPresenting() {
  return document.body.dataset.presenting !== undefined;
}

/** @param {Element} root */
function blurWithin(root) {
  const { activeElement } = document;
  if (activeElement instanceof HTMLElement && root.contains(activeElement)) activeElement.blur();
}

/** @param {HTMLElement} root @param {number} widthPx */
function shape(root, widthPx) {
  if (widthPx === 0) return; // hidden: it keeps its shape
  const name = widthPx < WIDE_FROM_PX ? "narrow" : "wide";
  root.dataset.shape = name;
  const drawing = /** @type {SVGSVGElement | null} */ (root.querySelector("svg[data-wide]"));
  drawing?.setAttribute("viewBox", drawing.dataset[name] ?? "");
}

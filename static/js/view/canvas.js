// @ts-check
/** What everything that is drawn on a canvas along an axis needs: its dots, its labels, the colours of an answer. */

import { moveTo } from "./dom.js";

/** @import { Tick } from "../pure/geometry.js" */

/** What the widest label needs, "10,000" and a space, in its letters; with its unit it needs more, which the style says. */
const LABEL_LETTERS = "3.5";

/** @typedef {{ solid: string, faint: string }} Colours of one answer */

/**
 * Gives a canvas its size in CSS pixels, sharp on any screen, and nothing on it.
 * @param {HTMLCanvasElement} canvas
 * @param {number} widthPx
 * @param {number} heightPx
 * @returns {CanvasRenderingContext2D} which takes CSS pixels
 */
export function sized(canvas, widthPx, heightPx) {
  const dots = window.devicePixelRatio;
  canvas.width = Math.round(widthPx * dots);
  canvas.height = Math.round(heightPx * dots);
  canvas.style.width = `${widthPx}px`;
  canvas.style.height = `${heightPx}px`;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.scale(dots, dots);
  return context;
}

/** @param {HTMLElement} root @param {readonly Tick[]} ticks @param {string} unit which the last one may show */
export function showTicks(root, ticks, unit) {
  root.replaceChildren(...ticks.map(({ label, x }) => tickLabel(label, x)));
  if (root.lastElementChild instanceof HTMLElement) root.lastElementChild.dataset.unit = unit;
}

/** @param {HTMLElement} root of labels @returns {number} what the widest needs */
export function labelRoomPx(root) {
  const style = getComputedStyle(root);
  return parseFloat(style.getPropertyValue("--label-letters") || LABEL_LETTERS) * parseFloat(style.fontSize);
}

/**
 * @param {HTMLElement} element in the colours of an answer, the faint one as that of its border
 * @returns {Colours}
 */
export function coloursOf(element) {
  const { color, borderTopColor } = getComputedStyle(element);
  return { solid: color, faint: borderTopColor };
}

/** @param {string} label @param {number} x */
function tickLabel(label, x) {
  const element = document.createElement("span");
  element.textContent = label;
  moveTo(element, x);
  return element;
}

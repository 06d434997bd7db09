// @ts-check
/** The little that every view needs from the page. */

/**
 * @param {string} id
 * @returns {HTMLElement}
 * @throws {Error} where the page has no such element: template and script don't belong together then
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element #${id}`);
  return element;
}

/**
 * @param {HTMLElement} root
 * @returns {Record<string, HTMLElement>} its elements marked `data-part`, by their names
 */
export function partsOf(root) {
  const marked = /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-part]"));
  return Object.fromEntries([...marked].map((element) => [element.dataset.part, element]));
}

/**
 * Writes only what changed: views update in every frame, and the same text set again would still cost a layout.
 * @param {HTMLElement} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * @param {string} id of a template with one element in it
 * @param {number} lane
 * @returns {HTMLElement} a copy, marked with its lane's number, which gives it its colour
 */
export function copyOf(id, lane) {
  const template = /** @type {HTMLTemplateElement} */ (byId(id));
  const copy = /** @type {HTMLElement} */ (template.content.firstElementChild?.cloneNode(true));
  copy.dataset.lane = String(lane);
  return copy;
}

/**
 * @param {HTMLElement} element whose style places it at `--x` (and `--y`)
 * @param {number} x in CSS pixels
 * @param {number} [y]
 */
export function moveTo(element, x, y) {
  element.style.setProperty("--x", `${x}px`);
  if (y !== undefined) element.style.setProperty("--y", `${y}px`);
}

/**
 * Sets an attribute unless it is so already, as `setText` does.
 * @param {Element} element
 * @param {string} name
 * @param {string | number} value
 */
export function setAttribute(element, name, value) {
  if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
}

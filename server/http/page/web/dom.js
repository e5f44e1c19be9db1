/** Builds elements. Text is always set as text, never parsed as HTML. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Sets attributes, properties and listeners: `class`, `onclick`, `style` as an object, `dataset`, anything else as an
 * attribute. False, null and undefined leave the attribute out; true sets it without a value.
 * @param {Element} element
 * @param {Record<string, any>} attributes
 */
function setAll(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(/** @type {HTMLElement} */ (element).dataset, value);
    else if (name === "style") for (const [key, text] of Object.entries(value)) /** @type {HTMLElement} */ (element).style.setProperty(key, String(text));
    else if (name === "value" || name === "checked" || name === "disabled" || name === "hidden") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/** @param {Element} element @param {any[]} children Elements, texts, lists of both; null and false are left out. */
function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
}

/**
 * Returns an HTML element: h("button", {class: "primary", onclick: solve}, "Solve").
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...any} children
 * @returns {any}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  append(element, children);
  setAll(element, attributes);
  return element;
}

/**
 * Returns an SVG element.
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...any} children
 * @returns {any}
 */
export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  append(element, children);
  setAll(element, attributes);
  return element;
}

/** Replaces all children. @param {Element} element @param {...any} children */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

/** Sets the text if it differs, which spares the browser a layout. @param {Element} element @param {string} text */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Offers bytes or text as a file to save. @param {string} name @param {BlobPart} content @param {string} type */
export function download(name, content, type) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = h("a", { href: url, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

let nextId = 0;
/** Returns an id that is unique in the document, to connect labels with fields. */
export function uniqueId(prefix = "id") {
  nextId += 1;
  return `${prefix}-${nextId}`;
}

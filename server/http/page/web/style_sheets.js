/** Loads the style sheets of views when they are first shown. */

import { h } from "./dom.js";

/** @type {Map<string, Promise<void>>} */
const loaded = new Map();

/** Resolves when the sheet is in effect. @param {string} path */
export function loadStyle(path) {
  if (!loaded.has(path)) {
    loaded.set(path, new Promise((resolve, reject) => {
      document.head.append(h("link", { rel: "stylesheet", href: path, onload: () => resolve(undefined),
                                       onerror: () => reject(new Error(`${path} could not be loaded. Reload the page.`)) }));
    }));
  }
  return loaded.get(path);
}

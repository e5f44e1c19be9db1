/** Shows errors and other messages above the view. */

import { ApiError, isAbort } from "./api.js";
import { fill, h } from "./dom.js";

const REMEDIES = {
  UNAUTHENTICATED: "Type in a token: the button at the top right.",
  PERMISSION_DENIED: "Use a token with the role that the message names: the button at the top right.",
  RESOURCE_EXHAUSTED: "If the server is busy, try again in a moment.",
  UNAVAILABLE: "Try again in a moment.",
  NETWORK: "Check that vrpd runs, then try again.",
};

/** @returns {HTMLElement} */
const host = () => /** @type {HTMLElement} */ (document.getElementById("notices"));

/**
 * Shows a message until the user closes it or the next one replaces it.
 * @param {"error"|"info"|"success"} kind
 * @param {string} title
 * @param {string[]} [lines]
 */
export function notify(kind, title, lines = []) {
  fill(host(), h("div", { class: `notice ${kind}` },
    h("div", { class: "notice-text" }, h("strong", {}, title), lines.map((line) => h("p", {}, line))),
    h("button", { type: "button", class: "icon-button", "aria-label": "Close the message", onclick: clearNotices }, "×")));
}

/**
 * Shows an error with the server's own words and a remedy. Cancellations by the user are no errors.
 * @param {any} error
 * @param {string} action The action that failed: "Solving".
 */
export function showError(error, action) {
  if (isAbort(error)) return;
  if (!(error instanceof ApiError)) console.error(error);
  const fields = (error.fields ?? []).map((/** @type {any} */ field) => `${field.field}: ${field.description}`);
  const message = fields.length === 0 ? [error.message] : fields.slice(0, 8);
  notify("error", `${action} failed`, [...message, REMEDIES[/** @type {keyof typeof REMEDIES} */ (error.status)]].filter(Boolean));
}

export function clearNotices() {
  host().replaceChildren();
}

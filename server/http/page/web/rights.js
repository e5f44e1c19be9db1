/** Finds out whether the token may train and change models. */

import { ApiError, call } from "./api.js";
import { fill, h } from "./dom.js";
import { session, token } from "./store.js";

/** A configuration that is valid: checking it needs the role train, and creates nothing. */
const HARMLESS = { spec: { configYaml: "name: check\nmodel: ptrnet\n", configName: "check.yaml" }, validateOnly: true, configOnly: true };

/** @type {Map<string, Promise<boolean>>} By token. */
const known = new Map();

async function ask() {
  try {
    await call("CreateTrainingJob", HARMLESS);
  } catch (error) {
    if (error instanceof ApiError && error.status === "PERMISSION_DENIED") return false;
  }
  return true;
}

/** Whether the token has at least the role train. True without a token. Asks the server once for each token. @returns {Promise<boolean>} */
export function mayTrain() {
  if (token.get() === "") return Promise.resolve(true);
  if (!session.value.canSolve) return Promise.resolve(false);
  const key = token.get();
  if (!known.has(key)) known.set(key, ask());
  return /** @type {Promise<boolean>} */ (known.get(key));
}

/**
 * Calls the listener with the result of mayTrain, now and after each change of the session.
 * @param {(allowed: boolean) => void} listener
 * @param {AbortSignal} signal
 */
export function watchTrainRight(listener, signal) {
  session.watch(async ({ state }) => {
    if (state !== "ready") return;
    const allowed = await mayTrain();
    if (!signal.aborted) listener(allowed);
  }, signal);
}

/**
 * Says at `host` what a token without the role train cannot do, and marks `view` so that its buttons for actions (class
 * `acts`) are hidden.
 * @param {HTMLElement} host
 * @param {HTMLElement} view
 * @param {string} cannot "Starting, pausing and stopping training jobs".
 * @param {AbortSignal} signal
 */
export function explainRights(host, view, cannot, signal) {
  watchTrainRight((allowed) => {
    view.classList.toggle("read-only", !allowed);
    fill(host, !allowed && h("div", { class: "notice info static" }, h("div", { class: "notice-text" },
      h("strong", {}, "This token can look, but not act"), h("p", {}, `${cannot} needs a token with the role train. Everything here can be read.`))));
  }, signal);
}

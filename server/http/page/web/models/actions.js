/** The actions of a user on a version of a model. */

import { call } from "../api.js";
import { confirmed } from "../confirm.js";
import { notify, showError } from "../notices.js";
import { Workspace } from "../solve/workspace.js";
import { kept } from "../store.js";
import { modelText } from "../training/job.js";

/** Opens the Solve view with the model chosen. @param {string} name `models/tiny/versions/1` */
export function solveWith(name) {
  if (!kept.has("solve")) kept.set("solve", new Workspace());
  const workspace = kept.get("solve");
  Object.assign(workspace.settings, { model: name, strategy: "STRATEGY_SEEDED" });
  addEventListener("hashchange", () => notify("info", `Solving starts from the plans of ${modelText(name)}`,
    [workspace.problem ? "Press Solve. The settings have the model and the strategy." : "Open an instance, then press Solve."]), { once: true });
  location.hash = "#solve";
}

/**
 * Calls an RPC for a button, which is disabled meanwhile. Shows errors. Returns whether the call succeeded.
 * @param {HTMLButtonElement} button
 * @param {string} action "Loading tiny, version 1"
 * @param {string} rpc
 * @param {any} message
 */
export async function act(button, action, rpc, message) {
  button.disabled = true;
  try {
    await call(rpc, message);
    return true;
  } catch (error) {
    showError(error, action);
    return false;
  } finally {
    button.disabled = false;
  }
}

/** Asks, then deletes a version. Returns whether it is gone. @param {HTMLButtonElement} button @param {string} name */
export async function deleteVersion(button, name) {
  const question = { title: `Delete ${modelText(name)}?`, text: "Its weights are removed from the disk and from memory. The number is never used again.", action: "Delete" };
  return (await confirmed(question)) && act(button, `Deleting ${modelText(name)}`, "DeleteModelVersion", { name });
}

/** The Solve view: from a file to a checked plan. */

import { connect } from "../connection.js";
import { fill, h } from "../dom.js";
import { clearNotices, showError } from "../notices.js";
import { showFaults } from "../solve/faults_form.js";
import { loadText } from "../solve/loading.js";
import { PlanScreen } from "../solve/plan_screen.js";
import { acceptDrops, showStart } from "../solve/start_panel.js";
import { loadStyle } from "../style_sheets.js";
import { Workspace } from "../solve/workspace.js";
import { kept, session } from "../store.js";

export const title = "Solve";

/** @returns {Workspace} */
function workspaceOf() {
  if (!kept.has("solve")) kept.set("solve", new Workspace());
  return kept.get("solve");
}

/** @param {HTMLElement} host @param {{signal: AbortSignal}} at */
export async function mount(host, { signal }) {
  await Promise.all([loadStyle("/page/style/solve.css"), loadStyle("/page/lib/leaflet.css")]);
  if (signal.aborted) return;
  const workspace = workspaceOf();
  const rights = h("div", {});
  const body = h("div", {});
  fill(host, rights, body);
  session.watch(({ state, canSolve }) => {
    rights.hidden = state !== "ready" || canSolve;
    body.toggleAttribute("inert", !canSolve && !workspace.problem);
    fill(rights, h("div", { class: "notice info static" }, h("div", { class: "notice-text" },
      h("strong", {}, "This token may only read"),
      h("p", {}, "Reading files, solving and checking need the role solve. Training jobs, models and the state of the server can be watched."))));
  }, signal);

  const start = () => {
    workspace.clear();
    showStart(body, onText, (error) => showError(error, "Reading the file"));
  };
  const open = (/** @type {import("../solve/loading.js").Loaded} */ loaded) => {
    workspace.open(loaded);
    new PlanScreen(body, workspace, start, signal);
  };
  async function onText(/** @type {string} */ name, /** @type {string} */ text) {
    clearNotices();
    body.setAttribute("aria-busy", "true");
    try {
      if (session.value.state === "unreachable") await connect();
      const loaded = await loadText(name, text, signal);
      if (loaded.errors.length === 0) return open(loaded);
      workspace.clear();
      showFaults(body, loaded, { onText, onAnyway: loaded.problem ? () => open(loaded) : null, onCancel: start });
    } catch (error) {
      showError(error, `Reading ${name}`);
    } finally {
      body.removeAttribute("aria-busy");
    }
  }
  acceptDrops(host, onText, (error) => showError(error, "Reading the file"), signal);
  if (workspace.problem) new PlanScreen(body, workspace, start, signal);
  else start();
}


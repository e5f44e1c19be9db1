/** The Training view: the jobs and sweeps, one job or sweep, several compared, and the form for a new one. */

import { fill, h } from "../dom.js";
import { showError } from "../notices.js";
import { explainRights } from "../rights.js";
import { loadStyle } from "../style_sheets.js";
import { CompareScreen } from "../training/compare_screen.js";
import { JobList, MAX_COMPARED } from "../training/job_list.js";
import { JobScreen } from "../training/job_screen.js";
import { StartScreen } from "../training/start_screen.js";
import { SweepPanel } from "../training/sweep_panel.js";
import { SweepScreen } from "../training/sweep_screen.js";

export const title = "Training";

/** @param {HTMLElement} host @param {{route: string[], signal: AbortSignal}} at */
export async function mount(host, { route, signal }) {
  await Promise.all([loadStyle("/page/style/manage.css"), loadStyle("/page/style/training.css")]);
  if (signal.aborted) return;
  const rights = h("div", {});
  const body = h("div", { class: "manage" });
  fill(host, rights, body);
  explainRights(rights, host, "Starting, pausing, stopping and publishing training jobs", signal);
  const [screen, ...names] = route;
  try {
    if (screen === "jobs" && names[0]) await new JobScreen(body, `trainingJobs/${names[0]}`, signal).open();
    else if (screen === "sweeps" && names[0]) await new SweepScreen(body, `sweeps/${names[0]}`, signal).open();
    else if (screen === "new") await new StartScreen(body, signal).open(names);
    else if (screen === "compare" && names.length > 0) {
      await new CompareScreen(body, names.slice(0, MAX_COMPARED).map((id) => `trainingJobs/${id}`), signal).open();
    } else {
      const jobs = h("div", {});
      const sweeps = h("div", { class: "sweep-panel" });
      fill(body, jobs, sweeps);
      await Promise.all([new JobList(jobs, signal).open(), new SweepPanel(sweeps, signal).open()]);
    }
  } catch (error) {
    if (!signal.aborted) showError(error, "Loading the training");
  }
}

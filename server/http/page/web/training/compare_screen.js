/** Several training jobs side by side: their curves as one, and the settings in which they differ. */

import { call } from "../api.js";
import { routeColour } from "../colours.js";
import { fill, h } from "../dom.js";
import { number, percent, secondsOf, span } from "../format.js";
import { poll } from "../live.js";
import { Curves } from "./curves.js";
import { History } from "./history.js";
import { costText, hasEnded, idOf, lookOf, stateOf, titleOf } from "./job.js";

const POLL_MS = 2500;
const HISTORY_POINTS = 1500;

/** @typedef {{job: any, history: History, complete: boolean}} Compared */

/**
 * Returns the settings in which the jobs differ: rows of a key and each job's value; "default" for those that omit it.
 * @param {any[]} jobs
 * @returns {[string, string[]][]}
 */
export function differences(jobs) {
  const keys = [...new Set(jobs.flatMap((job) => Object.keys(job.settings ?? {})))].sort();
  const rows = keys.map((key) => /** @type {[string, string[]]} */ ([key, jobs.map((job) => job.settings?.[key] ?? "default")]));
  return rows.filter(([, values]) => values.some((value) => value !== values[0]));
}

export class CompareScreen {
  /** @param {HTMLElement} host @param {string[]} names @param {AbortSignal} signal */
  constructor(host, names, signal) {
    this.names = names;
    this.signal = signal;
    /** @type {Compared[]} */
    this.compared = [];
    this.table = h("section", { class: "panel table-wrap" });
    const curves = h("div", { class: "compare" });
    fill(host, h("a", { href: "#training", class: "back" }, "← All training jobs"), h("div", { class: "view-head" }, h("h1", {}, `Comparing ${names.length} training jobs`)),
      this.table, curves);
    this.curves = new Curves(curves, true);
  }

  async open() {
    this.compared = await Promise.all(this.names.map(async (name) => {
      const job = await call("GetTrainingJob", { name }, { signal: this.signal });
      return { job, history: new History(job.startTime), complete: false };
    }));
    await poll("Loading the curves", POLL_MS, this.signal, async () => {
      const changed = await Promise.all(this.compared.map((one) => this.#refresh(one)));
      if (changed.some(Boolean)) this.#draw();
    });
  }

  /** Loads the reports since the last time. Returns whether there was anything to do. @param {Compared} one */
  async #refresh(one) {
    if (one.complete) return false;
    const { name } = one.job;
    const { signal } = this;
    one.job = await call("GetTrainingJob", { name }, { signal });
    if (Number.isNaN(one.history.start) && one.job.startTime) one.history.start = Date.parse(one.job.startTime);
    const last = one.history.points[one.history.points.length - 1]?.step ?? 0;
    // After a crash the job continues from an earlier step; the reports since then are loaded again.
    const fromStep = Math.min(last + 1, Number(one.job.progress?.step ?? 0));
    const { points = [] } = await call("GetTrainingHistory", { name, fromStep, maxPoints: HISTORY_POINTS }, { signal });
    for (const { progress, time } of points) one.history.add(progress, time);
    one.complete = hasEnded(one.job);
    return true;
  }

  #draw() {
    const titles = this.compared.map(({ job }) => titleOf(job));
    const names = this.compared.map(({ job }, index) => (titles.filter((title) => title === titles[index]).length > 1 ? `${titles[index]} ${idOf(job.name).slice(0, 4)}` : titles[index]));
    this.curves.show(this.compared.map(({ history }, index) => ({ name: names[index], history })));
    const jobs = this.compared.map(({ job }) => job);
    const row = (/** @type {string} */ label, /** @type {(job: any) => any} */ value) => h("tr", {}, h("th", { scope: "row" }, label), jobs.map((job) => h("td", {}, value(job))));
    const best = (/** @type {any} */ job) => job.best ?? job.progress;
    fill(this.table, h("table", { class: "data compare-table" },
      h("thead", {}, h("tr", {}, h("td", {}), jobs.map((job, index) => h("th", { scope: "col" }, h("span", { class: "swatch", style: { background: routeColour(index) } }), " ",
        h("a", { href: `#training/jobs/${idOf(job.name)}` }, names[index]))))),
      h("tbody", {},
        row("State", (job) => h("span", { class: `badge ${lookOf(stateOf(job)).tone}` }, lookOf(stateOf(job)).label)),
        row("Steps", (job) => `${number(Number(job.progress?.step ?? 0))} of ${number(Number(job.progress?.totalSteps ?? 0))}`),
        row("Best validation cost", (job) => costText(best(job)?.validationCost)),
        row("Its gap", (job) => (best(job)?.validationGap === undefined ? "–" : percent(best(job).validationGap, 2))),
        row("Instances per second", (job) => number(Number(job.progress?.instancesPerSecond ?? 0), 0)),
        row("Ran for", (job) => span(secondsOf(job.runTime))),
        differences(jobs).map(([key, values]) => h("tr", {}, h("th", { scope: "row", class: "mono" }, key), values.map((value) => h("td", { class: "mono" }, value)))))));
  }
}

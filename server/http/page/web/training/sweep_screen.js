/** One sweep, live: its trials side by side, and the curves of the best ones. */

import { call } from "../api.js";
import { confirmed } from "../confirm.js";
import { fill, h } from "../dom.js";
import { number, percent, secondsOf, span } from "../format.js";
import { poll } from "../live.js";
import { showError } from "../notices.js";
import { Curves } from "./curves.js";
import { History } from "./history.js";
import { costText, hasEnded, idOf, lookOf, modelText, stateOf } from "./job.js";
import { MAX_COMPARED } from "./job_list.js";
import { planText, ranked, sweepActions, trialLook } from "./sweep.js";

const POLL_MS = 2500;
const HISTORY_POINTS = 500;

export class SweepScreen {
  /** @param {HTMLElement} host @param {string} name `sweeps/7` @param {AbortSignal} signal */
  constructor(host, name, signal) {
    this.name = name;
    this.signal = signal;
    this.sweep = /** @type {any} */ (null);
    this.shown = "";
    /** @type {Map<string, {epoch: number, history: History}>} The histories by job, each up to an epoch. */
    this.histories = new Map();
    this.head = h("div", {});
    this.table = h("section", { class: "panel table-wrap" });
    const curves = h("div", { class: "compare" });
    fill(host, h("a", { href: "#training", class: "back" }, "← All training jobs"), this.head, this.table, curves);
    this.curves = new Curves(curves, true);
  }

  open() {
    return poll("Loading the sweep", POLL_MS, this.signal, () => this.#refresh());
  }

  async #refresh() {
    if (this.sweep && hasEnded(this.sweep)) return;
    this.sweep = await call("GetSweep", { name: this.name }, { signal: this.signal });
    // The table is replaced only if it changes, since a click on a link that is replaced meanwhile is lost.
    const text = JSON.stringify(this.sweep);
    if (text === this.shown) return;
    this.shown = text;
    this.#drawHead();
    this.#drawTable();
    await this.#drawCurves();
  }

  #drawHead() {
    const { sweep } = this;
    const { label, tone } = lookOf(stateOf(sweep));
    const [, model, , version] = (sweep.model ?? "").split("/");
    fill(this.head, h("div", { class: "view-head" },
      h("div", { class: "job-title" }, h("h1", {}, sweep.modelName), h("span", { class: `badge ${tone}`, "data-state": stateOf(sweep) }, label),
        h("span", { class: "muted mono" }, idOf(sweep.name))),
      h("div", { class: "row acts" }, sweepActions(sweep).map((action) =>
        h("button", { type: "button", class: action.tone ?? "", title: action.hint, "data-rpc": action.rpc,
                      onclick: (/** @type {MouseEvent} */ event) => this.#act(action, /** @type {any} */ (event.currentTarget)) }, action.label)))),
      h("p", { class: "hint" }, planText(sweep), sweep.error && ` Failed: ${sweep.error.message}`, " ",
        model && h("a", { href: `#models/${model}/${version}` }, `Published ${modelText(sweep.model)}`)));
  }

  #drawTable() {
    const keys = this.sweep.keys ?? [];
    fill(this.table, h("table", { class: "data trials" },
      h("thead", {}, h("tr", {}, h("th", {}, "Trial"), keys.map((/** @type {string} */ key) => h("th", { class: "mono" }, key)), h("th", { class: "num" }, "Epochs"),
        h("th", { class: "num" }, "Validation"), h("th", { class: "num" }, "Gap"), h("th", { class: "num" }, "Ran for"))),
      h("tbody", {}, ranked(this.sweep).map((trial) => h("tr", { "data-trial": String(trial.number) },
        h("td", {}, h("div", { class: "job-cell" },
          trial.job ? h("a", { href: `#training/jobs/${idOf(trial.job)}` }, `Trial ${trial.number}`) : `Trial ${trial.number}`,
          h("span", { class: `badge ${trialLook(trial).tone}` }, trialLook(trial).label), trial.best && h("span", { class: "badge good" }, "best"))),
        keys.map((/** @type {string} */ key) => h("td", { class: "mono" }, trial.settings?.[key] ?? "–")),
        h("td", { class: "num" }, trial.totalEpochs ? `${number(Number(trial.epoch ?? 0))} of ${number(Number(trial.totalEpochs))}` : "–"),
        h("td", { class: "num" }, costText(trial.validationCost)),
        h("td", { class: "num", title: trial.validationReference ?? "" }, trial.validationGap === undefined ? "–" : percent(trial.validationGap, 2)),
        h("td", { class: "num" }, trial.job ? span(secondsOf(trial.runTime)) : "–"))))));
  }

  /** Draws the curves of the best trials, and loads the histories of those that went on. */
  async #drawCurves() {
    const trials = ranked(this.sweep).filter(({ job, epoch }) => job && Number(epoch ?? 0) > 0).slice(0, MAX_COMPARED);
    const runs = await Promise.all(trials.map(async ({ number: trial, job, epoch }) => {
      const known = this.histories.get(job);
      const history = known?.epoch === Number(epoch) ? known.history : await this.#load(job);
      this.histories.set(job, { epoch: Number(epoch), history });
      return { name: `Trial ${trial}`, history };
    }));
    this.curves.show(runs);
  }

  /** @param {string} job */
  async #load(job) {
    const { signal } = this;
    const [{ startTime }, { points = [] }] = await Promise.all([
      call("GetTrainingJob", { name: job }, { signal }), call("GetTrainingHistory", { name: job, maxPoints: HISTORY_POINTS }, { signal })]);
    const history = new History(startTime);
    for (const { progress, time } of points) history.add(progress, time);
    return history;
  }

  /** @param {import("./job.js").Action} action @param {HTMLButtonElement} button */
  async #act(action, button) {
    if (action.question && !(await confirmed({ title: `${action.label} this sweep?`, text: action.question, action: action.label }))) return;
    button.disabled = true;
    try {
      await call(action.rpc, { name: this.name });
      if (action.rpc === "DeleteSweep") location.hash = "#training";
      else await this.#refresh();
    } catch (error) {
      showError(error, action.label);
    } finally {
      button.disabled = false;
    }
  }
}

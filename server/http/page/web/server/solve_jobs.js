/** The list of solve jobs, which outlive connections. */

import { call } from "../api.js";
import { confirmed } from "../confirm.js";
import { fill, h } from "../dom.js";
import { cost, dateTime, number, plural, secondsOf, span } from "../format.js";
import { poll } from "../live.js";
import { showError } from "../notices.js";
import { hasEnded, idOf, lookOf, stateOf } from "../training/job.js";

const POLL_MS = 2000;
const PAGE = 20;

export class SolveJobs {
  /** @param {HTMLElement} host @param {AbortSignal} signal */
  constructor(host, signal) {
    this.signal = signal;
    this.size = PAGE;
    this.list = h("div", {});
    this.more = h("button", { type: "button", class: "small", hidden: true, onclick: () => {
      this.size = Math.min(1000, this.size * 4);
      this.#reload();
    } }, "Show older ones");
    this.drawn = "";
    fill(host, this.list, h("div", { class: "row centred" }, this.more));
  }

  open() {
    return poll("Loading the solve jobs", POLL_MS, this.signal, () => this.#refresh());
  }

  async #refresh() {
    const { solveJobs = [], nextPageToken = "" } = await call("ListSolveJobs", { pageSize: this.size }, { signal: this.signal });
    const key = JSON.stringify(solveJobs);
    this.more.hidden = !nextPageToken;
    if (key === this.drawn) return;
    this.drawn = key;
    // A button that has the focus would lose it.
    const focused = /** @type {HTMLElement|null} */ (document.activeElement)?.closest("[data-solve-job]")?.getAttribute("data-solve-job");
    if (solveJobs.length === 0) fill(this.list, h("p", { class: "hint" }, "None. A solve job goes on when its caller leaves: vrpctl solve --detach."));
    else this.#draw(solveJobs);
    if (focused) /** @type {HTMLElement|null} */ (this.list.querySelector(`[data-solve-job="${CSS.escape(focused)}"] button`))?.focus();
  }

  async #reload() {
    try {
      await this.#refresh();
    } catch (error) {
      showError(error, "Loading the solve jobs");
    }
  }

  /** @param {any[]} jobs */
  #draw(jobs) {
    fill(this.list, h("div", { class: "table-wrap" }, h("table", { class: "data" },
      h("thead", {}, h("tr", {}, h("th", {}, "Instance"), h("th", {}, "Progress"), h("th", { class: "num roomy" }, "Cost"), h("th", { class: "num roomy" }, "Routes"), h("th", { class: "roomy" }, "Created"), h("th", {}))),
      h("tbody", {}, jobs.map((job) => this.#row(job))))));
  }

  /** @param {any} job */
  #row(job) {
    const { label, tone } = lookOf(stateOf(job));
    const searched = secondsOf(job.progress?.searchTime);
    const budget = secondsOf(job.budget);
    const ended = hasEnded(job);
    const button = ended ? h("button", { type: "button", class: "small acts", "data-action": "delete", onclick: () => this.#act("DeleteSolveJob", job) }, "Delete") :
      h("button", { type: "button", class: "small acts", "data-action": "stop", disabled: stateOf(job) === "STOPPING", onclick: () => this.#act("StopSolveJob", job) }, "Stop");
    return h("tr", { "data-solve-job": idOf(job.name) },
      h("td", {}, h("div", { class: "row" }, h("strong", {}, job.instanceName || "instance"), h("span", { class: `badge ${tone}`, title: job.error?.message ?? "" }, label)),
        h("small", { class: "muted mono" }, idOf(job.name))),
      h("td", { class: "load" }, h("progress", { max: 1, value: stateOf(job) === "SUCCEEDED" ? 1 : Math.min(1, searched / Math.max(0.001, budget)), "aria-label": "Used share of the budget" }),
        h("small", { class: "muted" }, stateOf(job) === "QUEUED" ? `number ${job.queuePosition ?? 1} in the queue` : `${span(searched)} of ${span(budget)}`)),
      h("td", { class: "num roomy" }, job.progress?.improvementCount ? cost(job.progress.cost ?? 0, job.units) : "–",
        job.progress?.unservedCount ? h("div", { class: "failed" }, plural(job.progress.unservedCount, "customer") + " unserved") : ""),
      h("td", { class: "num roomy" }, number(job.progress?.routeCount ?? 0)), h("td", { class: "roomy muted nowrap" }, dateTime(job.createTime)), h("td", { class: "num" }, button));
  }

  /** @param {string} rpc @param {any} job */
  async #act(rpc, job) {
    const question = { title: `Delete the solve job of ${job.instanceName || "this instance"}?`, text: "Its plan is removed too.", action: "Delete" };
    if (rpc === "DeleteSolveJob" && !(await confirmed(question))) return;
    try {
      await call(rpc, { name: job.name });
      await this.#refresh();
    } catch (error) {
      showError(error, rpc === "StopSolveJob" ? "Stopping" : "Deleting");
    }
  }
}

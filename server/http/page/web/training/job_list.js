/** The list of training jobs, current while it is visible. */

import { call } from "../api.js";
import { fill, h, setText, uniqueId } from "../dom.js";
import { dateTime, percent, plural } from "../format.js";
import { poll } from "../live.js";
import { showError } from "../notices.js";
import { gapText, hasEnded, idOf, lookOf, shareOf, costText, stateOf, timeText, titleOf } from "./job.js";

const POLL_MS = 2000;
const PAGE = 50;
export const MAX_COMPARED = 8;

/** @param {any} job @param {string} text */
function matches(job, text) {
  const labels = Object.entries(job.spec?.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return [titleOf(job), job.name, lookOf(stateOf(job)).label, ...labels].some((one) => one.toLowerCase().includes(text));
}

export class JobList {
  /** @param {HTMLElement} host @param {AbortSignal} signal */
  constructor(host, signal) {
    this.signal = signal;
    /** @type {Map<string, any>} By name, in no order. */
    this.jobs = new Map();
    /** @type {Set<string>} Names of the jobs to compare. */
    this.chosen = new Set();
    this.next = ""; // token of the next page
    this.filter = "";
    const id = uniqueId("filter");
    const search = h("input", { id, type: "search", name: "filter", placeholder: "name, label or state", oninput: () => {
      this.filter = search.value.trim().toLowerCase();
      this.#draw();
    } });
    this.compare = h("button", { type: "button", disabled: true, "data-action": "compare", onclick: () => this.#openComparison() }, "Compare");
    this.count = h("span", { class: "hint", role: "status" });
    this.rows = h("tbody", {});
    this.table = h("div", { class: "panel table-wrap", hidden: true }, h("table", { class: "data jobs" },
      h("thead", {}, h("tr", {}, h("th", {}, h("span", { class: "sr-only" }, "Compare")), h("th", {}, "Training job"), h("th", {}, "Progress"),
        h("th", { class: "num roomy" }, "Validation"), h("th", { class: "num roomy" }, "Gap"), h("th", { class: "roomy" }, "Created"))), this.rows));
    this.more = h("button", { type: "button", hidden: true, onclick: () => this.#loadMore() }, "Show older training jobs");
    this.empty = h("div", { class: "panel empty", hidden: true }, h("h2", {}, "No training jobs yet"),
      h("p", {}, "Train a network for your kind of problem: choose a preset and start."),
      h("a", { class: "button primary acts", href: "#training/new" }, "New training job"));
    this.tools = h("div", { class: "list-tools", hidden: true }, h("div", { class: "field-inline" }, h("label", { for: id, class: "sr-only" }, "Filter"), search),
      this.count, this.compare);
    fill(host, h("div", { class: "view-head" }, h("h1", {}, "Training"), h("a", { class: "button primary acts", href: "#training/new" }, "New training job")),
      this.tools, this.empty, this.table, h("div", { class: "row centred list-more" }, this.more));
  }

  open() {
    return poll("Loading the training jobs", POLL_MS, this.signal, () => this.#refresh());
  }

  /** Loads the newest page, and at most ten of the older jobs that have not ended. */
  async #refresh() {
    const { trainingJobs = [], nextPageToken = "" } = await call("ListTrainingJobs", { pageSize: PAGE }, { signal: this.signal });
    const oldest = trainingJobs[trainingJobs.length - 1]?.createTime ?? "";
    const fresh = new Set(trainingJobs.map((/** @type {any} */ job) => job.name));
    // Jobs of the page's time that are not in it were deleted.
    for (const job of [...this.jobs.values()]) {
      if (!fresh.has(job.name) && (!nextPageToken || job.createTime > oldest)) this.jobs.delete(job.name);
    }
    const older = [...this.jobs.values()].filter((job) => !fresh.has(job.name) && !hasEnded(job)).slice(0, 10);
    for (const job of trainingJobs) this.jobs.set(job.name, job);
    for (const { name } of older) this.jobs.set(name, await call("GetTrainingJob", { name }, { signal: this.signal }));
    if (this.jobs.size === trainingJobs.length) this.next = nextPageToken;
    this.#draw();
  }

  async #loadMore() {
    this.more.disabled = true;
    try {
      const page = await call("ListTrainingJobs", { pageSize: 4 * PAGE, pageToken: this.next }, { signal: this.signal });
      for (const job of page.trainingJobs ?? []) this.jobs.set(job.name, job);
      this.next = page.nextPageToken ?? "";
      this.#draw();
    } catch (error) {
      showError(error, "Loading older training jobs");
    } finally {
      this.more.disabled = false;
    }
  }

  #draw() {
    const all = [...this.jobs.values()].sort((a, b) => (a.createTime < b.createTime ? 1 : -1));
    const shown = this.filter ? all.filter((job) => matches(job, this.filter)) : all;
    this.empty.hidden = all.length > 0;
    this.table.hidden = this.tools.hidden = all.length === 0;
    this.more.hidden = this.next === "";
    setText(this.count, this.filter ? `${shown.length} of ${plural(all.length, "training job")}${this.next ? " loaded" : ""}` :
      `${plural(all.length, "training job")}${this.next ? ", and older ones" : ""}`);
    // Rows are kept, so that the focus and the choice of a row survive.
    const rows = new Map([...this.rows.children].map((row) => [/** @type {HTMLElement} */ (row).dataset.job, row]));
    const wanted = shown.map((job) => {
      const row = /** @type {HTMLElement} */ (rows.get(job.name) ?? this.#row(job));
      this.#update(row, job);
      return row;
    });
    if (wanted.length !== this.rows.childElementCount || wanted.some((row, index) => this.rows.children[index] !== row)) this.rows.replaceChildren(...wanted);
    this.#drawCompare();
  }

  /** @param {any} job */
  #row(job) {
    const choose = h("input", { type: "checkbox", checked: this.chosen.has(job.name), "aria-label": `Compare ${titleOf(job)} ${idOf(job.name)}`, onchange: () => {
      if (choose.checked) this.chosen.add(job.name);
      else this.chosen.delete(job.name);
      this.#drawCompare();
    } });
    return h("tr", { "data-job": job.name }, h("td", { class: "choose" }, choose),
      h("td", {}, h("div", { class: "job-cell" }, h("a", { href: `#training/jobs/${idOf(job.name)}` }, titleOf(job)), h("span", { class: "badge" })),
        h("div", { class: "job-labels muted" }, [idOf(job.name), ...Object.entries(job.spec?.labels ?? {}).map(([key, value]) => `${key}=${value}`)].join(" · "))),
      h("td", { class: "job-progress" }, h("progress", { max: 1 }), h("small", { class: "muted" })),
      h("td", { class: "num roomy" }), h("td", { class: "num roomy" }), h("td", { class: "roomy muted nowrap" }, dateTime(job.createTime)));
  }

  /** @param {HTMLElement} row @param {any} job */
  #update(row, job) {
    const state = stateOf(job);
    const { label, tone } = lookOf(state);
    const badge = /** @type {HTMLElement} */ (row.querySelector(".badge"));
    if (row.dataset.state !== state) {
      row.dataset.state = state;
      badge.className = `badge ${tone}`;
      badge.textContent = label;
    }
    const share = shareOf(job);
    /** @type {HTMLProgressElement} */ (row.querySelector("progress")).value = share;
    setText(/** @type {Element} */ (row.querySelector("small")), [share > 0 && percent(share, 0), timeText(job)].filter(Boolean).join(" · "));
    const best = job.best ?? job.progress;
    setText(row.children[3], costText(best?.validationCost));
    setText(row.children[4], best?.validationGap === undefined ? "–" : percent(best.validationGap, 1));
    /** @type {HTMLElement} */ (row.children[4]).title = best?.validationGap === undefined ? "" : gapText(best);
  }

  #drawCompare() {
    const count = this.chosen.size;
    this.compare.disabled = count < 2 || count > MAX_COMPARED;
    setText(this.compare, count < 2 ? "Compare: choose two or more" : count > MAX_COMPARED ? `Compare: choose at most ${MAX_COMPARED}` : `Compare ${count} training jobs`);
  }

  #openComparison() {
    location.hash = `#training/compare/${[...this.chosen].map(idOf).join("/")}`;
  }
}

/** One training job, live: figures, curves, events and its configuration. */

import { call } from "../api.js";
import { confirmed } from "../confirm.js";
import { fill, h, setText } from "../dom.js";
import { dateTime, number, plural, secondsOf, span } from "../format.js";
import { throttled } from "../live.js";
import { notify, showError } from "../notices.js";
import { Curves } from "./curves.js";
import { EventLog } from "./event_log.js";
import { follow } from "./events.js";
import { History } from "./history.js";
import { actionsOf, costText, gapText, hasEnded, idOf, lookOf, modelText, outcomeText, remainingSeconds, shareOf, stateOf, titleOf } from "./job.js";

const HISTORY_POINTS = 1000;
const RECENT_EVENTS = 1000;
const DRAW_MS = 400;

export class JobScreen {
  /** @param {HTMLElement} host @param {string} name `trainingJobs/7` @param {AbortSignal} signal */
  constructor(host, name, signal) {
    this.name = name;
    this.signal = signal;
    this.job = /** @type {any} */ (null);
    this.head = h("div", {});
    this.figures = h("dl", { class: "figures" });
    this.outcome = h("span", {});
    // Kept over redraws: a click on a link that is replaced meanwhile is lost.
    this.modelLink = h("a", {}, "Open the model");
    this.note = h("p", { class: "hint job-note" }, this.outcome, " ", this.modelLink);
    this.bar = h("progress", { max: 1, value: 0, "aria-label": "Finished share of the steps" });
    const curves = h("div", {});
    const log = h("div", { class: "panel-body" });
    this.settings = h("div", { class: "panel-body" });
    fill(host, h("a", { href: "#training", class: "back" }, "← All training jobs"), this.head,
      h("section", { class: "panel panel-body stack job-summary" }, this.figures, this.bar, this.note), curves,
      h("div", { class: "job-columns" },
        h("section", { class: "panel" }, h("div", { class: "panel-head" }, h("h2", {}, "Events")), log),
        h("section", { class: "panel" }, h("div", { class: "panel-head" }, h("h2", {}, "Configuration")), this.settings)));
    this.curves = new Curves(curves);
    this.log = new EventLog(log, () => this.#follow(1));
    this.history = new History(undefined);
    /** @type {any[]|null} Reports that came before the history did. */
    this.early = [];
    this.following = new AbortController();
    this.redraw = throttled(DRAW_MS, signal, () => {
      this.curves.draw();
      this.#drawFigures();
    });
  }

  async open() {
    await this.#load();
    await Promise.all([this.#loadHistory(), this.#follow(Math.max(1, Number(this.job.lastSequence ?? 0) - RECENT_EVENTS))]);
  }

  async #loadHistory() {
    const { points = [] } = await call("GetTrainingHistory", { name: this.name, maxPoints: HISTORY_POINTS }, { signal: this.signal });
    this.history = new History(this.job.startTime);
    for (const { progress, time } of [...points, ...(this.early ?? [])]) this.history.add(progress, time);
    this.early = null;
    this.curves.show([{ name: titleOf(this.job), history: this.history }]);
  }

  async #load() {
    const before = this.job;
    this.job = await call("GetTrainingJob", { name: this.name }, { signal: this.signal });
    this.#draw();
    if (this.job.attempt !== before?.attempt) this.#drawSettings();
  }

  /** Shows the events from a sequence number on, until the job ends or is followed again. @param {number} from */
  async #follow(from) {
    this.following.abort();
    const following = new AbortController();
    this.following = following;
    this.signal.addEventListener("abort", () => following.abort(), { once: true });
    this.log.clear(from <= 1);
    let waiting = /** @type {any[]} */ ([]);
    const show = throttled(100, following.signal, () => {
      this.log.add(waiting);
      waiting = [];
    });
    try {
      for await (const event of follow(this.name, from, following.signal, (connected) => this.#onConnection(connected))) {
        waiting.push(event);
        show();
        this.#take(event);
      }
      if (!following.signal.aborted) await this.#load();
    } catch (error) {
      if (!following.signal.aborted) showError(error, "Following the job");
    }
  }

  /** @param {any} event */
  #take(event) {
    const known = Number(event.sequence) <= Number(this.job.lastSequence ?? 0);
    if (known) return;
    this.job.lastSequence = event.sequence;
    if (event.progress) {
      if (this.early) this.early.push(event);
      else this.history.add(event.progress, event.time);
      this.job.progress = event.progress;
      this.redraw();
    }
    if (event.resumed) this.history.rewind(Number(event.resumed.resumedFromStep ?? 0));
    if (event.state || event.model) this.#load().catch((error) => showError(error, "Loading the job"));
  }

  /** @param {boolean} connected */
  #onConnection(connected) {
    if (this.connected === connected) return;
    this.connected = connected;
    this.#drawHead();
  }

  #draw() {
    this.#drawHead();
    this.#drawFigures();
  }

  #drawHead() {
    const { job } = this;
    const { label, tone } = lookOf(stateOf(job));
    const labels = Object.entries(job.spec?.labels ?? {});
    fill(this.head, h("div", { class: "view-head" },
      h("div", { class: "job-title" }, h("h1", {}, titleOf(job)), h("span", { class: `badge ${tone}`, "data-state": stateOf(job) }, label),
        this.connected === false && h("span", { class: "badge warn" }, "connection lost, trying again"),
        h("span", { class: "muted mono" }, idOf(job.name)),
        job.sweep && h("a", { href: `#training/sweeps/${idOf(job.sweep)}` }, `trial ${job.trial} of a sweep`), labels.map(([key, value]) => h("span", { class: "badge" }, `${key}=${value}`))),
      h("div", { class: "row acts" }, actionsOf(job).map((action) =>
        h("button", { type: "button", class: action.tone ?? "", title: action.hint, "data-rpc": action.rpc,
                      onclick: (/** @type {MouseEvent} */ event) => this.#act(action, /** @type {any} */ (event.currentTarget)) }, action.label)),
      h("a", { class: "button", href: `#training/new/job/${idOf(job.name)}` }, "Start a similar one"))));
  }

  /** @param {import("./job.js").Action} action @param {HTMLButtonElement} button */
  async #act(action, button) {
    if (action.question && !(await confirmed({ title: `${action.label} this training?`, text: action.question, action: action.label }))) return;
    button.disabled = true;
    try {
      const answer = await call(action.rpc, { name: this.name });
      if (action.rpc === "DeleteTrainingJob") {
        location.hash = "#training";
        return;
      }
      if (action.rpc === "PublishTrainingJob") {
        notify("success", `Published ${modelText(answer.model)}`, [`The weights after step ${number(Number(answer.step))}. The training continues.`]);
      }
      await this.#load();
    } catch (error) {
      showError(error, action.label);
    } finally {
      button.disabled = false;
    }
  }

  #drawFigures() {
    const { job } = this;
    const progress = job.progress ?? {};
    const left = stateOf(job) === "RUNNING" ? remainingSeconds(progress) : NaN;
    const figure = (/** @type {string} */ key, /** @type {string} */ label, /** @type {string} */ value, /** @type {string} */ small = "") =>
      h("div", {}, h("dt", {}, label), h("dd", { "data-figure": key }, value, small && h("small", {}, ` ${small}`)));
    fill(this.figures,
      figure("epoch", "Epoch", number(Number(progress.epoch ?? 0)), progress.totalEpochs && `of ${number(Number(progress.totalEpochs))}`),
      figure("step", "Step", number(Number(progress.step ?? 0)), progress.totalSteps && `of ${number(Number(progress.totalSteps))}`),
      hasEnded(job) || !Number.isFinite(left) ? figure("time", "Ran for", span(secondsOf(job.runTime))) : figure("left", "Time left", `≈ ${span(left)}`),
      figure("cost", "Validation cost", costText(progress.validationCost ?? undefined), job.best?.validationCost !== undefined ? `best ${costText(job.best.validationCost)}` : ""),
      figure("gap", "Gap", gapText(progress).split(" %")[0] === "–" ? "–" : `${gapText(progress).split(" %")[0]} %`, gapText(progress).split(" %")[1]?.trim() ?? ""),
      figure("rate", "Instances per second", number(Number(progress.instancesPerSecond ?? 0), 0)),
      progress.deviceUtilization !== undefined && figure("gpu", "GPU", `${number(progress.deviceUtilization * 100, 0)} %`));
    this.bar.value = shareOf(job);
    this.#drawNote();
  }

  #drawNote() {
    const text = outcomeText(this.job);
    const [, model, , version] = (this.job.model ?? "").split("/");
    setText(this.outcome, text);
    this.modelLink.hidden = !model;
    if (model) this.modelLink.href = `#models/${model}/${version}`;
    this.note.hidden = !text && !model;
  }

  #drawSettings() {
    const { job } = this;
    const settings = Object.entries(job.settings ?? {}).sort(([a], [b]) => a.localeCompare(b));
    const facts = [["Device", job.device ? `${job.device}, ${job.threads} ${job.threads === 1 ? "thread" : "threads"}` : job.spec?.device || "the server's default"], ["Created", dateTime(job.createTime)],
                   ["Started", `${dateTime(job.startTime)}${job.attempt > 1 ? `, ${plural(job.attempt, "start")}` : ""}`],
                   job.spec?.priority && ["Priority", String(job.spec.priority)],
                   job.spec?.timeLimit && ["Time limit", span(secondsOf(job.spec.timeLimit))],
                   job.spec?.epochLimit && ["Epoch limit", String(job.spec.epochLimit)],
                   job.tensorboardFolder && ["TensorBoard files", job.tensorboardFolder]].filter(Boolean);
    fill(this.settings, h("div", { class: "stack" },
      h("dl", { class: "facts" }, facts.map(([label, value]) => h("div", {}, h("dt", {}, label), h("dd", {}, value)))),
      h("div", { class: "table-wrap settings-table" }, h("table", { class: "data" },
        h("thead", {}, h("tr", {}, h("th", {}, "Setting"), h("th", {}, "Value"))),
        h("tbody", {}, settings.map(([key, value]) => h("tr", {}, h("td", { class: "mono" }, key), h("td", { class: "mono" }, value)))))),
      h("details", {}, h("summary", {}, "The whole file"), h("pre", { class: "config-text", tabindex: 0 }, job.spec?.configYaml ?? ""))));
  }
}

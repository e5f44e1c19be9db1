/** The settings of a solve: budget, start, strategy, model, habits and vehicles. */

import { call } from "../api.js";
import { fill, h, uniqueId } from "../dom.js";
import { knowsHabits } from "../models/model.js";
import { showError } from "../notices.js";
import { session } from "../store.js";

const STRATEGIES = [
  ["STRATEGY_AUTO", "Automatic"], ["STRATEGY_SEARCH", "Search"], ["STRATEGY_SEEDED", "Search from a network's plan"],
  ["STRATEGY_GREEDY", "Network: greedy"], ["STRATEGY_SAMPLE", "Network: samples"], ["STRATEGY_BEAM", "Network: beam search"],
  ["STRATEGY_MULTI_START", "Network: many starts"], ["STRATEGY_IMPROVED", "Network and GPU search"],
];
const TYPES = /** @type {Record<string, string>} */ ({ tsp: "PROBLEM_TYPE_TSP", cvrp: "PROBLEM_TYPE_CVRP", vrptw: "PROBLEM_TYPE_VRPTW" });

const DEFAULT_WEIGHT = "0.1";

/** Returns "drivers, version 2". @param {string} name */
const versionText = (name) => name.replace("models/", "").replace("/versions/", ", version ");

export class SettingsPanel {
  /** @param {HTMLElement} host @param {import("./workspace.js").Workspace} workspace @param {AbortSignal} signal */
  constructor(host, workspace, signal) {
    this.host = host;
    this.workspace = workspace;
    this.signal = signal;
    /** @type {Map<string, {input: any, error: HTMLElement}>} */
    this.fields = new Map();
    /** @type {Set<string>} Names of the versions that know habits. */
    this.habitModels = new Set();
    this.#build();
    this.#loadModels();
    this.#loadHistories();
  }

  #build() {
    const { settings } = this.workspace;
    const keep = (/** @type {string} */ name, /** @type {any} */ value) => { /** @type {any} */ (settings)[name] = value; };
    const budget = h("input", { type: "number", min: "0.001", step: "any", value: settings.budget, inputmode: "decimal",
                                oninput: () => keep("budget", budget.value) });
    const strategy = h("select", { onchange: () => keep("strategy", strategy.value) },
      STRATEGIES.map(([value, label]) => h("option", { value, selected: value === settings.strategy }, label)));
    this.model = h("select", { onchange: () => { keep("model", this.model.value); this.#showWeight(); } }, h("option", { value: "" }, "None"));
    this.weight = h("input", { type: "number", min: "0", max: "10", step: "any", value: settings.habitWeight || DEFAULT_WEIGHT, inputmode: "decimal",
                               oninput: () => keep("habitWeight", this.weight.value) });
    this.weightField = this.#field("habit_weight", "Weight of the habits", this.weight, "0 to 10");
    this.weightField.hidden = true;
    this.history = h("select", { onchange: () => keep("history", this.history.value) }, h("option", { value: "" }, "None"));
    this.historyField = this.#field("similar_day.history", "Start from a similar day of", this.history);
    this.historyField.hidden = true;
    const early = h("input", { type: "checkbox", checked: settings.stopEarly, onchange: () => keep("stopEarly", early.checked) });
    this.fromPlan = h("input", { type: "checkbox", checked: settings.fromPlan, onchange: () => {
      keep("fromPlan", this.fromPlan.checked);
      this.refresh();
    } });
    fill(this.host,
      this.#field("budget", "Time budget", budget, "seconds"),
      h("label", { class: "check" }, early, "Stop early when no better plan comes"),
      h("label", { class: "check" }, this.fromPlan, "Start from the current plan"),
      this.historyField,
      this.#travel(),
      this.#field("strategy", "Strategy", strategy),
      this.#field("model", "Model", this.model),
      this.weightField,
      this.workspace.problem?.kind !== "tsp" && [h("h3", {}, "Vehicles"), this.#vehicles()]);
    this.refresh();
  }

  /** @param {string} name @param {string} label @param {any} input @param {string} [unit] */
  #field(name, label, input, unit) {
    const id = uniqueId(name);
    input.id = id;
    input.name = name;
    input.setAttribute("aria-describedby", `${id}-error`);
    const error = h("p", { id: `${id}-error`, class: "field-error", hidden: true });
    this.fields.set(name, { input, error });
    return h("div", { class: "field" }, h("label", { for: id }, label),
      unit ? h("div", { class: "field-unit" }, input, unit) : input, error);
  }

  /** Returns the choice between straight lines and the server's road networks, or null if the instance has no such choice. */
  #travel() {
    const networks = session.value.info?.roadNetworks ?? [];
    const { problem, settings } = this.workspace;
    if (networks.length === 0 || !problem?.canUseRoads) return null;
    const own = problem.vehicles.some((vehicle) => Boolean(vehicle.road_network));
    const known = [...new Set([...networks, settings.roads])].filter(Boolean);
    this.roads = h("select", { onchange: () => this.#chooseRoads(this.roads.value) },
      h("option", { value: "" }, own ? "as each vehicle states" : "straight lines"),
      known.map((name) => h("option", { value: name, selected: name === settings.roads }, name)));
    return this.#field("road_network", "Travel", this.roads);
  }

  /** @param {string} name */
  async #chooseRoads(name) {
    this.clearErrors();
    this.roads.disabled = true;
    try {
      await this.workspace.setRoads(name);
    } catch (error) {
      if (!this.showFieldErrors(error)) showError(error, "Getting the roads");
    }
    this.refresh();
  }

  #vehicles() {
    const vehicles = this.workspace.problem?.vehicles ?? [];
    return vehicles.map((vehicle, type) => {
      const capacity = [vehicle.capacity ?? []].flat();
      const title = vehicles.length > 1 || vehicle.id ? (/\D/.test(vehicle.id ?? "") ? String(vehicle.id) : `Vehicle ${vehicle.id ?? type + 1}`) : "";
      const count = h("input", { type: "number", min: "0", step: "1", placeholder: "any", value: vehicle.count || "",
                                 onchange: () => this.#change(type, { count: Number(count.value) || undefined }) });
      const load = h("input", { type: "number", min: "0", step: "any", value: capacity[0] ?? "", placeholder: "no limit",
                                onchange: () => this.#change(type, { capacity: load.value === "" ? undefined : Number(load.value) }) });
      return h("fieldset", { class: "vehicle" }, title && h("legend", {}, title),
        this.#field(`vehicles[${type}].count`, "Number", count),
        capacity.length <= 1 && this.#field(`vehicles[${type}].capacity`, "Capacity", load));
    });
  }

  /** @param {number} type @param {any} change */
  async #change(type, change) {
    const vehicles = (this.workspace.problem?.vehicles ?? []).map((vehicle, index) => (index === type ? { ...vehicle, ...change } : vehicle));
    this.clearErrors();
    try {
      await this.workspace.setVehicles(vehicles);
    } catch (error) {
      if (!this.showFieldErrors(error)) showError(error, "Checking the plan");
    }
  }

  async #loadModels() {
    try {
      const { models = [] } = await call("ListModels", { pageSize: 100 }, { signal: this.signal });
      const type = TYPES[this.workspace.problem?.kind ?? ""];
      const fitting = models.filter((/** @type {any} */ model) => knowsHabits(model) || model.problemTypes?.includes(type));
      this.habitModels = new Set(models.filter(knowsHabits).map((/** @type {any} */ { name }) => name));
      const names = fitting.map((/** @type {any} */ { name }) => name);
      const chosen = this.workspace.settings.model;
      if (chosen && !names.includes(chosen)) names.push(chosen); // chosen in the Models view; the server says why it does not fit
      fill(this.model, h("option", { value: "" }, "None"), names.map((/** @type {string} */ name) =>
        h("option", { value: name, selected: name === chosen }, `${versionText(name)}${this.habitModels.has(name) ? " (habits)" : ""}`)));
      this.#showWeight();
    } catch (error) {
      showError(error, "Listing the models");
    }
  }

  /** Shows the weight if the model knows habits. Only then is it part of the request. */
  #showWeight() {
    const habits = this.habitModels.has(this.workspace.settings.model);
    this.weightField.hidden = !habits;
    this.workspace.settings.habitWeight = habits ? this.weight.value : "";
  }

  /** Lists the uploaded histories of routes, if there are any. */
  async #loadHistories() {
    try {
      const { datasets = [] } = await call("ListDatasets", {}, { signal: this.signal });
      const names = datasets.filter((/** @type {any} */ { kind }) => kind === "DATASET_KIND_ROUTE_HISTORY").map((/** @type {any} */ { name }) => name);
      const { settings } = this.workspace;
      if (!names.includes(settings.history)) settings.history = "";
      fill(this.history, h("option", { value: "" }, "None"), names.map((/** @type {string} */ name) =>
        h("option", { value: name, selected: name === settings.history }, name.replace("datasets/", ""))));
      this.historyField.hidden = names.length === 0;
    } catch (error) {
      showError(error, "Listing the histories");
    }
  }

  /** Shows what the workspace has changed by itself. */
  refresh() {
    const { workspace } = this;
    const frozen = workspace.frozen.size > 0;
    if (this.roads) {
      this.roads.disabled = workspace.running;
      this.roads.value = workspace.settings.roads;
    }
    this.fromPlan.disabled = !workspace.plan || frozen;
    this.fromPlan.checked = Boolean(workspace.plan) && (frozen || workspace.settings.fromPlan);
    this.history.disabled = this.fromPlan.checked;
  }

  clearErrors() {
    for (const { input, error } of this.fields.values()) {
      input.removeAttribute("aria-invalid");
      error.hidden = true;
    }
  }

  /**
   * Shows the parts of an error that concern fields of this panel beside them. Returns whether there were any.
   * @param {any} error ApiError
   */
  showFieldErrors(error) {
    let shown = false;
    for (const { field, description } of error.fields ?? []) {
      // An instance is sent as a file: its fields are named in the description.
      const name = [...this.fields.keys()].find((known) => field === known || field.startsWith(`${known}.`) || description.includes(`${known}:`));
      const entry = name === undefined ? undefined : this.fields.get(name);
      if (!entry) continue;
      shown = true;
      entry.input.setAttribute("aria-invalid", "true");
      entry.error.textContent = description.slice(Math.max(0, description.indexOf(`${name}:`))).replace(`${name}: `, "");
      entry.error.hidden = false;
      entry.input.focus();
    }
    if (!shown && /\bmodel\b/.test(error.message ?? "") && error.status === "FAILED_PRECONDITION") {
      return this.showFieldErrors({ fields: [{ field: "model", description: error.message }] });
    }
    if (!shown && this.roads && /\broad_network /.test(error.message ?? "")) {
      return this.showFieldErrors({ fields: [{ field: "road_network", description: error.message }] });
    }
    return shown;
  }
}

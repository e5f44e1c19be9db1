/** One model: its versions, aliases, quality and card. */

import { fill, h, setText, uniqueId } from "../dom.js";
import { dateTime, number, percent } from "../format.js";
import { poll } from "../live.js";
import { costText, idOf } from "../training/job.js";
import { act, deleteVersion, solveWith } from "./actions.js";
import { aliasFault, architectureText, knowsHabits, loadFamilies, parametersText, plansRoutes, problemsText, versionOf } from "./model.js";

const POLL_MS = 4000;

export class ModelScreen {
  /** @param {HTMLElement} host @param {string} id @param {number} version The one whose card is open; 0: the newest finished one. @param {AbortSignal} signal */
  constructor(host, id, version, signal) {
    this.id = id;
    this.version = version;
    this.signal = signal;
    this.family = /** @type {import("./model.js").Family|undefined} */ (undefined);
    this.drawn = "";
    this.title = h("div", { class: "view-head" }, h("h1", {}, id));
    this.versions = h("div", { class: "table-wrap" });
    this.aliases = h("div", { class: "panel-body stack" });
    this.card = h("div", { class: "stack" });
    this.missing = h("div", { class: "panel empty", hidden: true }, h("h2", {}, "There is no such model"), h("p", {}, "It may have been deleted."));
    this.parts = h("div", { class: "model-screen", hidden: true },
      h("section", { class: "panel" }, h("div", { class: "panel-head" }, h("h2", {}, "Versions")), h("div", { class: "panel-body" }, this.versions)),
      h("section", { class: "panel" }, h("div", { class: "panel-head" }, h("h2", {}, "Aliases")), this.aliases), this.card);
    fill(host, h("a", { href: "#models", class: "back" }, "← All models"), this.title, this.missing, this.parts);
    this.#buildAliases();
  }

  open() {
    return poll("Loading the model", POLL_MS, this.signal, () => this.refresh());
  }

  async refresh() {
    const all = await loadFamilies(this.signal);
    this.family = all.find(({ id }) => id === this.id);
    this.missing.hidden = this.family !== undefined;
    this.parts.hidden = this.family === undefined;
    const key = JSON.stringify(this.family);
    if (!this.family || key === this.drawn) return;
    this.drawn = key;
    this.#drawVersions();
    this.#drawAliases();
    this.#drawCard();
  }

  get #shown() {
    const { family, version } = this;
    return family?.versions.find(({ name }) => versionOf(name) === version) ?? family?.newest;
  }

  #drawVersions() {
    const { family } = this;
    if (!family) return;
    fill(this.versions, h("table", { class: "data versions" },
      h("thead", {}, h("tr", {}, h("th", {}, "Version"), h("th", { class: "roomy" }, "Created"), h("th", { class: "roomy" }, "From"), h("th", { class: "num roomy" }, "Validation"),
        h("th", { class: "num" }, "Gap"), h("th", {}, h("span", { class: "sr-only" }, "Actions")))),
      h("tbody", {}, family.versions.map((model) => this.#versionRow(model)))));
  }

  /** @param {any} model */
  #versionRow(model) {
    const version = versionOf(model.name);
    const shown = this.#shown === model;
    const button = (/** @type {string} */ label, /** @type {string} */ action, /** @type {(button: HTMLButtonElement) => Promise<boolean>} */ work, tone = "") =>
      h("button", { type: "button", class: `small acts ${tone}`, "data-action": action, onclick: async (/** @type {MouseEvent} */ event) => {
        if (await work(/** @type {any} */ (event.currentTarget))) await this.refresh();
      } }, label);
    const job = (model.trainingJob ?? "").split("/steps/");
    return h("tr", { "data-version": version, class: shown ? "shown" : "" },
      h("td", {}, h("a", { href: `#models/${encodeURIComponent(this.id)}/${version}`, class: "nowrap", "aria-current": shown ? "true" : false }, `Version ${version}`), " ",
        h("span", { class: "chips-inline" }, model.loaded && h("span", { class: "badge good" }, "loaded"), model.live && h("span", { class: "badge warn" }, "live"),
          (model.aliases ?? []).map((/** @type {string} */ alias) => h("span", { class: "badge" }, alias)))),
      h("td", { class: "roomy" }, dateTime(model.createTime)),
      h("td", { class: "roomy" }, job[0] ? h("a", { href: `#training/jobs/${idOf(job[0])}` }, job[1] ? `training, step ${number(Number(job[1]))}` : "training") : "import"),
      h("td", { class: "num roomy" }, costText(model.validationCost || undefined)),
      h("td", { class: "num" }, model.validationGap === undefined ? "–" : percent(model.validationGap, 1)),
      h("td", {}, h("div", { class: "row version-buttons" },
        (plansRoutes(model) || knowsHabits(model)) && h("button", { type: "button", class: "small", "data-action": "solve", onclick: () => solveWith(model.name) }, "Solve with it"),
        plansRoutes(model) && (model.loaded ? button("Unload", "unload", (own) => act(own, `Unloading version ${version}`, "UnloadModel", { name: model.name })) :
          button("Load", "load", (own) => act(own, `Loading version ${version}`, "LoadModel", { name: model.name }))),
        button("Delete", "delete", (own) => deleteVersion(own, model.name), "danger"))));
  }

  #buildAliases() {
    const id = uniqueId("alias");
    const alias = h("input", { id, name: "alias", type: "text", autocomplete: "off", spellcheck: "false", placeholder: "production", "aria-describedby": `${id}-error` });
    this.choice = h("select", { id: `${id}-version`, name: "alias-version" });
    const error = h("p", { class: "field-error", id: `${id}-error`, hidden: true });
    const set = async () => {
      const fault = aliasFault(alias.value.trim());
      error.hidden = fault === "";
      setText(error, fault && `Alias: ${fault}`);
      alias.setAttribute("aria-invalid", String(fault !== ""));
      if (fault) return;
      const message = { name: `models/${this.id}/aliases/${alias.value.trim()}`, version: Number(this.choice.value) };
      if (await act(button, `Setting ${alias.value.trim()}`, "SetModelAlias", message)) {
        alias.value = "";
        await this.refresh();
      }
    };
    const button = h("button", { type: "submit", "data-action": "set-alias" }, "Set the alias");
    this.aliasList = h("div", {});
    fill(this.aliases, h("p", { class: "hint" }, `Programs that name models/${this.id}/aliases/NAME use the version that the alias names. Moving it takes effect at once.`),
      this.aliasList, h("form", { class: "alias-form acts", onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        set();
      } }, h("div", { class: "field" }, h("label", { for: id }, "Alias"), alias),
      h("div", { class: "field" }, h("label", { for: `${id}-version` }, "Version"), this.choice), button), error);
  }

  #drawAliases() {
    const { family } = this;
    if (!family) return;
    const kept = this.choice.value;
    fill(this.choice, family.versions.map(({ name }) => h("option", { value: versionOf(name), selected: String(versionOf(name)) === kept }, `Version ${versionOf(name)}`)));
    fill(this.aliasList, family.aliases.length === 0 ? h("p", { class: "hint" }, "No aliases yet.") : h("ul", { class: "alias-list" }, family.aliases.map(([alias, version]) =>
      h("li", { "data-alias": alias }, h("strong", {}, alias), h("span", { class: "muted" }, `names version ${version}`),
        alias === "live" ? h("span", { class: "muted" }, "moved by the server") :
          h("button", { type: "button", class: "small quiet acts", "data-action": "delete-alias", onclick: async (/** @type {MouseEvent} */ event) => {
            const name = `models/${this.id}/aliases/${alias}`;
            if (await act(/** @type {any} */ (event.currentTarget), `Deleting ${alias}`, "DeleteModelAlias", { name })) await this.refresh();
          } }, "Remove")))));
  }

  #drawCard() {
    const model = this.#shown;
    if (!model) return;
    const fact = (/** @type {string} */ label, /** @type {any} */ value) => value && h("div", {}, h("dt", {}, label), h("dd", {}, value));
    fill(this.card,
      h("section", { class: "panel" }, h("div", { class: "panel-head" }, h("h2", {}, `Quality of version ${versionOf(model.name)}, without search`)),
        h("div", { class: "panel-body" }, qualityTable(model))),
      h("section", { class: "panel" }, h("div", { class: "panel-head" }, h("h2", {}, `Card of version ${versionOf(model.name)}`)), h("div", { class: "panel-body stack" },
        h("dl", { class: "facts" }, fact("Network", architectureText(model)), fact("Problems", problemsText(model)), fact("Parameters", parametersText(model)),
          fact("Trained steps", number(Number(model.trainingSteps ?? 0))), fact("Validation cost", costText(model.validationCost || undefined)),
          fact("Reference's cost", model.validationReferenceCost && costText(model.validationReferenceCost)),
          fact("Input features", (model.inputFeatures ?? []).join(", ")), fact("SHA-256 of the weights", h("span", { class: "mono" }, model.weightsSha256))),
        h("div", {}, h("h3", {}, "Sizes"), h("div", { class: "chips sizes" }, sizesOf(model).map(([key, value]) => h("span", { class: "badge" }, `${key} ${value}`)))),
        model.trainingConfig && h("details", {}, h("summary", {}, "Training configuration"), h("pre", { class: "config-text", tabindex: 0 }, model.trainingConfig)))));
  }
}

/** @param {any} model @returns {[string, string][]} */
function sizesOf(model) {
  try {
    return Object.entries(JSON.parse(model.architectureJson ?? "{}")).map(([key, value]) => [key.replaceAll("_", " "), String(value)]);
  } catch {
    return [["sizes", model.architectureJson]];
  }
}

/** @param {any} model */
function qualityTable(model) {
  const rows = model.evaluations ?? [];
  if (rows.length === 0) return h("p", { class: "hint" }, "Not evaluated yet: vrpctl models evaluate adds rows here.");
  return h("div", { class: "table-wrap" }, h("table", { class: "data quality" },
    h("thead", {}, h("tr", {}, h("th", {}, "Instances"), h("th", {}, "Mode"), h("th", { class: "num roomy" }, "Number"), h("th", { class: "num" }, "Mean cost"), h("th", { class: "num" }, "Gap"),
      h("th", { class: "roomy" }, "Compared with"), h("th", { class: "num roomy" }, "Instances/s"), h("th", { class: "roomy" }, "When"))),
    h("tbody", {}, rows.map((/** @type {any} */ row) => h("tr", {}, h("td", { class: "set-name" }, row.data), h("td", {}, row.mode),
      h("td", { class: "num roomy" }, number(Number(row.instanceCount ?? 0))),
      h("td", { class: "num" }, costText(row.meanCost), row.standardError ? h("small", { class: "muted roomy" }, ` ± ${number(row.standardError, 3)}`) : ""),
      h("td", { class: "num" }, row.meanGap === undefined ? "–" : h("strong", {}, percent(row.meanGap, 2))),
      h("td", { class: "roomy" }, row.reference ?? ""), h("td", { class: "num roomy" }, number(Number(row.instancesPerSecond ?? 0), 0)), h("td", { class: "roomy muted" }, dateTime(row.evaluateTime)))))));
}

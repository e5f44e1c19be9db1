/** The form that starts a training: a preset or an earlier job's configuration, changed as wanted. */

import { call } from "../api.js";
import { fill, h, uniqueId } from "../dom.js";
import { notify, showError } from "../notices.js";
import { session } from "../store.js";
import { idOf, minutesText, parseLabels, titleOf } from "./job.js";
import { lineOf, loadPresets } from "./presets.js";

const DEFAULT_PRESET = "ptrnet_tiny"; // equal to vrpctl's default

export class StartScreen {
  /** @param {HTMLElement} host @param {AbortSignal} signal */
  constructor(host, signal) {
    this.signal = signal;
    this.file = "config.yaml";
    /** @type {Map<string, any>} */
    this.choices = new Map();
    this.presets = h("div", { class: "preset-list", role: "radiogroup", "aria-label": "Preset" });
    const id = uniqueId("config");
    this.text = h("textarea", { id, name: "config", rows: 24, spellcheck: "false", wrap: "off", "aria-describedby": `${id}-errors` });
    this.errors = h("ul", { id: `${id}-errors`, class: "config-errors", role: "alert" });
    fill(host, h("a", { href: "#training", class: "back" }, "← All training jobs"), h("div", { class: "view-head" }, h("h1", {}, "New training job")),
      h("div", { class: "start-training" },
        h("section", { class: "panel" }, h("div", { class: "panel-head" }, h("h2", {}, "1. Begin with a preset")), h("div", { class: "panel-body" }, this.presets)),
        h("section", { class: "panel" }, h("div", { class: "panel-head" }, h("h2", {}, "2. Change what you like")),
          h("div", { class: "panel-body stack" }, h("label", { for: id, class: "sr-only" }, "Configuration (YAML)"), this.text, this.errors,
            this.#fields(), this.#buttons()))));
  }

  #fields() {
    const field = (/** @type {string} */ name, /** @type {string} */ label, /** @type {any} */ input) => {
      const id = uniqueId(name);
      input.id = id;
      input.name = name;
      return h("div", { class: "field" }, h("label", { for: id }, label), input);
    };
    this.device = h("select", {}, h("option", { value: "" }, "The server's default"));
    session.watch(({ info }) => fill(this.device, h("option", { value: "" }, `The server's default${info ? ` (${info.defaultDevice})` : ""}`),
      (info?.devices ?? []).map((/** @type {any} */ { id, name }) => h("option", { value: id }, name ? `${id}: ${name}` : id))), this.signal);
    this.epochs = h("input", { type: "number", min: 1, step: 1, placeholder: "none" });
    this.minutes = h("input", { type: "number", min: 0, step: "any", placeholder: "none" });
    this.labels = h("input", { type: "text", placeholder: "team=north, run=7", autocomplete: "off" });
    return h("div", { class: "start-fields" }, field("device", "Device", this.device), field("epochs", "End after epochs", this.epochs),
      field("minutes", "End after minutes", this.minutes), field("labels", "Labels", this.labels));
  }

  #buttons() {
    this.start = h("button", { type: "button", class: "primary", "data-action": "start", onclick: () => this.#submit(false) }, "Start training");
    this.check = h("button", { type: "button", "data-action": "check", onclick: () => this.#submit(true) }, "Check only");
    return h("div", { class: "row acts" }, this.start, this.check);
  }

  /** @param {string[]} route ["job", "7"] to begin with that job's configuration, or [preset]. */
  async open(route) {
    const presets = await loadPresets(this.signal);
    const choose = (/** @type {import("./presets.js").Preset} */ preset) => {
      this.#take(preset.yaml, `${preset.name}.yaml`);
      for (const [name, input] of this.choices) input.checked = name === preset.name;
    };
    fill(this.presets, presets.map((preset) => {
      const input = h("input", { type: "radio", name: "preset", value: preset.name, onchange: () => choose(preset) });
      this.choices.set(preset.name, input);
      return h("label", { class: "preset", "data-preset": preset.name }, input, h("span", {}, h("strong", {}, preset.name), h("span", {}, preset.trains),
        h("small", { class: "muted" }, preset.takes)));
    }));
    if (route[0] === "job") {
      const job = await call("GetTrainingJob", { name: `trainingJobs/${route[1]}` }, { signal: this.signal });
      this.#take(job.spec?.configYaml ?? "", job.spec?.configName || "config.yaml");
      this.labels.value = Object.entries(job.spec?.labels ?? {}).map(([key, value]) => `${key}=${value}`).join(", ");
      this.epochs.value = Number(job.spec?.epochLimit ?? 0) || "";
      const overrides = job.spec?.overrides ?? [];
      if (overrides.length > 0) this.overrides = overrides;
      notify("info", `This is the configuration of ${titleOf(job)}`, overrides.length > 0 ? [`With the changes that were given beside the file: ${overrides.join(", ")}.`] : []);
      return;
    }
    choose(presets.find(({ name }) => name === route[0]) ?? presets.find(({ name }) => name === DEFAULT_PRESET) ?? presets[0]);
  }

  /** @param {string} yaml @param {string} file */
  #take(yaml, file) {
    this.text.value = yaml;
    this.text.scrollTop = 0;
    this.file = file;
    this.overrides = /** @type {string[]} */ ([]);
    this.#showErrors([]);
  }

  /** @param {boolean} checkOnly */
  async #submit(checkOnly) {
    const { labels, wrong } = parseLabels(this.labels.value);
    if (wrong) return this.#showErrors([`Labels: got ${wrong}, wanted key=value, separated by commas`]);
    this.#showErrors([]);
    this.start.disabled = this.check.disabled = true;
    const spec = { configYaml: this.text.value, configName: this.file, overrides: this.overrides ?? [], device: this.device.value, labels,
                   epochLimit: Number(this.epochs.value) || 0, timeLimit: minutesText(this.minutes.value) };
    try {
      const job = await call("CreateTrainingJob", { spec, validateOnly: checkOnly });
      if (checkOnly) notify("success", "The configuration is right", [`It would train on ${job.resolvedDevice}.`]);
      else location.hash = `#training/jobs/${idOf(job.name)}`;
    } catch (error) {
      const found = (/** @type {any} */ (error).fields ?? []).map((/** @type {any} */ one) => one.description || one.field);
      if (found.length > 0) this.#showErrors(found);
      else showError(error, checkOnly ? "Checking" : "Starting the training job");
    } finally {
      this.start.disabled = this.check.disabled = false;
    }
  }

  /** @param {string[]} descriptions */
  #showErrors(descriptions) {
    this.text.setAttribute("aria-invalid", String(descriptions.length > 0));
    fill(this.errors, descriptions.map((text) => {
      const line = lineOf(text, this.file);
      return h("li", {}, line > 0 && h("button", { type: "button", class: "link", onclick: () => this.#goTo(line) }, `Line ${line}`), line > 0 && " ",
        line > 0 ? text.slice(`${this.file}:${line}: `.length) : text);
    }));
  }

  /** Selects a line of the configuration. @param {number} line From 1. */
  #goTo(line) {
    const lines = this.text.value.split("\n");
    const begin = lines.slice(0, line - 1).reduce((/** @type {number} */ sum, /** @type {string} */ one) => sum + one.length + 1, 0);
    this.text.focus();
    this.text.setSelectionRange(begin, begin + (lines[line - 1] ?? "").length);
    this.text.scrollTop = Math.max(0, (this.text.scrollHeight * (line - 4)) / lines.length);
  }
}

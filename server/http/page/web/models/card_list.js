/** The models as cards. */

import { fill, h } from "../dom.js";
import { dateTime, number } from "../format.js";
import { poll } from "../live.js";
import { solveWith } from "./actions.js";
import { architectureText, knowsHabits, loadFamilies, parametersText, plansRoutes, problemsText, qualityOf, versionOf } from "./model.js";

const POLL_MS = 5000;

export class CardList {
  /** @param {HTMLElement} host @param {AbortSignal} signal */
  constructor(host, signal) {
    this.signal = signal;
    this.cards = h("div", { class: "model-cards" });
    this.empty = h("div", { class: "panel empty", hidden: true }, h("h2", {}, "No models yet"),
      h("p", {}, "A training job publishes one at its end, or when you press Publish now."), h("a", { class: "button", href: "#training" }, "To the training jobs"));
    fill(host, h("div", { class: "view-head" }, h("h1", {}, "Models")), this.empty, this.cards);
    this.drawn = "";
  }

  open() {
    return poll("Loading the models", POLL_MS, this.signal, async () => this.#draw(await loadFamilies(this.signal)));
  }

  /** @param {import("./model.js").Family[]} found */
  #draw(found) {
    const key = JSON.stringify(found.map(({ versions }) => versions.map(({ name, aliases, loaded, evaluations }) => [name, aliases, loaded, evaluations?.length])));
    if (key === this.drawn) return;
    this.drawn = key;
    this.empty.hidden = found.length > 0;
    fill(this.cards, found.map((family) => this.#card(family)));
  }

  /** @param {import("./model.js").Family} family */
  #card({ id, versions, newest, aliases }) {
    const quality = qualityOf(newest);
    const fact = (/** @type {string} */ label, /** @type {any} */ value) => h("div", {}, h("dt", {}, label), h("dd", {}, value));
    return h("article", { class: "panel model-card", "data-model": id },
      h("div", { class: "model-head" }, h("h2", {}, h("a", { href: `#models/${encodeURIComponent(id)}` }, id)),
        versions.some(({ loaded }) => loaded) && h("span", { class: "badge good" }, "loaded"), newest.live && h("span", { class: "badge warn" }, "live only")),
      h("p", { class: "hint" }, plansRoutes(newest) ? `${architectureText(newest)} for ${problemsText(newest)}` : architectureText(newest)),
      h("div", { class: "model-quality" }, quality ? [h("span", {}, h("strong", {}, quality.gap), ` ${quality.against}`), h("span", { class: "muted" }, quality.how)] :
        h("span", { class: "muted" }, "Not evaluated")),
      h("dl", { class: "facts" }, fact("Newest", `Version ${versionOf(newest.name)}`), fact("Versions", number(versions.length)),
        fact("Parameters", parametersText(newest)), fact("Created", dateTime(newest.createTime))),
      aliases.length > 0 && h("div", { class: "chips" }, aliases.map(([alias, version]) => h("span", { class: "badge" }, `${alias} → ${version}`))),
      h("div", { class: "row model-buttons" },
        (plansRoutes(newest) || knowsHabits(newest)) && h("button", { type: "button", class: "primary small", "data-action": "solve", onclick: () => solveWith(newest.name) }, "Solve with this model"),
        h("a", { class: "button small", href: `#models/${encodeURIComponent(id)}` }, "Details")));
  }
}

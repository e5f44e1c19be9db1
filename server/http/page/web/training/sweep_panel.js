/** The sweeps below the list of training jobs, hidden as long as there are none. */

import { call } from "../api.js";
import { fill, h } from "../dom.js";
import { dateTime } from "../format.js";
import { poll } from "../live.js";
import { idOf, lookOf, modelText, stateOf } from "./job.js";
import { planText } from "./sweep.js";

const POLL_MS = 4000;
const SHOWN = 20;

export class SweepPanel {
  /** @param {HTMLElement} host @param {AbortSignal} signal */
  constructor(host, signal) {
    this.signal = signal;
    this.rows = h("tbody", {});
    this.panel = h("section", { class: "panel table-wrap", hidden: true }, h("div", { class: "panel-head" }, h("h2", {}, "Sweeps")),
      h("table", { class: "data sweeps" }, h("thead", {}, h("tr", {}, h("th", {}, "Sweep"), h("th", {}, "Trials"), h("th", {}, "Keys"), h("th", {}, "Published"),
        h("th", { class: "roomy" }, "Created"))), this.rows));
    this.shown = "";
    fill(host, this.panel);
  }

  open() {
    return poll("Loading the sweeps", POLL_MS, this.signal, async () => {
      const { sweeps = [] } = await call("ListSweeps", { pageSize: SHOWN }, { signal: this.signal });
      // Rows are replaced only if they change, since a click on a link that is replaced meanwhile is lost.
      const text = JSON.stringify(sweeps);
      if (text === this.shown) return;
      this.shown = text;
      this.panel.hidden = sweeps.length === 0;
      fill(this.rows, sweeps.map((/** @type {any} */ sweep) => h("tr", { "data-sweep": sweep.name },
        h("td", {}, h("div", { class: "job-cell" }, h("a", { href: `#training/sweeps/${idOf(sweep.name)}` }, sweep.modelName),
          h("span", { class: `badge ${lookOf(stateOf(sweep)).tone}` }, lookOf(stateOf(sweep)).label))),
        h("td", {}, planText(sweep)), h("td", { class: "mono" }, (sweep.keys ?? []).join(", ")), h("td", {}, sweep.model ? modelText(sweep.model) : "–"),
        h("td", { class: "roomy muted nowrap" }, dateTime(sweep.createTime)))));
    });
  }
}

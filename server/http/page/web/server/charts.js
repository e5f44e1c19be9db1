/** The charts of the last minutes. */

import { LineChart } from "../chart.js";
import { fill, h } from "../dom.js";
import { number, percent, span } from "../format.js";
import { latency } from "./stats.js";

/** @typedef {import("./stats.js").Sample} Sample */

/** @param {number} seconds 0 or less. */
const ago = (seconds) => (seconds > -0.5 ? "now" : `${span(Math.round(-seconds))} ago`);

const CHARTS = /** @type {{title: string, lines: {name: string, of: (sample: Sample) => number|undefined}[], format: (value: number) => string}[]} */ ([
  { title: "Requests per second", format: (value) => number(value, 2), lines: [{ name: "all", of: (one) => one.requests }, { name: "failed", of: (one) => one.failed }] },
  { title: "Latency of calls", format: latency, lines: [{ name: "median", of: (one) => one.median }, { name: "95th percentile", of: (one) => one.p95 }] },
  { title: "Busy cores", format: (value) => number(value, 2), lines: [{ name: "cores", of: (one) => one.cores }] },
  { title: "Waiting requests", format: (value) => number(value, 1), lines: [{ name: "waiting", of: (one) => one.waiting }] },
  { title: "GPU use", format: (value) => percent(value, 0), lines: [{ name: "GPU", of: (one) => one.gpu }] },
]);

export class ServerCharts {
  /** @param {HTMLElement} host */
  constructor(host) {
    this.charts = CHARTS.map((chart) => {
      const body = h("div", { class: "panel-body" });
      const panel = h("section", { class: "panel", "data-curve": chart.title }, h("div", { class: "panel-head" }, h("h3", {}, chart.title)), body);
      return { ...chart, panel, body, view: /** @type {LineChart|null} */ (null) };
    });
    fill(host, this.charts.map(({ panel }) => panel));
  }

  /** @param {Sample[]} samples */
  draw(samples) {
    if (samples.length === 1) return; // no line yet
    const now = samples[samples.length - 1]?.time ?? 0;
    for (const chart of this.charts) {
      chart.panel.hidden = chart.title === "GPU use" && !samples.some(({ gpu }) => gpu !== undefined);
      if (chart.panel.hidden) continue;
      chart.view ??= new LineChart(chart.body, { label: `${chart.title} in the last minutes`, formatX: ago, formatY: chart.format, fromZero: true, height: 190,
                                                 emptyText: "Figures come with the first interval." });
      chart.view.update(chart.lines.map(({ name, of }) => ({
        name, points: samples.map((one) => /** @type {[number, number]} */ ([one.time - now, of(one) ?? NaN])) })).filter(({ points }) => points.length > 0));
    }
  }
}

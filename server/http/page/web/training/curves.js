/** The charts of one job, or of several as lines of the same charts. */

import { LineChart } from "../chart.js";
import { movingMean } from "../chart_math.js";
import { routeColour } from "../colours.js";
import { fill, h, uniqueId } from "../dom.js";
import { number, percent } from "../format.js";
import { costText } from "./job.js";
import { AXES } from "./history.js";

/** @typedef {import("./history.js").History} History */
/** @typedef {{name: string, history: History}} Run */
/** @typedef {{metric: string, name: string, dashed?: boolean, noisy?: boolean}} Line A noisy one is shown as a moving mean over its values. */

/** @param {number} value */
const small = (value) => (value === 0 ? "0" : Math.abs(value) < 0.001 ? value.toExponential(1) : number(value, 4));

const CHARTS = /** @type {{title: string, lines: Line[], format: (value: number) => string, fromZero?: boolean, robust?: boolean}[]} */ ([
  { title: "Cost", format: costText, robust: true, lines: [{ metric: "validationCost", name: "validation" }, { metric: "trainCost", name: "training", noisy: true },
                                             { metric: "validationReferenceCost", name: "reference", dashed: true }] },
  { title: "Loss", format: small, robust: true, lines: [{ metric: "loss", name: "moving mean", noisy: true }] },
  { title: "Validation gap", robust: true, format: (value) => percent(value, 1), lines: [{ metric: "validationGap", name: "gap" }] },
  { title: "Accuracy", format: (value) => percent(value, 1), lines: [{ metric: "validationAccuracy", name: "validation" }, { metric: "accuracy", name: "training" }] },
  { title: "Learning rate", format: small, lines: [{ metric: "learningRate", name: "rate" }] },
  { title: "Instances per second", format: (value) => number(value, 0), fromZero: true, lines: [{ metric: "instancesPerSecond", name: "moving mean", noisy: true }] },
  { title: "GPU use", format: (value) => percent(value, 0), fromZero: true, lines: [{ metric: "deviceUtilization", name: "moving mean", noisy: true }] },
]);

const MEAN_PARTS = 30; // the moving mean covers one of this many equal parts of a line

/** Charts that are left out as long as no job has their values. */
const OPTIONAL = new Set(["Accuracy", "GPU use"]);

export class Curves {
  /** @param {HTMLElement} host @param {boolean} [overlay] Whether several jobs are compared: then each chart has one line for each. */
  constructor(host, overlay = false) {
    this.overlay = overlay;
    /** @type {Run[]} */
    this.runs = [];
    this.axis = /** @type {import("./history.js").Axis} */ ("step");
    const id = uniqueId("axis");
    const select = h("select", { id, name: "axis", onchange: () => {
      this.axis = select.value;
      this.#build();
      this.draw();
    } }, Object.entries(AXES).map(([value, { label }]) => h("option", { value }, label)));
    this.legend = h("div", { class: "run-legend" });
    this.grid = h("div", { class: "curves" });
    fill(host, h("div", { class: "curves-head" }, this.legend, h("div", { class: "axis-choice" }, h("label", { for: id }, "Across"), select)), this.grid);
    this.#build();
  }

  #build() {
    this.charts = CHARTS.map((chart) => {
      const body = h("div", { class: "panel-body" });
      const panel = h("section", { class: "panel curve", "data-curve": chart.title, hidden: OPTIONAL.has(chart.title) },
        h("div", { class: "panel-head" }, h("h3", {}, chart.title)), body);
      const view = new LineChart(body, { label: `${chart.title} over ${AXES[this.axis].title}`, xTitle: AXES[this.axis].title, height: 210,
                                         formatY: chart.format, fromZero: chart.fromZero, robust: chart.robust, formatX: (value) => (this.axis === "seconds" || Number.isInteger(value) ? number(value, 1) : ""),
                                         emptyText: "Values come while the job runs." });
      return { ...chart, panel, view };
    });
    fill(this.grid, this.charts.map(({ panel }) => panel));
  }

  /** @param {Run[]} runs */
  show(runs) {
    this.runs = runs;
    fill(this.legend, this.overlay && runs.map(({ name }, index) => h("span", { class: "run-name" },
      h("span", { class: "swatch", style: { background: routeColour(index) } }), name)));
    this.draw();
  }

  draw() {
    for (const { title, lines, panel, view } of this.charts ?? []) {
      panel.hidden = OPTIONAL.has(title) && !this.runs.some(({ history }) => lines.some(({ metric }) => history.has(metric)));
      if (!panel.hidden) view.update(this.overlay ? this.#overlaid(lines[0]) : this.#single(lines));
    }
  }

  /** @param {Line} line */
  #overlaid(line) {
    return this.runs.flatMap(({ name, history }, index) => drawn(line, name, routeColour(index), history.line(line.metric, this.axis), true));
  }

  /** @param {Line[]} lines */
  #single(lines) {
    const present = lines.map((line, index) => ({ line, index, points: this.runs[0]?.history.line(line.metric, this.axis) ?? [] })).filter(({ points }) => points.length > 0);
    // The first line is the most important one, and drawn above the others.
    return present.reverse().flatMap(({ line, index, points }) => drawn(line, line.name, routeColour(index), points, false));
  }
}

/**
 * Returns the series of a line. The values behind a moving mean are left out if lines of many jobs would hide each other.
 * @param {Line} line
 * @param {string} name
 * @param {string} colour
 * @param {[number, number][]} points
 * @param {boolean} meanOnly
 * @returns {import("../chart.js").Series[]}
 */
function drawn({ noisy, dashed }, name, colour, points, meanOnly) {
  const width = Math.round(points.length / MEAN_PARTS);
  if (!noisy || width < 3) return [{ name, colour, dashed, points }];
  const mean = { name, colour, points: movingMean(points, width) };
  return meanOnly ? [mean] : [{ name: `${name}, values`, colour, points, faint: true }, mean];
}

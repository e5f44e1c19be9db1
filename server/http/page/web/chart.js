/**
 * Line charts as SVG, with a legend that hides lines and a cursor that reads values, by mouse, touch or arrow keys.
 *
 *   const chart = new LineChart(host, { label: "Cost over time", xTitle: "seconds", formatY: cost });
 *   chart.update([{ name: "cost", points: [[0, 410], [1.2, 375]], stepped: true }]);
 */

import { extent, linePath, nearest, robustExtent, thin, ticks } from "./chart_math.js";
import { routeColour } from "./colours.js";
import { fill, h, s } from "./dom.js";
import { number } from "./format.js";

const MARGIN = { top: 12, right: 14, bottom: 36, left: 62 }; // pixels
const MAX_POINTS = 2000; // limit of thin() for each line
const OUTLIERS = 0.02; // share of the values at each end that may be outliers

/**
 * @typedef {object} Series
 * @property {string} name
 * @property {[number, number][]} points In the order of x.
 * @property {string} [colour] Any CSS colour; by default one of the palette.
 * @property {boolean} [stepped] Whether the value holds until the next point.
 * @property {boolean} [dashed]
 * @property {boolean} [faint] Whether the line is a background for another one, left out of the legend and the cursor.
 */

/**
 * @typedef {object} ChartOptions
 * @property {string} label For screen readers.
 * @property {string} [xTitle]
 * @property {string} [yTitle]
 * @property {(value: number) => string} [formatX]
 * @property {(value: number) => string} [formatY]
 * @property {number} [height] In pixels; 220 by default.
 * @property {boolean} [fromZero] Whether the y axis begins at 0, or at the least value if that is negative.
 * @property {boolean} [robust] Whether rare outliers are drawn at the edge instead of widening the y axis.
 * @property {string} [emptyText] Shown without points.
 */

export class LineChart {
  /** @param {HTMLElement} host @param {ChartOptions} options */
  constructor(host, options) {
    this.options = { formatX: number, formatY: number, height: 220, emptyText: "No values yet.", ...options };
    /** @type {Series[]} */
    this.series = [];
    /** @type {Set<string>} */
    this.hidden = new Set();
    this.legend = h("div", { class: "chart-legend" });
    this.svg = s("svg", { height: this.options.height, role: "img", tabindex: 0, "aria-label": options.label });
    this.tip = h("div", { class: "chart-tip", hidden: true });
    this.empty = h("p", { class: "hint" }, this.options.emptyText);
    fill(host, h("div", { class: "chart" }, this.legend, this.svg, this.tip, this.empty));
    this.range = { left: 0, right: 1, low: 0, high: 1 };
    this.toX = this.toY = this.fromX = (/** @type {number} */ value) => value;
    this.cursor = s("g");
    this.cursorX = /** @type {number|undefined} */ (undefined);
    this.svg.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => this.#moveCursor(event.offsetX));
    this.svg.addEventListener("pointerleave", () => this.#hideCursor());
    this.svg.addEventListener("blur", () => this.#hideCursor());
    this.svg.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.#onKey(event));
    new ResizeObserver(() => this.#draw()).observe(host);
  }

  /** Draws the series, replacing the previous ones. @param {Series[]} series */
  update(series) {
    this.series = series.map((one, index) => ({ ...one, colour: one.colour ?? routeColour(index) }));
    this.#drawLegend();
    this.#draw();
  }

  #shown() {
    return this.series.filter(({ name, points }) => !this.hidden.has(name) && points.length > 0);
  }

  #drawLegend() {
    const toggle = (/** @type {string} */ name) => {
      if (!this.hidden.delete(name)) this.hidden.add(name);
      this.#drawLegend();
      this.#draw();
    };
    const named = this.series.filter(({ faint }) => !faint);
    this.legend.hidden = named.length < 2;
    fill(this.legend, named.map(({ name, colour }) =>
      h("button", { type: "button", "aria-pressed": String(!this.hidden.has(name)), onclick: () => toggle(name) },
        h("span", { class: "swatch", style: { background: colour } }), name)));
  }

  #draw() {
    const series = this.#shown();
    this.empty.hidden = series.length > 0;
    this.svg.style.display = series.length > 0 ? "" : "none";
    const width = this.svg.clientWidth;
    if (series.length === 0 || width === 0) return;
    this.#scale(series, width);
    fill(this.svg, this.#axes(width), series.map((one) =>
      s("path", { class: one.faint ? "line faint" : one.points.length === 1 ? "line lone" : "line", stroke: one.colour, "stroke-dasharray": one.dashed ? "5 4" : null,
                  d: linePath(thin(one.points, MAX_POINTS), this.toX, this.toY, one.stepped) + (one.points.length === 1 ? "h0" : "") })));
    this.cursor = s("g", { visibility: "hidden" });
    this.svg.append(this.cursor);
  }

  /** @param {Series[]} series @param {number} width */
  #scale(series, width) {
    const [left, right] = extent(series.flatMap(({ points }) => points.map(([x]) => x)));
    const values = series.flatMap(({ points }) => points.map(([, y]) => y));
    let [low, high] = this.options.robust ? robustExtent(values, OUTLIERS) : extent(values);
    const air = (high - low) * 0.06;
    low = this.options.fromZero ? Math.min(0, ...values.filter(Number.isFinite)) : low - air;
    high += air;
    const across = width - MARGIN.left - MARGIN.right;
    const down = this.options.height - MARGIN.top - MARGIN.bottom;
    this.range = { left, right, low, high };
    this.toX = (/** @type {number} */ x) => MARGIN.left + ((x - left) / (right - left)) * across;
    this.toY = (/** @type {number} */ y) => MARGIN.top + ((high - Math.min(high, Math.max(low, y))) / (high - low)) * down;
    this.fromX = (/** @type {number} */ pixel) => left + ((pixel - MARGIN.left) / across) * (right - left);
  }

  /** @param {number} width */
  #axes(width) {
    const { left, right, low, high } = this.range;
    const { height, formatX, formatY, xTitle, yTitle } = this.options;
    const bottom = height - MARGIN.bottom;
    const rows = ticks(low, high, 4).map((y) => [
      s("line", { class: "grid", x1: MARGIN.left, x2: width - MARGIN.right, y1: this.toY(y), y2: this.toY(y) }),
      s("text", { class: "axis-text", x: MARGIN.left - 8, y: this.toY(y) + 4, "text-anchor": "end" }, formatY(y))]);
    const columns = ticks(left, right, width < 420 ? 3 : 6).map((x) =>
      s("text", { class: "axis-text", x: this.toX(x), y: bottom + 16, "text-anchor": "middle" }, formatX(x)));
    return [rows, columns,
      xTitle && s("text", { class: "axis-title", x: width - MARGIN.right, y: height - 3, "text-anchor": "end" }, xTitle),
      yTitle && s("text", { class: "axis-title", x: 2, y: 10 }, yTitle)];
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Escape") this.#hideCursor();
    const points = this.#shown().find(({ faint }) => !faint)?.points;
    if (step === undefined || !points) return;
    event.preventDefault();
    const at = this.cursorX === undefined ? (step > 0 ? -1 : points.length) : nearest(points, this.cursorX);
    const next = points[Math.min(points.length - 1, Math.max(0, at + step))];
    this.#moveCursor(this.toX(next[0]));
  }

  /** Shows the values nearest to a pixel. @param {number} pixel */
  #moveCursor(pixel) {
    const series = this.#shown().filter(({ faint }) => !faint);
    if (series.length === 0) return;
    const { points } = series[0];
    const x = points[nearest(points, this.fromX(pixel))][0];
    this.cursorX = x;
    const left = this.toX(x);
    const values = series.map((one) => ({ ...one, at: one.points[nearest(one.points, x)] }));
    fill(this.cursor,
      s("line", { class: "cursor", x1: left, x2: left, y1: MARGIN.top, y2: this.options.height - MARGIN.bottom }),
      values.map(({ at, colour }) =>
        s("circle", { class: "point", r: 4.5, cx: this.toX(at[0]), cy: this.toY(at[1]), fill: colour })));
    this.cursor.setAttribute("visibility", "visible");
    fill(this.tip, h("div", {}, `${this.options.formatX(x)}${this.options.xTitle ? ` ${this.options.xTitle}` : ""}`),
      values.map(({ name, at }) => h("div", {}, `${name}: ${this.options.formatY(at[1])}`)));
    this.tip.hidden = false;
    const flips = left + this.tip.offsetWidth + 16 > this.svg.clientWidth;
    this.tip.style.left = `${Math.max(0, flips ? left - this.tip.offsetWidth - 10 : left + 10)}px`;
  }

  #hideCursor() {
    this.cursorX = undefined;
    this.cursor.setAttribute("visibility", "hidden");
    this.tip.hidden = true;
  }
}

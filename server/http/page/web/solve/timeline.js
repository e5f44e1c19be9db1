/** The timeline: a row for each route, and a row for each stop of the selected one. */

import { routeColour } from "../colours.js";
import { fill, h, s } from "../dom.js";
import { clock } from "../format.js";
import { waitingOf } from "./plan.js";
import { barOf, boxes, spanOf, timeTicks } from "./timeline_layout.js";

// Sizes in pixels.
const ROW = 30; // height of a route
const STOP_ROW = 22; // height of a stop
const AXIS = 26; // height of the axis
const LABEL = 92; // width left of the bars
const RIGHT = 16; // width right of the bars
const LEGEND = [["travel", "driving"], ["wait", "waiting"], ["service", "service"], ["break", "break"], ["window", "time window"]];

/**
 * @typedef {object} TimelineState
 * @property {import("./problem.js").Problem} problem
 * @property {import("./plan.js").Plan} plan
 * @property {import("./workspace.js").Selection} selected
 * @property {Set<number>} violated Nodes.
 */

export class Timeline {
  /**
   * @param {HTMLElement} host
   * @param {(route: number|null, node: number|null) => void} onSelect
   */
  constructor(host, onSelect) {
    this.onSelect = onSelect;
    this.svg = s("svg", { class: "timeline-svg", role: "group", "aria-label": "Timeline of the routes" });
    this.empty = h("p", { class: "hint" }, "A timeline appears with the first plan.");
    this.legend = h("div", { class: "timeline-legend" }, LEGEND.map(([name, text]) =>
      h("span", {}, s("svg", { width: 22, height: 12, "aria-hidden": "true" },
        s("rect", { class: `t-${name}`, x: 0, y: name === "travel" ? 5 : name === "window" ? 2 : 0, width: 22, height: name === "travel" ? 2 : name === "window" ? 8 : 12 })), text)));
    this.scroller = h("div", { class: "timeline-scroll" }, this.svg);
    fill(host, this.legend, this.scroller, this.empty);
    this.state = /** @type {TimelineState|null} */ (null);
    this.width = 0; // width of the drawing, in pixels
    this.span = { from: 0, to: 1 };
    this.toX = (/** @type {number} */ time) => time;
    this.room = 0; // width of the host, in pixels; reading it while drawing would cost a layout of the page
    new ResizeObserver(([{ contentRect }]) => {
      this.room = contentRect.width;
      if (this.state) this.draw(this.state);
    }).observe(host);
  }

  /** @param {TimelineState} state */
  draw(state) {
    this.state = state;
    const { routes } = state.plan;
    this.empty.hidden = routes.length > 0;
    this.scroller.hidden = this.legend.hidden = routes.length === 0;
    const width = Math.max(560, this.room);
    if (routes.length === 0 || this.room === 0) return;
    const bars = routes.map(barOf);
    const span = spanOf(bars);
    this.toX = (/** @type {number} */ time) => LABEL + ((time - span.from) / (span.to - span.from)) * (width - LABEL - RIGHT);
    this.width = width;
    this.span = span;
    let y = AXIS;
    const rows = bars.map((bar) => {
      const row = this.#route(state, bar, y);
      y += ROW;
      if (state.selected.route !== bar.route) return row;
      const stops = this.#stops(state, bar.route, y);
      y += stops.length * STOP_ROW + 6;
      return [row, stops];
    });
    fill(this.svg, this.#axis(state, y), rows);
    this.svg.setAttribute("width", String(width));
    this.svg.setAttribute("height", String(y + 6));
  }

  /** @param {TimelineState} state @param {number} bottom */
  #axis({ plan: { units } }, bottom) {
    return timeTicks(this.span, this.width < 700 ? 4 : 8, units?.secondsPerTimeUnit ?? 0).map((time) => {
      const x = this.toX(time);
      return [s("line", { class: "grid", x1: x, x2: x, y1: AXIS - 4, y2: bottom }),
              s("text", { class: "axis-text", x, y: 14, "text-anchor": "middle" }, clock(time, units))];
    });
  }

  /** @param {TimelineState} state @param {import("./timeline_layout.js").Bar} bar @param {number} y */
  #route(state, bar, y) {
    const colour = routeColour(bar.route);
    const choose = () => this.onSelect(bar.route, null);
    const middle = y + ROW / 2;
    const selected = state.selected.route === bar.route;
    const name = `Route ${bar.route + 1}`;
    const span = `${clock(bar.whole.from, state.plan.units)} to ${clock(bar.whole.to, state.plan.units)}`;
    return s("g", { class: `t-row${selected ? " selected" : ""}`, tabindex: 0, role: "button", "aria-expanded": String(selected), onclick: choose,
                    "aria-label": `${name}, ${span}`,
                    onkeydown: (/** @type {KeyboardEvent} */ event) => {
                      if (event.key !== "Enter" && event.key !== " ") return;
                      event.preventDefault();
                      choose();
                    } },
      s("rect", { class: "t-ground", x: 0, y, width: this.width, height: ROW }),
      s("rect", { x: 6, y: middle - 6, width: 12, height: 12, rx: 3, fill: colour }),
      s("text", { class: "t-label", x: 26, y: middle + 4.5 }, name),
      s("path", { class: "t-travel", d: boxes([bar.whole], this.toX, middle - 1, 2), style: { fill: colour } }),
      s("path", { class: "t-wait", d: boxes(bar.wait, this.toX, middle - 7, 14) }),
      s("path", { class: "t-service", d: boxes(bar.service, this.toX, middle - 8, 16, 2.5), style: { fill: colour } }),
      s("path", { class: "t-break", d: boxes(bar.breaks, this.toX, middle - 8, 16, 2) }));
  }

  /** @param {TimelineState} state @param {number} route @param {number} top */
  #stops({ plan, problem, selected, violated }, route, top) {
    const colour = routeColour(route);
    return plan.routes[route].stops.filter((stop) => !stop.depot).map((stop, index) => {
      const y = top + index * STOP_ROW;
      const windows = problem.nodes[stop.node].windows.map(({ open, close }) => ({
        from: Math.max(open, this.span.from), to: Math.min(close, this.span.to) })).filter(({ from, to }) => to >= from);
      const classes = `${selected.node === stop.node ? " selected" : ""}${violated.has(stop.node) ? " violated" : ""}`;
      return s("g", { class: `t-stop${classes}`, onclick: () => this.onSelect(route, stop.node) },
        s("rect", { class: "t-ground", x: 0, y, width: this.width, height: STOP_ROW }),
        s("text", { class: "t-stop-label", x: LABEL - 10, y: y + 15, "text-anchor": "end" }, stop.id),
        s("path", { class: "t-window", d: boxes(windows, this.toX, y + 4, STOP_ROW - 8, 2) }),
        s("path", { class: "t-wait", d: waitingOf(stop) > 0 ? boxes([{ from: stop.arrival, to: stop.start }], this.toX, y + 6, STOP_ROW - 12) : "" }),
        s("path", { class: "t-service", d: boxes([{ from: stop.start, to: Math.max(stop.start, stop.departure) }], this.toX, y + 5, STOP_ROW - 10, 3),
                    style: { fill: colour } }));
    });
  }
}

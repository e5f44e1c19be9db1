/** The plot: routes over their places, drawn as SVG in pixels of the screen. */

import { routeColour } from "../colours.js";
import { fill, h, s } from "../dom.js";
import { MapCamera, PlanarCamera } from "./camera.js";
import { baseCoordinates, project, routePaths } from "./geometry.js";
import { followPointer } from "./plot_pointer.js";
import { projectStreets } from "./streets.js";

const MAX_NUMBERED = 150; // visits of a selected route that get numbers

/**
 * @typedef {object} PlotEvents
 * @property {(route: number|null, node: number|null) => void} onSelect
 * @property {(node: number, target: {route: number, position: number}) => void} onMove Position in the route's stops.
 * @property {(node: number) => boolean} canMove
 * @property {(node: number) => string[]} describe Lines of the tip of a node.
 */

export class Plot {
  /**
   * @param {HTMLElement} host
   * @param {import("./problem.js").Problem} problem With places.
   * @param {PlotEvents} events
   * @param {AbortSignal} signal
   */
  constructor(host, problem, events, signal) {
    this.problem = problem;
    this.events = events;
    this.signal = signal;
    this.base = baseCoordinates(problem.nodes, problem.lonLat);
    this.screen = new Float64Array(this.base.length);
    this.camera = /** @type {PlanarCamera|MapCamera|null} */ (null);
    this.routes = /** @type {import("./plan.js").Route[]} */ ([]);
    this.streets = /** @type {number[][][]} */ ([]); // the streets of each leg of each route, on the screen
    this.selected = /** @type {import("./workspace.js").Selection} */ ({ route: null, node: null });
    this.unserved = /** @type {Set<number>} */ (new Set());
    this.violated = /** @type {Set<number>} */ (new Set());
    this.layers = Object.fromEntries(["legs", "edges", "dots", "marks", "drag"].map((name) => [name, s("g", { class: `plot-${name}` })]));
    const { length } = problem.nodes;
    const size = length > 5000 ? { "--dot": 2.5, "--edge": 1 } : length > 1500 ? { "--dot": 4, "--edge": 1.4 } : length > 500 ? { "--dot": 6, "--edge": 1.8 } : {};
    this.svg = s("svg", { class: "plot-svg", "aria-hidden": "true", style: size }, ...Object.values(this.layers));
    this.ground = h("div", { class: "plot-ground", tabindex: 0, role: "application",
                             "aria-label": "Plot of the routes. Arrow keys move it, plus and minus zoom, 0 shows all. The list of routes has the same in words." });
    this.tip = h("div", { class: "plot-tip", hidden: true });
    const buttons = h("div", { class: "plot-buttons" }, this.#button("+", "Zoom in", () => this.camera?.zoom(1.4)),
      this.#button("−", "Zoom out", () => this.camera?.zoom(1 / 1.4)), this.#button("⤢", "Show all", () => this.fit()));
    fill(host, this.ground, this.svg, this.tip, buttons);
    signal.addEventListener("abort", () => this.camera?.destroy());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw(), { signal });
    followPointer(this);
  }

  /** @param {string} text @param {string} label @param {() => void} action */
  #button(text, label, action) {
    return h("button", { type: "button", class: "icon-button", "aria-label": label, title: label, onclick: action }, text);
  }

  /**
   * Shows the places: on a map if they are longitudes and latitudes.
   * @param {{mapTiles: string, mapAttribution: string}} settings
   */
  async start(settings) {
    const onChange = () => this.draw();
    if (this.problem.lonLat) {
      const leaflet = await import("../lib/leaflet.js");
      if (this.signal.aborted) return;
      this.camera = new MapCamera(leaflet, this.ground, onChange, settings);
    } else {
      this.camera = new PlanarCamera(this.ground, onChange, this.signal);
    }
    this.fit();
  }

  fit() {
    this.camera?.fit(this.base);
  }

  /**
   * Shows a plan.
   * @param {import("./plan.js").Route[]} routes
   * @param {{selected: import("./workspace.js").Selection, unserved: Set<number>, violated: Set<number>, sketched: boolean}} marks
   *     `sketched`: whether the routes lack the streets that they should follow.
   */
  setRoutes(routes, { selected, unserved, violated, sketched }) {
    this.svg.classList.toggle("sketched", sketched);
    Object.assign(this, { routes, selected, unserved, violated });
    this.draw();
  }

  /** @param {import("./workspace.js").Selection} selected */
  select(selected) {
    this.selected = selected;
    this.draw();
  }

  draw() {
    if (!this.camera) return;
    project(this.base, this.camera.transform, this.screen);
    this.streets = projectStreets(this.routes, this.camera.transform);
    this.svg.classList.toggle("has-selection", this.selected.route !== null);
    this.#resize("legs", this.routes.length, { fill: "none" });
    this.#resize("edges", this.routes.length, { fill: "none" });
    this.#resize("dots", this.routes.length + 1, { fill: "none" });
    const open = new Set(this.problem.nodes.filter((node) => !node.depot).map((node) => node.index));
    this.routes.forEach((route, index) => this.#drawRoute(route, index, open));
    this.#drawOpen(open);
    this.#drawMarks();
  }

  /** Gives a layer this number of paths. @param {string} layer @param {number} count @param {Record<string, any>} attributes */
  #resize(layer, count, attributes) {
    const group = this.layers[layer];
    while (group.childElementCount > count) group.lastElementChild.remove();
    while (group.childElementCount < count) group.append(s("path", attributes));
  }

  /** @param {import("./plan.js").Route} route @param {number} index @param {Set<number>} open */
  #drawRoute(route, index, open) {
    const { inner, legs, dots } = routePaths(route.stops, this.screen, this.streets[index]);
    for (const stop of route.stops) open.delete(stop.node);
    const colour = routeColour(index);
    const selected = this.selected.route === index ? "selected" : "";
    for (const [layer, d] of [["legs", legs], ["edges", inner], ["dots", dots]]) {
      const path = this.layers[layer].children[index];
      path.setAttribute("d", d);
      path.setAttribute("stroke", colour);
      path.setAttribute("class", selected);
    }
  }

  /** Draws the customers that no route visits. @param {Set<number>} open */
  #drawOpen(open) {
    const path = this.layers.dots.children[this.routes.length];
    path.setAttribute("d", [...open].map((node) => `M${this.#at(node).map((value) => value.toFixed(1)).join(" ")}h0`).join(""));
    path.removeAttribute("stroke");
    path.setAttribute("class", "open");
  }

  /** @param {number} node @returns {[number, number]} */
  #at(node) {
    return [this.screen[2 * node], this.screen[2 * node + 1]];
  }

  #drawMarks() {
    const depots = this.problem.nodes.slice(0, this.problem.depots).map((node) => {
      const [x, y] = this.#at(node.index);
      return s("rect", { class: "depot", x: x - 7, y: y - 7, width: 14, height: 14, rx: 3 });
    });
    const ring = (/** @type {number} */ node, /** @type {string} */ name, /** @type {number} */ r) => {
      const [cx, cy] = this.#at(node);
      return s("circle", { class: name, cx, cy, r });
    };
    const { route, node } = this.selected;
    fill(this.layers.marks, depots,
      [...this.unserved].map((one) => ring(one, "unserved", 7)),
      [...this.violated].map((one) => ring(one, "violated", 9)),
      route !== null && this.routes[route] && this.#visits(route),
      node !== null && ring(node, "chosen", 12));
  }

  /** @param {number} route */
  #visits(route) {
    const visits = this.routes[route].stops.filter((stop) => !stop.depot);
    if (visits.length > MAX_NUMBERED) return [];
    return visits.map((stop, index) => {
      const [x, y] = this.#at(stop.node);
      return s("g", { class: "visit", "data-node": stop.node },
        s("circle", { cx: x, cy: y, r: 9, fill: routeColour(route) }),
        s("text", { x, y: y + 3.5, "text-anchor": "middle" }, String(index + 1)));
    });
  }
}

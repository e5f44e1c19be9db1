/** The screen of an open instance: head, settings, plot, routes and the tabs below. */

import { isAbort } from "../api.js";
import { LineChart } from "../chart.js";
import { fill, h } from "../dom.js";
import { cost, number, plural } from "../format.js";
import { clearNotices, showError } from "../notices.js";
import { session } from "../store.js";
import { buildExports } from "./export.js";
import { drawUnserved, drawViolations } from "./lists.js";
import { completePlan, visitsOf } from "./plan.js";
import { Plot } from "./plot.js";
import { kindName } from "./problem.js";
import { RoutesPanel, describeNode } from "./routes_panel.js";
import { SettingsPanel } from "./settings_panel.js";
import { haveStreets } from "./streets.js";
import { Summary, drawEdit } from "./summary.js";
import { Tabs } from "./tabs.js";
import { Timeline } from "./timeline.js";

const TICK_MS = 250; // between updates of the elapsed time, and of the tabs while a search runs

const AREAS = ["settings stack", "plot", "summary", "edit-note", "exports", "routes-panel", "curve", "timeline", "unserved", "violations"];

/** Returns the empty elements that the parts fill, by the first word of their class. @returns {Record<string, any>} */
const makeAreas = () => Object.fromEntries(AREAS.map((name) => [name.split(" ")[0], h("div", { class: name })]));

export class PlanScreen {
  /**
   * @param {HTMLElement} host
   * @param {import("./workspace.js").Workspace} workspace With an instance.
   * @param {() => void} onClose
   * @param {AbortSignal} signal
   */
  constructor(host, workspace, onClose, signal) {
    const problem = /** @type {import("./problem.js").Problem} */ (workspace.problem);
    this.workspace = workspace;
    this.gone = new AbortController();
    signal.addEventListener("abort", () => this.gone.abort());
    /** @type {Set<string>} */
    this.pending = new Set();
    this.tabIsOld = false;
    this.areas = makeAreas();
    this.settings = new SettingsPanel(this.areas.settings, workspace, this.gone.signal);
    this.summary = new Summary(this.areas.summary);
    this.routes = new RoutesPanel(this.areas["routes-panel"], workspace, (node, target, position) => this.#move(node, target, position));
    this.timeline = new Timeline(this.areas.timeline, (route, node) =>
      workspace.select(node === null && route === workspace.selected.route ? null : route, node));
    this.curve = new LineChart(this.areas.curve, { label: "Cost over time", xTitle: "seconds", yTitle: "Cost", formatX: (value) => number(value, 2),
                                                   formatY: (value) => cost(value, workspace.plan?.units), emptyText: "The curve of the best cost appears while solving." });
    this.tabs = new Tabs([["timeline", "Timeline", this.areas.timeline], ["curve", "Cost over time", this.areas.curve],
                          ["unserved", "Unserved", this.areas.unserved], ["violations", "Violations", this.areas.violations]], () => this.#schedule("tab"));
    this.solveButton = h("button", { type: "button", class: "primary wide", "data-action": "solve", onclick: () => this.#solve() }, "Solve");
    this.stopButton = h("button", { type: "button", class: "wide", "data-action": "stop", hidden: true, onclick: () => workspace.stop() }, "Stop and keep the best");
    buildExports(this.areas.exports, workspace, showError);
    fill(host, this.#layout(problem, () => {
      this.gone.abort();
      onClose();
    }));
    this.plot = problem.hasPlaces ? this.#makePlot(problem) : null;
    this.#follow();
  }

  /** Draws when something changes, until the screen is gone. */
  #follow() {
    const { workspace } = this;
    const { signal } = this.gone;
    workspace.watch((change) => {
      if (change === "instance") this.gone.abort();
      else this.#schedule(change);
    }, signal);
    session.watch(() => this.#drawButtons(), signal);
    const timer = setInterval(() => {
      if (!workspace.running) return;
      this.summary.drawTime(workspace);
      if (this.tabIsOld) requestAnimationFrame(() => this.#drawTab());
    }, TICK_MS);
    signal.addEventListener("abort", () => clearInterval(timer));
    this.#schedule("plan");
  }

  /** @param {import("./problem.js").Problem} problem @param {() => void} onClose */
  #layout(problem, onClose) {
    const { areas, workspace } = this;
    const facts = [kindName(problem), plural(problem.nodes.length - problem.depots, "customer"), plural(problem.vehicles.length, "vehicle type")];
    if (!problem.hasPlaces) fill(areas.plot, h("div", { class: "empty" }, h("h2", {}, "No plot"), h("p", {}, "The instance has distances, but no coordinates.")));
    return h("div", { class: "plan-screen" },
      h("div", { class: "view-head" },
        h("div", {}, h("h1", { class: "instance-name" }, problem.name || workspace.loaded?.name), h("p", { class: "hint" }, facts.join(" · "))),
        h("div", { class: "row" }, areas.exports, h("button", { type: "button", onclick: onClose }, "Another file"))),
      h("div", { class: "plan-grid" },
        h("div", { class: "column-settings" }, h("div", { class: "stack solve-buttons" }, this.solveButton, this.stopButton),
          h("details", { class: "panel settings-panel", open: innerWidth > 900 }, h("summary", { class: "panel-head" }, h("h2", {}, "Settings")),
            h("div", { class: "panel-body" }, areas.settings))),
        h("div", { class: "column-main stack" },
          h("section", { class: "panel", "aria-label": "Figures of the plan" }, areas.summary, areas["edit-note"]),
          h("section", { class: "panel plot-panel", "aria-label": "Plot" }, areas.plot),
          h("section", { class: "panel", "aria-label": "Details" }, this.tabs.element)),
        h("section", { class: "panel column-routes", "aria-label": "Routes" }, h("div", { class: "panel-head" }, h("h2", {}, "Routes")),
          h("div", { class: "panel-body" }, areas["routes-panel"]))));
  }

  /** @param {import("./problem.js").Problem} problem */
  #makePlot(problem) {
    const { workspace } = this;
    const plot = new Plot(this.areas.plot, problem, {
      onSelect: (route, node) => workspace.select(route, node),
      onMove: (node, { route, position }) => this.#dropped(node, route, position),
      canMove: (node) => this.#canMove(node),
      describe: (node) => describeNode(workspace, node),
    }, this.gone.signal);
    plot.start(session.value.settings).then(() => this.#schedule("plan"), (error) => showError(error, "Opening the map"));
    return plot;
  }

  /** @param {number} node */
  #canMove(node) {
    const { workspace } = this;
    if (workspace.running || !session.value.canSolve || !workspace.plan) return false;
    return ![...workspace.frozen].some((index) => workspace.plan?.routes[index].stops.some((stop) => stop.node === node));
  }

  async #solve() {
    clearNotices();
    this.settings.clearErrors();
    try {
      await this.workspace.solve(this.workspace.request());
    } catch (error) {
      if (!isAbort(error) && !this.settings.showFieldErrors(error)) showError(error, "Solving");
    }
  }

  /** Takes a stop that was dropped on an edge. @param {number} node @param {number} route @param {number} position In the route's stops. */
  #dropped(node, route, position) {
    const target = /** @type {import("./plan.js").Plan} */ (this.workspace.plan).routes[route];
    if (this.workspace.frozen.has(route)) return showError(new Error(`Route ${route + 1} is frozen. Unfreeze it first.`), "Moving the stop");
    this.#move(node, route, Math.min(visitsOf(target).length, Math.max(0, position - (target.stops[0]?.depot ? 1 : 0))));
  }

  /** @param {number} node @param {number} target @param {number} position */
  async #move(node, target, position) {
    try {
      await this.workspace.move(node, target, position);
    } catch (error) {
      showError(error, "Moving the stop");
    }
  }

  /** Draws at the next frame, once for all changes until then. @param {string} change */
  #schedule(change) {
    if (this.pending.size === 0) requestAnimationFrame(() => this.draw());
    this.pending.add(change);
  }

  /** Draws what has changed. */
  draw() {
    const changes = new Set(this.pending);
    this.pending.clear();
    if (this.gone.signal.aborted) return;
    const { workspace } = this;
    const whole = ["plan", "verdict", "running", "frozen"].some((change) => changes.has(change));
    if (whole) {
      this.summary.draw(workspace);
      this.routes.draw();
      this.settings.refresh();
      drawEdit(this.areas["edit-note"], workspace);
      this.#drawButtons();
      this.#drawCounts();
      this.#drawPlot();
    } else if (changes.has("selection")) {
      this.routes.drawSelection();
      this.plot?.select(workspace.selected);
    }
    // Better plans may come by the dozen: the plot shows each, the tabs a few in a second.
    if (workspace.running && !changes.has("selection") && !changes.has("tab")) this.tabIsOld = true;
    else this.#drawTab();
  }

  #drawPlot() {
    const { plan, selected } = this.workspace;
    this.plot?.setRoutes(plan?.routes ?? [], { selected, unserved: new Set(plan?.unserved.map((one) => one.node)),
                                               violated: this.workspace.violated().nodes,
                                               sketched: this.workspace.onRoads && !haveStreets(plan?.routes ?? []) });
  }

  #drawButtons() {
    const { running, plan, frozen, settings } = this.workspace;
    const again = plan && (settings.fromPlan || frozen.size > 0);
    this.solveButton.hidden = running;
    this.solveButton.disabled = !session.value.canSolve;
    this.solveButton.textContent = !session.value.canSolve ? "Solving needs the role solve" : again ? "Improve the plan" : plan ? "Solve again" : "Solve";
    this.stopButton.hidden = !running;
    this.areas.exports.hidden = !plan || running;
  }

  #drawCounts() {
    const { plan, violations } = this.workspace;
    this.tabs.setCount("unserved", plan?.unserved.length ?? 0);
    this.tabs.setCount("violations", violations.length);
  }

  #drawTab() {
    this.tabIsOld = false;
    const { workspace } = this;
    const { problem, plan, selected } = workspace;
    const draw = {
      timeline: () => problem && this.timeline.draw({ problem, plan: plan ?? completePlan({}), selected, violated: workspace.violated().nodes }),
      curve: () => this.curve.update(this.#curves()),
      unserved: () => drawUnserved(this.areas.unserved, workspace),
      violations: () => drawViolations(this.areas.violations, workspace),
    }[this.tabs.chosen];
    draw?.();
  }

  #curves() {
    const { curve, referenceCost } = this.workspace;
    if (curve.length === 0) return [];
    const lines = [{ name: "best cost", points: curve, stepped: true }];
    const ends = [curve[0][0], curve[curve.length - 1][0]];
    if (referenceCost) lines.push({ name: "best known", points: ends.map((x) => /** @type {[number, number]} */ ([x, referenceCost])), stepped: false });
    return lines;
  }
}

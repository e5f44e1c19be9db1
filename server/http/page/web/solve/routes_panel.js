/** The list of routes, and the stops of the selected one. */

import { routeColour } from "../colours.js";
import { fill, h, setText } from "../dom.js";
import { clock, distance, duration, number, plural } from "../format.js";
import { cheapestPosition, customerCount, messageOf, waitingOf } from "./plan.js";

/** @typedef {import("./workspace.js").Workspace} Workspace */

/** Returns how full the vehicle is, 0 to 1 or more; null without capacities. @param {Workspace} workspace @param {import("./plan.js").Route} route */
export function fillOf({ problem }, route) {
  const vehicle = problem?.vehicles[route.vehicle];
  const capacity = [vehicle?.capacity ?? []].flat();
  const shares = capacity.flatMap((limit, dimension) => {
    const largest = Math.max(0, ...route.stops.map((stop) => stop.load[dimension] ?? 0), route.load[dimension] ?? 0);
    return limit > 0 ? [largest / limit] : [];
  });
  const sum = (/** @type {number[]} */ list) => list.reduce((total, one) => total + one, 0);
  const room = sum((vehicle?.compartments ?? []).map((/** @type {any} */ one) => one.capacity));
  if (room > 0) shares.push(Math.max(0, ...route.stops.map((stop) => sum(stop.load))) / room);
  return shares.length === 0 ? null : Math.max(...shares);
}

export class RoutesPanel {
  /**
   * @param {HTMLElement} host
   * @param {Workspace} workspace
   * @param {(node: number, target: number, position: number) => void} onMove
   */
  constructor(host, workspace, onMove) {
    this.workspace = workspace;
    this.onMove = onMove;
    this.list = h("div", { class: "route-list", role: "list" });
    this.empty = h("p", { class: "hint" }, "Press Solve, and the routes appear here while the search goes on.");
    this.detail = h("div", { class: "route-detail" });
    fill(host, this.empty, this.list, this.detail);
    /** @type {ReturnType<RoutesPanel["makeRow"]>[]} */
    this.rows = [];
  }

  /** @param {number} index */
  makeRow(index) {
    const parts = { swatch: h("span", { class: "swatch" }), name: h("strong", {}), stops: h("span", { class: "muted" }),
                    length: h("span", { class: "num" }), bar: h("span", { class: "load-bar", "aria-hidden": "true" }, h("i", {})),
                    share: h("span", { class: "num muted share" }), mark: h("span", { class: "mark" }) };
    const button = h("button", { type: "button", class: "route-row", "data-route": index, onclick: () => {
      const chosen = this.workspace.selected.route === index;
      this.workspace.select(chosen ? null : index, null);
    } }, parts.swatch, parts.name, parts.stops, parts.mark, parts.length, parts.bar, parts.share);
    return { ...parts, button, item: h("div", { role: "listitem" }, button) };
  }

  /** Draws list and detail. */
  draw() {
    const { plan } = this.workspace;
    const routes = plan?.routes ?? [];
    this.empty.hidden = routes.length > 0;
    while (this.rows.length > routes.length) this.rows.pop()?.item.remove();
    while (this.rows.length < routes.length) {
      const row = this.makeRow(this.rows.length);
      this.rows.push(row);
      this.list.append(row.item);
    }
    const violated = this.workspace.violated().routes;
    routes.forEach((route, index) => this.#drawRow(route, index, violated.has(index)));
    this.drawSelection();
  }

  /** @param {import("./plan.js").Route} route @param {number} index @param {boolean} violated */
  #drawRow(route, index, violated) {
    const row = this.rows[index];
    const { workspace } = this;
    row.swatch.style.background = routeColour(index);
    setText(row.name, `Route ${index + 1}`);
    setText(row.stops, plural(customerCount(route), "stop"));
    setText(row.length, distance(route.distance, workspace.plan?.units));
    const share = fillOf(workspace, route);
    row.bar.style.visibility = share === null ? "hidden" : "";
    row.bar.firstElementChild.style.width = `${Math.min(100, (share ?? 0) * 100)}%`;
    row.bar.classList.toggle("over", (share ?? 0) > 1 + 1e-9);
    setText(row.share, share === null ? "" : `${number(Math.round(share * 100))} %`);
    setText(row.mark, [workspace.frozen.has(index) ? "frozen" : "", violated ? "breaks limits" : ""].filter(Boolean).join(", "));
    row.mark.classList.toggle("bad", violated);
  }

  /** Draws what depends on the selection. */
  drawSelection() {
    const { selected, plan } = this.workspace;
    this.rows.forEach((row, index) => row.button.setAttribute("aria-expanded", String(index === selected.route)));
    const route = selected.route === null ? undefined : plan?.routes[selected.route];
    if (!route || selected.route === null) return void fill(this.detail);
    this.rows[selected.route].item.after(this.detail);
    fill(this.detail, this.#head(route, selected.route), this.#stops(route, selected.route));
    this.detail.querySelector("tr.selected")?.scrollIntoView({ block: "nearest" });
  }

  /** @param {import("./plan.js").Route} route @param {number} index */
  #head(route, index) {
    const { workspace } = this;
    const { plan, frozen, running } = workspace;
    const waiting = route.stops.reduce((sum, stop) => sum + (stop.depot ? 0 : waitingOf(stop)), 0);
    const vehicle = route.vehicleId && route.vehicleId !== String(route.vehicle) ? route.vehicleId : "";
    const facts = [vehicle && `vehicle ${vehicle}`, `${duration(route.duration, plan?.units)} long`,
                   waiting > 0 && `${duration(waiting, plan?.units)} waiting`, route.load.length > 0 && `load ${route.load.map((one) => number(one)).join(" / ")}`,
                   route.breaks.length > 0 && route.breaks.map((one) => `${one.drivingBreak ? "driving break" : "break"} ${clock(one.start, plan?.units)}–${clock(one.end, plan?.units)}`).join(", "),
                   compartmentsText(route)];
    const violations = (workspace.verdict?.violations ?? []).filter((one) => one.route === index);
    return h("div", { class: "detail-head" }, h("span", { class: "muted" }, facts.filter(Boolean).join(" · ")),
      workspace.problem?.kind !== "tsp" && h("button", { type: "button", class: "small", "data-action": "freeze", "aria-pressed": String(frozen.has(index)), disabled: running,
                    title: "A frozen route keeps its stops and its order when you solve again",
                    onclick: () => workspace.toggleFrozen(index) }, frozen.has(index) ? "Unfreeze" : "Freeze"),
      violations.map((one) => h("p", { class: "field-error" }, messageOf(one.message))));
  }

  /** @param {import("./plan.js").Route} route @param {number} index */
  #stops(route, index) {
    const { plan } = this.workspace;
    const violated = this.workspace.violated().nodes;
    const hasLoad = route.stops.some((stop) => stop.load.length > 0);
    const hasWaiting = route.stops.some((stop) => !stop.depot && waitingOf(stop) > 0);
    let visit = 0;
    const rows = route.stops.map((stop, at) => {
      visit += stop.depot ? 0 : 1;
      const chosen = stop.node === this.workspace.selected.node && !stop.depot;
      const name = stop.depot ? (at === 0 ? "Start" : at === route.stops.length - 1 ? "End" : "Reload") : "";
      const choose = () => this.workspace.select(index, chosen ? null : stop.node);
      return [h("tr", { class: `${chosen ? "selected" : ""}${!stop.depot && violated.has(stop.node) ? " violated" : ""}`, "data-stop": stop.depot ? null : stop.node },
        h("td", { class: "num muted" }, stop.depot ? "" : String(visit)),
        h("td", {}, stop.depot ? h("span", { class: "muted" }, name) : h("button", { type: "button", class: "link", "aria-expanded": String(chosen), onclick: choose }, stop.id)),
        h("td", { class: "num" }, at === 0 && stop.depot ? "" : clock(stop.arrival, plan?.units)),
        hasWaiting && h("td", { class: "num" }, !stop.depot && waitingOf(stop) > 0 ? duration(waitingOf(stop), plan?.units) : ""),
        h("td", { class: "num" }, at === route.stops.length - 1 && stop.depot ? "" : clock(stop.departure, plan?.units)),
        hasLoad && h("td", { class: "num" }, stop.load.map((one) => number(one)).join(" / "))),
      chosen && h("tr", { class: "stop-detail" }, h("td", {}), h("td", { colspan: 3 + Number(hasWaiting) + Number(hasLoad) }, this.#stopDetail(stop, index)))];
    });
    return h("div", { class: "table-wrap" }, h("table", { class: "data stops" },
      h("thead", {}, h("tr", {}, h("th", {}), h("th", {}, "Customer"), h("th", { class: "num" }, "Arrives"), hasWaiting && h("th", { class: "num" }, "Waits"),
        h("th", { class: "num" }, "Leaves"), hasLoad && h("th", { class: "num" }, "Load"))),
      h("tbody", {}, rows)));
  }

  /** @param {import("./plan.js").Stop} stop @param {number} index */
  #stopDetail(stop, index) {
    const { workspace } = this;
    const lines = describeNode(workspace, stop.node).slice(1);
    const violations = (workspace.verdict?.violations ?? []).filter((one) => one.node === stop.node);
    return h("div", { class: "stack tight" }, lines.map((line) => h("div", {}, line)),
      violations.map((one) => h("p", { class: "field-error" }, messageOf(one.message))),
      this.#mover(stop.node, index));
  }

  /** Returns the controls that move a stop by keyboard, as dragging does in the plot. @param {number} node @param {number} index */
  #mover(node, index) {
    const { workspace } = this;
    const routes = workspace.plan?.routes ?? [];
    if (workspace.frozen.has(index)) return h("p", { class: "hint" }, "The route is frozen: unfreeze it to move its stops.");
    const options = routes.map((_, other) => other).filter((other) => other !== index && !workspace.frozen.has(other));
    const select = h("select", { "aria-label": "Move to route" }, options.map((other) => h("option", { value: other }, `Route ${other + 1}`)),
      h("option", { value: routes.length }, "A new route"));
    return h("div", { class: "row mover" }, "Move to", select, h("button", { type: "button", class: "small", disabled: workspace.running, onclick: () => {
      const target = Number(select.value);
      const position = workspace.problem && routes[target] ? cheapestPosition(workspace.problem, routes[target], node) : 0;
      this.onMove(node, target, position);
    } }, "Move"));
  }
}

/** Returns lines that describe a customer or depot. @param {Workspace} workspace @param {number} node */
export function describeNode(workspace, node) {
  const { problem, plan } = workspace;
  const facts = problem?.nodes[node];
  if (!facts) return [];
  const units = plan?.units;
  const lines = [facts.depot ? `Depot ${facts.id}` : `Customer ${facts.id}`];
  if (facts.demand.some((one) => one > 0)) lines.push(`Demand ${facts.demand.map((one) => number(one)).join(" / ")}`);
  if (facts.windows.length > 0) {
    lines.push(`Window ${facts.windows.map(({ open, close }) => `${clock(open, units)}–${close === Infinity ? "…" : clock(close, units)}`).join(", ")}`);
  }
  if (facts.service > 0) lines.push(`Service ${duration(facts.service, units)}`);
  lines.push(...rulesOf(workspace, node));
  const route = plan?.routes.findIndex(({ stops }) => stops.some((stop) => stop.node === node && !stop.depot)) ?? -1;
  if (route >= 0 && plan) {
    const stop = plan.routes[route].stops.find((one) => one.node === node);
    lines.push(`Route ${route + 1}, arrives ${clock(stop?.arrival ?? 0, units)}${stop && waitingOf(stop) > 0 ? `, waits ${duration(waitingOf(stop), units)}` : ""}`);
  }
  const reason = plan?.unserved.find((one) => one.node === node)?.reason;
  if (reason) lines.push(`Unserved: ${reason}`);
  return lines;
}

const RULES = /** @type {Record<string, (others: string, max: number) => string>} */ ({
  same_route: (others) => `Same route as ${others}`,
  different_routes: (others) => `Not on a route with ${others}`,
  max_per_route: (others, max) => `At most ${max} on a route of this one and ${others}`,
  in_order: (others) => `In this order, if on one route: ${others}`,
});
const NAMED = 6; // limit of the customers that a rule's line names

/** Returns a line for each customer rule of a node. @param {Workspace} workspace @param {number} node */
function rulesOf({ data, problem }, node) {
  /** @type {{kind: string, customers: number[], max?: number}[]} */
  const rules = data?.customer_rules ?? [];
  return rules.filter(({ customers }) => customers.includes(node)).map(({ kind, customers, max }) => {
    const named = kind === "in_order" ? customers : customers.filter((one) => one !== node);
    const more = named.length > NAMED ? ` and ${named.length - NAMED} more` : "";
    return RULES[kind]?.(named.slice(0, NAMED).map((one) => problem?.nodes[one]?.id ?? one).join(", ") + more, max ?? 0) ?? kind;
  });
}

/**
 * Returns which compartment holds which load, by trip if the route has several.
 * @param {import("./plan.js").Route} route
 */
function compartmentsText({ compartments }) {
  const several = compartments.some((one) => one.trip > 0);
  return compartments.map((one) => `${several ? `trip ${one.trip}, ` : ""}compartment ${one.compartment}: ${number(one.load)} of dimension ${one.loadDimension}`).join(", ");
}

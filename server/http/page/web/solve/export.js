/** Files of the plan: the server writes its formats, the page JSON and SVG. */

import { call, textOfBase64 } from "../api.js";
import { download, fill, h } from "../dom.js";
import { skeleton, toSolution, visitsOf } from "./plan.js";
import { planSvg } from "./svg_export.js";

const RENDERED = [
  { label: "CVRPLIB .sol", format: "SOLUTION_FORMAT_VRPLIB", ending: "sol", type: "text/plain" },
  { label: "VROOM", format: "SOLUTION_FORMAT_VROOM", ending: "vroom.json", type: "application/json" },
  { label: "GeoJSON", format: "SOLUTION_FORMAT_GEOJSON", ending: "geojson", type: "application/geo+json", lonLat: true },
];

/** @typedef {import("./workspace.js").Workspace} Workspace */

/** Returns the plan in the JSON of `vrpctl solve --output json`, which vrpctl and vrpd read. @param {Workspace} workspace */
export function planJson({ problem, plan, verdict, response }) {
  return JSON.stringify({
    name: problem?.name ?? "",
    cost: plan?.cost,
    routes: plan?.routes.map((route) => ({
      vehicle: route.vehicle,
      stops: visitsOf(route).map(({ id, arrival, start, departure, load, depot }) => ({
        id, arrival, start, departure, load: load.length === 1 ? load[0] : load, ...(depot ? { reload: true } : {}) })),
      distance: route.distance,
      duration: route.duration,
      ...(route.frozenStops > 0 ? { frozen_stops: route.frozenStops } : {}),
      ...(route.breaks.length > 0 ? { breaks: route.breaks.map(({ index, afterStop, start, end, drivingBreak }) => ({
        index, after: route.stops[afterStop]?.id, start, end, ...(drivingBreak ? { driving_break: true } : {}) })) } : {}),
      ...(route.compartments.length > 0 ? { compartments: route.compartments.map(({ trip, compartment, loadDimension, load }) => ({
        trip, compartment, load_dimension: loadDimension, load })) } : {}),
      ...(route.legPolylines.length > 0 ? { leg_polylines: route.legPolylines } : {}),
    })),
    ...(plan?.spread === undefined ? {} : { spread: plan.spread }),
    feasible: verdict?.feasible,
    violations: verdict?.violations.map(({ kind, route, node, amount, message }) => ({ kind, route, node, amount, message })),
    unserved: plan?.unserved.map(({ id, reason }) => ({ id, reason })),
    ...(response?.seed ? { seed: Number(response.seed) } : {}),
  }, null, 1);
}

/** @param {Workspace} workspace @param {{format: string, lonLat?: boolean}} file */
async function render(workspace, { format, lonLat }) {
  const solution = toSolution(workspace.plan ? skeleton(workspace.plan) : []);
  const answer = await call("CheckSolution", { file: workspace.file, solution, render: [format], ...(lonLat ? workspace.geometry : {}) });
  return textOfBase64(answer.rendered[0].content);
}

/**
 * Builds the menu.
 * @param {HTMLElement} host
 * @param {Workspace} workspace
 * @param {(error: any, action: string) => void} onError
 */
export function buildExports(host, workspace, onError) {
  const name = () => (workspace.loaded?.name ?? "plan").replace(/\.[A-Za-z]+$/, "").replace(/[^\w.-]+/g, "-");
  const save = async (/** @type {string} */ ending, /** @type {string} */ type, /** @type {() => string|Promise<string>} */ content) => {
    menu.open = false;
    try {
      download(`${name()}.${ending}`, await content(), type);
    } catch (error) {
      onError(error, "Writing the file");
    }
  };
  const item = (/** @type {string} */ label, /** @type {string} */ ending, /** @type {string} */ type, /** @type {() => string|Promise<string>} */ content) =>
    h("button", { type: "button", class: "quiet", "data-export": ending, onclick: () => save(ending, type, content) }, label);
  const menu = h("details", { class: "menu" }, h("summary", { class: "button" }, "Download"),
    h("div", { class: "menu-items" },
      RENDERED.filter(({ lonLat }) => !lonLat || workspace.problem?.lonLat).map((file) =>
        item(file.label, file.ending, file.type, () => render(workspace, file))),
      item("JSON", "plan.json", "application/json", () => planJson(workspace)),
      workspace.problem?.hasPlaces && item("SVG picture", "svg", "image/svg+xml", () => planSvg(/** @type {any} */ (workspace.problem), workspace.plan?.routes ?? []))));
  menu.addEventListener("focusout", (/** @type {FocusEvent} */ event) => {
    if (event.relatedTarget && !menu.contains(/** @type {any} */ (event.relatedTarget))) menu.open = false;
  });
  menu.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => { if (event.key === "Escape") menu.open = false; });
  fill(host, menu);
}

/** Plans: the server's form made complete, and changes by hand. All functions are pure. */

import { roughDistance } from "./problem.js";
import { streetsOf } from "./streets.js";

/**
 * @typedef {object} Stop
 * @property {number} node
 * @property {string} id
 * @property {number} arrival
 * @property {number} start
 * @property {number} departure
 * @property {number[]} load
 * @property {boolean} depot
 */

/**
 * @typedef {object} Route
 * @property {number} vehicle Index of its type.
 * @property {string} vehicleId
 * @property {Stop[]} stops With the depots.
 * @property {number} distance
 * @property {number} duration
 * @property {number[]} load
 * @property {{index: number, afterStop: number, start: number, end: number, drivingBreak: boolean}[]} breaks
 * @property {{trip: number, compartment: number, loadDimension: number, load: number}[]} compartments
 * @property {number} frozenStops
 * @property {string[]} legPolylines The polyline of each leg, if the plan has geometry.
 * @property {Float64Array[]} streets The streets of each leg, in base coordinates of the plot.
 */

/**
 * @typedef {object} Plan
 * @property {Route[]} routes
 * @property {number} cost
 * @property {number} distance
 * @property {number} duration
 * @property {number|undefined} spread Largest minus smallest measure of a route, if the instance has a balance.
 * @property {{node: number, id: string, reason: string}[]} unserved
 * @property {import("../format.js").Units|undefined} units
 * @property {string} geometryNote Why the routes have no streets, if they were asked for.
 */

/**
 * Returns a Solution of protobuf's JSON form, in which absent means 0, with all fields.
 * @param {any} solution
 * @param {string} [geometryNote] The answer's note on missing streets.
 * @returns {Plan}
 */
export function completePlan(solution, geometryNote = "") {
  return {
    routes: (solution?.routes ?? []).map(completeRoute),
    cost: solution?.cost ?? 0,
    distance: solution?.distance ?? 0,
    duration: solution?.duration ?? 0,
    spread: solution?.spread,
    unserved: (solution?.unserved ?? []).map((/** @type {any} */ one) => ({ node: one.node ?? 0, id: one.id ?? "", reason: one.reason ?? "" })),
    units: solution?.units,
    geometryNote,
  };
}

/** @param {any} route @returns {Route} */
function completeRoute(route) {
  return {
    vehicle: route.vehicle ?? 0,
    vehicleId: route.vehicleId ?? "",
    stops: (route.stops ?? []).map((/** @type {any} */ stop) => ({
      node: stop.node ?? 0, id: stop.id ?? "", arrival: stop.arrival ?? 0, start: stop.start ?? 0,
      departure: stop.departure ?? 0, load: stop.load ?? [], depot: stop.depot ?? false })),
    distance: route.distance ?? 0,
    duration: route.duration ?? 0,
    load: route.load ?? [],
    breaks: (route.breaks ?? []).map((/** @type {any} */ pause) => ({
      index: pause.index ?? 0, afterStop: pause.afterStop ?? 0, start: pause.start ?? 0, end: pause.end ?? 0,
      drivingBreak: pause.drivingBreak ?? false })),
    compartments: (route.compartments ?? []).map((/** @type {any} */ use) => ({
      trip: use.trip ?? 0, compartment: use.compartment ?? 0, loadDimension: use.loadDimension ?? 0, load: use.load ?? 0 })),
    frozenStops: route.frozenStops ?? 0,
    legPolylines: route.legPolylines ?? [],
    streets: streetsOf(route.legPolylines ?? []),
  };
}

/**
 * Returns the visits between the depots at both ends; reloads stay.
 * @param {Route} route
 * @returns {Stop[]}
 */
export function visitsOf({ stops }) {
  const first = stops[0]?.depot ? 1 : 0;
  const last = stops.length > first && stops[stops.length - 1].depot ? stops.length - 1 : stops.length;
  return stops.slice(first, last);
}

/** Returns the number of customers of a route. @param {Route} route */
export const customerCount = (route) => route.stops.reduce((count, stop) => count + (stop.depot ? 0 : 1), 0);

/**
 * Returns the plan in the form that CheckSolution takes. Routes begin with their start, so that a reload may come first.
 * @param {{vehicle: number, visits: number[]}[]} routes
 */
export function toSolution(routes) {
  return { routes: routes.map(({ vehicle, visits }) => ({ vehicle, stops: [{ depot: true }, ...visits.map((node) => ({ node }))] })) };
}

/** Returns vehicle and visited nodes of each route. @param {Plan} plan */
export function skeleton(plan) {
  return plan.routes.map((route) => ({ vehicle: route.vehicle, visits: visitsOf(route).map((stop) => stop.node) }));
}

/**
 * Returns the routes after a customer, who may be unserved, moves to another position. Leaves out empty routes.
 * @param {Plan} plan
 * @param {number} node
 * @param {number} target Index of the route; the number of routes stands for a new one.
 * @param {number} position Index among the visits of the target, before the move.
 * @param {number} [vehicle] Type of the vehicle of a new route.
 */
export function moveVisit(plan, node, target, position, vehicle = 0) {
  const routes = skeleton(plan);
  while (routes.length <= target) routes.push({ vehicle, visits: [] });
  let at = position;
  routes.forEach((route, index) => {
    const found = route.visits.indexOf(node);
    if (found < 0) return;
    route.visits.splice(found, 1);
    if (index === target && found < position) at -= 1;
  });
  routes[target].visits.splice(at, 0, node);
  return routes.filter((route) => route.visits.length > 0);
}

/**
 * Returns the position among the visits of a route at which a customer adds least distance.
 * @param {import("./problem.js").Problem} problem
 * @param {Route} route
 * @param {number} node
 */
export function cheapestPosition(problem, route, node) {
  const visits = visitsOf(route).map((stop) => stop.node).filter((other) => other !== node);
  const start = route.stops[0]?.depot ? route.stops[0].node : visits[0];
  const end = route.stops.at(-1)?.depot ? /** @type {Stop} */ (route.stops.at(-1)).node : undefined;
  let best = { position: visits.length, added: Infinity };
  for (let position = 0; position <= visits.length; position += 1) {
    const before = position === 0 ? start : visits[position - 1];
    const after = position === visits.length ? end : visits[position];
    const added = roughDistance(problem, before, node) +
      (after === undefined ? 0 : roughDistance(problem, node, after) - roughDistance(problem, before, after));
    if (added < best.added) best = { position, added };
  }
  const own = visitsOf(route).findIndex((stop) => stop.node === node);
  return own >= 0 && own < best.position ? best.position + 1 : best.position;
}

/** Returns for each served customer its route, and its index in the stops. @param {{routes: Route[]}} plan @returns {Map<number, {route: number, stop: number}>} */
export function placesOf(plan) {
  const places = new Map();
  plan.routes.forEach((route, index) => route.stops.forEach((stop, at) => {
    if (!stop.depot) places.set(stop.node, { route: index, stop: at });
  }));
  return places;
}

/** Returns a violation's message without the route's index, which counts from 0. @param {string} message */
export const messageOf = (message) => message.replace(/^routes\[\d+\](?:\.[\w[\]]+)*: /, "");

/** Returns the waiting time at a stop. @param {Stop} stop */
export const waitingOf = (stop) => Math.max(0, stop.start - stop.arrival);

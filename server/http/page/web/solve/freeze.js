/**
 * Freezing whole routes. The API freezes the leading visits of a route (Route.frozen_stops), after which the search may
 * still append others. So a frozen route also gets a vehicle type of its own, which allows no further stop.
 */

import { customerCount, visitsOf } from "./plan.js";
import { vehiclesOf } from "./problem.js";

/**
 * @typedef {object} Frozen
 * @property {any} data The instance with the frozen routes' own vehicle types.
 * @property {any} initial Solution to start from.
 * @property {number[]} types The original vehicle type of each type in `data`.
 */

/**
 * Returns the request's parts for a solve that starts from the plan and keeps the frozen routes.
 * @param {any} data Instance in the project's JSON.
 * @param {import("./plan.js").Plan} plan
 * @param {Set<number>} frozen Indices of routes.
 * @returns {Frozen}
 */
export function freezeRoutes(data, plan, frozen) {
  const original = vehiclesOf(data);
  const used = original.map((_, type) => plan.routes.filter((route, index) => frozen.has(index) && route.vehicle === type).length);
  /** @type {any[]} */
  const vehicles = [];
  /** @type {number[]} */
  const types = [];
  /** @type {Map<number, number>} */
  const free = new Map(); // original type -> its index for routes that are not frozen
  original.forEach((vehicle, type) => {
    const left = vehicle.count ? vehicle.count - used[type] : undefined;
    if (left === 0) return; // all its vehicles are frozen, and a count of 0 would mean unlimited
    free.set(type, vehicles.length);
    vehicles.push(left === undefined ? { ...vehicle } : { ...vehicle, count: left });
    types.push(type);
  });
  const routes = plan.routes.map((route, index) => {
    const visits = visitsOf(route).map((stop) => (stop.depot ? { node: stop.node } : { id: stop.id, node: stop.node }));
    const stops = [{ depot: true }, ...visits]; // a first depot is the start
    if (!frozen.has(index)) return { vehicle: free.get(route.vehicle) ?? 0, stops };
    const { id, ...vehicle } = original[route.vehicle];
    vehicles.push({ ...vehicle, ...(id ? { id: `${id} (frozen ${index + 1})` } : {}), count: 1, max_stops: customerCount(route) });
    types.push(route.vehicle);
    return { vehicle: vehicles.length - 1, stops, frozenStops: visits.length };
  });
  const { capacity: _, ...rest } = data;
  return { data: frozen.size === 0 ? data : { ...rest, vehicles }, initial: { routes }, types: frozen.size === 0 ? original.map((__, type) => type) : types };
}

/**
 * Returns a plan of the changed instance with the vehicle types of the original one.
 * @param {import("./plan.js").Plan} plan
 * @param {Frozen} parts
 * @param {any} data The original instance.
 * @returns {import("./plan.js").Plan}
 */
export function thawTypes(plan, parts, data) {
  const original = vehiclesOf(data);
  return { ...plan, routes: plan.routes.map((route) => {
    const vehicle = parts.types[route.vehicle] ?? route.vehicle;
    return { ...route, vehicle, vehicleId: String(original[vehicle]?.id ?? route.vehicleId) };
  }) };
}

/** Returns the indices of the routes whose stops are all frozen. @param {import("./plan.js").Plan} plan */
export function frozenOf(plan) {
  return new Set(plan.routes.flatMap((route, index) =>
    (route.frozenStops > 0 && route.frozenStops >= visitsOf(route).length ? [index] : [])));
}

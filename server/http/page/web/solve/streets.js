/** The streets of routes on road networks: encoded polylines made points of the plot. All functions are pure. */

import { mercatorY } from "./geometry.js";

const PER_DEGREE = 1e6; // units of the polylines
const LEAST_STEP = 1.2; // pixels between the points that are drawn

/**
 * Returns longitude and latitude of each point of an encoded polyline with latitude first and 6 decimals
 * (Route.leg_polylines). A text that ends within a number loses that point.
 * Source: Google, "Encoded Polyline Algorithm Format".
 * @param {string} text
 * @returns {[number, number][]}
 */
export function decodePolyline(text) {
  /** @type {[number, number][]} */
  const points = [];
  let [latitude, longitude, isLatitude, bits, shift] = [0, 0, true, 0, 0];
  for (const character of text) {
    const group = character.charCodeAt(0) - 63;
    bits |= (group & 31) << shift;
    shift += 5;
    if (group & 32) continue; // the number goes on
    const step = bits & 1 ? ~(bits >> 1) : bits >> 1;
    [bits, shift] = [0, 0];
    if (isLatitude) latitude += step;
    else points.push([(longitude += step) / PER_DEGREE, latitude / PER_DEGREE]);
    isLatitude = !isLatitude;
  }
  return points;
}

/**
 * Returns the base coordinates (geometry.js) of the streets of each leg, x and y in turn.
 * @param {string[]} polylines
 * @returns {Float64Array[]}
 */
export const streetsOf = (polylines) => polylines.map((text) =>
  Float64Array.from(decodePolyline(text).flatMap(([x, y]) => [x / 360 + 0.5, mercatorY(y)])));

/** Whether all legs of all routes have streets. @param {import("./plan.js").Route[]} routes */
export const haveStreets = (routes) => routes.every(({ stops, streets }) => streets.length >= stops.length - 1);

/**
 * Returns the streets on the screen for each leg of each route, without points that lie closer than a pixel can show.
 * @param {import("./plan.js").Route[]} routes
 * @param {import("./geometry.js").Transform} transform
 * @returns {number[][][]} By route and leg: x and y in turn.
 */
export function projectStreets(routes, { scale, dx, dy }) {
  return routes.map(({ streets }) => streets.map((base) => {
    /** @type {number[]} */
    const line = [];
    for (let at = 0; at < base.length; at += 2) {
      const [x, y] = [base[at] * scale + dx, base[at + 1] * scale + dy];
      const near = line.length > 0 && Math.abs(x - line[line.length - 2]) + Math.abs(y - line[line.length - 1]) < LEAST_STEP;
      if (!near || at === base.length - 2) line.push(x, y);
    }
    return line;
  }));
}

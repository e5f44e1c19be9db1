/** Draws a plan as a file of its own, for print and slides. Pure. */

import { routeColour } from "../colours.js";
import { baseCoordinates, fitTransform, project, routePaths } from "./geometry.js";
import { projectStreets } from "./streets.js";

const WIDTH = 1200;
const HEIGHT = 900;

/** @param {string} text */
const escape = (text) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/**
 * Returns the text of an SVG file.
 * @param {import("./problem.js").Problem} problem
 * @param {import("./plan.js").Route[]} routes
 */
export function planSvg(problem, routes) {
  const base = baseCoordinates(problem.nodes, problem.lonLat);
  const screen = new Float64Array(base.length);
  const transform = fitTransform(base, WIDTH, HEIGHT, 40);
  project(base, transform, screen);
  const streets = projectStreets(routes, transform);
  const served = new Set(routes.flatMap((route) => route.stops.map((stop) => stop.node)));
  const at = (/** @type {number} */ node) => [screen[2 * node].toFixed(1), screen[2 * node + 1].toFixed(1)];
  const lines = routes.map((route, index) => {
    const { inner, legs, dots } = routePaths(route.stops, screen, streets[index]);
    return `<g stroke="${routeColour(index, false)}"><title>Route ${index + 1}</title><path d="${legs}" stroke-width="1.2" opacity="0.5"/>` +
      `<path d="${inner}" stroke-width="2"/><path d="${dots}" stroke-width="8" stroke-linecap="round"/></g>`;
  });
  const open = problem.nodes.filter((node) => !node.depot && !served.has(node.index)).map((node) => {
    const [x, y] = at(node.index);
    return `<circle cx="${x}" cy="${y}" r="5" fill="#fff" stroke="#666"/>`;
  });
  const depots = problem.nodes.slice(0, problem.depots).map((node) => {
    const [x, y] = at(node.index);
    return `<rect x="${Number(x) - 8}" y="${Number(y) - 8}" width="16" height="16" rx="3" fill="#172033" stroke="#fff" stroke-width="2"/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}">` +
    `<title>${escape(problem.name || "Plan")}</title><rect width="100%" height="100%" fill="#fff"/>` +
    `<g fill="none" stroke-linejoin="round">${lines.join("")}</g>${open.join("")}${depots.join("")}</svg>\n`;
}

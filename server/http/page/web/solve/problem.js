/** The instance as the views need it, read from the project's JSON (docs/reference/file-formats.md). */

/**
 * @typedef {object} Node
 * @property {number} index Depots first.
 * @property {string} id
 * @property {boolean} depot
 * @property {number} x
 * @property {number} y
 * @property {number[]} demand Loads to deliver, per load dimension.
 * @property {number[]} pickup Loads to collect: those of pickups, then those of backhauls.
 * @property {{open: number, close: number}[]} windows Empty: any time.
 * @property {number} service
 */

/**
 * @typedef {object} Problem
 * @property {string} name
 * @property {string} kind
 * @property {Node[]} nodes
 * @property {number} depots
 * @property {Record<string, any>[]} vehicles Vehicle types.
 * @property {boolean} lonLat
 * @property {boolean} hasPlaces Whether nodes have coordinates.
 * @property {boolean} hasWindows
 * @property {number[][]|null} matrix Distances, if stated.
 * @property {boolean} canUseRoads Whether a road network may give the distances.
 */

/** @param {any} value @returns {number[]} */
const loads = (value) => (value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]);

/** @param {any} entry @returns {{open: number, close: number}[]} */
function windowsOf(entry) {
  if (!Array.isArray(entry) || entry.length === 0) return [];
  const list = Array.isArray(entry[0]) ? entry : [entry];
  return list.map(([open, close]) => ({ open: open ?? 0, close: close ?? Infinity }))
    .filter(({ open, close }) => open > 0 || close < Infinity);
}

/** @param {any} data @param {string} key @param {number} index @param {number} depots */
function perNode(data, key, index, depots) {
  const value = data[key];
  if (Array.isArray(value)) return value[index] ?? 0;
  return index < depots ? 0 : (value ?? 0);
}

/** @param {any} data @returns {number} */
function nodeCount(data) {
  return (data.coords ?? data.demands ?? data.matrix_rows ?? data.distance_matrix ?? data.ids ?? []).length;
}

/** @param {any} data @returns {Record<string, any>[]} */
export function vehiclesOf(data) {
  if (Array.isArray(data.vehicles)) return data.vehicles;
  return data.kind === "tsp" ? [{ count: 1 }] : [{ capacity: data.capacity }];
}

/**
 * @param {any} data A valid instance in the project's JSON.
 * @returns {Problem}
 */
export function readProblem(data) {
  const depots = data.num_depots ?? 1;
  const nodes = Array.from({ length: nodeCount(data) }, (_, index) => ({
    index,
    id: String(data.ids?.[index] ?? index),
    depot: index < depots,
    x: data.coords?.[index]?.[0] ?? 0,
    y: data.coords?.[index]?.[1] ?? 0,
    demand: loads(data.demands?.[index]),
    pickup: [...loads(data.pickups?.[index]), ...loads(data.backhauls?.[index])],
    windows: windowsOf(data.time_windows?.[index]),
    service: perNode(data, "service", index, depots),
  }));
  return {
    name: data.name ?? "",
    kind: data.kind,
    nodes,
    depots,
    vehicles: vehiclesOf(data),
    lonLat: data.coordinates === "lon_lat",
    hasPlaces: Array.isArray(data.coords),
    hasWindows: nodes.some((node) => !node.depot && node.windows.length > 0),
    canUseRoads: data.coordinates === "lon_lat" && Array.isArray(data.coords) &&
      ["distance_matrix", "length_matrix", "duration_matrix", "duration_matrices", "matrices", "matrix_rows"].every((key) => data[key] === undefined),
    matrix: Array.isArray(data.distance_matrix) && !data.matrix_rows ? data.distance_matrix : null,
  };
}

/**
 * Returns the distance between two nodes, good enough to rank positions: the matrix, or a straight line.
 * @param {Problem} problem
 * @param {number} a
 * @param {number} b
 */
export function roughDistance({ matrix, nodes, lonLat }, a, b) {
  if (matrix) return matrix[a][b];
  const across = nodes[a].x - nodes[b].x;
  const scale = lonLat ? Math.cos((nodes[a].y * Math.PI) / 180) : 1;
  return Math.hypot(across * scale, nodes[a].y - nodes[b].y);
}

/** Returns a text such as "CVRP, 2 depots, on a map". @param {Problem} problem */
export function kindName({ kind, lonLat, depots }) {
  const names = /** @type {Record<string, string>} */ ({ tsp: "TSP", cvrp: "CVRP", vrptw: "VRP with time windows" });
  return [names[kind] ?? kind, depots > 1 && `${depots} depots`, lonLat && "on a map"].filter(Boolean).join(", ");
}

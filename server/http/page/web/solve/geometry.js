/** Geometry of the plot. All functions are pure; screen coordinates are pixels with y downwards. */

/** @typedef {{scale: number, dx: number, dy: number}} Transform screen = base * scale + offset */

/** Returns the y of Web Mercator in [0, 1] for a latitude in degrees. @param {number} latitude */
export function mercatorY(latitude) {
  const bounded = Math.min(85.05112878, Math.max(-85.05112878, latitude));
  const sine = Math.sin((bounded * Math.PI) / 180);
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
}

/**
 * Returns the base coordinates of all nodes, which a Transform takes to the screen: Web Mercator, or x and -y.
 * @param {import("./problem.js").Node[]} nodes
 * @param {boolean} lonLat
 */
export function baseCoordinates(nodes, lonLat) {
  const base = new Float64Array(2 * nodes.length);
  nodes.forEach(({ x, y }, index) => {
    base[2 * index] = lonLat ? x / 360 + 0.5 : x;
    base[2 * index + 1] = lonLat ? mercatorY(y) : -y;
  });
  return base;
}

/** @param {Float64Array} base @param {Transform} transform @param {Float64Array} screen Receives the result. */
export function project(base, { scale, dx, dy }, screen) {
  for (let at = 0; at < base.length; at += 2) {
    screen[at] = base[at] * scale + dx;
    screen[at + 1] = base[at + 1] * scale + dy;
  }
}

/**
 * Returns the transform that shows all points centred, with a margin.
 * @param {Float64Array} base
 * @param {number} width
 * @param {number} height
 * @param {number} [margin]
 * @returns {Transform}
 */
export function fitTransform(base, width, height, margin = 28) {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let at = 0; at < base.length; at += 2) {
    left = Math.min(left, base[at]);
    right = Math.max(right, base[at]);
    top = Math.min(top, base[at + 1]);
    bottom = Math.max(bottom, base[at + 1]);
  }
  if (left > right) return { scale: 1, dx: 0, dy: 0 };
  const across = Math.max(right - left, 1e-12);
  const down = Math.max(bottom - top, 1e-12);
  let scale = Math.min((width - 2 * margin) / across, (height - 2 * margin) / down);
  if (!Number.isFinite(scale) || scale <= 0 || right - left + bottom - top === 0) scale = 1;
  return { scale, dx: width / 2 - ((left + right) / 2) * scale, dy: height / 2 - ((top + bottom) / 2) * scale };
}

/** Returns the transform after a zoom that keeps a point in its place. @param {Transform} transform @param {number} factor @param {number} x @param {number} y @returns {Transform} */
export function zoomAt({ scale, dx, dy }, factor, x, y) {
  return { scale: scale * factor, dx: x - (x - dx) * factor, dy: y - (y - dy) * factor };
}

/** Returns the distance of (x, y) to the segment from (ax, ay) to (bx, by). */
export function segmentDistance(/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ ax,
                                /** @type {number} */ ay, /** @type {number} */ bx, /** @type {number} */ by) {
  const [ux, uy] = [bx - ax, by - ay];
  const length = ux * ux + uy * uy;
  const share = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * ux + (y - ay) * uy) / length));
  return Math.hypot(x - ax - share * ux, y - ay - share * uy);
}

/**
 * Returns the node nearest to a pixel within `reach`, or -1.
 * @param {Float64Array} screen
 * @param {number} first The first node that counts.
 * @param {number} x
 * @param {number} y
 * @param {number} reach
 */
export function nearestNode(screen, first, x, y, reach) {
  let best = -1;
  let least = reach * reach;
  for (let node = first; 2 * node < screen.length; node += 1) {
    const square = (screen[2 * node] - x) ** 2 + (screen[2 * node + 1] - y) ** 2;
    if (square <= least) {
      least = square;
      best = node;
    }
  }
  return best;
}

/**
 * Returns the edge nearest to a pixel within `reach`, or null.
 * @param {Float64Array} screen
 * @param {import("./plan.js").Route[]} routes
 * @param {number} x
 * @param {number} y
 * @param {number} reach
 * @param {number} [without] A node that the edges skip, because it is being moved.
 * @param {number[][][]} [streets] The result of projectStreets. Edges without streets are straight.
 * @returns {{route: number, before: number, after: number, position: number}|null} The route, the nodes at both ends, and
 *     the index in `stops` of the second end.
 */
export function nearestEdge(screen, routes, x, y, reach, without = -1, streets = []) {
  let best = null;
  let least = reach;
  routes.forEach(({ stops }, route) => {
    let before = -1;
    let last = -1;
    stops.forEach(({ node }, position) => {
      if (node === without) return;
      if (before >= 0) {
        const street = last === position - 1 ? streets[route]?.[last] : undefined; // none past the moved node
        const away = lineDistance(x, y, [screen[2 * before], screen[2 * before + 1], ...(street ?? []), screen[2 * node], screen[2 * node + 1]]);
        if (away < least) {
          least = away;
          best = { route, before, after: node, position };
        }
      }
      before = node;
      last = position;
    });
  });
  return best;
}

/** Returns the distance of (x, y) to a line. @param {number} x @param {number} y @param {number[]} points */
function lineDistance(x, y, points) {
  let least = Infinity;
  for (let at = 2; at < points.length; at += 2) {
    least = Math.min(least, segmentDistance(x, y, points[at - 2], points[at - 1], points[at], points[at + 1]));
  }
  return least;
}

/**
 * Returns the paths of a route: its edges between customers, its edges to depots, and a dot for each customer.
 * @param {import("./plan.js").Stop[]} stops
 * @param {Float64Array} screen
 * @param {number[][]} [streets] The streets of each leg, on the screen.
 */
export function routePaths(stops, screen, streets = []) {
  let inner = "";
  let legs = "";
  let dots = "";
  stops.forEach((stop, index) => {
    const [x, y] = [screen[2 * stop.node].toFixed(1), screen[2 * stop.node + 1].toFixed(1)];
    if (!stop.depot) dots += `M${x} ${y}h0`;
    const before = stops[index - 1];
    if (!before) return;
    const line = `${streetPath(streets[index - 1])}L${x} ${y}`;
    const edge = `M${screen[2 * before.node].toFixed(1)} ${screen[2 * before.node + 1].toFixed(1)}${line}`;
    if (before.depot || stop.depot) legs += edge;
    else inner += inner.length > 0 ? line : edge;
    if (before.depot && !stop.depot) inner += `M${x} ${y}`;
  });
  return { inner, legs, dots };
}

/** @param {number[]} [street] x and y in turn. */
function streetPath(street = []) {
  let path = "";
  for (let at = 0; at < street.length; at += 2) path += `L${street[at].toFixed(1)} ${street[at + 1].toFixed(1)}`;
  return path;
}

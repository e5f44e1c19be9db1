/** The arithmetic of charts. */

/** @typedef {[number, number]} Point */

/**
 * Returns round numbers that lie within [low, high], about `count` of them.
 * @param {number} low
 * @param {number} high
 * @param {number} count
 * @returns {number[]}
 */
export function ticks(low, high, count) {
  if (!(high > low)) return [low];
  const raw = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= raw) ?? 10 * power;
  const found = [];
  const first = Math.ceil(low / step - 1e-9);
  for (let at = first; at * step <= high + step * 1e-9; at += 1) found.push(Number((at * step).toPrecision(12)));
  return found;
}

/**
 * Returns the least and the largest value, widened if they are equal; [0, 1] without values.
 * @param {number[]} values
 * @returns {Point}
 */
export function extent(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) return [0, 1];
  if (low === high) return [low - (Math.abs(low) * 0.05 || 1), high + (Math.abs(high) * 0.05 || 1)];
  return [low, high];
}

/**
 * Returns the extent without the outermost `share` of the values at each end, so that a few outliers do not flatten the rest.
 * Returns the extent of all values if there are fewer than 20 or the first extent is a third of theirs or more.
 * @param {number[]} values
 * @param {number} share
 * @returns {Point}
 */
export function robustExtent(values, share) {
  const whole = extent(values);
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  const cut = Math.ceil(sorted.length * share);
  if (sorted.length < 20) return whole;
  const inner = extent(sorted.slice(cut, sorted.length - cut));
  return inner[1] - inner[0] < (whole[1] - whole[0]) / 3 ? inner : whole;
}

/**
 * Returns the index of the point whose x is nearest; -1 without points. `points` are ordered by x.
 * @param {Point[]} points
 * @param {number} x
 */
export function nearest(points, x) {
  let low = 0;
  let high = points.length - 1;
  if (high < 0) return -1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle][0] < x) low = middle + 1;
    else high = middle;
  }
  if (low > 0 && x - points[low - 1][0] <= points[low][0] - x) return low - 1;
  return low;
}

/**
 * Returns the path of a line through the points, as `d` of SVG. A stepped line keeps its value until the next point.
 * Points that are no numbers interrupt it.
 * @param {Point[]} points
 * @param {(x: number) => number} toX
 * @param {(y: number) => number} toY
 * @param {boolean} [stepped]
 */
export function linePath(points, toX, toY, stepped = false) {
  let path = "";
  let broken = true;
  for (const [x, y] of points) {
    if (!Number.isFinite(x) || !Number.isFinite(y)) {
      broken = true;
      continue;
    }
    const left = toX(x).toFixed(1);
    const top = toY(y).toFixed(1);
    path += broken ? `M${left} ${top}` : stepped ? `H${left}V${top}` : `L${left} ${top}`;
    broken = false;
  }
  return path;
}

/**
 * Returns at most `limit` + 2 points that keep the shape: the extremes of equal parts, and the last point.
 * @param {Point[]} points
 * @param {number} limit
 * @returns {Point[]}
 */
export function thin(points, limit) {
  if (points.length <= limit) return points;
  const size = Math.ceil((points.length * 2) / limit);
  /** @type {Point[]} */
  const kept = [];
  for (let at = 0; at < points.length; at += size) {
    const part = points.slice(at, at + size);
    let low = part[0];
    let high = part[0];
    for (const point of part) {
      if (point[1] < low[1]) low = point;
      if (point[1] > high[1]) high = point;
    }
    kept.push(...(low[0] < high[0] ? [low, high] : low === high ? [low] : [high, low]));
  }
  if (kept[kept.length - 1] !== points[points.length - 1]) kept.push(points[points.length - 1]);
  return kept;
}

/**
 * Returns the moving mean over `width` points around each one, fewer at the ends.
 * @param {Point[]} points
 * @param {number} width
 * @returns {Point[]}
 */
export function movingMean(points, width) {
  const half = Math.floor(width / 2);
  let sum = 0;
  let begin = 0;
  let end = 0;
  return points.map(([x], index) => {
    for (; end < Math.min(points.length, index + half + 1); end += 1) sum += points[end][1];
    for (; begin < index - half; begin += 1) sum -= points[begin][1];
    return [x, sum / (end - begin)];
  });
}

/** Places the parts of a timeline. Pure; times in the instance's units. */

import { waitingOf } from "./plan.js";

/** @typedef {{from: number, to: number}} Span */

/**
 * @typedef {object} Bar
 * @property {number} route
 * @property {Span} whole From leaving the depot to the end. The vehicle drives when nothing else is stated.
 * @property {Span[]} wait
 * @property {(Span & {node: number})[]} service
 * @property {Span[]} breaks
 */

/**
 * Returns the bar of a route. A stop's service lasts from its start to its departure, including the breaks in between.
 * @param {import("./plan.js").Route} route
 * @param {number} index
 * @returns {Bar}
 */
export function barOf(route, index) {
  const { stops } = route;
  const breaks = route.breaks.map(({ start, end }) => ({ from: start, to: end }));
  /** @type {Bar} */
  const bar = { route: index, whole: { from: 0, to: 0 }, wait: [], service: [], breaks };
  if (stops.length === 0) return bar;
  const last = stops[stops.length - 1];
  const first = stops[0];
  const from = first.depot ? first.departure : first.arrival;
  bar.whole = { from, to: Math.max(last.arrival, last.depot ? last.arrival : last.departure, ...breaks.map(({ to }) => to)) };
  stops.forEach((stop, at) => {
    if (at === 0 || (stop.depot && at === stops.length - 1)) return;
    if (waitingOf(stop) > 0) bar.wait.push({ from: stop.arrival, to: stop.start });
    bar.service.push({ from: stop.start, to: Math.max(stop.start, stop.departure), node: stop.node });
  });
  return bar;
}

/**
 * Returns the span of all bars, which is never empty; [0, 1] without bars.
 * @param {Bar[]} bars
 * @returns {Span}
 */
export function spanOf(bars) {
  const from = Math.min(...bars.map((bar) => bar.whole.from));
  const to = Math.max(...bars.map((bar) => bar.whole.to));
  if (!Number.isFinite(from) || !Number.isFinite(to)) return { from: 0, to: 1 };
  return to > from ? { from, to } : { from, to: from + 1 };
}

/**
 * Returns the path of all spans as boxes, as `d` of SVG.
 * @param {Span[]} spans
 * @param {(time: number) => number} toX
 * @param {number} y Top.
 * @param {number} height
 * @param {number} [least] Width of the shortest, in pixels.
 */
export function boxes(spans, toX, y, height, least = 0) {
  return spans.map(({ from, to }) => {
    const left = toX(from);
    const width = Math.max(least, toX(to) - left);
    return `M${left.toFixed(1)} ${y}h${width.toFixed(1)}v${height}h${(-width).toFixed(1)}z`;
  }).join("");
}

/**
 * Returns round times for an axis. If the unit is known and they are at most a day apart, they are whole minutes, hours or days.
 * @param {Span} span
 * @param {number} count About how many.
 * @param {number} secondsPerUnit 0: unknown.
 */
export function timeTicks({ from, to }, count, secondsPerUnit) {
  const length = (to - from) / count;
  const seconds = [60, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
  const round = secondsPerUnit > 0 ? seconds.find((step) => step / secondsPerUnit >= length) : undefined;
  const power = 10 ** Math.floor(Math.log10(length));
  const step = round === undefined ? ([1, 2, 5, 10].find((factor) => factor * power >= length) ?? 10) * power : round / secondsPerUnit;
  const ticks = [];
  for (let at = Math.ceil(from / step - 1e-9); at * step <= to + step * 1e-9; at += 1) ticks.push(Number((at * step).toPrecision(12)));
  return ticks;
}

/** The pointer on the plot: tips, selection, and dragging a stop to another place. */

import { routeColour } from "../colours.js";
import { fill, h, s } from "../dom.js";
import { nearestEdge, nearestNode } from "./geometry.js";
import { placesOf } from "./plan.js";

// Largest distances in pixels from the pointer.
const REACH = { mouse: 11, touch: 22 }; // of a stop
const EDGE_REACH = 8; // of an edge that a click selects
const DROP_REACH = 70; // of an edge on which a stop is dropped
const DRAG_START = 5; // pixels after which a press becomes a drag

/** Connects the plot to the pointer. @param {import("./plot.js").Plot} plot */
export function followPointer(plot) {
  /** @type {{node: number, x: number, y: number, moving: boolean, target: any}|null} */
  let drag = null;
  let pressed = { x: 0, y: 0 };
  const where = (/** @type {PointerEvent} */ event) => {
    const bounds = plot.ground.getBoundingClientRect();
    return { x: event.clientX - bounds.left, y: event.clientY - bounds.top,
             reach: event.pointerType === "touch" ? REACH.touch : REACH.mouse };
  };
  const hit = (/** @type {{x: number, y: number, reach: number}} */ { x, y, reach }) =>
    nearestNode(plot.screen, plot.problem.depots, x, y, reach);
  const on = (/** @type {string} */ type, /** @type {(event: any) => void} */ listener) =>
    plot.ground.addEventListener(type, listener, { signal: plot.signal, capture: true });

  on("pointerdown", (event) => {
    const at = where(event);
    pressed = at;
    const node = hit(at);
    const movable = plot.routes.length > 0 && plot.events.canMove(node);
    if (node < 0 || event.button !== 0 || !movable) return;
    drag = { node, ...at, moving: false, target: null };
    plot.camera?.setPanning(false);
    plot.ground.setPointerCapture(event.pointerId);
  });
  on("pointermove", (event) => {
    const at = where(event);
    if (!drag) return showTip(plot, at, hit(at));
    if (!drag.moving && Math.hypot(at.x - drag.x, at.y - drag.y) < DRAG_START) return;
    drag.moving = true;
    plot.tip.hidden = true;
    drag.target = nearestEdge(plot.screen, plot.routes, at.x, at.y, DROP_REACH, drag.node, plot.streets);
    showDrag(plot, drag, at);
  });
  on("pointerup", (event) => {
    const at = where(event);
    const ended = drag;
    stop();
    if (ended?.moving) {
      if (ended.target) plot.events.onMove(ended.node, ended.target);
    } else if (Math.hypot(at.x - pressed.x, at.y - pressed.y) < DRAG_START) {
      choose(plot, at, hit(at));
    }
  });
  on("pointercancel", () => stop());
  on("pointerleave", () => { plot.tip.hidden = true; });
  on("keydown", (event) => { if (event.key === "Escape") stop(); });

  function stop() {
    if (drag) plot.camera?.setPanning(true);
    drag = null;
    plot.layers.drag.replaceChildren();
    plot.ground.classList.remove("dragging");
  }
}

/** @param {import("./plot.js").Plot} plot @param {{x: number, y: number}} at @param {number} node */
function choose(plot, at, node) {
  const place = node >= 0 ? placesOf({ routes: plot.routes }).get(node) : undefined;
  const edge = node >= 0 ? null : nearestEdge(plot.screen, plot.routes, at.x, at.y, EDGE_REACH, -1, plot.streets);
  plot.events.onSelect(place?.route ?? edge?.route ?? null, node >= 0 ? node : null);
}

/** @param {import("./plot.js").Plot} plot @param {{x: number, y: number}} at @param {number} node */
function showTip(plot, at, node) {
  plot.ground.classList.toggle("over-stop", node >= 0);
  plot.tip.hidden = node < 0;
  if (node < 0) return;
  const [first, ...rest] = plot.events.describe(node);
  fill(plot.tip, h("strong", {}, first), rest.map((line) => h("div", {}, line)));
  const { clientWidth } = plot.ground;
  plot.tip.style.left = `${Math.max(4, Math.min(at.x + 14, clientWidth - plot.tip.offsetWidth - 8))}px`;
  plot.tip.style.top = `${Math.max(4, at.y - plot.tip.offsetHeight - 12)}px`;
}

/** Shows where the stop would go. @param {import("./plot.js").Plot} plot @param {any} drag @param {{x: number, y: number}} at */
function showDrag(plot, { target }, at) {
  plot.ground.classList.add("dragging");
  const end = (/** @type {number} */ node) => ({ x: plot.screen[2 * node], y: plot.screen[2 * node + 1] });
  const colour = target ? routeColour(target.route) : "currentColor";
  const lines = target ? [target.before, target.after].map(end).map(({ x, y }) =>
    s("line", { x1: x, y1: y, x2: at.x, y2: at.y, stroke: colour, "stroke-width": 2.5, "stroke-dasharray": "6 5" })) : [];
  fill(plot.layers.drag, lines, s("circle", { cx: at.x, cy: at.y, r: 8, fill: colour, class: "ghost" }));
}

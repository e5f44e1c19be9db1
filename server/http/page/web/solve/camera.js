/**
 * Cameras take base coordinates to the screen. A camera has `transform`, `fit(base)`, `zoom(factor)`, `setPanning(on)`,
 * `size()` and `destroy()`, and calls `onChange` whenever the transform has changed.
 */

import { fitTransform, zoomAt } from "./geometry.js";

const TILE = 256; // pixels of the world at Leaflet's zoom 0
const MAX_FIT_ZOOM = 16; // Leaflet's zoom, for places that are close together

/** A camera for planar instances: drag, wheel, two fingers, arrow keys, + and -. */
export class PlanarCamera {
  /** @param {HTMLElement} host @param {() => void} onChange @param {AbortSignal} signal */
  constructor(host, onChange, signal) {
    this.host = host;
    this.onChange = onChange;
    this.panning = true;
    this.moved = false; // whether the user has moved the view, which a new size then keeps
    this.transform = { scale: 1, dx: 0, dy: 0 };
    /** @type {Map<number, {x: number, y: number}>} */
    this.pointers = new Map();
    const on = (/** @type {string} */ type, /** @type {(event: any) => void} */ listener, options = {}) =>
      host.addEventListener(type, listener, { signal, ...options });
    on("wheel", (event) => this.#wheel(event), { passive: false });
    on("pointerdown", (event) => this.#down(event));
    on("pointermove", (event) => this.#move(event));
    for (const type of ["pointerup", "pointercancel", "lostpointercapture"]) on(type, (event) => this.pointers.delete(event.pointerId));
    on("keydown", (event) => this.#key(event));
    const observer = new ResizeObserver(() => (this.moved || !this.base ? this.onChange() : this.fit(this.base)));
    observer.observe(host);
    signal.addEventListener("abort", () => observer.disconnect());
  }

  size() {
    return { width: this.host.clientWidth, height: this.host.clientHeight };
  }

  /** @param {Float64Array} base */
  fit(base) {
    const { width, height } = this.size();
    this.base = base;
    this.moved = false;
    this.transform = fitTransform(base, width, height);
    this.onChange();
  }

  /** @param {number} factor @param {number} [x] @param {number} [y] */
  zoom(factor, x = this.size().width / 2, y = this.size().height / 2) {
    this.moved = true;
    this.transform = zoomAt(this.transform, factor, x, y);
    this.onChange();
  }

  /** @param {boolean} on */
  setPanning(on) {
    this.panning = on;
    if (!on) this.pointers.clear();
  }

  destroy() {}

  /** @param {number} x @param {number} y */
  #pan(x, y) {
    this.moved = true;
    this.transform = { ...this.transform, dx: this.transform.dx + x, dy: this.transform.dy + y };
    this.onChange();
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    event.preventDefault();
    const bounds = this.host.getBoundingClientRect();
    this.zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0015)), event.clientX - bounds.left, event.clientY - bounds.top);
  }

  /** @param {PointerEvent} event */
  #down(event) {
    if (!this.panning || event.button !== 0 || (/** @type {Element} */ (event.target)).closest("button")) return;
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.host.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before || !this.panning) return;
    const after = { x: event.clientX, y: event.clientY };
    const other = [...this.pointers.entries()].find(([id]) => id !== event.pointerId)?.[1];
    this.pointers.set(event.pointerId, after);
    if (!other) return void this.#pan(after.x - before.x, after.y - before.y);
    const bounds = this.host.getBoundingClientRect();
    const spread = (/** @type {{x: number, y: number}} */ point) => Math.max(1, Math.hypot(point.x - other.x, point.y - other.y));
    this.zoom(spread(after) / spread(before), (after.x + other.x) / 2 - bounds.left, (after.y + other.y) / 2 - bounds.top);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const step = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] }[event.key];
    const factor = { "+": 1.25, "=": 1.25, "-": 0.8 }[event.key];
    if (step) this.#pan(step[0], step[1]);
    else if (factor) this.zoom(factor);
    else if (event.key === "0" && this.base) this.fit(this.base);
    else return;
    event.preventDefault();
  }
}

/** A camera for longitudes and latitudes: Leaflet's map, with tiles if the administrator has named some. */
export class MapCamera {
  /**
   * @param {any} leaflet The module.
   * @param {HTMLElement} host
   * @param {() => void} onChange
   * @param {{mapTiles: string, mapAttribution: string}} settings
   */
  constructor(leaflet, host, onChange, settings) {
    this.leaflet = leaflet;
    this.map = leaflet.map(host, { zoomAnimation: false, fadeAnimation: false, markerZoomAnimation: false, zoomControl: false,
                                   zoomSnap: 0.25, zoomDelta: 0.5, attributionControl: Boolean(settings.mapTiles) });
    this.map.attributionControl?.setPrefix("");
    this.map.setView([0, 0], 2);
    leaflet.control.scale().addTo(this.map);
    if (settings.mapTiles) {
      const text = document.createElement("span");
      text.textContent = settings.mapAttribution; // Leaflet parses credits as HTML
      leaflet.tileLayer(settings.mapTiles, { attribution: text.innerHTML, maxZoom: 19 }).addTo(this.map);
    }
    this.map.on("move zoom viewreset resize", onChange);
    this.observer = new ResizeObserver(() => this.map.invalidateSize({ pan: false }));
    this.observer.observe(host);
  }

  size() {
    const { x, y } = this.map.getSize();
    return { width: x, height: y };
  }

  get transform() {
    const { x, y } = this.map.getPixelBounds().min;
    return { scale: TILE * 2 ** this.map.getZoom(), dx: -x, dy: -y };
  }

  /** @param {Float64Array} base */
  fit(base) {
    const corner = (/** @type {(...values: number[]) => number} */ choose) => {
      let [x, y] = [base[0], base[1]];
      for (let at = 2; at < base.length; at += 2) [x, y] = [choose(x, base[at]), choose(y, base[at + 1])];
      return this.map.unproject([x * TILE, y * TILE], 0);
    };
    this.map.invalidateSize({ pan: false });
    this.map.fitBounds(this.leaflet.latLngBounds(corner(Math.min), corner(Math.max)), { padding: [28, 28], animate: false, maxZoom: MAX_FIT_ZOOM });
  }

  /** @param {number} factor */
  zoom(factor) {
    this.map.setZoom(this.map.getZoom() + Math.log2(factor), { animate: false });
  }

  /** @param {boolean} on */
  setPanning(on) {
    if (on) this.map.dragging.enable();
    else this.map.dragging.disable();
  }

  destroy() {
    this.observer.disconnect();
    this.map.remove();
  }
}

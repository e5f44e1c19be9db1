/**
 * The views of the page. A view is a module in views/ with:
 *
 *   export const title = "Training";  // shown in the browser's tab
 *   export function mount(host, { route, signal }) { ... }
 *
 * mount() builds the view inside the empty element `host`; it may be async. `route` has the parts of the address after
 * the view's name: ["jobs", "7"] for "#training/jobs/7"; a change of the address mounts the view again. `signal` aborts when the
 * user leaves: pass it to call(), stream(), Cell.watch() and addEventListener().
 */

/**
 * @typedef {object} View
 * @property {string} name In the address: "#solve".
 * @property {string} label In the navigation.
 * @property {() => Promise<{title: string, mount: (host: HTMLElement, at: {route: string[], signal: AbortSignal}) => any}>} load
 */

/** @type {View[]} */
export const VIEWS = [
  { name: "solve", label: "Solve", load: () => import("./views/solve.js") },
  { name: "training", label: "Training", load: () => import("./views/training.js") },
  { name: "models", label: "Models", load: () => import("./views/models.js") },
  { name: "server", label: "Server", load: () => import("./views/server.js") },
];

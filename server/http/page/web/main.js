/** Starts the page: connects, and shows the view that the address names. */

import { connect, showSession } from "./connection.js";
import { fill, h } from "./dom.js";
import { clearNotices, showError } from "./notices.js";
import { session } from "./store.js";
import { VIEWS } from "./views.js";

let leave = new AbortController();

/** @returns {{view: import("./views.js").View, route: string[]}} */
function locate() {
  const [name, ...route] = location.hash.slice(1).split("/").map(decodeURIComponent);
  return { view: VIEWS.find((view) => view.name === name) ?? VIEWS[0], route };
}

async function show() {
  leave.abort();
  leave = new AbortController();
  const { signal } = leave;
  const { view, route } = locate();
  for (const link of document.querySelectorAll("#views a")) {
    if (link.getAttribute("href") === `#${view.name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const main = /** @type {HTMLElement} */ (document.getElementById("main"));
  try {
    const module = await view.load();
    if (signal.aborted) return;
    document.title = `${module.title} · vrpd`;
    const host = h("div", { class: `view view-${view.name}` });
    fill(main, host);
    await module.mount(host, { route, signal });
  } catch (error) {
    if (!signal.aborted) showError(error, `Opening ${view.label}`);
  }
}

function start() {
  fill(/** @type {HTMLElement} */ (document.getElementById("views")),
    VIEWS.map((view) => h("a", { href: `#${view.name}` }, view.label)));
  document.querySelector(".skip-link")?.addEventListener("click", (event) => {
    event.preventDefault();
    document.getElementById("main")?.focus();
  });
  addEventListener("hashchange", () => {
    clearNotices();
    scrollTo(0, 0);
    show();
  });
  showSession();
  let state = session.value.state;
  session.watch((value) => {
    // A view that could not load its data, for want of a token, is reloaded.
    if (value.state === "ready" && state !== "connecting" && state !== "ready") show();
    state = value.state;
  });
  connect();
  show();
}

start();

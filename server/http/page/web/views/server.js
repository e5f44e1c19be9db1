/** The Server view: what the daemon does now, and what it allows. */

import { call } from "../api.js";
import { fill, h } from "../dom.js";
import { dateTime } from "../format.js";
import { poll } from "../live.js";
import { ServerCharts } from "../server/charts.js";
import { SolveJobs } from "../server/solve_jobs.js";
import { sample } from "../server/stats.js";
import { drawCalls, drawDevices, drawJobs, drawLimits, drawQueues, drawSettings, drawSolves, figuresOf } from "../server/tables.js";
import { session, kept } from "../store.js";
import { loadStyle } from "../style_sheets.js";

export const title = "Server";

const POLL_MS = 1500;
const KEPT_SECONDS = 300;

/** Keeps the samples while the user looks at another view. @returns {{before: any, samples: import("../server/stats.js").Sample[]}} */
function memory() {
  if (!kept.has("server")) kept.set("server", { before: null, samples: [] });
  return kept.get("server");
}

/** @param {string} name @param {HTMLElement} body */
const panel = (name, body) => h("section", { class: "panel" }, h("div", { class: "panel-head" }, h("h2", {}, name)), body);

function build() {
  const body = () => h("div", { class: "panel-body" });
  return { head: h("div", { class: "view-head" }), figures: h("dl", { class: "figures" }), charts: h("div", { class: "server-charts" }), queues: body(), jobs: body(), calls: body(),
           solves: body(), solveJobs: body(), devices: body(), limits: body(), settings: body(), versions: h("p", { class: "hint" }) };
}

/** @param {ReturnType<typeof build>} parts @param {any} stats @param {any} info */
function drawHead(parts, stats, info) {
  const notReady = stats.notReady ?? [];
  fill(parts.head, h("div", { class: "row" }, h("h1", {}, "Server"), h("span", { class: `badge ${notReady.length === 0 ? "good" : "bad"}`, "data-ready": notReady.length === 0 },
    notReady.length === 0 ? "ready" : `not ready: ${notReady.join(", ")}`)), parts.versions);
  parts.versions.textContent = info ? [`vrpd ${info.version}${info.gitCommit ? ` (${info.gitCommit})` : ""}`, info.torchVersion ? `LibTorch ${info.torchVersion}` : "without LibTorch",
                                       `started ${dateTime(info.startTime)}`].join(" · ") : "";
}

/** @param {HTMLElement} host @param {{signal: AbortSignal}} at */
export async function mount(host, { signal }) {
  await Promise.all([loadStyle("/page/style/manage.css"), loadStyle("/page/style/server.css")]);
  if (signal.aborted) return;
  const parts = build();
  const view = h("div", { class: "manage" }, parts.head, h("section", { class: "panel panel-body" }, parts.figures), parts.charts,
    h("div", { class: "server-columns" }, panel("Queues", parts.queues), panel("Jobs", parts.jobs)),
    panel("Solve jobs", parts.solveJobs), h("div", { class: "server-columns" }, panel("Calls since the start", parts.calls), h("div", { class: "stack" },
      panel("Plans since the start", parts.solves), panel("Devices", parts.devices))),
    h("div", { class: "server-columns" }, panel("Limits", parts.limits), panel("Settings that are not the defaults", parts.settings)));
  const rights = h("div", {});
  fill(host, rights, view);
  session.watch(({ state, canSolve }) => {
    host.classList.toggle("read-only", !canSolve);
    fill(rights, state === "ready" && !canSolve && h("div", { class: "notice info static" }, h("div", { class: "notice-text" },
      h("strong", {}, "This token can look, but not act"), h("p", {}, "Stopping and deleting solve jobs needs a token with the role solve."))));
  }, signal);
  let info = /** @type {any} */ (null);
  const charts = new ServerCharts(parts.charts);
  new SolveJobs(parts.solveJobs, signal).open();
  await poll("Loading the server's figures", POLL_MS, signal, async () => {
    const stats = await call("GetServerStats", {}, { signal });
    const store = memory();
    if (!info || store.before?.startTime !== stats.startTime) {
      info = await call("GetServerInfo", {}, { signal });
      drawLimits(parts.limits, info);
      drawSettings(parts.settings, info);
    }
    if (store.before?.startTime !== stats.startTime) Object.assign(store, { before: null, samples: [] });
    if (store.before) store.samples.push(sample(stats, store.before));
    store.before = stats;
    const now = Date.parse(stats.time) / 1000;
    store.samples = store.samples.filter(({ time }) => now - time < KEPT_SECONDS);
    draw(parts, stats, info, store.samples);
    charts.draw(store.samples);
  });
}

/** @param {ReturnType<typeof build>} parts @param {any} stats @param {any} info @param {import("../server/stats.js").Sample[]} samples */
function draw(parts, stats, info, samples) {
  drawHead(parts, stats, info);
  fill(parts.figures, figuresOf(stats, info, samples[samples.length - 1]).map(([key, label, value, small]) =>
    h("div", {}, h("dt", {}, label), h("dd", { "data-figure": key }, value, small && h("small", {}, ` ${small}`)))));
  drawQueues(parts.queues, stats);
  drawJobs(parts.jobs, stats);
  drawCalls(parts.calls, stats);
  drawSolves(parts.solves, stats);
  drawDevices(parts.devices, info, stats);
}

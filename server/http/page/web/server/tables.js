/** The tables of the Server view. */

import { fill, h } from "../dom.js";
import { bytes, number, percent, plural, secondsOf, span } from "../format.js";
import { idOf, lookOf, shareOf, stateOf } from "../training/job.js";
import { count, failures, isStream, latency, quantile, requests } from "./stats.js";

/** @param {any[]} head Texts; ["num", text] aligns right, ["roomy", text] is left out on small screens. @param {any[]} rows */
const table = (head, rows) => h("div", { class: "table-wrap" }, h("table", { class: "data" },
  h("thead", {}, h("tr", {}, head.map((one) => (Array.isArray(one) ? h("th", { class: one[0] }, one[1]) : h("th", {}, one))))), h("tbody", {}, rows)));

/** @param {HTMLElement} host @param {any} stats */
export function drawQueues(host, stats) {
  fill(host, table(["Queue", "Waiting", ["num roomy", "Threads"], ["num", "Median wait"], ["num roomy", "95 %"]], (stats.queues ?? []).map((/** @type {any} */ queue) => h("tr", { "data-queue": queue.queue },
    h("td", {}, queue.queue), h("td", { class: "load" }, h("progress", { max: Math.max(1, count(queue.capacity)), value: count(queue.waiting), "aria-label": "Waiting share of the capacity" }),
      h("small", { class: "muted" }, `${number(count(queue.waiting))} of ${number(count(queue.capacity))}`)),
    h("td", { class: "num roomy" }, queue.threads ?? 0), h("td", { class: "num" }, latency(quantile(queue.wait ?? {}, 0.5))), h("td", { class: "num roomy" }, latency(quantile(queue.wait ?? {}, 0.95)))))));
}

/** @param {HTMLElement} host @param {any} stats */
export function drawCalls(host, stats) {
  const rpcs = [...(stats.rpcs ?? [])].sort((a, b) => requests(b) - requests(a));
  if (rpcs.length === 0) return fill(host, h("p", { class: "hint" }, "No calls yet."));
  return fill(host, table(["Call", ["num", "Requests"], ["num", "Failed"], ["num roomy", "Now"], ["num", "Median"], ["num roomy", "95 %"], ["num roomy", "Mean"]], rpcs.map((rpc) => {
    const ended = count(rpc.duration?.count);
    const failed = failures(rpc);
    const codes = (rpc.outcomes ?? []).filter((/** @type {any} */ one) => one.code !== "OK" && one.code !== "CANCELLED").map((/** @type {any} */ one) => `${one.code} (${one.reason}): ${number(count(one.requests))}`);
    const duration = (/** @type {number} */ value) => h("td", { class: "num" }, isStream(rpc.rpc) ? "stream" : latency(value));
    return h("tr", { "data-rpc": rpc.rpc }, h("td", {}, rpc.rpc.split("/")[1]), h("td", { class: "num" }, number(requests(rpc))),
      h("td", { class: "num", title: codes.join("\n") }, failed > 0 ? h("span", { class: "failed" }, number(failed)) : "0"), h("td", { class: "num roomy" }, number(count(rpc.inFlight))),
      duration(quantile(rpc.duration ?? {}, 0.5)), h("td", { class: "num roomy" }, isStream(rpc.rpc) ? "" : latency(quantile(rpc.duration ?? {}, 0.95))),
      h("td", { class: "num roomy" }, isStream(rpc.rpc) || ended === 0 ? "" : latency((rpc.duration?.sumSeconds ?? 0) / ended)));
  })));
}

/** @param {HTMLElement} host @param {any} stats */
export function drawSolves(host, stats) {
  const solves = stats.solves ?? [];
  if (solves.length === 0) return fill(host, h("p", { class: "hint" }, "Nothing has been solved since the start."));
  return fill(host, table(["Strategy", ["num", "Plans"], ["num", "Median time"], ["num", "Mean"]], solves.map((/** @type {any} */ { strategy, duration }) => h("tr", {},
    h("td", {}, strategy), h("td", { class: "num" }, number(count(duration?.count))), h("td", { class: "num" }, latency(quantile(duration ?? {}, 0.5))),
    h("td", { class: "num" }, latency((duration?.sumSeconds ?? 0) / Math.max(1, count(duration?.count))))))));
}

/** Shows the jobs that run, and how many wait or have ended. @param {HTMLElement} host @param {any} stats */
export function drawJobs(host, stats) {
  const active = stats.activeJobs ?? [];
  const counts = (stats.jobs ?? []).map((/** @type {any} */ one) => h("span", { class: `badge ${lookOf(one.state ?? "").tone}` },
    `${one.kind}: ${number(count(one.count))} ${lookOf(one.state ?? "").label}`));
  fill(host, h("div", { class: "stack" }, active.length === 0 ? h("p", { class: "hint" }, "No job runs now.") : active.map((/** @type {any} */ job) => {
    const training = job.name.startsWith("trainingJobs/");
    const search = secondsOf(job.solve?.searchTime);
    const share = training ? shareOf({ state: job.state, progress: job.training }) : search / Math.max(0.001, secondsOf(job.budget));
    return h("div", { class: "active-job" }, h("div", { class: "row" }, training ? h("a", { href: `#training/jobs/${idOf(job.name)}` }, `Training ${idOf(job.name)}`) : h("strong", {}, `Solve job ${idOf(job.name)}`),
      h("span", { class: `badge ${lookOf(stateOf(job)).tone}` }, lookOf(stateOf(job)).label)),
    h("progress", { max: 1, value: Math.min(1, share), "aria-label": "Progress" }),
    h("small", { class: "muted" }, training ? `step ${number(count(job.training?.step))} of ${number(count(job.training?.totalSteps))}` : `${span(search)} of ${span(secondsOf(job.budget))}, cost ${number(job.solve?.cost ?? 0)}`));
  }), counts.length > 0 && h("div", { class: "chips" }, counts)));
}

/** @param {HTMLElement} host @param {any} info @param {any} stats */
export function drawDevices(host, info, stats) {
  const live = new Map((stats.devices ?? []).map((/** @type {any} */ device) => [device.id, device]));
  const known = (info?.devices ?? []).map((/** @type {any} */ device) => ({ ...device, live: live.get(device.id) }));
  const others = (stats.devices ?? []).filter((/** @type {any} */ device) => !known.some((/** @type {any} */ one) => one.id === device.id)).map((/** @type {any} */ device) => ({ ...device, live: device, unused: true }));
  fill(host, h("div", { class: "stack" }, info?.deviceLoss && h("p", { class: "field-error" }, info.deviceLoss), [...known, ...others].map((device) => deviceFacts(device, info?.defaultDevice)),
    stats.driverError && h("p", { class: "hint" }, `No figures of GPUs: ${stats.driverError}`)));
}

/** @param {any} device @param {string} used */
function deviceFacts(device, used) {
  const { live } = device;
  const fact = (/** @type {string} */ label, /** @type {any} */ value) => value !== undefined && value !== false && h("div", {}, h("dt", {}, label), h("dd", {}, value));
  const memory = live?.memoryTotalBytes ?? device.memoryBytes;
  return h("div", { class: "device", "data-device": device.id }, h("div", { class: "row" }, h("h3", {}, device.id), device.name && h("span", { class: "muted" }, device.name),
    device.id === used && h("span", { class: "badge good" }, "default"), device.unused && h("span", { class: "badge" }, "not used by vrpd")),
  live?.error && h("p", { class: "field-error" }, live.error),
  h("dl", { class: "facts" }, fact("Memory", memory !== undefined && (live?.memoryUsedBytes === undefined ? bytes(count(memory)) : `${bytes(count(live.memoryUsedBytes))} of ${bytes(count(memory))}`)),
    fact("Use", live?.utilization !== undefined && percent(live.utilization, 0)), fact("Memory use", live?.memoryUtilization !== undefined && percent(live.memoryUtilization, 0)),
    fact("Trains", live?.trainingJobs?.length > 0 && live.trainingJobs.join(", ")), fact("Tensors", live?.memoryAllocatedBytes !== undefined && bytes(count(live.memoryAllocatedBytes))),
    fact("Temperature", live?.temperatureCelsius !== undefined && `${live.temperatureCelsius} °C`),
    fact("Power", live?.powerWatts !== undefined && `${number(live.powerWatts, 0)}${live.powerLimitWatts ? ` of ${number(live.powerLimitWatts, 0)}` : ""} W`),
    fact("Driver", live?.driverVersion), !device.unused && fact("Mixed precision", device.ampSupported ? "supported" : "no gain here")));
}

const LIMITS = /** @type {[string, string, (value: number) => string][]} */ ([
  ["maxThreads", "Threads", number], ["maxNodes", "Depots and customers of an instance", number], ["maxMatrixNodes", "With a distance matrix", number],
  ["maxBudgetMs", "Budget of a solve", (value) => span(value / 1000)], ["maxSolveJobBudgetMs", "Budget of a solve job", (value) => span(value / 1000)],
  ["maxQueuedSolves", "Waiting solves", number], ["maxQueuedJobs", "Waiting jobs of a kind", number], ["maxMessageBytes", "Size of a message", bytes],
  ["maxRequestMemoryBytes", "Memory of requests being received", bytes], ["maxConnections", "Connections", number], ["maxOpenStreams", "Open streams", number],
  ["maxCallsPerConnection", "Calls of a connection at once", number],
]);

/** @param {HTMLElement} host @param {any} info */
export function drawLimits(host, info) {
  fill(host, h("dl", { class: "facts" }, LIMITS.map(([field, label, format]) => h("div", {}, h("dt", {}, label), h("dd", {}, format(count(info.limits?.[field])))))));
}

/** Shows the settings that are not the defaults. @param {HTMLElement} host @param {any} info */
export function drawSettings(host, info) {
  const settings = info.settings ?? [];
  if (settings.length === 0) return fill(host, h("p", { class: "hint" }, "All settings have their defaults."));
  host.classList.add("settings-changed");
  return fill(host, table(["Setting", "Value", ["roomy", "Default"]], settings.map((/** @type {any} */ one) => h("tr", {}, h("td", { class: "mono" }, one.key),
    h("td", { class: "mono setting-value" }, one.value ?? ""), h("td", { class: "roomy muted" }, one.defaultValue ?? "")))));
}

/** @param {any} stats @param {any} info @param {import("./stats.js").Sample|undefined} last @returns {[string, string, string, string][]} Key, label, value and addition. */
export function figuresOf(stats, info, last) {
  const inFlight = (stats.rpcs ?? []).reduce((/** @type {number} */ all, /** @type {any} */ rpc) => all + count(rpc.inFlight), 0);
  return [
    ["uptime", "Up for", span((Date.parse(stats.time) - Date.parse(stats.startTime)) / 1000), ""],
    ["requests", "Requests", last ? number(last.requests, 1) : "–", "per second"],
    ["latency", "Latency", last ? latency(last.median) : "–", last && Number.isFinite(last.p95) ? `95 %: ${latency(last.p95)}` : ""],
    ["cores", "Busy cores", last ? number(last.cores, 1) : "–", info ? `of ${info.threads}` : ""],
    ["memory", "Memory", bytes(count(stats.process?.residentBytes)), ""],
    ["calls", "Calls now", number(inFlight), plural(stats.openStreams ?? 0, "stream")],
    ["models", "Models in memory", number(stats.modelsLoaded ?? 0), `of ${number(stats.modelsAvailable ?? 0)}`],
  ];
}

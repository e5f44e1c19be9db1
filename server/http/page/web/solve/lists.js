/** The lists of unserved customers and of violations. */

import { fill, h } from "../dom.js";
import { number } from "../format.js";
import { messageOf } from "./plan.js";

/** @typedef {import("./workspace.js").Workspace} Workspace */

/** @param {HTMLElement} host @param {Workspace} workspace */
export function drawUnserved(host, workspace) {
  const { plan, problem } = workspace;
  if (!plan || !problem) return fill(host, h("p", { class: "hint" }, "Customers that no route serves are listed here, with the reason."));
  if (plan.unserved.length === 0) return fill(host, h("p", { class: "hint" }, "Every customer is served."));
  return fill(host, h("div", { class: "table-wrap" }, h("table", { class: "data" },
    h("thead", {}, h("tr", {}, h("th", {}, "Customer"), h("th", { class: "num" }, "Demand"), h("th", {}, "Reason"))),
    h("tbody", {}, plan.unserved.map((one) => h("tr", {},
      h("td", {}, h("button", { type: "button", class: "link", onclick: () => workspace.select(null, one.node) }, one.id || String(one.node))),
      h("td", { class: "num" }, (problem.nodes[one.node]?.demand ?? []).map((load) => number(load)).join(" / ")),
      h("td", {}, one.reason)))))));
}

/** @param {HTMLElement} host @param {Workspace} workspace */
export function drawViolations(host, workspace) {
  const { verdict, violations, running } = workspace;
  if (!verdict) return fill(host, h("p", { class: "hint" }, running ? "The independent checker judges the plan when the search ends." : "No plan has been checked yet."));
  if (violations.length === 0) return fill(host, h("p", { class: "hint" }, "The independent checker found no violation."));
  return fill(host, h("div", { class: "table-wrap" }, h("table", { class: "data" },
    h("thead", {}, h("tr", {}, h("th", {}, "Kind"), h("th", {}, "Where"), h("th", {}, "What"))),
    h("tbody", {}, violations.map((one) => h("tr", {},
      h("td", {}, one.kind.replaceAll("_", " ")),
      h("td", {}, one.route === undefined && one.node === undefined ? "the plan" : h("button", { type: "button", class: "link",
        onclick: () => workspace.select(one.route ?? null, one.node ?? null) },
      [one.route !== undefined && `Route ${one.route + 1}`, one.node !== undefined && `customer ${workspace.problem?.nodes[one.node]?.id ?? one.node}`].filter(Boolean).join(", "))),
      h("td", {}, messageOf(one.message))))))));
}

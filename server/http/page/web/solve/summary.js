/** The figures of the plan, and the note on the last change by hand. */

import { extent, linePath, thin } from "../chart_math.js";
import { fill, h, s, setText } from "../dom.js";
import { cost, distance, duration, number, percent, plural, signed, signedPercent, span } from "../format.js";

const ENDS = /** @type {Record<string, string>} */ ({
  END_REASON_BUDGET: "budget used", END_REASON_OPTIMAL: "proven optimal", END_REASON_TARGET: "target reached",
  END_REASON_NO_IMPROVEMENT: "no better plan came", END_REASON_LOCAL_OPTIMUM: "local optimum", END_REASON_ITERATIONS: "all iterations done",
  END_REASON_FINISHED: "finished", END_REASON_DEADLINE: "deadline", END_REASON_SHUTDOWN: "the server is shutting down" });

const TITLES = /** @type {Record<string, string>} */ ({
  Habits: "Mean probability with which the drivers drive a leg of the plan, by the habit model",
  "Added cost": "What the weight of the habits added to the cost in the search; it is no part of the plan's cost" });
const SPARK = { width: 150, height: 40, points: 150 }; // size in pixels, and the limit of thin()

/** @typedef {import("./workspace.js").Workspace} Workspace */

/** Returns "Started from 2026-09-28 of past, which had 4 stops of this instance and 2 others." @param {any} day SimilarDayReport */
export function similarDayText({ history, day, commonStops = 0, pastStops = 0 }) {
  const name = history.replace("datasets/", "");
  return day ? `Started from ${day} of ${name}, which had ${plural(commonStops, "stop")} of this instance and ${pastStops - commonStops} others.`
    : `No day of ${name} has a stop of this instance.`;
}

/** Returns the mean probability of a leg; null without legs. @param {any} habits PlanHabits */
export const meanProbability = ({ logProbability = 0, legs = 0 }) => (Number(legs) > 0 ? Math.exp(logProbability / Number(legs)) : null);

/** Returns "Turned 3 routes and gave 2 routes to other drivers, as is usual."; empty if nothing happened. @param {any} habits PlanHabits */
export function usualRoutesText({ turnedRoutes = 0, movedRoutes = 0 }) {
  const parts = [turnedRoutes > 0 && `turned ${plural(turnedRoutes, "route")}`, movedRoutes > 0 && `gave ${plural(movedRoutes, "route")} to other drivers`];
  const text = parts.filter(Boolean).join(" and ");
  return text && `${text[0].toUpperCase()}${text.slice(1)}, as is usual.`;
}

/**
 * Returns what a planner should know of the answer: its start, changes by habits, why a model was not used, stops that
 * were taken out, and missing streets.
 * @param {Workspace} workspace
 */
function noteOf({ response, plan }) {
  const dropped = response?.initialSolution?.droppedVisits?.length ?? 0;
  const note = response?.policyNote ? `${response.policyNote[0].toUpperCase()}${response.policyNote.slice(1)}.` : "";
  return [response?.similarDay && similarDayText(response.similarDay), response?.habits && usualRoutesText(response.habits), note,
          dropped > 0 && `${plural(dropped, "stop")} of the previous plan broke a constraint and had to be planned again.`,
          plan?.geometryNote && `The plot lacks the streets: ${plan.geometryNote}`]
    .filter(Boolean).join(" ");
}

/** Whether durations tell more than distances: there are windows, or travel times, service or breaks. @param {Workspace} workspace */
const hasOwnTimes = ({ problem, plan }) =>
  Boolean(problem?.hasWindows || (plan && Math.abs(plan.duration - plan.distance) > 1e-9 * plan.distance));

/** Returns the spread between routes in the unit of its measure. @param {Workspace} workspace @param {number} spread */
function spreadText({ data, plan }, spread) {
  const measure = data?.balance?.measure;
  if (measure === "duration") return duration(spread, plan?.units);
  return measure === "distance" ? distance(spread, plan?.units) : number(spread);
}

export class Summary {
  /** @param {HTMLElement} host */
  constructor(host) {
    /** @type {Map<string, HTMLElement>} */
    this.values = new Map();
    const figure = (/** @type {string} */ name) => {
      const value = h("dd", { "data-figure": name.toLowerCase().replace(" ", "-"), title: TITLES[name] ?? false }, "–");
      this.values.set(name, value);
      return h("div", {}, h("dt", {}, name), value);
    };
    this.badge = h("span", { class: "badge", hidden: true });
    this.progress = h("progress", { max: 1, value: 0, hidden: true, "aria-label": "Share of the budget used" });
    this.list = h("dl", { class: "figures" }, ["Cost", "Gap", "Routes", "Distance", "Duration", "Spread", "Unserved", "Habits", "Added cost", "Time"].map(figure));
    this.note = h("p", { class: "hint" });
    this.line = s("path", { fill: "none" });
    this.spark = s("svg", { class: "spark", width: SPARK.width, height: SPARK.height, "aria-hidden": "true" }, s("title", {}, "Cost over time"), this.line);
    fill(host, this.list, h("div", { class: "summary-row" }, this.badge, this.spark), this.note, this.progress);
  }

  /** @param {string} name @param {string|null} text Null hides the figure. */
  #set(name, text) {
    const value = /** @type {HTMLElement} */ (this.values.get(name));
    /** @type {HTMLElement} */ (value.parentElement).hidden = text === null;
    if (text !== null) setText(value, text);
  }

  /** @param {Workspace} workspace */
  draw(workspace) {
    const { plan, response } = workspace;
    const units = plan?.units;
    const reference = workspace.referenceCost;
    this.#set("Cost", plan ? cost(plan.cost, units) : "–");
    this.#set("Gap", plan && reference ? percent((plan.cost - reference) / reference) : null);
    this.#set("Routes", plan ? number(plan.routes.length) : "–");
    this.#set("Distance", plan && units?.cost !== "COST_UNIT_DISTANCE" && plan.distance !== plan.cost ? distance(plan.distance, units) : null);
    this.#set("Duration", plan && hasOwnTimes(workspace) ? duration(plan.duration, units) : null);
    this.#set("Spread", plan?.spread === undefined ? null : spreadText(workspace, plan.spread));
    this.#set("Unserved", plan ? number(plan.unserved.length) : "–");
    this.#drawHabits(workspace);
    this.#drawBadge(workspace);
    this.#drawSpark(workspace.curve);
    setText(this.note, noteOf(workspace));
    this.note.hidden = this.note.textContent === "";
    this.drawTime(workspace);
  }

  /** @param {Workspace} workspace */
  #drawHabits({ response, plan }) {
    const habits = response?.habits;
    const mean = habits && meanProbability(habits);
    this.#set("Habits", habits ? (mean === null ? "–" : `${percent(mean, 1)} a leg`) : null);
    this.#set("Added cost", habits ? cost(habits.cost ?? 0, plan?.units) : null);
  }

  /** @param {Workspace} workspace */
  #drawBadge({ plan, verdict, violations, running, response }) {
    this.badge.hidden = !plan;
    const missing = plan?.unserved.length ?? 0;
    const [kind, text] = running ? ["", "searching"]
      : !verdict ? ["", "not checked"]
      : violations.length > 0 ? ["bad", plural(violations.length, "violation")]
      : missing > 0 ? ["warn", `${missing} unserved`] : ["good", "all served, checked"];
    this.badge.className = `badge ${kind}`;
    setText(this.badge, response && !running && ENDS[response.endReason] ? `${text} · ${ENDS[response.endReason]}` : text);
  }

  /** Draws the curve of the best cost small; the tab has it with its axes. @param {[number, number][]} curve */
  #drawSpark(curve) {
    this.spark.style.visibility = curve.length > 1 ? "" : "hidden";
    const points = thin(curve, SPARK.points);
    const [left, right] = extent(points.map(([x]) => x));
    const [low, high] = extent(points.map(([, y]) => y));
    this.line.setAttribute("d", linePath(points, (x) => 2 + ((x - left) / (right - left)) * (SPARK.width - 4),
      (y) => 3 + ((high - y) / (high - low)) * (SPARK.height - 6), true));
  }

  /** Shows the time that the search has taken so far, or that it took. @param {Workspace} workspace */
  drawTime(workspace) {
    const { running, begun, settings, curve } = workspace;
    const elapsed = running ? (performance.now() - begun) / 1000 : curve.at(-1)?.[0];
    this.#set("Time", elapsed === undefined ? null : span(elapsed));
    this.progress.hidden = !running;
    this.progress.value = running ? Math.min(1, (elapsed ?? 0) / Number(settings.budget)) : 0;
  }
}

/**
 * Shows the last change by hand with its cost, and takes it back on demand.
 * @param {HTMLElement} host
 * @param {Workspace} workspace
 */
export function drawEdit(host, workspace) {
  const { edit, plan } = workspace;
  host.hidden = !edit;
  if (!edit || !plan) return;
  const difference = edit.after - edit.before;
  const share = edit.before === 0 ? "" : ` (${signedPercent(difference / edit.before)})`;
  fill(host, h("span", { class: "edit-text" }, h("strong", {}, edit.text), ": cost ",
    h("span", { class: difference > 0 ? "worse" : "better", "data-difference": String(difference) }, signed(difference), share),
    `, now ${cost(edit.after, plan.units)}`),
    h("span", { class: `badge ${edit.feasible ? "good" : "bad"}` }, edit.feasible ? "feasible, checked" : "breaks constraints"),
    h("button", { type: "button", class: "small", onclick: () => workspace.undo() }, "Undo"));
}

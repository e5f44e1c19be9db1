/** The state of the Solve view: instance, settings, plan, and the calls that change them. It outlives the view. */

import { ApiError, call, isAbort, stream } from "../api.js";
import { durationText, secondsOf } from "../format.js";
import { freezeRoutes, frozenOf, thawTypes } from "./freeze.js";
import { instanceFile } from "./loading.js";
import { completePlan, moveVisit, skeleton, toSolution } from "./plan.js";
import { readProblem } from "./problem.js";

/**
 * @typedef {object} Verdict The result of the independent checker.
 * @property {boolean} feasible
 * @property {{kind: string, route?: number, node?: number, amount?: number, message: string}[]} violations
 */

/**
 * @typedef {object} Edit A change by hand.
 * @property {string} text
 * @property {number} before Cost.
 * @property {number} after
 * @property {boolean} feasible
 */

/** @typedef {{route: number|null, node: number|null}} Selection */
/** @typedef {"instance"|"plan"|"verdict"|"selection"|"running"|"frozen"} Change The part that a listener must redraw. */

export class Workspace {
  constructor() {
    /** @type {Set<(change: Change) => void>} */
    this.listeners = new Set();
    this.settings = { budget: "5", stopEarly: false, strategy: "STRATEGY_AUTO", model: "", habitWeight: "", fromPlan: false, history: "",
                      roads: "" };
    this.loaded = /** @type {import("./loading.js").Loaded|null} */ (null);
    this.data = /** @type {any} */ (null); // the instance in the project's JSON
    this.problem = /** @type {import("./problem.js").Problem|null} */ (null);
    this.plan = /** @type {import("./plan.js").Plan|null} */ (null);
    this.verdict = /** @type {Verdict|null} */ (null);
    this.response = /** @type {any} */ (null); // SolveResponse
    this.curve = /** @type {[number, number][]} */ ([]); // seconds and cost of each better plan and of the answer
    this.frozen = /** @type {Set<number>} */ (new Set()); // routes
    this.selected = /** @type {Selection} */ ({ route: null, node: null });
    this.edit = /** @type {Edit|null} */ (null);
    this.undos = /** @type {any[]} */ ([]);
    this.begun = 0; // start of the search, by performance.now()
    this.abort = /** @type {AbortController|undefined} */ (undefined); // ends the running search
  }

  /** Ends the search, and forgets the instance and its plan. */
  clear() {
    this.stop();
    Object.assign(this, { loaded: null, data: null, problem: null });
    this.#clearPlan();
  }

  #clearPlan() {
    Object.assign(this, { plan: null, verdict: null, response: null, curve: [], frozen: new Set(), selected: { route: null, node: null },
                          edit: null, undos: [] });
  }

  /** @param {(change: Change) => void} listener @param {AbortSignal} signal */
  watch(listener, signal) {
    this.listeners.add(listener);
    signal.addEventListener("abort", () => this.listeners.delete(listener));
  }

  /** @param {Change} change */
  #tell(change) {
    for (const listener of [...this.listeners]) listener(change);
  }

  /** Takes an instance that can be solved. @param {import("./loading.js").Loaded} loaded */
  open(loaded) {
    this.clear();
    this.loaded = loaded;
    this.data = loaded.data;
    this.problem = loaded.problem;
    Object.assign(this.settings, { fromPlan: false, roads: loaded.roads });
    this.#tell("instance");
  }

  get running() {
    return this.abort !== undefined;
  }

  get file() {
    return this.#fileOf(this.data);
  }

  /** @param {any} data */
  #fileOf(data) {
    const { roads } = this.settings;
    return { ...instanceFile(this.loaded?.name ?? "instance", data), ...(roads ? { roadNetwork: roads } : {}) };
  }

  /** Whether the plan follows a road network, of all vehicles or of some. */
  get onRoads() {
    return this.settings.roads !== "" || (this.problem?.vehicles ?? []).some((vehicle) => Boolean(vehicle.road_network));
  }

  /** Fields of requests that ask for the streets. */
  get geometry() {
    return this.onRoads ? { includeGeometry: true } : {};
  }

  /** The best known cost, if there is one for these distances. */
  get referenceCost() {
    return this.response?.referenceCost ?? (this.onRoads ? undefined : this.data?.ref_cost);
  }

  /**
   * Solves, with every better plan shown as it arrives. Throws what the call throws, except after stop().
   * @param {any} request Fields of SolveRequest besides the instance and the start.
   */
  async solve(request) {
    const keep = this.plan && (this.settings.fromPlan || this.frozen.size > 0);
    const parts = keep && this.plan ? freezeRoutes(this.data, this.plan, this.frozen) : null;
    const message = { ...request, ...this.geometry, file: this.#fileOf(parts ? parts.data : this.data) };
    if (parts) message.initialSolution = parts.initial;
    else if (this.settings.history) message.similarDay = { history: this.settings.history };
    const adopt = (/** @type {any} */ solution, /** @type {string} */ geometryNote = "") => {
      const plan = completePlan(solution, geometryNote);
      return parts ? thawTypes(plan, parts, this.data) : plan;
    };
    const { plan, verdict, response, curve, edit, undos, frozen } = this;
    const abort = this.#begin();
    try {
      for await (const { improvement, response } of stream("StreamSolve", message, { signal: abort.signal })) {
        if (improvement) this.#improve(adopt(improvement.solution), secondsOf(improvement.elapsed));
        if (response) this.#finish(adopt(response.solution, response.geometryNote), response, parts !== null);
      }
    } catch (error) {
      const nothingCame = this.curve.length === 0 && abort === this.abort;
      if (nothingCame) Object.assign(this, { plan, verdict, response, curve, edit, undos, frozen });
      if (!isAbort(error)) throw error;
      if (this.plan && !nothingCame && abort === this.abort) await this.check();
    } finally {
      if (abort === this.abort) {
        this.abort = undefined;
        this.#tell("running");
      }
    }
  }

  #begin() {
    this.stop();
    const abort = new AbortController();
    this.abort = abort;
    Object.assign(this, { curve: [], edit: null, undos: [], verdict: null, response: null, begun: performance.now() });
    this.#tell("running");
    return abort;
  }

  /** @param {import("./plan.js").Plan} plan @param {number} seconds */
  #improve(plan, seconds) {
    this.plan = plan;
    this.frozen = frozenOf(plan);
    this.curve.push([seconds, plan.cost]);
    this.#tell("plan");
  }

  /** @param {import("./plan.js").Plan} plan @param {any} response @param {boolean} changed Whether the search had a changed instance. */
  #finish(plan, response, changed) {
    this.plan = plan;
    this.frozen = frozenOf(plan);
    this.response = response;
    this.verdict = { feasible: response.feasible ?? false, violations: response.violations ?? [] };
    this.curve.push([secondsOf(response.times?.total), plan.cost]);
    this.#tell("plan");
    if (changed) this.check();
  }

  /** Ends the search; the best plan stays. */
  stop() {
    this.abort?.abort();
  }

  /**
   * Checks a plan by the server, and shows it with its times.
   * @param {{vehicle: number, visits: number[]}[]} [routes] By default the plan's own.
   */
  async check(routes = this.plan ? skeleton(this.plan) : []) {
    const answer = await call("CheckSolution", { file: this.file, solution: toSolution(routes), ...this.geometry });
    this.plan = { ...completePlan(answer.solution, answer.geometryNote), cost: answer.cost ?? 0 };
    this.verdict = { feasible: answer.feasible ?? false, violations: answer.violations ?? [] };
    this.#tell("plan");
    return answer;
  }

  /**
   * Moves a customer and checks the new plan.
   * @param {number} node
   * @param {number} target Route.
   * @param {number} position Among its visits.
   * @param {number} [vehicle] Type, for a new route.
   */
  async move(node, target, position, vehicle) {
    if (!this.plan || !this.problem) return;
    const { plan, verdict, frozen, problem, response } = this;
    const frozenNodes = new Set([...frozen].map((index) => plan.routes[index].stops.find((stop) => !stop.depot)?.node));
    await this.check(moveVisit(plan, node, target, position, vehicle));
    this.undos.push({ plan, verdict, frozen, response, edit: this.edit });
    this.response = null; // it is about the plan before
    this.frozen = new Set(this.plan.routes.flatMap((route, index) => (route.stops.some((stop) => frozenNodes.has(stop.node)) ? [index] : [])));
    const route = this.plan.routes.findIndex(({ stops }) => stops.some((stop) => stop.node === node && !stop.depot));
    this.edit = { text: `Moved ${problem.nodes[node].id} to route ${route + 1}`, before: plan.cost, after: this.plan.cost,
                  feasible: this.verdict?.feasible ?? false };
    this.settings.fromPlan = true;
    this.#tell("frozen");
    this.select(route < 0 ? null : route, node);
  }

  /** Takes the last move back. */
  undo() {
    const before = this.undos.pop();
    if (!before) return;
    Object.assign(this, before);
    this.selected = { route: null, node: null };
    this.#tell("plan");
  }

  /** @param {number|null} route @param {number|null} node */
  select(route, node) {
    this.selected = { route, node };
    this.#tell("selection");
  }

  /** @param {number} route */
  toggleFrozen(route) {
    if (!this.frozen.delete(route)) this.frozen.add(route);
    this.#tell("frozen");
  }

  /** Changes the vehicle types, and checks the plan against them, or the instance if there is no plan. @param {any[]} vehicles In the project's JSON. */
  async setVehicles(vehicles) {
    const { capacity: _, ...rest } = this.data;
    this.data = { ...rest, vehicles };
    this.problem = readProblem(this.data);
    if (this.plan) {
      this.response = null; // it is about the vehicles before
      return void (await this.check());
    }
    await this.#validate();
  }

  /**
   * Changes where distances and travel times come from, and checks the plan with them, or the instance if there is no
   * plan. If the check fails, keeps the previous source and throws.
   * @param {string} roads A road network; empty: straight lines, or the networks that the vehicles name.
   */
  async setRoads(roads) {
    const { settings: { roads: before }, loaded } = this;
    this.settings.roads = roads;
    try {
      await (this.plan ? this.check() : this.#validate());
    } catch (error) {
      if (this.loaded === loaded) this.settings.roads = before;
      throw error;
    }
    if (this.loaded !== loaded) return;
    Object.assign(this, { response: null, edit: null, undos: [], curve: [] }); // they are about the distances before
    this.#tell("plan");
  }

  async #validate() {
    const { errors = [] } = await call("ValidateInstance", { file: this.file });
    if (errors.length === 0) return;
    const fieldViolations = errors.map((/** @type {string} */ description) => ({ field: "file", description }));
    throw new ApiError("INVALID_ARGUMENT", errors.join("\n"), [{ fieldViolations }]);
  }

  /** Returns the fields of SolveRequest for the settings. */
  request() {
    const { budget, stopEarly, strategy, model, habitWeight } = this.settings;
    return { budget: durationText(Number(budget)), strategy, model, idleThreads: true, ...(stopEarly ? { stop: { automatic: true } } : {}),
             ...(model && habitWeight !== "" ? { habitWeight: Number(habitWeight) } : {}) };
  }

  /** Violations besides those that the list of unserved customers has. */
  get violations() {
    const unserved = new Set(this.plan?.unserved.map((one) => one.node));
    return (this.verdict?.violations ?? []).filter((one) => one.kind !== "missing_customer" || !unserved.has(one.node ?? 0));
  }

  /** Returns the customers with violations, and the routes. */
  violated() {
    const { violations } = this;
    return { nodes: new Set(violations.filter((one) => one.node !== undefined).map((one) => /** @type {number} */ (one.node))),
             routes: new Set(violations.filter((one) => one.route !== undefined).map((one) => /** @type {number} */ (one.route))) };
  }
}

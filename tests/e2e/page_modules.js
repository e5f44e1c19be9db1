// Tests of the page's pure modules. page_modules_test.py runs them in Node.js, or in Chromium if there is no Node.js.
import { requestOf } from "./web/api.js";
import { extent, linePath, movingMean, nearest, robustExtent, thin, ticks } from "./web/chart_math.js";
import { routeColour } from "./web/colours.js";
import { clock, distance, durationText, secondsOf, signed, signedPercent, span } from "./web/format.js";
import { canIgnore, roadsOf } from "./web/solve/loading.js";
import { correct, locateFaults, parsePath } from "./web/solve/faults.js";
import { freezeRoutes, frozenOf, thawTypes } from "./web/solve/freeze.js";
import { baseCoordinates, fitTransform, mercatorY, nearestEdge, nearestNode, project, routePaths, segmentDistance, zoomAt } from "./web/solve/geometry.js";
import { cheapestPosition, completePlan, moveVisit, visitsOf, waitingOf } from "./web/solve/plan.js";
import { readProblem } from "./web/solve/problem.js";
import { meanProbability, similarDayText, usualRoutesText } from "./web/solve/summary.js";
import { decodePolyline, haveStreets, projectStreets } from "./web/solve/streets.js";
import { planSvg } from "./web/solve/svg_export.js";
import { barOf, spanOf, timeTicks } from "./web/solve/timeline_layout.js";
import { aliasFault, families, qualityOf } from "./web/models/model.js";
import { latency, quantile, sample, since } from "./web/server/stats.js";
import { EventReader } from "./web/sse.js";
import { differences } from "./web/training/compare_screen.js";
import { History } from "./web/training/history.js";
import { actionsOf, outcomeText, parseLabels, remainingSeconds, titleOf } from "./web/training/job.js";
import { lineOf, readPresets } from "./web/training/presets.js";
import { planText, ranked, sweepActions, trialLook } from "./web/training/sweep.js";

function equal(got, wanted, what = "") {
  const [a, b] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${what} got ${a}, wanted ${b}`);
}

const close = (got, wanted, what) => equal(Math.abs(got - wanted) < 1e-6, true, `${what}: ${got} instead of ${wanted}:`);
const SQUARE = { kind: "cvrp", capacity: 3, coords: [[0, 0], [10, 0], [10, 10], [0, 10]], demands: [0, 1, 1, 1] };
const stop = (node, depot = false) => ({ node, id: String(node), depot });
const PLAN = completePlan({ cost: 40, routes: [
  { stops: [stop(0, true), stop(1), stop(2), stop(0, true)] }, { stops: [stop(0, true), stop(3), stop(0, true)] }] });

export const tests = {
  readsEventsThatArriveInParts() {
    const reader = new EventReader();
    equal(reader.push('data: {"a"'), []);
    equal(reader.push(":1}\n\n: still here\n\nevent: end\nda"), [{ event: "message", data: '{"a":1}' }]);
    equal(reader.push("ta: {}\n\n"), [{ event: "end", data: "{}" }]);
  },
  buildsRequestsByThePathsOfTheApi() {
    equal(requestOf("WatchTrainingJob", { name: "trainingJobs/a b", fromSequence: 3 }),
      { verb: "GET", url: "/v1/trainingJobs/a%20b:watch?fromSequence=3" });
    equal(requestOf("ListTrainingJobs", { labels: { team: "blue" } }).url, "/v1/trainingJobs?labels.team=blue");
    equal(requestOf("StopTrainingJob", { name: "trainingJobs/7", force: true }),
      { verb: "POST", url: "/v1/trainingJobs/7:stop", body: '{"force":true}' });
  },
  ranksTheTrialsOfASweep() {
    const trials = [{ number: 1, validationCost: 4 }, { number: 2 }, { number: 3, validationCost: 5, best: true }, { number: 4, validationCost: 3 }, { number: 5 }];
    equal(ranked({ trials }).map((trial) => trial.number), [3, 4, 1, 2, 5]);
    equal(ranked({}), []);
    equal([trialLook({ state: "JOB_STATE_QUEUED" }).label, trialLook({ job: "trainingJobs/a", state: "JOB_STATE_CANCELLED", dropped: true }).label,
      trialLook({ job: "trainingJobs/a", state: "JOB_STATE_RUNNING" }).label], ["waiting", "dropped", "running"]);
    equal(planText({ method: "SWEEP_METHOD_SUCCESSIVE_HALVING", trialCount: 9, seed: "7", factor: 3, selectionEpochs: ["1", "3"] }),
      "9 trials, successive halving, seed 7; the best 1 of 3 goes on after epoch 1, 3");
    equal(planText({ method: "SWEEP_METHOD_GRID", trialCount: 1 }), "1 trial, every combination");
    equal(sweepActions({ state: "JOB_STATE_PAUSED" }).map(({ rpc }) => rpc), ["ResumeSweep", "StopSweep"]);
  },
  formatsNumbersForPeople() {
    equal([signed(3.14159), signed(-2), signed(0.0001), signedPercent(0.0373)], ["+3.14", "−2", "±0", "+3.73 %"]);
    equal([span(0.42), span(59.6), span(185), span(7500)], ["0.42 s", "1 min 0 s", "3 min 5 s", "2 h 5 min"]);
    const day = { secondsPerTimeUnit: 60, timesOfDay: true, metresPerDistanceUnit: 1000 };
    equal([clock(495, day), clock(1500, day), clock(12.25)], ["08:15", "01:00 (+1 d)", "12.25"]);
    equal([distance(0.4, day), distance(12.34, day), distance(1234.56)], ["400 m", "12.3 km", "1,234.6"]);
    equal([secondsOf("2.5s"), secondsOf(undefined), durationText(0.1)], [2.5, 0, "0.1s"]);
  },
  describesHabitsAndTheirStart() {
    equal(meanProbability({ legs: "2", logProbability: Math.log(0.25) }), 0.5);
    equal(meanProbability({ legs: "0" }), null);
    const day = { history: "datasets/past", day: "2026-03-01", commonStops: 1, pastStops: 4 };
    equal(similarDayText(day), "Started from 2026-03-01 of past, which had 1 stop of this instance and 3 others.");
    equal(usualRoutesText({ turnedRoutes: 1, movedRoutes: 2 }), "Turned 1 route and gave 2 routes to other drivers, as is usual.");
    equal([usualRoutesText({ movedRoutes: 1 }), usualRoutesText({})], ["Gave 1 route to other drivers, as is usual.", ""]);
    equal(similarDayText({ history: "datasets/past" }), "No day of past has a stop of this instance.");
  },
  choosesRoundTicks() {
    equal(ticks(0, 10, 5), [0, 2, 4, 6, 8, 10]);
    equal(ticks(-0.25, 0.3, 5), [-0.2, 0, 0.2]);
    equal(ticks(775.2, 861, 4), [800, 825, 850]);
    equal(extent([5, 5])[0] < 5 && extent([5, 5])[1] > 5, true, "equal values:");
    equal(extent([NaN]), [0, 1]);
  },
  findsTheNearestPointOfALine() {
    const points = [[0, 1], [2, 1], [10, 1]];
    equal([nearest(points, -5), nearest(points, 1.1), nearest(points, 6.1), nearest([], 1)], [0, 1, 2, -1]);
  },
  interruptsLinesWhereValuesAreMissing() {
    const same = (value) => value;
    equal(linePath([[0, 1], [1, NaN], [2, 3], [4, 3]], same, same), "M0.0 1.0M2.0 3.0L4.0 3.0");
    equal(linePath([[0, 1], [2, 3]], same, same, true), "M0.0 1.0H2.0V3.0");
  },
  keepsExtremesWhenThinningLines() {
    const points = Array.from({ length: 10_000 }, (_, x) => [x, x === 4321 ? 99 : 0]);
    const kept = thin(points, 100);
    equal([kept.length <= 102, kept.some(([, y]) => y === 99), kept.at(-1)], [true, true, [9999, 0]]);
  },
  givesEachOfFortyRoutesItsOwnColour() {
    for (const dark of [false, true]) {
      const colours = Array.from({ length: 40 }, (_, index) => routeColour(index, dark));
      equal(new Set(colours).size, 40);
      equal(colours.every((colour) => /^#[0-9a-f]{6}$/.test(colour)), true);
    }
  },
  readsTheProjectsJson() {
    const problem = readProblem({ ...SQUARE, kind: "vrptw", time_windows: [[0, 100], [5, 9], [[1, 2], [4, 6]], null], service: 3, vehicles: [{ capacity: [3] }] });
    equal(problem.nodes.map((node) => node.windows.length), [1, 1, 2, 0]);
    equal([problem.nodes[0].service, problem.nodes[1].service, problem.hasWindows, problem.lonLat], [0, 3, true, false]);
  },
  movesStopsBetweenRoutes() {
    equal(moveVisit(PLAN, 1, 1, 1).map((route) => route.visits), [[2], [3, 1]]);
    const one = completePlan({ routes: [{ stops: [stop(0, true), stop(1), stop(2), stop(3), stop(0, true)] }] });
    equal(moveVisit(one, 1, 0, 2).map((route) => route.visits), [[2, 1, 3]], "within a route:");
    equal(moveVisit(PLAN, 3, 0, 0).map((route) => route.visits), [[3, 1, 2]], "an empty route disappears:");
    equal(moveVisit(PLAN, 3, 2, 0, 1), [{ vehicle: 0, visits: [1, 2] }, { vehicle: 1, visits: [3] }], "a new route:");
  },
  findsTheCheapestPosition() {
    const problem = readProblem(SQUARE);
    equal(cheapestPosition(problem, PLAN.routes[0], 3), 2);
    equal(cheapestPosition(problem, PLAN.routes[0], 1), 0, "its own place:");
  },
  freezesRoutesByVehiclesOfTheirOwn() {
    const data = { ...SQUARE, capacity: undefined, vehicles: [{ id: "van", count: 2, capacity: 3 }] };
    const parts = freezeRoutes(data, PLAN, new Set([0]));
    equal(parts.data.vehicles, [{ id: "van", count: 1, capacity: 3 }, { count: 1, capacity: 3, id: "van (frozen 1)", max_stops: 2 }]);
    equal(parts.initial.routes.map(({ vehicle, frozenStops }) => [vehicle, frozenStops]), [[1, 2], [0, undefined]]);
    const answer = completePlan({ routes: [{ vehicle: 1, frozenStops: 2, stops: PLAN.routes[0].stops }, { vehicle: 0, stops: PLAN.routes[1].stops }] });
    equal(thawTypes(answer, parts, data).routes.map((route) => [route.vehicle, route.vehicleId]), [[0, "van"], [0, "van"]]);
    equal([...frozenOf(answer)], [0]);
  },
  freezesTheLastVehicleOfAType() {
    const data = { ...SQUARE, vehicles: [{ count: 1, capacity: 3 }, { count: 1, capacity: 2 }] };
    const plan = completePlan({ routes: [{ vehicle: 0, stops: [stop(1)] }, { vehicle: 1, stops: [stop(2)] }] });
    const parts = freezeRoutes(data, plan, new Set([0]));
    equal(parts.data.vehicles.map((vehicle) => [vehicle.capacity, vehicle.count]), [[2, 1], [3, 1]]);
    equal([parts.initial.routes.map((route) => route.vehicle), parts.types], [[1, 0], [1, 0]]);
  },
  marksTheValuesThatErrorsName() {
    const text = JSON.stringify({ ...SQUARE, demands: [0, 9, -1, 1] });
    const faults = locateFaults("a.json", text, ["a.json: customers[1].demand: got -1, wanted at least 0"]);
    equal(faults, [{ where: "customers[1].demand", message: "got -1, wanted at least 0", kind: "value", path: ["demands", 2], value: "-1" }]);
    equal(JSON.parse(correct(text, faults, ["2"])).demands, [0, 9, 2, 1]);
    const vroom = JSON.stringify({ jobs: [{ location: [200, 9] }] });
    equal(locateFaults("v.json", vroom, ["v.json: jobs[0].location[0]: got 200"])[0].value, "200");
    equal(parsePath("jobs[0].location[1]"), ["jobs", 0, "location", 1]);
  },
  marksTheLinesThatErrorsName() {
    const [fault] = locateFaults("a.vrp", "NAME : x\nTYPE : y\n", ["a.vrp:2: TYPE: got \"y\""]);
    equal([fault.where, fault.value, correct("NAME : x\nTYPE : y\n", [fault], ["TYPE : CVRP"])], ["Line 2", "TYPE : y", "NAME : x\nTYPE : CVRP\n"]);
    equal(locateFaults("a.json", "{", ["a.json: \"colour\": unknown key"])[0].kind, "none");
  },
  letsOnlyTooLargeLoadsPass() {
    equal([canIgnore(["a: customers[0].demand: 9 exceeds vehicle capacity 5"]), canIgnore(["a: got -1"])], [true, false]);
  },
  fitsAllPlacesOnTheScreen() {
    const base = baseCoordinates(readProblem(SQUARE).nodes, false);
    const screen = new Float64Array(8);
    project(base, fitTransform(base, 300, 200, 20), screen);
    equal([...screen].map(Math.round), [70, 180, 230, 180, 230, 20, 70, 20]);
    close(mercatorY(0), 0.5, "equator");
    close(mercatorY(85.05112878), 0, "northern edge");
    const { scale, dx } = zoomAt({ scale: 2, dx: 10, dy: 0 }, 3, 50, 0);
    close((50 - dx) / scale, 20, "the point under the pointer");
    equal(fitTransform(baseCoordinates([{ x: 5, y: 5 }], false), 100, 100).scale, 1, "a single place:");
  },
  findsStopsAndEdgesUnderThePointer() {
    const screen = Float64Array.from([0, 0, 10, 0, 10, 10, 0, 10]);
    equal([nearestNode(screen, 1, 9, 1, 5), nearestNode(screen, 1, 0, 1, 5)], [1, -1]);
    equal(nearestEdge(screen, PLAN.routes, 9, 5, 3), { route: 0, before: 1, after: 2, position: 2 });
    equal(nearestEdge(screen, PLAN.routes, 9, 5, 20, 2), { route: 0, before: 0, after: 1, position: 1 }, "without the moved stop:");
    close(segmentDistance(5, 3, 0, 0, 10, 0), 3, "distance to a segment");
  },
  decodesStreets() {
    // Google's example, whose five decimals are read as six.
    equal(decodePolyline("_p~iF~ps|U_ulLnnqC_mqNvxq`@"), [[-12.02, 3.85], [-12.095, 4.07], [-12.6453, 4.3252]]);
    equal([decodePolyline(""), decodePolyline("_p~iF"), decodePolyline("??")], [[], [], [[0, 0]]]);
  },
  drawsStreetsInsteadOfStraightEdges() {
    const legPolylines = ["??_ibE?", "", ""]; // from (0, 0) to (0, 0.1), that is, up
    const { routes } = completePlan({ routes: [{ stops: PLAN.routes[0].stops, legPolylines }] });
    equal([haveStreets(routes), haveStreets(PLAN.routes)], [true, false]);
    const streets = projectStreets(routes, { scale: 360, dx: -180, dy: -180 });
    equal(streets[0].map((line) => line.length), [4, 0, 0], "points are kept only if they show:");
    const screen = Float64Array.from([0, 0, 10, 0, 10, 10, 0, 10]);
    const bent = [[[0, -8, 10, -8], [], []]];
    equal(routePaths(routes[0].stops, screen, bent[0]).legs.startsWith("M0.0 0.0L0.0 -8.0L10.0 -8.0L10.0 0.0M"), true);
    equal(nearestEdge(screen, routes, 5, -9, 3), null, "away from the straight edge:");
    equal(nearestEdge(screen, routes, 5, -9, 3, -1, bent).position, 1);
    equal(nearestEdge(screen, routes, 5, -9, 3, 1, bent), null, "no street past the moved stop:");
  },
  takesRoadNetworksOutOfFiles() {
    const file = { ...SQUARE, road_network: "car", vehicles: [{ capacity: 3 }, { capacity: 2, road_network: "bike" }] };
    const { text, all, vehicles } = roadsOf(JSON.stringify(file));
    equal([text.includes("road_network"), all, vehicles], [false, "car", [null, "bike"]]);
    equal([roadsOf("NAME : x"), roadsOf(JSON.stringify(SQUARE)), roadsOf('{"vehicles": [{"profile": "car"}]}')], [null, null, null]);
  },
  drawsReloadsAsLegs() {
    const screen = Float64Array.from([0, 0, 10, 0, 10, 10]);
    const { legs, inner, dots } = routePaths([stop(0, true), stop(1), stop(0, true), stop(2)], screen);
    equal([legs.match(/L/g).length, inner, dots], [3, "M10.0 0.0M10.0 10.0", "M10.0 0.0h0M10.0 10.0h0"]);
  },
  laysOutWaitingServiceAndBreaks() {
    const route = completePlan({ routes: [{ breaks: [{ start: 7, end: 9 }], stops: [
      { node: 0, departure: 1, depot: true }, { node: 1, arrival: 3, start: 5, departure: 7 }, { node: 0, arrival: 12, start: 12, depot: true }] }] }).routes[0];
    const bar = barOf(route, 0);
    equal(bar, { route: 0, whole: { from: 1, to: 12 }, wait: [{ from: 3, to: 5 }],
                 service: [{ from: 5, to: 7, node: 1 }], breaks: [{ from: 7, to: 9 }] });
    equal([waitingOf(route.stops[1]), visitsOf(route).length], [2, 1]);
    equal(spanOf([]), { from: 0, to: 1 });
  },
  choosesWholeHoursForTimelines() {
    equal(timeTicks({ from: 28_000, to: 61_000 }, 5, 1), [28_800, 36_000, 43_200, 50_400, 57_600]);
    equal(timeTicks({ from: 0, to: 100 }, 5, 0), [0, 20, 40, 60, 80, 100]);
  },
  writesSvgWithoutMarkupFromNames() {
    const svg = planSvg(readProblem({ ...SQUARE, name: "<script>" }), PLAN.routes);
    equal([svg.includes("<script>"), svg.includes("&#60;script&#62;"), svg.match(/<title>Route/g).length], [false, true, 2]);
  },
  keepsOutliersFromFlatteningALine() {
    const values = Array.from({ length: 100 }, (_, index) => index % 10);
    equal(robustExtent([...values, 1000], 0.02), [0, 9]);
    equal(robustExtent(values, 0.02), [0, 9]);
    equal(robustExtent([1, 2, 1000], 0.02), [1, 1000], "few values:");
    equal(movingMean([[1, 0], [2, 6], [3, 0], [4, 6]], 3), [[1, 3], [2, 2], [3, 4], [4, 3]]);
  },
  keepsReportsInTheOrderOfStepsOverACrash() {
    const history = new History("2026-01-01T00:00:00Z");
    for (const [step, loss] of [[1, 5], [2, 4], [3, 3], [2, 4.5]]) history.add({ step: String(step), loss, validationCost: 7 }, `2026-01-01T00:0${step}:00Z`);
    equal(history.line("loss", "step"), [[1, 5], [2, 4.5]]);
    equal(history.line("loss", "seconds"), [[1, 5], [2, 4.5]], "minutes:");
    equal(history.line("validationGap", "step"), []);
    history.rewind(1);
    equal(history.line("loss", "step"), [[1, 5]]);
  },
  halvesOldReportsOfLongJobs() {
    const history = new History("2026-01-01T00:00:00Z");
    for (let step = 1; step <= 20000; step += 1) history.add({ step: String(step), loss: 1 }, "2026-01-01T00:01:00Z");
    equal([history.points.length <= 8000, history.points[history.points.length - 1].step], [true, 20000]);
  },
  estimatesTheTimeLeftByWholeEpochs() {
    equal(remainingSeconds({ step: "50", totalSteps: "100", totalEpochs: "10", secondsPerEpoch: 4, secondsPerStep: 0.1 }), 20);
    equal(remainingSeconds({ step: "50", totalSteps: "100", totalEpochs: "10", secondsPerStep: 0.1 }), 5);
    equal([Number.isNaN(remainingSeconds(undefined)), Number.isNaN(remainingSeconds({ step: "1", totalSteps: "9" }))], [true, true]);
  },
  offersTheActionsOfAState() {
    const rpcs = (state, more = {}) => actionsOf({ state: `JOB_STATE_${state}`, ...more }).map(({ rpc }) => rpc.replace("TrainingJob", ""));
    equal(rpcs("RUNNING"), ["Pause", "Publish", "Stop", "Cancel"]);
    equal(rpcs("PAUSED"), ["Resume", "Stop", "Cancel"]);
    equal(rpcs("QUEUED", { stopRequested: true }), ["Pause", "Cancel"]);
    equal(rpcs("SUCCEEDED"), ["Delete"]);
  },
  namesJobsByTheirModels() {
    equal(titleOf({ name: "trainingJobs/7", spec: { configYaml: "# name: no\nname: \"tiny\"  # yes\nmodel: gt" } }), "tiny");
    equal(titleOf({ name: "trainingJobs/7", spec: { configYaml: "name: tiny", overrides: ["a=b", "name=other"] } }), "other");
    equal(titleOf({ name: "trainingJobs/7" }), "7");
    equal(outcomeText({ state: "JOB_STATE_SUCCEEDED", endReason: "TRAINING_END_REASON_STOPPED", model: "models/a/versions/2", publishedWeights: { epoch: "3" } }),
      "Ended since it was stopped. Published a, version 2 with the weights of epoch 3.");
    equal(parseLabels("team=north, run = 7"), { labels: { team: "north", run: "7" } });
    equal(parseLabels("team=north, x").wrong, "x");
  },
  readsPresetsAndTheLinesOfErrors() {
    const [preset] = readPresets([{ name: "a", yaml: "# Trains a.\n# 3 epochs.\nname: a\n" }]);
    equal([preset.trains, preset.takes], ["Trains a", "3 epochs"]);
    equal(readPresets([{ name: "b", yaml: "name: b" }])[0].trains, "");
    equal([lineOf("a.yaml:7: training.epochs: got 0", "a.yaml"), lineOf("spec.device: got x", "a.yaml")], [7, 0]);
    equal(differences([{ settings: { a: "1", b: "2" } }, { settings: { a: "1" } }]), [["b", ["2", "default"]]]);
  },
  groupsVersionsIntoModels() {
    const version = (name, more = {}) => ({ name: `models/${name}`, ...more });
    const [a, b] = families([version("b/versions/2"), version("a/versions/9", { aliases: ["x"] }), version("a/versions/10", { live: true, aliases: ["live"] })]);
    equal([a.id, a.versions.length, a.newest.name, a.aliases, b.id], ["a", 2, "models/a/versions/9", [["live", 10], ["x", 9]], "b"]);
    equal(qualityOf({ evaluations: [{ data: "d", mode: "greedy", meanGap: 0.05, reference: "r" }, { data: "d", mode: "beam 8", meanGap: 0.01, reference: "r" }] }),
      { gap: "1 %", against: "above r", how: "beam 8 on d" });
    equal([aliasFault("production"), aliasFault("live") !== "", aliasFault("9a") !== ""], ["", true, true]);
  },
  readsQuantilesFromHistograms() {
    const histogram = (counts) => ({ buckets: counts.map((count, index) => ({ upperBound: index === 2 ? "Infinity" : index + 1, count: String(count) })), count: counts.reduce((a, b) => a + b), sumSeconds: 9 });
    equal([quantile(histogram([10, 10, 0]), 0.5), quantile(histogram([10, 10, 0]), 0.75), quantile(histogram([0, 0, 4]), 0.5)], [1, 1.5, 2]);
    equal(Number.isNaN(quantile(histogram([0, 0, 0]), 0.5)), true);
    equal(since(histogram([5, 3, 1]), histogram([4, 3, 0])).buckets.map(({ count }) => count), [1, 0, 1]);
    equal([latency(0.0004), latency(0.012), latency(3.21), latency(NaN)], ["0.4 ms", "12 ms", "3.21 s", "–"]);
  },
  computesRatesBetweenTwoServerStats() {
    const stats = (seconds, ok, failed, cancelled) => ({ time: `2026-01-01T00:00:${seconds}Z`, process: { cpuSeconds: seconds / 2 }, queues: [{ waiting: "2" }, {}],
      rpcs: [{ rpc: "a/Solve", outcomes: [{ code: "OK", requests: String(ok) }, { code: "INTERNAL", requests: String(failed) }, { code: "CANCELLED", requests: String(cancelled) }] },
             { rpc: "vrp.v1.SystemService/GetServerStats", outcomes: [{ code: "OK", requests: String(seconds * 9) }] }] });
    const { requests, failed, cores, waiting, gpu } = sample(stats(20, 30, 5, 3), stats(10, 10, 3, 3));
    equal([requests, failed, cores, waiting, gpu], [2.2, 0.2, 0.5, 2, undefined]);
  },
};

"""Solves instances of our JSON with vrp-cli (reinterpretcat/vrp) in its pragmatic format, on one thread."""

import datetime
import json

import vrp_cli
from feature_problem import FAR, NO_LIMIT, Plan

NAME = "vrp_cli"
# These are the features that other rivals already cover, or that its format cannot say.
UNSUPPORTED = {"balance", "length_matrix", "release", "prizes", "priorities", "alternative_groups", "backhauls", "pickups",
               "shipments",
               "required_skills", "setup", "vehicles.max_reloads", "vehicles.reload_depots", "vehicles.initial_load",
               "vehicles.latest_start", "vehicles.shift", "vehicles.max_duration", "vehicles.max_overtime",
               "vehicles.max_distance", "vehicles.max_stops", "vehicles.breaks", "vehicles.lifo", "vehicles.compartments",
               "vehicles.driving_rules", "vehicles.customer_times", "vehicles.cost_per_service_time",
               "vehicles.duration_matrices"}
MIDNIGHT = datetime.datetime(2020, 1, 1)


def timestamp(seconds):
    return (MIDNIGHT + datetime.timedelta(seconds=min(seconds, FAR))).isoformat() + "Z"


def matrices_of(problem):
    """Returns the matrices of each vehicle type, one for each time of departure if the travel times depend on it."""
    entries = problem.instance.get("duration_matrices")
    found = []
    for kind, vehicle in enumerate(problem.vehicles):
        common = {"profile": str(kind), "distances": vehicle.distance.ravel().tolist()}
        if entries:
            found += [{**common, "timestamp": timestamp(entry["at"]),
                       "travelTimes": [time for row in entry["durations"] for time in row]} for entry in entries]
        else:
            found.append({**common, "travelTimes": vehicle.duration.ravel().tolist()})
    return found


def job_of(problem, node, group):
    windows = problem.windows[node]
    if any(soft is not None for _, _, soft in windows):
        raise ValueError("vrp-cli has no soft windows")
    place = {"location": {"index": node}, "duration": problem.service[node]}
    if windows != [(0, NO_LIMIT, None)]:
        place["times"] = [[timestamp(opened), timestamp(closed)] for opened, closed, _ in windows]
    job = {"id": str(node), "deliveries": [{"places": [place], "demand": problem.demands[node]}]}
    return job | ({"group": group} if group else {})


def vehicle_of(problem, kind):
    vehicle = problem.vehicles[kind]
    shift = {"start": {"location": {"index": vehicle.start}, "earliest": timestamp(problem.windows[vehicle.start][0][0])}}
    if vehicle.end is not None:
        shift["end"] = {"location": {"index": vehicle.end}, "latest": timestamp(problem.windows[vehicle.end][0][1])}
    return {"typeId": str(kind), "vehicleIds": [f"{kind} {number}" for number in range(vehicle.count)],
            "profile": {"matrix": str(kind)}, "shifts": [shift], "capacity": vehicle.capacity,
            "costs": {"fixed": vehicle.fixed, "distance": vehicle.per_distance, "time": vehicle.per_time}}


def pragmatic(problem):
    """Returns the problem in the pragmatic format. Customers of one route form a group."""
    if problem.route_limits() or problem.rules_of("in_order"):
        raise ValueError("vrp-cli has groups of jobs on one route, but no other rules between them")
    group_of = {node: f"group {number}" for number, members in enumerate(problem.rules_of("same_route")) for node in members}
    return {"plan": {"jobs": [job_of(problem, node, group_of.get(node)) for node in problem.customers]},
            "fleet": {"vehicles": [vehicle_of(problem, kind) for kind in range(len(problem.vehicles))],
                      "profiles": [{"name": str(kind)} for kind in range(len(problem.vehicles))]},
            "objectives": [[{"type": "minimize-unassigned"}], [{"type": "minimize-cost"}]]}


def solve(problem, limit, seed):
    """Returns the plan of vrp-cli, which may have unserved customers. Its seed cannot be set.

    The cost is None if time costs money, because our checker starts a vehicle as late as it can, and vrp-cli may not.
    """
    del seed
    config = {"termination": {"maxTime": max(1, round(limit))},
              "environment": {"parallelism": {"numThreadPools": 1, "threadsPerPool": 1}, "logging": {"enabled": False}}}
    solution = json.loads(vrp_cli.solve_pragmatic(problem=json.dumps(pragmatic(problem)),
                                                  matrices=[json.dumps(matrix) for matrix in matrices_of(problem)],
                                                  config=json.dumps(config)))
    routes = []
    for tour in solution["tours"]:
        activities = [activity for stop in tour["stops"] for activity in stop["activities"]]
        nodes = [int(activity["jobId"]) for activity in activities if activity["type"] == "delivery"]
        routes.append((int(tour["vehicleId"].split()[0]), nodes))
    timed = any(vehicle.per_time for vehicle in problem.vehicles)
    return Plan(routes, None if timed else solution["statistic"]["cost"])

"""PyVRP on the instances that rich_report printed: the mean gap of ours to it, and each cost.

    rich_report 1 100 10 2000 | compare_pyvrp.py 2

Distances are the metric's (rounded), times are the same. PyVRP wants whole numbers: all costs and
times are given to it in hundredths, so that nothing of ours is lost. It counts a route's duration
from the same start as we do, and its prizes, releases, reloads and groups mean the same.
"""

import json
import math
import sys

import pyvrp
import pyvrp.stop

UNIT = 100
NEVER = 2**40


def whole(value):
    return NEVER if value is None else round(value * UNIT)


def loads(values, node, dimensions):
    if not values:
        return [0] * dimensions
    return [round(v) for v in values[node * dimensions : (node + 1) * dimensions]]


def model_of(data):
    model = pyvrp.Model()
    nodes = len(data["positions"])
    windows = data["windows"] or [[0, None]] * nodes
    places = [model.add_location(x, y) for x, y in data["positions"]]
    depots = []
    for node in range(data["depots"]):
        early, late = (whole(v) for v in windows[node])
        depots.append(model.add_depot(places[node], tw_early=early, tw_late=late))
    groups = {}
    for members in data["groups"]:
        required = not data["prizes"] or data["prizes"][members[0]] is None
        group = model.add_client_group(required=required)
        groups.update(dict.fromkeys(members, group))
    for node in range(data["depots"], nodes):
        early, late = (whole(v) for v in windows[node])
        prize = data["prizes"][node] if data["prizes"] else None
        group = groups.get(node)
        model.add_client(
            places[node],
            delivery=loads(data["demands"], node, data["dimensions"]),
            pickup=loads(data["pickups"], node, data["dimensions"]),
            service_duration=whole(data["services"][node]) if data["services"] else 0,
            tw_early=early,
            tw_late=late,
            release_time=whole(data["releases"][node]) if data["releases"] else 0,
            prize=0 if prize is None else whole(prize),
            required=prize is None and group is None,
            group=group,
        )
    add_vehicles(model, data, places, depots)
    return model


def add_vehicles(model, data, places, depots):
    shared = model.add_profile()
    nodes = len(places)

    def distance(a, b):
        (ax, ay), (bx, by) = data["positions"][a], data["positions"][b]
        return math.floor(math.hypot(ax - bx, ay - by) + 0.5)

    for a in range(nodes):
        for b in range(nodes):
            way = distance(a, b) * UNIT
            model.add_edge(places[a], places[b], way, way, profile=shared)
    for vehicle in data["vehicles"]:
        profile = shared
        if vehicle["matrix"]:
            profile = model.add_profile()
            for a in range(nodes):
                for b in range(nodes):
                    way = whole(vehicle["matrix"][a * nodes + b])
                    model.add_edge(places[a], places[b], way, way, profile=profile)
        add_vehicle(model, data, depots, (vehicle, profile))


def add_vehicle(model, data, depots, of):
    vehicle, profile = of
    cost = data["objective"] == "cost"
    # Unit costs are whole too: quarters, and all else four times as much (scale() takes it back).
    per_distance = vehicle["per_distance"] if cost else float(data["objective"] != "duration")
    per_time = vehicle["per_time"] if cost else float(data["objective"] == "duration")
    early, late = vehicle["shift"]
    extra = {}
    if vehicle["max_reloads"]:
        extra = {
            "reload_depots": [depots[vehicle["start"]]],
            "max_reloads": vehicle["max_reloads"],
        }
    if vehicle["max_overtime"]:
        extra["max_overtime"] = whole(vehicle["max_overtime"])
        extra["unit_overtime_cost"] = round(4 * vehicle["overtime_cost"])
    model.add_vehicle_type(
        num_available=vehicle["count"] or len(data["positions"]),
        capacity=[10**6 if c is None else round(c) for c in vehicle["capacity"]],
        start_depot=depots[vehicle["start"]],
        end_depot=depots[vehicle["end"]],
        fixed_cost=round(4 * UNIT * vehicle["fixed"]) if cost else 0,
        tw_early=whole(early),
        tw_late=whole(late),
        shift_duration=whole(vehicle["max_duration"]),
        max_distance=whole(vehicle["max_distance"]),
        unit_distance_cost=round(4 * per_distance),
        unit_duration_cost=round(4 * per_time),
        profile=profile,
        **extra,
    )


def main():
    seconds = float(sys.argv[1])
    gaps = []
    for line in sys.stdin:
        data = json.loads(line)
        data["prizes"] = [p if p is None else 4 * p for p in data["prizes"]]
        model = model_of(data)
        result = model.solve(pyvrp.stop.MaxRuntime(seconds), seed=1, display=False)
        theirs = result.cost() / (4 * UNIT) if result.is_feasible() else math.inf
        gap = data["cost"] / theirs - 1
        sound = not data["violations"]
        print(f"{data['name']} ours {data['cost']:.2f} pyvrp {theirs:.2f} gap {100 * gap:+.2f} % "
              f"routes {data['routes']} iterations {data['iterations']} sound {sound}")
        if sound and math.isfinite(theirs):
            gaps.append(gap)
    if gaps:
        print(f"mean gap {100 * sum(gaps) / len(gaps):+.3f} % over {len(gaps)}, "
              f"behind in {sum(g > 1e-6 for g in gaps)}, ahead in {sum(g < -1e-6 for g in gaps)}")


if __name__ == "__main__":
    main()

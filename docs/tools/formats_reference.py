"""Builds the table of the features that each file format can express, by converting a small instance with each one."""

import json
import pathlib
import tempfile

from programs import Daemon, output

FORMATS = {"JSON": "json", "VRPLIB": "vrplib", "VROOM": "vroom", "Solomon": "solomon"}
WINDOWS = [[0, 90]] * 4

# (feature, whether customers have windows, changes to the instance, changes to the vehicle)
FEATURES = (
    ("planar coordinates, whole numbers", False, {}, {}),
    ("planar coordinates, fractions", False, {"coords": [[0, 0], [3.5, 0], [3, 4], [0, 4]]}, {}),
    ("longitude and latitude", False, {"coordinates": "lon_lat"}, {}),
    ("distance matrix", False, {"distance_matrix": [[0, 3, 5, 4], [3, 0, 4, 5], [5, 4, 0, 3], [4, 5, 3, 0]]}, {}),
    ("duration matrix besides distances", False, {"duration_matrix": [[0, 9, 9, 9], [9, 0, 9, 9], [9, 9, 0, 9], [9, 9, 9, 0]]}, {}),
    ("lengths besides distances, with a limit", False,
     {"length_matrix": [[0, 9, 9, 9], [9, 0, 9, 9], [9, 9, 0, 9], [9, 9, 9, 0]]}, {"max_distance": 50}),
    ("travel times by the time of day", False,
     {"duration_matrices": [{"at": 0, "durations": [[0, 9, 9, 9], [9, 0, 9, 9], [9, 9, 0, 9], [9, 9, 9, 0]]}]}, {}),
    ("one time window each", True, {}, {}),
    ("several windows", True, {"time_windows": [[0, 90], [[0, 10], [20, 60]], [0, 90], [0, 90]]}, {}),
    ("soft windows", True, {"time_windows": [[0, 90], [0, 10, 2], [0, 90], [0, 90]]}, {}),
    ("service times", True, {"service": 5}, {}),
    ("setup times", True, {"setup": 5}, {}),
    ("release times", True, {"release": [0, 5, 0, 0]}, {}),
    ("several depots", False, {"num_depots": 2, "demands": [0, 0, 4, 4]}, {"second": {"depot": 1}}),
    ("two vehicle types", False, {}, {"second": {"capacity": 6}}),
    ("another depot at the end", False, {"num_depots": 2, "demands": [0, 0, 4, 4]}, {"end_depot": 1}),
    ("fixed costs", False, {}, {"fixed_cost": 7}),
    ("costs of distance", False, {}, {"cost_per_distance": 2}),
    ("costs of time", False, {}, {"cost_per_time": 2}),
    ("limit on distance", False, {}, {"max_distance": 50}),
    ("limit on duration", False, {}, {"max_duration": 50}),
    ("limit on waiting", False, {}, {"max_waiting": 5}),
    ("overtime", False, {}, {"max_duration": 50, "max_overtime": 5}),
    ("limit on stops", False, {}, {"max_stops": 2}),
    ("shifts", True, {}, {"shift": [0, 80]}),
    ("breaks", True, {}, {"breaks": [{"window": [10, 20], "duration": 5}]}),
    ("last in, first out", True, {"demands": [0, 0, 0, 0], "shipments": [{"pickup": 1, "delivery": 2, "amount": 3}]},
     {"lifo": True}),
    ("compartments", False, {"demands": [[0, 0], [4, 0], [0, 4], [4, 0]]},
     {"capacity": [10, 10], "compartments": [{"capacity": 10}, {"capacity": 4, "load_dimensions": [1]}]}),
    ("breaks with several windows", True, {},
     {"breaks": [{"window": [10, 20], "duration": 5, "further_windows": [[30, 40]]}]}),
    ("breaks with limits on the load", True, {}, {"breaks": [{"window": [10, 20], "duration": 5, "max_load": 4}]}),
    ("service times by vehicle type", False, {}, {"customer_times": [{"customer": 1, "service": 7, "setup": 2}]}),
    ("costs of service time", False, {}, {"cost_per_service_time": 2}),
    ("costs of travel time", False, {}, {"cost_per_travel_time": 2}),
    ("driving rules", False, {}, {"driving_rules": {"max_driving_before_break": 60, "break_duration": 10}}),
    ("skills", False, {"required_skills": [[], ["a"], [], []]}, {"skills": ["a"]}),
    ("reloads", False, {}, {"max_reloads": 1}),
    ("loading times at depots", False, {"service": [5, 0, 0, 0]}, {}),
    ("latest start", False, {}, {"latest_start": 9}),
    ("initial load", False, {}, {"initial_load": 1}),
    ("open routes", False, {}, {"open_end": True}),
    ("pickups", False, {"pickups": [0, 1, 0, 2]}, {}),
    ("backhauls", False, {"backhauls": [0, 0, 0, 2], "demands": [0, 4, 4, 0]}, {}),
    ("shipments", True, {"demands": [0, 0, 0, 0], "shipments": [{"pickup": 1, "delivery": 2, "amount": 3}]}, {}),
    ("prizes", False, {"prizes": [None, 5, None, None]}, {}),
    ("priorities", False, {"priorities": [0, 5, 0, 0]}, {}),
    ("alternatives", False, {"alternative_groups": [[1, 2]]}, {}),
    ("alternatives of which none need be served", False,
     {"alternative_groups": [[1, 2]], "prizes": [None, 5, 7, None]}, {}),
    ("rules between customers", False, {"customer_rules": [{"kind": "same_route", "customers": [1, 2]}]}, {}),
    ("two load dimensions", False, {"demands": [[0, 0], [4, 1], [4, 1], [4, 1]]}, {"capacity": [10, 3]}),
    ("objective: fewest vehicles first", False, {"objective": "vehicles_then_distance"}, {}),
    ("objective: duration", False, {"objective": "duration"}, {}),
    ("balance between routes", False, {"balance": {"measure": "stops", "max_spread": 1}}, {}),
    ("feature columns of networks", False, {"features": {"early": [0, 1, 0, 0.5]}}, {}),
)


def instance(windows, change, vehicle_change):
    vehicle = {"count": 2, "capacity": 10, **vehicle_change}
    second = vehicle.pop("second", None)
    base = {"name": "x", "kind": "vrptw" if windows else "cvrp", "metric": "dimacs" if windows else "cvrplib",
            "coords": [[0, 0], [3, 0], [3, 4], [0, 4]], "demands": [0, 4, 4, 4],
            "vehicles": [vehicle, {**vehicle, **second}] if second else [vehicle]}
    if windows:
        base["time_windows"] = WINDOWS
    return {**base, **change}


def expresses(address, path, word):
    """Returns whether the format can hold the instance."""
    done = output("vrpctl", "convert", str(path), "-", "--to", word, "--renumber", env={"VRP_REMOTE": address})
    return done.returncode == 0


def rows():
    with Daemon() as daemon, tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "x.json"
        for name, windows, change, vehicle_change in FEATURES:
            path.write_text(json.dumps(instance(windows, change, vehicle_change)))
            yield name, [expresses(daemon.address, path, word) for word in FORMATS.values()]


def page(text):
    """Returns the page with its table replaced."""
    begin, end = "<!-- begin: written by docs/tools/write_reference.py -->\n", "<!-- end -->\n"
    head, _, rest = text.partition(begin)
    return head + begin + "\n" + table() + "\n" + end + rest.partition(end)[2]


def table():
    lines = [f"| | {' | '.join(FORMATS)} |", "|" + " --- |" * (len(FORMATS) + 1)]
    lines += [f"| {name} | {' | '.join('yes' if can else '-' for can in cells)} |" for name, cells in rows()]
    return "\n".join(lines) + "\n"


#!/usr/bin/env python3
"""Compares plans with and without learned habits on the test days of hidden_planners.py.

Example, with a vrpd running at 127.0.0.1:50051:
  hidden_planners.py --remote 127.0.0.1:50051 --out /tmp/planners
  compare_habits.py /tmp/planners/planner* --remote 127.0.0.1:50051 --weights 0.1,0.3

For each planner, trains a habit model with each learner on the past days, as ordinary training jobs. Then plans each test day
  distance  by distance alone
  similar   from the routes of the past day that has most stops in common, then improved by distance alone
  similar-0 the same without improving it
  counts@W, transformer@W  with the habits of the learner's model, at the weight W
The methods of a day run one after the other, each with the same number of iterations.
The score is the share of the planner's edges
that a plan has too, without their direction; `directed` counts direction.

Prints one JSON line per day and method, then one per method: means, and mean differences to `distance` with 95 %
intervals over all days: points of edges, and per cent of distance.
"""

import argparse
import collections
import json
import pathlib
import statistics
import subprocess
import tempfile

from compare_dispatch import cpu_name, interval

ROOT = pathlib.Path(__file__).resolve().parents[2]
PRESETS = {"counts": "habits", "transformer": "habits_transformer"}


class Vrpctl:
    def __init__(self, arguments):
        self._command = [arguments.build / "bin" / "vrpctl", "--remote", arguments.remote]

    def run(self, *arguments):
        done = subprocess.run([*self._command, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise SystemExit(f"vrpctl {' '.join(map(str, arguments))}: {done.stderr}")
        return done.stdout

    def train(self, preset, name, history, settings):
        self.run("train", "--preset", preset, "--set", f"name={name}", "--set", f"habits.history={history}",
                 *[word for setting in settings for word in ("--set", setting)])

    def solve(self, path, *options):
        """Returns the plan as lists of ids, and its distance."""
        plan = json.loads(self.run("solve", path, "--output", "json", "--threads", 1, "--seed", 1, *options))
        return [[stop["id"] for stop in route["stops"]] for route in plan["routes"]], plan["cost"]


class Day:
    """A test day: its instance and the planner's routes."""

    def __init__(self, path):
        self.path = path
        self.instance = json.loads(path.read_text())
        self.routes = list(json.loads(path.with_suffix(".routes.json").read_text()).values())
        self.drivers = [vehicle["id"] for vehicle in self.instance["vehicles"]]
        self.at = {stop: node for node, stop in enumerate(self.instance["ids"])}

    def distance(self, routes):
        return sum(self.leg(a, b) for route in routes for a, b in legs(route))

    def leg(self, a, b):
        return self.instance["distance_matrix"][self.at[a]][self.at[b]]

    def load(self, route):
        return sum(self.instance["demands"][self.at[stop]] for stop in route)


def legs(route):
    stops = ["depot", *route, "depot"] if route else []
    return list(zip(stops, stops[1:]))


def shares(day, routes):
    """Returns the shares of the planner's edges that the routes have: without direction, and with it."""
    own = [leg for route in day.routes for leg in legs(route)]
    other = collections.Counter(leg for route in routes for leg in legs(route))
    undirected = collections.Counter(frozenset(leg) for leg in other.elements())
    common = sum((collections.Counter(map(frozenset, own)) & undirected).values())
    return common / len(own), sum((collections.Counter(own) & other).values()) / len(own)


def read_history(path):
    """Returns {day: {driver: [stops]}}."""
    days = collections.defaultdict(dict)
    for line in path.read_text().splitlines():
        route = json.loads(line)
        days[route["day"]][route["driver"]] = [stop["id"] for stop in route["stops"]]
    return days


def similar_plan(day, history):
    """Returns the routes of the most similar past day, with today's other stops inserted where that is cheapest."""
    today = set(day.at) - {"depot"}

    def likeness(routes):
        past = {stop for route in routes.values() for stop in route}
        return len(past & today) / len(past | today)

    past = max(history.values(), key=likeness)
    capacity = day.instance["vehicles"][0]["capacity"]
    routes = [kept(day, [stop for stop in past.get(driver, []) if stop in today], capacity) for driver in day.drivers]
    planned = {stop for route in routes for stop in route}
    for stop in sorted(today - planned, key=lambda s: (-day.leg("depot", s), s)):
        free = [d for d, route in enumerate(routes) if day.load([*route, stop]) <= capacity]
        _, driver, at = min((day.leg(a, stop) + day.leg(stop, b) - day.leg(a, b), driver, at)
                            for driver in free or range(len(routes))
                            for at, (a, b) in enumerate(legs(routes[driver]) or [("depot", "depot")]))
        routes[driver].insert(at, stop)
    return routes


def kept(day, route, capacity):
    """Returns the first stops of a route that fit into a vehicle."""
    while day.load(route) > capacity:
        route = route[:-1]
    return route


def start_file(day, routes, folder):
    path = pathlib.Path(folder) / "start.json"
    path.write_text(json.dumps({"routes": [{"vehicle": driver, "stops": [{"id": stop} for stop in route]}
                                           for driver, route in enumerate(routes) if route]}))
    return path


def plans(day, history, vrpctl, planner, arguments, folder):
    """Yields (method, routes, distance) of a day."""
    budget = ["--budget", "1m", "--max-iterations", arguments.iterations]
    yield "distance", *vrpctl.solve(day.path, *budget)
    similar = similar_plan(day, history)
    yield "similar-0", similar, day.distance(similar)
    yield "similar", *vrpctl.solve(day.path, *budget, "--start", start_file(day, similar, folder))
    for learner in arguments.learners:
        for weight in arguments.weights:
            yield f"{learner}@{weight:g}", *vrpctl.solve(day.path, *budget, "--model", f"{learner}-{planner}", "--habit-weight", weight)


def days_of(folder, vrpctl, arguments):
    """Yields a line per test day and method of a planner."""
    for learner in arguments.learners:
        vrpctl.train(PRESETS[learner], f"{learner}-{folder.name}", folder.resolve() / "history.jsonl", arguments.set)
    history = read_history(folder / "history.jsonl")
    paths = sorted(path for path in (folder / "test").glob("*.json") if not path.name.endswith(".routes.json"))
    with tempfile.TemporaryDirectory() as scratch:
        for path in paths[:arguments.days]:
            day = Day(path)
            reference = None
            for method, routes, distance in plans(day, history, vrpctl, folder.name, arguments, scratch):
                share, directed = shares(day, routes)
                reference = reference or (share, directed, distance)
                yield {"planner": folder.name, "day": path.stem, "method": method, "distance": round(distance, 1),
                       "edges_percent": 100 * share, "directed_percent": 100 * directed,
                       "edges_points": 100 * (share - reference[0]),
                       "directed_points": 100 * (directed - reference[1]),
                       "distance_percent": 100 * (distance / reference[2] - 1),
                       "planner_distance_percent": 100 * (day.distance(day.routes) / reference[2] - 1)}


def summaries(lines):
    by_method = collections.defaultdict(list)
    for line in lines:
        by_method[line["method"]].append(line)
    for method, own in by_method.items():
        yield {"method": method, "days": len(own),
               **{f"mean_{key}": round(statistics.mean(line[key] for line in own), 2)
                  for key in ("edges_percent", "directed_percent", "planner_distance_percent")},
               **{key: interval([line[key] for line in own])
                  for key in ("edges_points", "directed_points", "distance_percent")}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("planners", nargs="+", type=pathlib.Path, help="folders that hidden_planners.py wrote")
    parser.add_argument("--remote", required=True, help="address of a running vrpd")
    parser.add_argument("--iterations", type=int, default=20_000, help="of each search")
    parser.add_argument("--weights", type=lambda text: [float(w) for w in text.split(",")], default=[0.3])
    parser.add_argument("--learners", type=lambda text: text.split(","), default=list(PRESETS), help="counts,transformer")
    parser.add_argument("--days", type=int, help="test days of each planner; default: all")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="setting of the training")
    parser.add_argument("--build", default=ROOT / "build/dev", type=pathlib.Path, help="folder with bin/vrpctl")
    arguments = parser.parse_args()
    vrpctl = Vrpctl(arguments)
    lines = []
    for folder in arguments.planners:
        for line in days_of(folder, vrpctl, arguments):
            lines.append(line)
            print(json.dumps(line), flush=True)
    for line in summaries(lines):
        print(json.dumps(line | {"cpu": cpu_name()}), flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Draws planners with habits that no matrix shows, and the routes that they make.

Example:
  hidden_planners.py --seed 20261128 --planners 5 --remote 127.0.0.1:50051 --out /tmp/planners

Writes for each planner a folder `planner1`, `planner2`, ... with
  history.jsonl  the routes of the past days, one JSON line each: day, driver, depot and stops in their order
  test/DAY.json  an instance of each test day, whose vehicles are the drivers and whose matrix has the distances by road
  test/DAY.routes.json  the planner's routes of that day, as lists of customers' ids by driver
  rules.json     the hidden rules, for a reader; no learner reads them

A city has 1,000 addresses around some towns, a river and its bridges. Distances by road are Euclidean on one side of
the river and go over the shorter bridge otherwise. Each planner has drivers with zones of their own and four kinds of
rules, drawn from the seed: an order of the zones of each driver, bridges that are avoided, preferred roads, and a quirk
of each driver. A day's routes minimise the distance plus the penalties of these rules, as far as vrpd's search does so
in some iterations. Some addresses have no delivery before the test days.

Planners are drawn independently of all learners: change nothing here because of what a learner does.
"""

import argparse
import datetime
import json
import math
import pathlib
import random
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIDE = 30_000  # metres of the city's side
ADDRESSES, ZONES, DRIVERS = 1_000, 18, 6
SHARE_OF_NEW_ADDRESSES = 0.1  # without a delivery before the test days
STOPS_PER_DAY = (100, 140)
CAPACITY = 55
FIRST_DAY = datetime.date(2026, 1, 5)
QUIRKS = ("clockwise", "far_first", "near_first", "none")


class City:
    """Addresses, with the depot at index 0, and distances by road."""

    def __init__(self, draw):
        towns = [(draw.uniform(0.1, 0.9) * SIDE, draw.uniform(0.1, 0.9) * SIDE) for _ in range(12)]
        self.river = draw.uniform(0.35, 0.65) * SIDE  # a river along the x axis at this y
        self.bridges = sorted(draw.uniform(0.05, 0.95) * SIDE for _ in range(3))
        self.places = [(SIDE / 2, self.river + 0.05 * SIDE)]
        while len(self.places) <= ADDRESSES:
            x, y = draw.choice(towns) if draw.random() < 0.7 else (draw.uniform(0, SIDE), draw.uniform(0, SIDE))
            place = draw.gauss(x, 0.05 * SIDE), draw.gauss(y, 0.05 * SIDE)
            if all(0 <= c <= SIDE for c in place):
                self.places.append(place)
        self.rates = [draw.paretovariate(1.5) for _ in self.places]  # of deliveries

    def bridge(self, a, b):
        """Returns the index of the bridge on the way from a to b, or None on one side of the river."""
        if (a[1] < self.river) == (b[1] < self.river):
            return None
        return min(range(len(self.bridges)), key=lambda k: self.over(a, b, k))

    def over(self, a, b, bridge):
        point = self.bridges[bridge], self.river
        return math.dist(a, point) + math.dist(point, b)

    def distance(self, a, b):
        bridge = self.bridge(a, b)
        return math.dist(a, b) if bridge is None else self.over(a, b, bridge)


class Planner:
    """The hidden rules of a planner."""

    def __init__(self, city, draw):
        self.city = city
        centres = [(draw.uniform(0, SIDE), draw.uniform(0, SIDE)) for _ in range(ZONES)]
        self.zone_of = [min(range(ZONES), key=lambda z: math.dist(place, centres[z])) for place in city.places]
        depot = city.places[0]
        around = sorted(range(ZONES), key=lambda z: math.atan2(centres[z][1] - depot[1], centres[z][0] - depot[0]))
        share = ZONES // DRIVERS
        self.zones = [around[d * share:(d + 1) * share] for d in range(DRIVERS)]  # of each driver
        self.driver_of_zone = {zone: d for d, zones in enumerate(self.zones) for zone in zones}
        self.rank = {}  # of a zone in its driver's order
        for zones in self.zones:
            draw.shuffle(zones)
            self.rank |= {zone: rank for rank, zone in enumerate(zones)}
        self.avoided = draw.sample(range(len(city.bridges)), 1)
        self.roads = [(draw.uniform(0, SIDE), draw.choice("xy")) for _ in range(2)]  # streets across the city
        self.quirks = [draw.choice(QUIRKS) for _ in range(DRIVERS)]
        # Penalties in metres.
        self.leaving = draw.uniform(200, 600)  # a zone for another one
        self.backwards = draw.uniform(300, 900)  # to a zone that comes earlier in the order
        self.avoiding = draw.uniform(500, 2_000)
        self.discount = draw.uniform(0.1, 0.25)  # share of the length of a leg along a preferred road
        self.quirk = draw.uniform(100, 400)
        self.stranger = draw.uniform(500, 1_500)  # a stop in a zone of another driver

    def rules(self):
        return {"zones": self.zones, "avoided_bridges": self.avoided, "preferred_roads": self.roads,
                "quirks": self.quirks, "leaving": self.leaving, "backwards": self.backwards,
                "avoiding": self.avoiding, "discount": self.discount, "quirk": self.quirk, "stranger": self.stranger}

    def leg(self, driver, i, j):
        """Returns the cost of a leg as the planner sees it."""
        a, b = self.city.places[i], self.city.places[j]
        cost = self.city.distance(a, b)
        for where, axis in self.roads:
            across = 0 if axis == "x" else 1
            if max(abs(a[across] - where), abs(b[across] - where)) < 0.04 * SIDE:
                cost -= self.discount * math.dist(a, b)
        if self.city.bridge(a, b) in self.avoided:
            cost += self.avoiding
        if i == 0 or j == 0:
            return cost
        if self.zone_of[i] != self.zone_of[j]:
            cost += self.leaving
            if self.rank[self.zone_of[i]] > self.rank[self.zone_of[j]]:
                cost += self.backwards
        if self.quirks[driver] == "clockwise":
            x, y = self.city.places[0]
            turn = (a[0] - x) * (b[1] - y) - (a[1] - y) * (b[0] - x)
            cost += self.quirk if turn > 0 else 0
        return cost

    def first(self, driver, stop):
        """Returns the penalty of beginning a route at `stop`."""
        reach = self.city.distance(self.city.places[0], self.city.places[stop]) / SIDE
        return {"far_first": 3 * self.quirk * (1 - reach), "near_first": 3 * self.quirk * reach}.get(
            self.quirks[driver], 0)

    def view(self, driver, stops):
        """Returns the matrix of the costs of a driver's legs as the planner sees them, the depot first."""
        nodes = [0, *stops]
        legs = [[round(self.leg(driver, i, j), 1) if i != j else 0 for j in nodes] for i in nodes]
        for row in legs:
            for k in range(1, len(nodes)):
                row[k] += self.stranger if self.driver_of_zone[self.zone_of[nodes[k]]] != driver else 0
        for k in range(1, len(nodes)):
            legs[0][k] += self.first(driver, nodes[k])
        return legs


class Search:
    """The search with which planners minimise their costs: vrpctl and a running vrpd."""

    def __init__(self, arguments):
        self._command = [arguments.build / "bin" / "vrpctl", "--remote", arguments.remote, "solve", "-", "--output", "json",
                         "--budget", "1m", "--threads", "1", "--seed", "1",
                         "--max-iterations", str(arguments.iterations)]

    def routes(self, instance):
        """Returns the stops of each driver as ids."""
        done = subprocess.run(self._command, input=json.dumps(instance), text=True, stdout=subprocess.PIPE, check=True)
        routes = {vehicle["id"]: [] for vehicle in instance["vehicles"]}
        for route in json.loads(done.stdout)["routes"]:
            routes[instance["vehicles"][route["vehicle"]]["id"]] = [stop["id"] for stop in route["stops"]]
        return routes


def draw_days(city, past_days, test_days, draw):
    """Yields the stops of each day and their demands; test days have addresses without a delivery before, too."""
    new = set(draw.sample(range(1, ADDRESSES + 1), round(SHARE_OF_NEW_ADDRESSES * ADDRESSES)))
    for day in range(past_days + test_days):
        open_to = [a for a in range(1, ADDRESSES + 1) if day >= past_days or a not in new]
        count = draw.randint(*STOPS_PER_DAY)
        # The smallest of exponential draws with these rates: a weighted sample without replacement.
        stops = sorted(open_to, key=lambda a: draw.expovariate(city.rates[a]))[:count]
        yield sorted(stops), {a: draw.randint(1, 3) for a in stops}


def name(address):
    return f"a{address:04}"


def point(place):
    return {"x": round(place[0], 1), "y": round(place[1], 1)}


def driver_name(driver):
    return f"driver{driver + 1}"


def history_lines(planner, day, routes, demands):
    places = {name(a): point(place) for a, place in enumerate(planner.city.places)}
    for driver, route in routes.items():
        if route:
            yield json.dumps({"day": day.isoformat(), "driver": driver, "depot": places[name(0)],
                              "stops": [{"id": stop, **places[stop], "demand": demands[stop]} for stop in route]})


def instance(planner, day, stops, demands):
    places = [planner.city.places[a] for a in (0, *stops)]
    return {"kind": "cvrp", "name": day.isoformat(), "ids": ["depot", *map(name, stops)],
            "coords": [list(point(place).values()) for place in places],
            "demands": [0, *(demands[a] for a in stops)],
            "vehicles": [{"id": driver_name(d), "count": 1, "capacity": CAPACITY} for d in range(DRIVERS)],
            "distance_matrix": [[round(planner.city.distance(a, b), 1) for b in places] for a in places]}


def seen_by_planner(planner, instance, stops):
    """Returns the instance with the planner's costs in place of the distances."""
    vehicles = [{**vehicle, "distance_matrix": planner.view(driver, stops)}
                for driver, vehicle in enumerate(instance["vehicles"])]
    return {**{key: value for key, value in instance.items() if key != "distance_matrix"}, "vehicles": vehicles}


def write_planner(number, arguments):
    draw = random.Random(f"{arguments.seed}/{number}")
    city = City(draw)
    planner = Planner(city, draw)
    folder = arguments.out / f"planner{number}"
    (folder / "test").mkdir(parents=True, exist_ok=True)
    (folder / "rules.json").write_text(json.dumps(planner.rules(), indent=1))
    search = Search(arguments)
    history = []
    for k, (stops, demands) in enumerate(draw_days(city, arguments.past_days, arguments.test_days, draw)):
        day = FIRST_DAY + datetime.timedelta(days=k)
        today = instance(planner, day, stops, demands)
        routes = search.routes(seen_by_planner(planner, today, stops))
        if k < arguments.past_days:
            history += history_lines(planner, day, routes, dict(zip(today["ids"], today["demands"])))
            continue
        test = folder / "test" / f"{day.isoformat()}.json"
        test.write_text(json.dumps(today))
        test.with_suffix(".routes.json").write_text(json.dumps(routes))
    (folder / "history.jsonl").write_text("\n".join(history) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=20261128)
    parser.add_argument("--planners", type=int, default=5)
    parser.add_argument("--past-days", type=int, default=60)
    parser.add_argument("--test-days", type=int, default=30)
    parser.add_argument("--remote", required=True, help="address of a running vrpd")
    parser.add_argument("--iterations", type=int, default=20_000, help="of the search for each day")
    parser.add_argument("--build", default=ROOT / "build/dev", type=pathlib.Path, help="folder with bin/vrpctl")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder to write to")
    arguments = parser.parse_args()
    for number in range(1, arguments.planners + 1):
        write_planner(number, arguments)
        print(json.dumps({"planner": number, "seed": arguments.seed}), flush=True)


if __name__ == "__main__":
    main()

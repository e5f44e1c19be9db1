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
the river and go over the shorter bridge otherwise. A planner's rules are drawn from the seed: an order of zones,
bridges that are avoided, and preferred roads. His routes minimise the distance plus the penalties of these rules, as far
as vrpd's search does so in some iterations. He gives each route to the driver who knows its zones best. A driver has a
quirk, and visits the stops of the route in an order that is a local optimum of the planner's cost plus that of the
quirk. Some addresses have no delivery before the test days.

Planners are drawn independently of all learners: change nothing here because of what a learner does.
"""

import argparse
import collections
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
QUIRKS = ("clockwise", "counterclockwise", "far_first", "near_first")


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
        self.leaving = draw.uniform(400, 1_200)  # a zone for another one
        self.backwards = draw.uniform(600, 1_800)  # to a zone that comes earlier in the order
        self.avoiding = draw.uniform(1_000, 4_000)
        self.discount = draw.uniform(0.15, 0.4)  # share of the length of a leg along a preferred road
        self.quirk = draw.uniform(200, 600)

    def rules(self):
        return {"zones": self.zones, "ranks": self.rank, "avoided_bridges": self.avoided, "preferred_roads": self.roads,
                "quirks": self.quirks, "leaving": self.leaving, "backwards": self.backwards,
                "avoiding": self.avoiding, "discount": self.discount, "quirk": self.quirk}

    def leg(self, i, j):
        """Returns the cost of a leg as the planner sees it."""
        a, b = self.city.places[i], self.city.places[j]
        cost = self.city.distance(a, b)
        for where, axis in self.roads:
            across = 0 if axis == "x" else 1
            if max(abs(a[across] - where), abs(b[across] - where)) < 0.04 * SIDE:
                cost -= self.discount * math.dist(a, b)
        if self.city.bridge(a, b) in self.avoided:
            cost += self.avoiding
        if i != 0 and j != 0 and self.zone_of[i] != self.zone_of[j]:
            cost += self.leaving
            if self.rank[self.zone_of[i]] > self.rank[self.zone_of[j]]:
                cost += self.backwards
        return cost

    def driven(self, driver, i, j):
        """Returns the cost of a leg as a driver sees it."""
        cost = self.leg(i, j)
        a, b = self.city.places[i], self.city.places[j]
        quirk = self.quirks[driver]
        if i != 0 and j != 0 and quirk in ("clockwise", "counterclockwise"):
            x, y = self.city.places[0]
            turn = (a[0] - x) * (b[1] - y) - (a[1] - y) * (b[0] - x)
            cost += self.quirk if (turn > 0) == (quirk == "clockwise") else 0
        if i == 0 and quirk in ("far_first", "near_first"):
            reach = self.city.distance(a, b) / SIDE
            cost += 3 * self.quirk * (reach if quirk == "near_first" else 1 - reach)
        return cost

    def drive(self, driver, route):
        """Returns the stops of a route in the order in which a driver visits them."""
        nodes = [0, *route]
        legs = [[self.driven(driver, i, j) if i != j else 0 for j in nodes] for i in nodes]
        orders = [improved([0, *order, 0], legs) for order in (range(1, len(nodes)), range(len(nodes) - 1, 0, -1))]
        return [nodes[k] for k in min(orders, key=lambda order: length(order, legs))[1:-1]]

    def drivers_of(self, routes):
        """Returns the driver of each route: the one with most of its stops in his zones, longest routes first."""
        free, of_route = set(range(DRIVERS)), {}
        for number in sorted(range(len(routes)), key=lambda r: -len(routes[r])):
            stops = collections.Counter(self.driver_of_zone[self.zone_of[stop]] for stop in routes[number])
            of_route[number] = max(sorted(free), key=lambda driver: stops[driver])
            free.remove(of_route[number])
        return of_route


def length(route, legs):
    return sum(legs[a][b] for a, b in zip(route, route[1:]))


def improved(route, legs):
    """Moves and reverses pieces of a route, which begins and ends at the depot, until nothing is cheaper."""
    while True:
        better = moved_piece(route, legs) or reversed_piece(route, legs)
        if better is None:
            return route
        route = better


def moved_piece(route, legs):
    for size in (1, 2, 3):
        for at in range(1, len(route) - size):
            piece, rest = route[at:at + size], route[:at] + route[at + size:]
            removed = (legs[route[at - 1]][piece[0]] + legs[piece[-1]][route[at + size]]
                       - legs[route[at - 1]][route[at + size]])
            for form in (piece, piece[::-1]):
                change = length(form, legs) - length(piece, legs) - removed
                for to, (before, after) in enumerate(zip(rest, rest[1:]), start=1):
                    if change + legs[before][form[0]] + legs[form[-1]][after] - legs[before][after] < -1e-6:
                        return rest[:to] + form + rest[to:]
    return None


def reversed_piece(route, legs):
    forward, backward = [0.0], [0.0]
    for a, b in zip(route, route[1:]):
        forward.append(forward[-1] + legs[a][b])
        backward.append(backward[-1] + legs[b][a])
    for i in range(1, len(route) - 2):
        for j in range(i + 1, len(route) - 1):
            change = (legs[route[i - 1]][route[j]] + legs[route[i]][route[j + 1]] - legs[route[i - 1]][route[i]]
                      - legs[route[j]][route[j + 1]] + backward[j] - backward[i] - forward[j] + forward[i])
            if change < -1e-6:
                return route[:i] + route[i:j + 1][::-1] + route[j + 1:]
    return None


class Search:
    """The search with which planners minimise their costs: vrpctl and a running vrpd."""

    def __init__(self, arguments):
        self._command = [arguments.build / "bin" / "vrpctl", "--remote", arguments.remote, "solve", "-", "--output", "json",
                         "--budget", "1m", "--threads", "1", "--seed", "1",
                         "--max-iterations", str(arguments.iterations)]

    def routes(self, instance):
        """Returns routes as lists of nodes."""
        done = subprocess.run(self._command, input=json.dumps(instance), text=True, stdout=subprocess.PIPE, check=True)
        node = {name: k for k, name in enumerate(instance["ids"])}
        return [[node[stop["id"]] for stop in route["stops"]] for route in json.loads(done.stdout)["routes"]]


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


def planned_day(planner, today, stops, search):
    """Returns the routes of a day by driver, as lists of ids. `stops` are those of the instance `today`."""
    nodes = [0, *stops]
    seen = [[round(planner.leg(a, b), 1) if a != b else 0 for b in nodes] for a in nodes]
    routes = [[nodes[k] for k in route] for route in search.routes({**today, "distance_matrix": seen})]
    drivers = planner.drivers_of(routes)
    return {driver_name(drivers[number]): [name(a) for a in planner.drive(drivers[number], route)]
            for number, route in enumerate(routes)}


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
        routes = planned_day(planner, today, stops, search)
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

"""Reads instances in our JSON for the rivals' models: as integers, with defaults and each vehicle's cost coefficients.

Nothing is scaled. Apart from coordinates in degrees, the instances contain only integers, so that all solvers compute
the same sums.
"""

import dataclasses
import itertools

import numpy
from feature_district import METRIC

NO_LIMIT = 2**40  # stands for an absent limit or an open window
FAR = 10**7  # exceeds all times and distances here, for solvers that require a limit
EARTH_RADIUS = 6371008.8  # metres, as kEarthRadius in core/problem/instance/metric.h


@dataclasses.dataclass(frozen=True)
class Plan:
    """A rival's plan: routes of (vehicle type, nodes in order, reloads by depot), and its cost by the rival."""

    routes: list
    cost: float


def to_integer(value, what):
    """Returns `value` as an int, or NO_LIMIT for None. `what` names the value in errors."""
    if value is None:
        return NO_LIMIT
    if value != int(value):
        raise ValueError(f"{what}: got {value}, wanted a whole number")
    return int(value)


def used_keys(instance):
    """Returns the keys in use, which a rival must support. Keys of vehicles have the form `vehicles.capacity`."""
    keys = {key for key, value in instance.items() if not isinstance(value, list) or any(value)}
    return keys | {f"vehicles.{key}" for vehicle in instance["vehicles"] for key in vehicle}


def great_circle(coords):
    """Returns haversine distances [N, N] in metres. coords [N, 2] are longitudes and latitudes in degrees."""
    lon, lat = numpy.radians(coords).T
    across = numpy.sin((lat[:, None] - lat) / 2) ** 2
    along = numpy.cos(lat[:, None]) * numpy.cos(lat) * numpy.sin((lon[:, None] - lon) / 2) ** 2
    return 2 * EARTH_RADIUS * numpy.arcsin(numpy.sqrt(numpy.minimum(1, across + along)))


@dataclasses.dataclass(frozen=True)
class Vehicle:
    """A vehicle type: `distance`, `duration` and `length` [N, N] int64, and the cost coefficients as integers."""

    given: dict
    distance: numpy.ndarray
    duration: numpy.ndarray
    length: numpy.ndarray  # what max_distance limits
    fixed: int
    per_distance: int
    per_time: int
    per_overtime: int

    @property
    def count(self):
        return self.given["count"]

    @property
    def start(self):
        return self.given.get("depot", 0)

    @property
    def end(self):
        """Returns the end depot, or None if routes end at their last customer."""
        return None if self.given.get("open_end") else self.given.get("end_depot", self.start)

    @property
    def capacity(self):
        """Returns one number per load dimension."""
        return self.given["capacity"] if isinstance(self.given["capacity"], list) else [self.given["capacity"]]

    def limit(self, key):
        return to_integer(self.given.get(key), key)


class Problem:
    """An instance, depots first. `demands`, `pickups` and `backhauls` have a row of `dimensions` numbers per node."""

    def __init__(self, instance):
        self.instance = instance
        self.depots = instance.get("num_depots", 1)
        self.distance, self.duration = self._matrices()
        self.nodes = len(self.distance)
        self.customers = range(self.depots, self.nodes)
        self.demands, self.pickups, self.backhauls = (self._loads(key) for key in ("demands", "pickups", "backhauls"))
        self.dimensions = len(self.demands[0])
        self.service, self.setup, self.release = (self._times(key) for key in ("service", "setup", "release"))
        self.windows = [self._windows(node) for node in range(self.nodes)]
        self.prizes = instance.get("prizes") or [None] * self.nodes
        self.priorities = instance.get("priorities") or [0] * self.nodes
        self.groups = instance.get("alternative_groups", [])
        self.shipments = instance.get("shipments", [])
        self.rules = instance.get("customer_rules", [])
        self.skills = instance.get("required_skills") or [[]] * self.nodes
        # Exceeds the total distance of plans with one route per customer.
        self.big = 1 + 2 * int(self.distance.max(axis=1).sum())
        self.vehicles = [self._vehicle(given) for given in instance["vehicles"]]

    def _matrices(self):
        given = self.instance.get("distance_matrix")
        if given is not None:
            distance = numpy.array(given, numpy.int64)
        elif self.instance["metric"] != METRIC:
            raise ValueError(f"metric: got {self.instance['metric']}, wanted {METRIC}")
        elif self.instance.get("coordinates") == "lon_lat":
            distance = self._rounded(great_circle(numpy.array(self.instance["coords"], float)))
        else:
            coords = numpy.array(self.instance["coords"], float)
            distance = self._rounded(numpy.sqrt(((coords[:, None] - coords) ** 2).sum(-1)))
        given = self.instance.get("duration_matrix")
        return distance, distance if given is None else numpy.array(given, numpy.int64)

    @staticmethod
    def _rounded(matrix):
        return numpy.floor(matrix + 0.5).astype(numpy.int64)

    def _loads(self, key):
        rows = self.instance.get(key) or [0] * self.nodes
        rows = [row if isinstance(row, list) else [row] for row in rows]
        width = len(self.instance["demands"][0]) if isinstance(self.instance["demands"][0], list) else 1
        return [[to_integer(value, key) for value in row] + [0] * (width - len(row)) for row in rows]

    def _times(self, key):
        values = self.instance.get(key, 0)
        if not isinstance(values, list):
            values = [0] * self.depots + [values] * (self.nodes - self.depots)
        return [to_integer(value, key) for value in values]

    def _windows(self, node):
        """Returns a list of (open, close, cost of lateness or None)."""
        windows = self.instance.get("time_windows")
        if not windows:
            return [(0, NO_LIMIT, None)]
        entry = windows[node] if isinstance(windows[node][0], list) else [windows[node]]
        return [(to_integer(one[0], "open"), to_integer(one[1], "close"), one[2] if len(one) > 2 else None)
                for one in entry]

    def _vehicle(self, given):
        distance = numpy.array(given["distance_matrix"], numpy.int64) if "distance_matrix" in given else self.distance
        duration = self.duration
        if "duration_matrix" in given:
            duration = numpy.array(given["duration_matrix"], numpy.int64)
        elif "distance_matrix" in given and "duration_matrix" not in self.instance:
            duration = distance
        costs = {"distance": (0, 1, 0, 0), "duration": (0, 0, 1, 0), "vehicles_then_distance": (self.big, 1, 0, 0),
                 "cost": tuple(to_integer(given.get(key, default), key) for key, default in (
                     ("fixed_cost", 0), ("cost_per_distance", 1), ("cost_per_time", 0), ("overtime_cost", 0)))}
        lengths = given.get("length_matrix", self.instance.get("length_matrix"))
        length = distance if lengths is None else numpy.array(lengths, numpy.int64)
        return Vehicle(given, distance, duration, length, *costs[self.instance.get("objective", "distance")])

    def route_limits(self):
        """Returns (customers, the largest number of them on a route) of each rule that limits it."""
        return [(rule["customers"], rule.get("max", 1)) for rule in self.rules
                if rule["kind"] in ("different_routes", "max_per_route")]

    def rules_of(self, kind):
        """Returns the customers of each rule of the kind."""
        return [rule["customers"] for rule in self.rules if rule["kind"] == kind]

    def unserved_weight(self, routes):
        """Returns the weight of the unserved mandatory customers, compared before cost. A group counts once."""
        served = {node for _, nodes in routes for node in nodes if node >= self.depots}
        grouped = set(itertools.chain.from_iterable(self.groups))
        # A group of shipments lists their pickups.
        grouped |= {one["delivery"] for one in self.instance.get("shipments", ()) if one["pickup"] in grouped}
        alone = [[node] for node in self.customers if node not in grouped]
        return sum(max(1 + self.priorities[node] for node in members) for members in alone + self.groups
                   if any(self.prizes[node] is None for node in members) and served.isdisjoint(members))

    def routes_counted(self, routes):
        return len(routes) if self.instance.get("objective") == "vehicles_then_distance" else 0

    def forbidden(self):
        """Returns the arcs from a backhaul to a delivery, [N, N] bool. Solvers get `big` as the cost of such an arc."""
        deliver, back = (numpy.array([any(row) for row in rows]) for rows in (self.demands, self.backhauls))
        return back[:, None] & deliver

    def cost_without_penalties(self, objective, routes):
        """Returns a solver's objective without the terms `big` per counted route and per unit of unserved weight."""
        if self.instance.get("priorities"):
            objective -= self.big * self.unserved_weight(routes)
        return objective - self.big * self.routes_counted(routes)

    def fleet(self):
        """Returns the type of each vehicle."""
        return [kind for kind, vehicle in enumerate(self.vehicles) for _ in range(vehicle.count)]

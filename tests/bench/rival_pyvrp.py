"""Solves instances of our JSON with PyVRP. Features without a field in PyVRP have an exact equivalent:

- open end: a depot at distance 0 from every node;
- stop limit, skills, rules that limit customers per route: a load dimension each, with demands of 1 and the allowed
  number of stops as capacity;
- backhaul before a delivery: an edge that costs more than any plan;
- fewest vehicles first: a fixed cost that exceeds any plan's cost;
- priorities: prizes of that cost times the weight;
- several windows: one customer per window, in a group of which one is served.
"""

import itertools
import time

import numpy
import pyvrp
from feature_problem import NO_LIMIT, Plan

NAME = "pyvrp"
# Features that PyVRP lacks: among others breaks, and setup times that depend on the previous location.
UNSUPPORTED = {"balance", "length_matrix", "setup", "vehicles.breaks", "vehicles.lifo", "vehicles.compartments",
               "vehicles.customer_times", "vehicles.cost_per_service_time",
               "vehicles.cost_per_travel_time"}


def unlimited(value):
    """Returns `value`, with PyVRP's number for "unlimited" in place of ours."""
    return int(numpy.iinfo(numpy.int64).max) if value == NO_LIMIT else value


class Model:
    """The data of an instance for PyVRP. Raises ValueError for features that cannot be expressed."""

    def __init__(self, problem):
        self._problem = problem
        self._skills = sorted({skill for skills in problem.skills for skill in skills})
        self._has_stop_limits = any("max_stops" in vehicle.given for vehicle in problem.vehicles)
        if problem.rules_of("same_route") or problem.rules_of("in_order"):
            raise ValueError("PyVRP has no customers that must share a route, and no orders of customers")
        self._nodes = []  # node of each PyVRP client
        self._groups = []
        self._add_groups()
        clients = [client for node in problem.customers for client in self._clients(node)]
        matrices, profiles = self._profiles()
        self.data = pyvrp.ProblemData(
            locations=[pyvrp.Location(0, 0) for _ in range(problem.nodes + 1)], clients=clients, depots=self._depots(),
            vehicle_types=[self._vehicle(vehicle, profile) for vehicle, profile in zip(problem.vehicles, profiles)],
            distance_matrices=[pair[0] for pair in matrices], duration_matrices=[pair[1] for pair in matrices],
            groups=self._groups, shipments=[self._shipment(shipment) for shipment in problem.shipments])

    def _add_groups(self):
        self._group_of = {}
        several = [[node] for node in self._problem.customers if len(self._problem.windows[node]) > 1]
        for members in self._problem.groups + several:
            # PyVRP adds the prizes of all unserved members, which adds the same to the cost of every plan.
            required = any(self._problem.prizes[node] is None for node in members)
            self._group_of.update(dict.fromkeys(members, len(self._groups)))
            self._groups.append(pyvrp.ClientGroup(required=required))

    def _further_loads(self, node):
        skills = [int(skill in self._problem.skills[node]) for skill in self._skills]
        return [1] * self._has_stop_limits + skills + [int(node in nodes) for nodes, _ in self._problem.route_limits()]

    def _clients(self, node):
        problem = self._problem
        if any(node in (shipment["pickup"], shipment["delivery"]) for shipment in problem.shipments):
            return
        group = self._group_of.get(node)
        prize = problem.prizes[node] or 0
        required = problem.prizes[node] is None and group is None
        if required and problem.instance.get("priorities"):
            required, prize = False, problem.big * (1 + problem.priorities[node])
        pickups = [pickup + backhaul for pickup, backhaul in zip(problem.pickups[node], problem.backhauls[node])]
        for early, late, soft in problem.windows[node]:
            if soft is not None:
                raise ValueError("PyVRP has no soft windows")
            if group is not None:
                self._groups[group].add_client(len(self._nodes))
            self._nodes.append(node)
            further = self._further_loads(node)
            yield pyvrp.Client(
                node, delivery=problem.demands[node] + further, pickup=pickups + [0] * len(further),
                service_duration=problem.service[node], tw_early=early, tw_late=unlimited(late),
                release_time=problem.release[node], prize=prize, required=required, group=group)

    def _shipment(self, shipment):
        problem = self._problem
        sides = {}
        for side in ("pickup", "delivery"):
            node = shipment[side]
            (early, late, _), = problem.windows[node]
            sides.update({f"{side}_location": node, f"{side}_tw_early": early, f"{side}_tw_late": unlimited(late),
                          f"{side}_service_duration": problem.service[node]})
        if self._has_stop_limits or self._skills or problem.rules:
            raise ValueError("stop limits, skills and rules are not modelled for shipments")
        return pyvrp.Shipment(amount=[shipment["amount"]], **sides)

    def _depots(self):
        windows = [self._problem.windows[depot][0] for depot in range(self._problem.depots)]
        depots = [pyvrp.Depot(depot, tw_early=early, tw_late=unlimited(late),
                              service_duration=self._problem.service[depot])
                  for depot, (early, late, _) in enumerate(windows)]
        return depots + [pyvrp.Depot(self._problem.nodes)]  # where open routes end

    def _profiles(self):
        """Returns pairs of matrices, whose last node is the depot of open ends, and each vehicle's pair index."""
        pairs, index, profiles = [], {}, []
        for vehicle in self._problem.vehicles:
            key = (id(vehicle.distance), id(vehicle.duration))
            if key not in index:
                distance, duration = (numpy.pad(matrix, (0, 1)) for matrix in (vehicle.distance, vehicle.duration))
                distance[:-1, :-1][self._problem.forbidden()] = self._problem.big
                index[key] = len(pairs)
                pairs.append((distance, duration))
            profiles.append(index[key])
        return pairs, profiles

    def _vehicle(self, vehicle, profile):
        given = vehicle.given
        further = [given.get("max_stops", self._problem.nodes)] * self._has_stop_limits
        further += [self._problem.nodes if skill in given.get("skills", ()) else 0 for skill in self._skills]
        further += [most for _, most in self._problem.route_limits()]
        early, late = given.get("shift", (0, NO_LIMIT))
        extra = {}
        if given.get("max_reloads"):
            depots = given.get("reload_depots") or [vehicle.start]
            extra.update(reload_depots=depots, max_reloads=given["max_reloads"])
        if given.get("initial_load"):
            extra.update(initial_load=[given["initial_load"]] + [0] * (len(vehicle.capacity + further) - 1))
        if "latest_start" in given:
            extra.update(start_late=given["latest_start"])
        if given.get("max_overtime"):
            extra.update(max_overtime=given["max_overtime"], unit_overtime_cost=vehicle.per_overtime)
        return pyvrp.VehicleType(
            num_available=vehicle.count, capacity=vehicle.capacity + further, start_depot=vehicle.start,
            end_depot=self._problem.depots if vehicle.end is None else vehicle.end, fixed_cost=vehicle.fixed,
            tw_early=early, tw_late=unlimited(late), shift_duration=unlimited(vehicle.limit("max_duration")),
            max_distance=unlimited(vehicle.limit("max_distance")), unit_distance_cost=vehicle.per_distance,
            unit_duration_cost=vehicle.per_time, profile=profile, **extra)

    def node_of(self, activity):
        if activity.is_client():
            return self._nodes[activity.idx]
        if activity.is_depot():
            return activity.idx
        return self._problem.shipments[activity.idx]["pickup" if activity.is_pickup() else "delivery"]


def nodes_of(model, route, depots):
    """Returns the customers and reload depots of a route, without depots at its ends."""
    nodes = [model.node_of(activity) for activity in route.schedule()][1:-1]
    merged = [node for node, _ in itertools.groupby(nodes)]  # merges consecutive visits of a depot
    while merged and merged[-1] < depots:
        merged.pop()
    return list(itertools.dropwhile(lambda node: node < depots, merged))


def solve(problem, limit, seed):
    """Returns the best feasible plan found within the limit, or None."""
    start = time.perf_counter()
    model = Model(problem)
    result = pyvrp.solve(model.data, stop=lambda _: time.perf_counter() - start >= limit, seed=seed, collect_stats=False,
                         display=False)
    if not result.best.is_feasible():
        return None
    routes = [(route.vehicle_type(), nodes_of(model, route, problem.depots)) for route in result.best.routes()]
    return Plan(routes, problem.cost_without_penalties(result.cost(), routes))

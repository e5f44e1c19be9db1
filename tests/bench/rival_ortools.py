"""Solves instances of our JSON with OR-Tools: parallel cheapest insertion, then guided local search until the limit."""

import itertools
import time

import numpy
from feature_problem import FAR, NO_LIMIT, Plan
from ortools.constraint_solver import pywrapcp, routing_enums_pb2

NAME = "ortools"
# Features without a short exact model, and features for which other rivals suffice. OR-Tools may schedule a break
# before a route begins or after it ends; our breaks are part of the route.
UNSUPPORTED = {"balance", "length_matrix", "pickups", "release", "setup", "vehicles.open_end", "vehicles.breaks",
               "vehicles.max_reloads",
               "vehicles.compartments", "vehicles.customer_times", "vehicles.cost_per_service_time",
               "vehicles.cost_per_travel_time"}


class Model:
    def __init__(self, problem):
        self._problem = problem
        self.fleet = problem.fleet()
        self._kinds = [problem.vehicles[kind] for kind in self.fleet]
        self.manager = pywrapcp.RoutingIndexManager(
            problem.nodes, len(self.fleet), [vehicle.start for vehicle in self._kinds],
            [vehicle.end for vehicle in self._kinds])
        self.routing = pywrapcp.RoutingModel(self.manager)
        self._solver = self.routing.solver()
        self._transits = {}
        self._add_costs()
        self._add_loads()
        self._add_shipments()
        self._add_times()
        self._add_limits()
        self._add_choices()
        self._add_rules()

    def _index(self, node):
        return self.manager.NodeToIndex(node)

    def _transit(self, key, matrix):
        """Returns the callback of an [N, N] matrix, cached by key."""
        if key not in self._transits:
            self._transits[key] = self.routing.RegisterTransitMatrix(matrix.tolist())
        return self._transits[key]

    def _add_costs(self):
        for number, (kind, vehicle) in enumerate(zip(self.fleet, self._kinds)):
            cost = vehicle.distance * vehicle.per_distance
            cost[self._problem.forbidden()] = self._problem.big
            self.routing.SetArcCostEvaluatorOfVehicle(self._transit(("cost", kind), cost), number)
            self.routing.SetFixedCostOfVehicle(vehicle.fixed, number)

    def _add_loads(self):
        """Adds two dimensions per load dimension: one for deliveries, and one for backhauls, which come later."""
        for what, rows in (("demand", self._problem.demands), ("backhaul", self._problem.backhauls)):
            for k in range(self._problem.dimensions):
                loads = [row[k] for row in rows]
                if not any(loads):
                    continue
                self.routing.AddDimensionWithVehicleCapacity(
                    self.routing.RegisterUnaryTransitVector(loads), 0,
                    [vehicle.capacity[k] for vehicle in self._kinds], True, f"{what}{k}")

    def _add_shipments(self):
        """Adds the goods on board in each load dimension, and the order of pickups and deliveries."""
        shipments = self._problem.shipments
        if not shipments:
            return
        if any(any(row) for row in self._problem.demands):
            raise ValueError("shipments are not modelled together with deliveries from the depot")
        for k in range(self._problem.dimensions):
            change = [0] * self._problem.nodes
            for shipment in shipments:
                amount = shipment["amount"][k] if isinstance(shipment["amount"], list) else shipment["amount"]
                change[shipment["pickup"]] += amount
                change[shipment["delivery"]] -= amount
            self.routing.AddDimensionWithVehicleCapacity(
                self.routing.RegisterUnaryTransitVector(change), 0,
                [vehicle.capacity[k] for vehicle in self._kinds], True, f"shipped{k}")
        self.routing.AddConstantDimension(1, self._problem.nodes + 1, True, "order")
        order = self.routing.GetDimensionOrDie("order")
        for shipment in shipments:
            pickup, delivery = self._index(shipment["pickup"]), self._index(shipment["delivery"])
            self.routing.AddPickupAndDelivery(pickup, delivery)
            self._solver.Add(self.routing.VehicleVar(pickup) == self.routing.VehicleVar(delivery))
            self._solver.Add(order.CumulVar(pickup) <= order.CumulVar(delivery))
        for number, vehicle in enumerate(self._kinds):
            if vehicle.given.get("lifo"):
                self.routing.SetPickupAndDeliveryPolicyOfVehicle(
                    pywrapcp.RoutingModel.PICKUP_AND_DELIVERY_LIFO, number)

    def _add_times(self):
        """Adds the time dimension. The arc after a node includes its service, so a cumul is a service start."""
        if any(self._problem.service[:self._problem.depots]):
            raise ValueError("loading times are not modelled")
        service = numpy.array(self._problem.service)[:, None]
        transits = [self._transit(("time", kind), vehicle.duration + service)
                    for kind, vehicle in zip(self.fleet, self._kinds)]
        self.routing.AddDimensionWithVehicleTransits(transits, FAR, FAR, False, "time")
        self._time = self.routing.GetDimensionOrDie("time")
        for node in self._problem.customers:
            self._add_windows(node)
        for number, vehicle in enumerate(self._kinds):
            opened, closed = vehicle.given.get("shift", (0, NO_LIMIT))
            for depot, index in ((vehicle.start, self.routing.Start(number)), (vehicle.end, self.routing.End(number))):
                early, late, _ = self._problem.windows[depot][0]
                self._time.CumulVar(index).SetRange(max(early, opened), min(late, closed, FAR))
            self._add_durations(number, vehicle)

    def _add_windows(self, node):
        windows = self._problem.windows[node]
        soft = windows[-1][2]
        times = self._time.CumulVar(self._index(node))
        times.SetRange(windows[0][0], FAR if soft is not None else min(windows[-1][1], FAR))
        for before, after in zip(windows, windows[1:]):
            times.RemoveInterval(before[1] + 1, after[0] - 1)
        if soft is not None:
            self._time.SetCumulVarSoftUpperBound(self._index(node), windows[-1][1], soft)

    def _add_durations(self, number, vehicle):
        self._time.SetSpanCostCoefficientForVehicle(vehicle.per_time, number)
        max_duration = vehicle.limit("max_duration")
        if max_duration == NO_LIMIT:
            return
        over = vehicle.given.get("max_overtime", 0)
        self._time.SetSpanUpperBoundForVehicle(max_duration + over, number)
        if over:
            self._time.SetSoftSpanUpperBoundForVehicle(pywrapcp.BoundCost(max_duration, vehicle.per_overtime), number)

    def _add_limits(self):
        if any("max_distance" in vehicle.given for vehicle in self._kinds):
            transits = [self._transit(("distance", kind), vehicle.distance)
                        for kind, vehicle in zip(self.fleet, self._kinds)]
            max_distances = [min(vehicle.limit("max_distance"), FAR) for vehicle in self._kinds]
            self.routing.AddDimensionWithVehicleTransitAndCapacity(transits, 0, max_distances, True, "distance")
        if any("max_stops" in vehicle.given for vehicle in self._kinds):
            ones = [0] * self._problem.depots + [1] * len(self._problem.customers)
            self.routing.AddDimensionWithVehicleCapacity(
                self.routing.RegisterUnaryTransitVector(ones), 0,
                [min(vehicle.limit("max_stops"), FAR) for vehicle in self._kinds], True, "stops")
        for node in self._problem.customers:
            if needed := set(self._problem.skills[node]):
                able = [number for number, vehicle in enumerate(self._kinds)
                        if needed <= set(vehicle.given.get("skills", ()))]
                self.routing.SetAllowedVehiclesForIndex(able, self._index(node))

    def _add_choices(self):
        problem = self._problem
        for members in problem.groups:
            if any(problem.prizes[node] is not None for node in members):
                raise ValueError("prizes of alternatives are not modelled")
            self.routing.AddDisjunction([self._index(node) for node in members])
        for node in problem.customers:
            if problem.prizes[node] is not None:
                self.routing.AddDisjunction([self._index(node)], problem.prizes[node])
            elif problem.instance.get("priorities"):
                self.routing.AddDisjunction([self._index(node)], problem.big * (1 + problem.priorities[node]))

    def _add_rules(self):
        vehicle = lambda node: self.routing.VehicleVar(self._index(node))
        for number, (nodes, most) in enumerate(self._problem.route_limits()):
            ones = [int(node in nodes) for node in range(self._problem.nodes)]
            self.routing.AddDimensionWithVehicleCapacity(self.routing.RegisterUnaryTransitVector(ones), 0,
                                                         [most] * len(self.fleet), True, f"rule{number}")
        for nodes in self._problem.rules_of("same_route"):
            for node in nodes[1:]:
                self._solver.Add(vehicle(nodes[0]) == vehicle(node))
        orders = self._problem.rules_of("in_order")
        if not orders:
            return
        visits = self.routing.RegisterUnaryTransitVector([1] * self._problem.nodes)
        self.routing.AddDimension(visits, 0, self._problem.nodes, True, "visits")
        place = self.routing.GetDimensionOrDie("visits").CumulVar
        for nodes in orders:
            for before, after in itertools.combinations(nodes, 2):
                together = vehicle(before) == vehicle(after)
                self._solver.Add(together * (place(self._index(before)) - place(self._index(after))) <= 0)

    def routes(self, solution):
        found = []
        for number, kind in enumerate(self.fleet):
            index, nodes = solution.Value(self.routing.NextVar(self.routing.Start(number))), []
            while not self.routing.IsEnd(index):
                nodes.append(self.manager.IndexToNode(index))
                index = solution.Value(self.routing.NextVar(index))
            if nodes:
                found.append((kind, nodes))
        return found


def solve(problem, limit, seed):
    """Returns the best plan found within the limit, or None. OR-Tools has no seed."""
    del seed
    start = time.perf_counter()
    model = Model(problem)
    parameters = pywrapcp.DefaultRoutingSearchParameters()
    parameters.first_solution_strategy = routing_enums_pb2.FirstSolutionStrategy.PARALLEL_CHEAPEST_INSERTION
    parameters.local_search_metaheuristic = routing_enums_pb2.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
    parameters.time_limit.FromMilliseconds(max(1, int(1000 * (limit - (time.perf_counter() - start)))))
    solution = model.routing.SolveWithParameters(parameters)
    if solution is None:
        return None
    routes = model.routes(solution)
    return Plan(routes, problem.cost_without_penalties(solution.ObjectiveValue(), routes))

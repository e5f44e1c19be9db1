"""Solves instances of our JSON with VROOM at exploration level 5, which ends by itself, at the limit at the latest."""

import datetime
import time

import numpy
import vroom
from feature_problem import FAR, NO_LIMIT, Plan

NAME = "vroom"
LEVEL = 5
# VROOM has no release times, prizes, groups or reloads, and its durations and their limits cover only the driving.
# Among plans with equal unserved weight, VROOM prefers more served customers, then the lowest cost.
# Ours prefers the lowest cost.
UNSUPPORTED = {"balance", "release", "prizes", "priorities", "alternative_groups", "backhauls", "customer_rules",
               "vehicles.max_reloads",
               "vehicles.max_duration", "vehicles.cost_per_time", "vehicles.max_overtime", "vehicles.lifo",
               "vehicles.compartments", "vehicles.cost_per_service_time",
               "vehicles.cost_per_travel_time"}


def window(opened, closed):
    return vroom.TimeWindow(opened, min(closed, FAR))


class Model:
    def __init__(self, problem):
        self._problem = problem
        if any(problem.service[:problem.depots]):
            raise ValueError("VROOM has no loading times")
        self._skill = {skill: index for index, skill in enumerate(
            sorted({skill for vehicle in problem.vehicles for skill in vehicle.given.get("skills", ())}))}
        # Setup applies only after a move. VROOM compares location indices, so nodes of one location share an index.
        self._locations = [int(numpy.argmax((problem.distance[node] == 0) & (problem.duration[node] == 0)))
                        for node in range(problem.nodes)]
        self.input = vroom.Input()
        self._add_matrices()
        self.fleet = problem.fleet()
        self.input.add_vehicle([self._vehicle(number, kind) for number, kind in enumerate(self.fleet)])
        shipped = {shipment[side] for shipment in problem.shipments for side in ("pickup", "delivery")}
        self.input.add_job([self._job(node) for node in problem.customers if node not in shipped])
        for shipment in problem.shipments:
            self.input.add_shipment(self._step(shipment["pickup"]), self._step(shipment["delivery"]),
                                    amount=vroom.Amount([shipment["amount"]]))

    def _add_matrices(self):
        for kind, vehicle in enumerate(self._problem.vehicles):
            self.input.set_durations_matrix(str(kind), vehicle.duration)
            self.input.set_distances_matrix(str(kind), vehicle.length)
            self.input.set_costs_matrix(str(kind), vehicle.distance * vehicle.per_distance)

    def _vehicle(self, number, kind):
        vehicle = self._problem.vehicles[kind]
        given = vehicle.given
        if vehicle.per_time or self._problem.instance.get("objective") == "duration":
            raise ValueError("VROOM's objective has no durations of routes")
        ends = [self._problem.windows[depot][0] for depot in {vehicle.start, vehicle.end} - {None}]
        ends.append((*given.get("shift", (0, NO_LIMIT)), None))
        if len(ends) > 2 and any(end[:2] != (0, NO_LIMIT) for end in ends[:-1]):
            raise ValueError("VROOM has one window for both depots")
        extra = {"max_tasks": given["max_stops"]} if "max_stops" in given else {}
        if "max_distance" in given:
            extra["max_distance"] = given["max_distance"]
        return vroom.Vehicle(
            number, start=vehicle.start, end=vehicle.end, profile=str(kind), type=str(kind), capacity=vehicle.capacity,
            skills={self._skill[skill] for skill in given.get("skills", ())},
            time_window=window(max(end[0] for end in ends), min(end[1] for end in ends)),
            costs=vroom.VehicleCosts(fixed=vehicle.fixed),
            breaks=[self._break(index, pause) for index, pause in enumerate(given.get("breaks", ()))], **extra)

    @staticmethod
    def _break(index, pause):
        windows = [pause["window"], *pause.get("further_windows", ())]
        most = pause.get("max_load")
        return vroom.Break(index, time_windows=[window(*one) for one in windows], service=pause["duration"],
                           max_load=None if most is None else vroom.Amount(most if isinstance(most, list) else [most]))

    def _times(self, node):
        if any(soft is not None for _, _, soft in self._problem.windows[node]):
            raise ValueError("VROOM has no soft windows")
        return {"location": self._locations[node], "default_setup": self._problem.setup[node],
                "default_service": self._problem.service[node],
                "service_per_type": self._times_per_type(node, "service"),
                "setup_per_type": self._times_per_type(node, "setup"),
                "time_windows": [window(*one[:2]) for one in self._problem.windows[node]]}

    def _times_per_type(self, node, key):
        """Returns the node's own service or setup times of vehicle types, or None if there are none."""
        return {str(kind): times[key] for kind, vehicle in enumerate(self._problem.vehicles)
                for times in vehicle.given.get("customer_times", ())
                if times["customer"] == node and key in times} or None

    def _job(self, node):
        return vroom.Job(node, delivery=vroom.Amount(self._problem.demands[node]),
                         pickup=vroom.Amount(self._problem.pickups[node]),
                         skills={self._skill[skill] for skill in self._problem.skills[node]}, **self._times(node))

    def _step(self, node):
        return vroom.ShipmentStep(node, **self._times(node))


def solve(problem, limit, seed):
    """Returns VROOM's plan, which may have unserved customers. VROOM has no seed and is deterministic."""
    del seed
    start = time.perf_counter()
    model = Model(problem)
    rest = datetime.timedelta(seconds=max(0.01, limit - (time.perf_counter() - start)))
    solution = model.input.solve(exploration_level=LEVEL, nb_threads=1, timeout=rest)
    steps = solution.routes
    steps = steps[steps["type"].isin(["job", "pickup", "delivery"])]
    routes = [(model.fleet[int(vehicle)], [int(node) for node in part["id"]])
              for vehicle, part in steps.groupby("vehicle_id", sort=False)]
    return Plan(routes, solution.summary.cost - problem.big * problem.routes_counted(routes))

"""Generates instances in our JSON, each with one binding feature, and lists the rivals that model it exactly."""

import dataclasses
import math
import random
from collections.abc import Callable

from feature_district import (DAY, SERVICE, SIDE, STOPS, add_service, add_windows, customers, district, farthest,
                              one_way_streets, per_customer, random_pair_count, split_fleet)


@dataclasses.dataclass(frozen=True)
class Feature:
    """A feature. `make` takes a random.Random; `rivals` model it exactly; `note` explains the exclusions."""

    make: Callable
    rivals: tuple
    note: str = ""


FEATURES = {}


def feature(name, *rivals, note=""):
    def add(make):
        FEATURES[name] = Feature(make, rivals, note)
        return make
    return add


@feature("open_routes", "pyvrp", "vroom")
def open_routes(rng):
    return split_fleet(district(rng), [{"open_end": True}])


@feature("backhauls", "pyvrp", "ortools", note="VROOM cannot forbid an order")
def backhauls(rng):
    instance = district(rng)
    back = per_customer(instance, lambda: rng.random() < 0.35, at_depots=False)
    loads = instance["demands"]
    return {**instance, "demands": [0 if behind else load for load, behind in zip(loads, back)],
            "backhauls": [load if behind else 0 for load, behind in zip(loads, back)]}


@feature("pickups", "pyvrp", "vroom")
def pickups(rng):
    instance = district(rng)
    return {**instance, "pickups": per_customer(instance, lambda: rng.randint(0, 20))}


@feature("shipments", "pyvrp", "vroom")
def shipments(rng):
    instance = district(rng, customers=2 * random_pair_count(rng))
    nodes = rng.sample(customers(instance), len(customers(instance)))
    instance["demands"] = [0] * len(instance["coords"])
    instance["shipments"] = [{"pickup": pickup, "delivery": delivery, "amount": rng.randint(1, 10)}
                             for pickup, delivery in zip(nodes[::2], nodes[1::2])]
    instance["vehicles"] = [{"count": math.ceil(len(nodes) / 5) + 2, "capacity": 20}]
    add_windows(rng, instance, share=0, spare=1)
    late = {shipment["delivery"] for shipment in instance["shipments"]}
    for node in customers(instance):
        if rng.random() < 0.3:
            opened = rng.randint(0, 999)
            instance["time_windows"][node] = [opened + 400, opened + 3400] if node in late else [opened, opened + 2000]
    return instance


@feature("several_depots", "pyvrp", "vroom")
def several_depots(rng):
    return split_fleet(district(rng, depots=3), [{"depot": depot} for depot in range(3)])


@feature("own_start_and_end", "pyvrp", "vroom")
def own_start_and_end(rng):
    return split_fleet(district(rng, depots=4), [{"depot": k, "end_depot": (k + 1) % 4} for k in range(4)])


@feature("reloads", "pyvrp", note="VROOM has none; OR-Tools' need copies of the depot, whose number changes its search")
def reloads(rng):
    instance = add_service(district(rng), 30)
    vehicle = instance["vehicles"][0]
    vehicle.update(count=math.ceil(vehicle["count"] / 2) + 1, max_reloads=2, max_duration=DAY,
                   capacity=vehicle["capacity"])
    return instance


@feature("shift", "pyvrp", "vroom")
def shift(rng):
    instance = add_windows(rng, district(rng), share=0.4, spare=1.6)
    return split_fleet(instance, [{"shift": [0, 2400]}, {"shift": [1600, 4000]}, {"shift": [0, DAY], "count": 2}])


@feature("two_capacities", "pyvrp", "vroom")
def two_capacities(rng):
    instance = district(rng)
    volumes = per_customer(instance, lambda: rng.randint(1, 20))
    instance["demands"] = [list(both) for both in zip(instance["demands"], volumes)]
    vehicle = instance["vehicles"][0]
    vehicle["capacity"] = [vehicle["capacity"], round(sum(volumes) * STOPS / len(customers(instance)))]
    vehicle["count"] += 2
    return instance


@feature("fleet_and_costs", "pyvrp", "ortools", note="VROOM's hourly cost covers only driving")
def fleet_and_costs(rng):
    instance = add_service(district(rng))
    capacity = instance["vehicles"][0]["capacity"]
    return {**split_fleet(instance, [
        {"capacity": capacity // 2, "fixed_cost": 400, "cost_per_distance": 2, "cost_per_time": 1},
        {"fixed_cost": 900, "cost_per_distance": 3, "cost_per_time": 1},
        {"capacity": 2 * capacity, "fixed_cost": 1500, "cost_per_distance": 4, "cost_per_time": 2}]), "objective": "cost"}


@feature("costs_with_windows", "pyvrp", "ortools", note="VROOM's hourly cost covers only driving")
def costs_with_windows(rng):
    instance = add_windows(rng, district(rng))
    return {**split_fleet(instance, [{"fixed_cost": 500, "cost_per_distance": 2, "cost_per_time": 3}]), "objective": "cost"}


@feature("overtime", "pyvrp", "ortools", note="VROOM has none")
def overtime(rng):
    instance = add_service(district(rng))
    return {**split_fleet(instance, [{"max_duration": 1800, "max_overtime": 1500, "overtime_cost": 3, "fixed_cost": 600,
                                      "cost_per_time": 1}]), "objective": "cost"}


@feature("max_distance", "pyvrp", "vroom")
def max_distance(rng):
    instance = district(rng)
    return split_fleet(instance, [{"max_distance": 2 * farthest(instance) + 60, "count": 30}])


@feature("max_duration", "pyvrp", "ortools", note="VROOM limits the driving time only")
def max_duration(rng):
    instance = add_service(district(rng))
    return split_fleet(instance, [{"max_duration": 2 * farthest(instance) + 5 * SERVICE, "count": 30}])


@feature("max_stops", "pyvrp", "vroom")
def max_stops(rng):
    instance = district(rng)
    return split_fleet(instance, [{"max_stops": STOPS - 2, "count": math.ceil(len(customers(instance)) / (STOPS - 3))}])


@feature("skills", "pyvrp", "vroom")
def skills(rng):
    instance = district(rng)
    kinds = [[], ["crane"], ["cold"], ["crane", "cold"]]
    instance["required_skills"] = per_customer(instance, lambda: rng.choices(kinds, [5, 2, 2, 1])[0], at_depots=[])
    return split_fleet(instance, [{"skills": kind} for kind in kinds])


@feature("breaks", "vroom", note="PyVRP has none; OR-Tools may take them before or after the route")
def breaks(rng):
    instance = add_windows(rng, district(rng))
    return split_fleet(instance, [{"breaks": [{"window": [1500, 2400], "duration": 300}]},
                                  {"breaks": [{"window": [900, 1300], "duration": 120}, {"window": [2400, 3000],
                                                                                         "duration": 240}]}])


@feature("driving_rules", note="PyVRP and VROOM have none; OR-Tools limits the time between breaks, not the driving")
def driving_rules(rng):
    """Generates long hauls in minutes: routes of 6 to 12 hours of driving, with breaks by Regulation (EC) No 561/2006."""
    instance = district(rng)
    instance["kind"] = "vrptw"
    instance["coords"] = [[round(0.3 * x), round(0.3 * y)] for x, y in instance["coords"]]
    opened = [rng.randint(0, 400) if rng.random() < 0.6 else None for _ in customers(instance)]
    instance["time_windows"] = [[0, 900]] * instance["num_depots"] + [
        [0, 900] if start is None else [start, max(start + rng.randint(120, 240), 300)] for start in opened]
    add_service(instance, 20)
    rules = {"preset": "eu_561_daily", "time_unit": "min", "max_driving": 600}
    vehicle = instance["vehicles"][0]
    return split_fleet(instance, [{"driving_rules": rules, "count": math.ceil(1.6 * vehicle["count"]) + 1}])


@feature("own_matrix", "pyvrp", "vroom")
def own_matrix(rng):
    instance = district(rng)
    capacity = instance["vehicles"][0]["capacity"]
    return split_fleet(instance, [{"capacity": capacity // 2},
                                  {"capacity": 2 * capacity, "distance_matrix": one_way_streets(rng, instance)}])


@feature("setup", "vroom", note="PyVRP has none; OR-Tools' would be part of the way, before the wait for a window")
def setup(rng):
    """Generates buildings with several customers: the van is parked once per building."""
    instance = district(rng)
    coords = instance["coords"]
    for node in customers(instance):
        if rng.random() < 0.4:
            coords[node] = coords[rng.randint(instance["num_depots"], node)]
    add_windows(rng, instance)
    return {**add_service(instance, 40), "setup": per_customer(instance, lambda: 70)}


@feature("release", "pyvrp", note="VROOM has none; OR-Tools' would be a condition for each pair of customer and vehicle")
def release(rng):
    instance = add_windows(rng, district(rng), share=0.3)
    for node in customers(instance):
        opened, closed = instance["time_windows"][node]
        instance["time_windows"][node] = [opened, max(closed, 3000)]
    return {**instance, "release": per_customer(instance, lambda: rng.choice([0, 0, 300, 600, 900, 1200]))}


@feature("several_windows", "vroom", "ortools", note="PyVRP has none; it would need a copy of the customer for each window")
def several_windows(rng):
    instance = add_windows(rng, district(rng), share=0, spare=1.6)
    for node in customers(instance):
        if rng.random() < 0.7:
            opened = rng.randint(0, 1199)
            closed = opened + rng.randint(300, 699)
            again = closed + rng.randint(400, 899)
            instance["time_windows"][node] = [[opened, closed], [again, again + rng.randint(400, 799)]]
    return instance


@feature("soft_windows", "ortools", note="PyVRP and VROOM have none")
def soft_windows(rng):
    instance = add_windows(rng, district(rng), share=0.8, spare=1)
    for node in customers(instance):
        opened, closed = instance["time_windows"][node]
        if closed < DAY:
            instance["time_windows"][node] = [opened, opened + (closed - opened) // 3, rng.randint(1, 3)]
    return instance


@feature("prizes", "pyvrp", "ortools", note="VROOM has none")
def prizes(rng):
    instance = district(rng)
    instance["vehicles"][0]["count"] = math.ceil(instance["vehicles"][0]["count"] * 0.8)
    return {**instance, "prizes": per_customer(instance, lambda: rng.randint(20, 249), at_depots=None)}


@feature("priorities", "pyvrp", "ortools", note="VROOM counts customers before costs where priorities are equal")
def priorities(rng):
    instance = district(rng)
    instance["vehicles"][0]["count"] = math.floor(0.7 * len(customers(instance)) / STOPS)
    return {**instance, "priorities": per_customer(instance, lambda: rng.randint(0, 5))}


@feature("short_fleet", "pyvrp", "vroom")
def short_fleet(rng):
    """Generates too few vehicles for all customers, who have the same priority."""
    instance = priorities(rng)
    return {**instance, "priorities": [0] * len(instance["priorities"])}


@feature("alternatives", "pyvrp", "ortools", note="VROOM has none")
def alternatives(rng):
    instance = district(rng)
    nodes = rng.sample(customers(instance), len(customers(instance)))
    groups = [[nodes.pop() for _ in range(rng.randint(2, 3))] for _ in range(len(nodes) // 5)]
    return {**instance, "alternative_groups": groups}


@feature("objective_duration", "pyvrp", "ortools", note="VROOM's objective is the driving time only")
def objective_duration(rng):
    return {**add_windows(rng, district(rng)), "objective": "duration"}


@feature("vehicles_first", "pyvrp", "vroom")
def vehicles_first(rng):
    return {**add_windows(rng, district(rng)), "objective": "vehicles_then_distance"}


@feature("lon_lat", "pyvrp", "vroom")
def lon_lat(rng):
    instance = district(rng)
    degrees = [[round(2 + 0.7 * x / SIDE, 6), round(48.6 + 0.45 * y / SIDE, 6)] for x, y in instance["coords"]]
    return {**instance, "coordinates": "lon_lat", "coords": degrees}


@feature("asymmetric_cvrp", "pyvrp", "vroom")
def asymmetric_cvrp(rng):
    instance = district(rng)
    return {**instance, "distance_matrix": one_way_streets(rng, instance)}


@feature("asymmetric_vrptw", "pyvrp", "vroom")
def asymmetric_vrptw(rng):
    instance = add_windows(rng, district(rng))
    return {**instance, "distance_matrix": one_way_streets(rng, instance),
            "duration_matrix": one_way_streets(rng, instance)}


def generate(name, number, seed):
    """Returns instance `number` of a feature, which the seed determines."""
    rng = random.Random(f"{name}-{number}-{seed}")
    return {"name": f"{name}-{number}", **FEATURES[name].make(rng)}

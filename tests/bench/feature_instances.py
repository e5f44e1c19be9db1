"""Generates instances in our JSON, each with one binding feature, and lists the rivals that model it exactly."""

import dataclasses
import itertools
import math
import random
from collections.abc import Callable

from feature_district import (DAY, SERVICE, SIDE, STOPS, add_releases, add_service, add_windows, customers, district,
                              farthest, one_way_streets, per_customer, random_pair_count, rush_hours, split_fleet)


@dataclasses.dataclass(frozen=True)
class Feature:
    """A feature. `make` takes a random.Random; `rivals` model it exactly; `note` explains the exclusions.

    `ignored` are the keys of the feature, in the form of used_keys. The rival "ignoring" solves without them.
    """

    make: Callable
    rivals: tuple
    note: str = ""
    ignored: tuple = ()


FEATURES = {}


def feature(name, *rivals, note="", ignored=()):
    def add(make):
        FEATURES[name] = Feature(make, rivals + ("ignoring",) * bool(ignored), note, ignored)
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


@feature("lifo", "ortools", note="PyVRP and VROOM have none", ignored=["vehicles.lifo"])
def lifo(rng):
    """Generates shipments for vans that are loaded and unloaded from behind."""
    instance = district(rng, customers=2 * random_pair_count(rng))
    nodes = rng.sample(customers(instance), len(customers(instance)))
    instance["demands"] = [0] * len(instance["coords"])
    instance["shipments"] = [{"pickup": pickup, "delivery": delivery, "amount": rng.randint(1, 10)}
                             for pickup, delivery in zip(nodes[::2], nodes[1::2])]
    instance["vehicles"] = [{"count": math.ceil(len(nodes) / 10), "capacity": 20, "lifo": True}]
    return instance


@feature("compartments", note="PyVRP, VROOM and OR-Tools have none", ignored=["vehicles.compartments"])
def compartments(rng):
    """Generates three products for tankers whose compartments each hold one of them at a time."""
    instance = district(rng)
    for node in customers(instance):
        kind = rng.randrange(3)
        instance["demands"][node] = [instance["demands"][node] if k == kind else 0 for k in range(3)]
    instance["demands"][0] = [0, 0, 0]
    capacity = instance["vehicles"][0]["capacity"]
    shares = [0.35, 0.3, 0.2, 0.15]
    instance["vehicles"] = [{"count": math.ceil(1.3 * len(customers(instance)) / STOPS) + 1,
                             "compartments": [{"capacity": round(capacity * share)} for share in shares]}]
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


@feature("reload_depots", "pyvrp", note="VROOM has none", ignored=["vehicles.reload_depots"])
def reload_depots(rng):
    instance = add_service(district(rng, depots=3), 30)
    vehicle = instance["vehicles"][0]
    vehicle.update(count=math.ceil(vehicle["count"] / 2) + 1, max_reloads=2, max_duration=DAY, reload_depots=[0, 1, 2])
    return instance


@feature("loading", "pyvrp", note="VROOM has none; OR-Tools' would need loading times of the start")
def loading(rng):
    instance = reloads(rng)
    instance["service"] = [120 if node < instance["num_depots"] else time for node, time in enumerate(instance["service"])]
    instance["vehicles"][0]["cost_per_time"] = 1
    return {**instance, "objective": "cost"}


@feature("initial_load", note="VROOM has none",
         ignored=["vehicles.initial_load"])
def initial_load(rng):
    instance = reloads(rng)
    vehicle = instance["vehicles"][0]
    vehicle["initial_load"] = vehicle["capacity"] // 3
    return instance


@feature("latest_start", "pyvrp", note="VROOM has none", ignored=["vehicles.latest_start"])
def latest_start(rng):
    instance = add_releases(rng, add_windows(rng, district(rng), spare=1.6))
    instance["vehicles"][0]["latest_start"] = 1200
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


@feature("length_matrix", "vroom", note="PyVRP limits the distances themselves; OR-Tools' would need another dimension",
         ignored=["length_matrix", "vehicles.max_distance"])
def length_matrix(rng):
    """Generates tolls as distances, beside the lengths of the roads."""
    instance = district(rng)
    instance["length_matrix"] = one_way_streets(rng, instance)
    instance["distance_matrix"] = [[round(length * rng.uniform(0.4, 1.6)) for length in row]
                                   for row in instance["length_matrix"]]
    count = max(30, len(customers(instance)) // 4)
    return split_fleet(instance, [{"max_distance": 3 * farthest(instance) + 60, "count": count}])


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


@feature("break_windows", "vroom", note="PyVRP has no breaks; OR-Tools may take them before or after the route")
def break_windows(rng):
    instance = add_windows(rng, district(rng))
    return split_fleet(instance, [{"breaks": [{"window": [900, 1200], "further_windows": [[1800, 2000], [2500, 2600]],
                                               "duration": 300}]},
                                  {"breaks": [{"window": [600, 700], "further_windows": [[1300, 1400]], "duration": 120},
                                              {"window": [2000, 2100], "further_windows": [[2700, 3000]],
                                               "duration": 240}]}])


@feature("break_max_load", "vroom", note="PyVRP and OR-Tools have none")
def break_max_load(rng):
    instance = add_windows(rng, district(rng))
    capacity = instance["vehicles"][0]["capacity"]
    return split_fleet(instance, [{"breaks": [{"window": [600, 1500], "duration": 300, "max_load": capacity // 2}]},
                                  {"breaks": [{"window": [900, 2400], "duration": 240, "max_load": capacity // 3}]}])


@feature("service_per_type", "vroom", note="PyVRP has none; OR-Tools' would need a transit for each vehicle",
         ignored=["vehicles.customer_times"])
def service_per_type(rng):
    instance = add_windows(rng, district(rng))
    slow = [{"customer": node, "service": rng.choice([20, 180])} for node in customers(instance)]
    return split_fleet(instance, [{"customer_times": slow}, {}])


@feature("driving_rules", note="PyVRP and VROOM have none; OR-Tools limits the time between breaks, not the driving",
         ignored=["vehicles.driving_rules"])
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
    return add_releases(rng, add_windows(rng, district(rng), share=0.3))


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


@feature("prizes_of_alternatives", "pyvrp", note="VROOM has none; in OR-Tools' disjunctions, all have one price")
def prizes_of_alternatives(rng):
    """Generates groups that must be served, as their first customers have no prize."""
    instance = alternatives(rng)
    prizes = [None] * len(instance["coords"])
    for node in itertools.chain.from_iterable(group[1:] for group in instance["alternative_groups"]):
        prizes[node] = rng.randint(20, 249)
    return {**instance, "prizes": prizes}


@feature("alternatives", "pyvrp", "ortools", note="VROOM has none")
def alternatives(rng):
    instance = district(rng)
    nodes = rng.sample(customers(instance), len(customers(instance)))
    groups = [[nodes.pop() for _ in range(rng.randint(2, 3))] for _ in range(len(nodes) // 5)]
    return {**instance, "alternative_groups": groups}


@feature("alternative_shipments", note="no rival has them", ignored=["alternative_groups"])
def alternative_shipments(rng):
    instance = shipments(rng)
    pickups = [shipment["pickup"] for shipment in instance["shipments"]]
    return {**instance, "alternative_groups": [list(pair) for pair in zip(pickups[::4], pickups[1::4])]}


@feature("shipments_with_reloads", note="PyVRP's shipments may not be on board during a reload")
def shipments_with_reloads(rng):
    instance = shipments(rng)
    for node in customers(instance)[::5]:
        instance["demands"][node] = rng.randint(1, 10)
    instance["vehicles"][0]["max_reloads"] = 1
    return instance


def rules(rng, instance, kind, low, high, share):
    """Returns the instance with rules over `share` of its customers, in sets of `low` to `high` of them."""
    nodes = rng.sample(customers(instance), math.ceil(share * len(customers(instance))))
    found = []
    while len(nodes) >= high:
        found.append({"kind": kind, "customers": [nodes.pop() for _ in range(rng.randint(low, high))]})
    return {**instance, "customer_rules": [*instance.get("customer_rules", ()), *found]}


@feature("same_route", "ortools", "vrp_cli", note="PyVRP 0.14 and VROOM have none", ignored=["customer_rules"])
def same_route(rng):
    return rules(rng, district(rng), "same_route", 2, 4, share=0.5)


@feature("different_routes", "pyvrp", "ortools", note="VROOM has none", ignored=["customer_rules"])
def different_routes(rng):
    return rules(rng, district(rng), "different_routes", 3, 6, share=0.7)


@feature("in_order", "ortools", note="PyVRP and VROOM have none", ignored=["customer_rules"])
def in_order(rng):
    """Generates precedences: pairs and triples that one vehicle visits in a given order."""
    instance = same_route(rng)
    orders = [{**rule, "kind": "in_order"} for rule in instance["customer_rules"]]
    return {**instance, "customer_rules": instance["customer_rules"] + orders}


@feature("objective_duration", "pyvrp", "ortools", note="VROOM's objective is the driving time only")
def objective_duration(rng):
    return {**add_windows(rng, district(rng)), "objective": "duration"}


@feature("vehicles_first", "pyvrp", "vroom")
def vehicles_first(rng):
    return {**add_windows(rng, district(rng)), "objective": "vehicles_then_distance"}


@feature("balance_duration", note="no rival prices the difference between its longest and its shortest route")
def balance_duration(rng):
    instance = add_service(district(rng))
    return {**instance, "balance": {"measure": "duration", "cost": 1}}


@feature("balance_stops", note="no rival limits the difference between routes", ignored=["balance"])
def balance_stops(rng):
    return {**district(rng), "balance": {"measure": "stops", "max_spread": 1}}


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


@feature("time_of_day", "vrp_cli",
         note="PyVRP, VROOM and OR-Tools have one travel time for all times; time_of_day.py compares with that")
def time_of_day(rng):
    """Generates a rush hour in the morning and a smaller one in the evening, both worst near the centre.

    Windows last half an hour to an hour and a quarter. A vehicle that leaves at once can serve each and return in time.
    """
    instance = add_windows(rng, district(rng), share=0, spare=1.5)
    for node in customers(instance):
        way = math.ceil(math.dist(instance["coords"][0], instance["coords"][node]))
        if rng.random() < 0.7:
            opened = rng.randint(way, 4100 - 2 * way)
            instance["time_windows"][node] = [opened, opened + rng.randint(240, 600)]
    for vehicle in instance["vehicles"]:
        vehicle.update(fixed_cost=500, cost_per_distance=1, cost_per_time=1)
    return {**instance, "duration_matrices": rush_hours(instance), "objective": "cost"}


def generate(name, number, seed):
    """Returns instance `number` of a feature, which the seed determines."""
    rng = random.Random(f"{name}-{number}-{seed}")
    return {"name": f"{name}-{number}", **FEATURES[name].make(rng)}

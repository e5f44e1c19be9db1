"""What the instances of all features are made of: a district of 1,000 x 1,000 with a depot near its middle, 50 to 100
customers (or as many as be_of_sizes says), half of the districts with towns; a unit of time drives a unit of distance;
routes are of about ten customers. All numbers are whole.
"""

import math

METRIC = "cvrplib"  # distances are rounded
SIDE = 1000
DAY = 4800  # ten hours, so that 100 are a bit more than ten minutes
SERVICE = 80
STOPS = 10  # of a route, as capacities allow

_sizes = (50, 100)  # customers, the least and the most


def be_of_sizes(least, most):
    """All districts from now on."""
    global _sizes
    _sizes = (least, most)


def some_customers(rng):
    return rng.randint(*_sizes)


def some_pairs(rng):
    return rng.randint(_sizes[0] // 2, _sizes[1] // 2)


def place(rng, low=0, high=SIDE):
    return [rng.randint(low, high), rng.randint(low, high)]


def places(rng, count):
    if rng.random() < 0.5:
        return [place(rng) for _ in range(count)]
    towns = [place(rng, 150, SIDE - 150) for _ in range(rng.randint(3, 6))]
    return [[min(SIDE, max(0, round(rng.gauss(axis, 70)))) for axis in rng.choice(towns)] for _ in range(count)]


def district(rng, depots=1, customers=None):
    """Depots and customers with demands of 1 to 20, a capacity for STOPS of them, and a vehicle or two to spare."""
    count = customers or some_customers(rng)
    centre = [place(rng, 400, 600)] if depots == 1 else [place(rng, 100, 900) for _ in range(depots)]
    demands = [0] * depots + [rng.randint(1, 20) for _ in range(count)]
    capacity = round(sum(demands) * STOPS / count)
    return {"kind": "cvrp", "metric": METRIC, "num_depots": depots, "coords": centre + places(rng, count),
            "demands": demands, "vehicles": [{"count": math.ceil(1.1 * count / STOPS) + 1, "capacity": capacity}]}


def customers(instance):
    return range(instance["num_depots"], len(instance["coords"]))


def per_customer(instance, make, at_depots=0):
    return [at_depots] * instance["num_depots"] + [make() for _ in customers(instance)]


def add_service(instance, time=SERVICE):
    instance["service"] = per_customer(instance, lambda: time)
    return instance


def any_window(rng):
    """Open early enough that any customer is reached in it and the depot afterwards."""
    opened = rng.randint(0, DAY - 2800)
    return [opened, opened + rng.randint(1300, 2100)]


def add_windows(rng, instance, share=0.6, spare=1.4):
    """Windows at `share` of the customers, services, and as many more vehicles as that takes."""
    instance["kind"] = "vrptw"
    instance["time_windows"] = [[0, DAY]] * instance["num_depots"] + [
        any_window(rng) if rng.random() < share else [0, DAY] for _ in customers(instance)]
    for vehicle in instance["vehicles"]:
        vehicle["count"] = math.ceil(spare * vehicle["count"]) + 1
    return add_service(instance)


def split_fleet(instance, variants):
    """The vehicles in as many types as there are variants, each with its own fields; one more of each."""
    vehicle = instance["vehicles"][0]
    share = math.ceil(vehicle["count"] / len(variants)) + 1
    instance["vehicles"] = [{**vehicle, "count": share, **variant} for variant in variants]
    return instance


def farthest(instance):
    """The distance from the first depot to the farthest customer, rounded up."""
    return math.ceil(max(math.dist(instance["coords"][0], place) for place in instance["coords"]))


def one_way_streets(rng, instance):
    """[N, N] road distances that depend on the direction."""
    coords = instance["coords"]
    return [[round(math.dist(start, end) * rng.uniform(1, 1.5)) for end in coords] for start in coords]

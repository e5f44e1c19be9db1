"""Generates the base of all feature instances: a district of 1,000 x 1,000 with a depot near its centre.

A district has 50 to 100 customers, unless set_customer_range() sets another range. About half of the districts have
towns.
Vehicles drive one unit of distance per unit of time. Routes have about ten customers. All numbers are integers.
"""

import math

METRIC = "cvrplib"  # distances are rounded
SIDE = 1000  # width and height of a district
DAY = 4800  # length of a day: ten hours; 100 units are a bit more than ten minutes
SERVICE = 80  # service time of a customer
STOPS = 10  # customers per route that the capacity allows

_customer_range = (50, 100)


def set_customer_range(min_customers, max_customers):
    """Sets the range of the number of customers in all later districts."""
    global _customer_range
    _customer_range = (min_customers, max_customers)


def random_customer_count(rng):
    return rng.randint(*_customer_range)


def random_pair_count(rng):
    return rng.randint(_customer_range[0] // 2, _customer_range[1] // 2)


def random_point(rng, low=0, high=SIDE):
    return [rng.randint(low, high), rng.randint(low, high)]


def random_points(rng, count):
    if rng.random() < 0.5:
        return [random_point(rng) for _ in range(count)]
    towns = [random_point(rng, 150, SIDE - 150) for _ in range(rng.randint(3, 6))]
    return [[min(SIDE, max(0, round(rng.gauss(axis, 70)))) for axis in rng.choice(towns)] for _ in range(count)]


def district(rng, depots=1, customers=None):
    """Returns depots, customers with demands of 1 to 20, and enough vehicles for about STOPS customers each."""
    count = customers or random_customer_count(rng)
    centre = [random_point(rng, 400, 600)] if depots == 1 else [random_point(rng, 100, 900) for _ in range(depots)]
    demands = [0] * depots + [rng.randint(1, 20) for _ in range(count)]
    capacity = round(sum(demands) * STOPS / count)
    return {"kind": "cvrp", "metric": METRIC, "num_depots": depots, "coords": centre + random_points(rng, count),
            "demands": demands, "vehicles": [{"count": math.ceil(1.1 * count / STOPS) + 1, "capacity": capacity}]}


def customers(instance):
    return range(instance["num_depots"], len(instance["coords"]))


def per_customer(instance, make, at_depots=0):
    return [at_depots] * instance["num_depots"] + [make() for _ in customers(instance)]


def add_service(instance, time=SERVICE):
    instance["service"] = per_customer(instance, lambda: time)
    return instance


def random_window(rng):
    """Returns a window in which every customer can be reached, with time to return to the depot."""
    opened = rng.randint(0, DAY - 2800)
    return [opened, opened + rng.randint(1300, 2100)]


def add_windows(rng, instance, share=0.6, spare=1.4):
    """Adds windows to `share` of the customers, service times to all of them, and the extra vehicles that both need."""
    instance["kind"] = "vrptw"
    instance["time_windows"] = [[0, DAY]] * instance["num_depots"] + [
        random_window(rng) if rng.random() < share else [0, DAY] for _ in customers(instance)]
    for vehicle in instance["vehicles"]:
        vehicle["count"] = math.ceil(spare * vehicle["count"]) + 1
    return add_service(instance)


def add_releases(rng, instance):
    """Adds release times up to 1200. Widens windows, so that each customer can be reached after its release."""
    for node in customers(instance):
        opened, closed = instance["time_windows"][node]
        instance["time_windows"][node] = [opened, max(closed, 3000)]
    instance["release"] = per_customer(instance, lambda: rng.choice([0, 0, 300, 600, 900, 1200]))
    return instance


def split_fleet(instance, variants):
    """Splits the vehicles into one type per variant, with the variant's fields and one spare vehicle each."""
    vehicle = instance["vehicles"][0]
    share = math.ceil(vehicle["count"] / len(variants)) + 1
    instance["vehicles"] = [{**vehicle, "count": share, **variant} for variant in variants]
    return instance


def farthest(instance):
    """Returns the distance from the first depot to the farthest customer, rounded up."""
    return math.ceil(max(math.dist(instance["coords"][0], point) for point in instance["coords"]))


def one_way_streets(rng, instance):
    """Returns road distances [N, N] that depend on the direction."""
    coords = instance["coords"]
    return [[round(math.dist(start, end) * rng.uniform(1, 1.5)) for end in coords] for start in coords]


# Factor of the travel times of an average road, by the time of day; between these times it is linear.
RUSH_HOURS = ((0, 1.0), (400, 1.0), (900, 1.8), (1500, 1.8), (2000, 1.0), (3000, 1.0), (3400, 1.5), (4000, 1.5),
              (4400, 1.0))


def rush_hours(instance):
    """Returns travel times by departure. Roads near the centre suffer up to 1.5 times as much as an average road.

    Who leaves later arrives no earlier: where a long way would become shorter too fast, it does so as fast as allowed.
    """
    coords = instance["coords"]
    pairs = [(start, end) for start in coords for end in coords]
    lengths = [math.dist(start, end) for start, end in pairs]
    middles = [((a + c) / 2, (b + d) / 2) for (a, b), (c, d) in pairs]
    shares = [max(0.3, 1.5 - math.dist(middle, (SIDE / 2, SIDE / 2)) / 400) for middle in middles]
    matrices, last_at, last = [], 0, [0] * len(pairs)
    for at, factor in RUSH_HOURS:
        times = [max(round(length * (1 + (factor - 1) * share)), before - (at - last_at))
                 for length, share, before in zip(lengths, shares, last)]
        last_at, last = at, times
        matrices.append({"at": at, "durations": [times[row:row + len(coords)]
                                                 for row in range(0, len(times), len(coords))]})
    return matrices


def mean_of_day(instance):
    """Returns the travel times [N, N] of rush_hours(), each as the mean of the day."""
    matrices = instance["duration_matrices"]
    ends = [entry["at"] for entry in matrices[1:]] + [DAY]
    sums = [[0.0] * len(row) for row in matrices[0]["durations"]]
    for entry, after, end in zip(matrices, matrices[1:] + matrices[-1:], ends):
        for total, now, later in zip(sums, entry["durations"], after["durations"]):
            for i, (a, b) in enumerate(zip(now, later)):
                total[i] += (end - entry["at"]) * (a + b) / 2
    return [[round(value / DAY) for value in row] for row in sums]

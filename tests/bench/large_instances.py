#!/usr/bin/env python3
"""Generates large instances of the kinds that the literature compares solvers on, as JSON lines for compare_solvers.py.

The kinds are:
  x   CVRP like the X set (Uchoa et al. 2017), with random depot, layout, demands and route length per instance.
      Distances are rounded, as in that set ("metric": "round" of compare_solvers.py's peer script).
  r1  VRPTW like Gehring and Homberger's class R1: scattered, short routes, narrow and wide windows
  c2  VRPTW like their class C2: clusters, long routes, windows along a tour of each cluster

The reference of an instance is the cost that our search reaches in --reference seconds on one thread. Gaps therefore
rank the solvers, but do not measure the distance to the best plan.

Examples:
  large_instances.py --kinds x,r1,c2 --count 3 --customers 1000 --reference 60 --out large.jsonl
  compare_solvers.py --data large.jsonl --peers pyvrp,ortools --limits 10,60

The same seed gives the same instances. Needs the same packages as compare_solvers.py without peers.
"""

import argparse
import json
import math
import pathlib
import random
import sys

from solver_sides import ROOT, Vrpd, load_script

SIDE = 1000  # width and height of the area of kind x
DECAY = 40  # distance from a seed at which the density of the X set's clusters has fallen by the factor e


def scattered(rng, count):
    return [(rng.randint(0, SIDE), rng.randint(0, SIDE)) for _ in range(count)]


def clustered(rng, count):
    """Returns customers around three to eight seeds, which are customers too."""
    seeds = scattered(rng, rng.randint(3, 8))
    points = list(seeds[:count])
    while len(points) < count:
        point = (rng.randint(0, SIDE), rng.randint(0, SIDE))
        if rng.random() < sum(math.exp(-math.dist(point, seed) / DECAY) for seed in seeds):
            points.append(point)
    return points


def x_demand(rng, kind, point):
    if kind == "quadrants":
        even = (point[0] < SIDE / 2) == (point[1] < SIDE / 2)
        return rng.randint(51, 100) if even else rng.randint(1, 50)
    if kind == "many small, few large":
        return rng.randint(1, 10) if rng.random() < 0.8 else rng.randint(50, 100)
    return rng.randint(*kind)


def x_instance(rng, count):
    depot = rng.choice([(SIDE // 2, SIDE // 2), (0, 0), scattered(rng, 1)[0]])
    half = count // 2
    layout = rng.choice(["scattered", "clustered", "both"])
    points = {"scattered": lambda: scattered(rng, count), "clustered": lambda: clustered(rng, count),
              "both": lambda: clustered(rng, half) + scattered(rng, count - half)}[layout]()
    kind = rng.choice([(1, 1), (1, 10), (5, 10), (1, 100), (50, 100), "quadrants", "many small, few large"])
    demands = [x_demand(rng, kind, point) for point in points]
    stops = rng.triangular(3, 25, 6)
    capacity = max(math.ceil(stops * sum(demands) / count), max(demands))
    return {"kind": "cvrp", "metric": "round", "capacity": capacity, "coords": [depot, *points], "demands": [0, *demands]}


def with_windows(points, demands, capacity, horizon, service, windows):
    return {"kind": "vrptw", "capacity": capacity, "coords": points, "demands": [0, *demands], "horizon": horizon,
            "time_windows": [[0, horizon], *windows], "service": [0] + [service] * (len(points) - 1)}


def r1_instance(rng, count):
    side, horizon, service = 500, 1925, 10
    points = [(side // 2, side // 2)] + [(rng.randint(0, side), rng.randint(0, side)) for _ in range(count)]
    share = rng.choice([0.25, 0.5, 0.75, 1])
    half_width = rng.choice([5, 15, 30, 60])
    windows = []
    for point in points[1:]:
        away = math.ceil(math.dist(points[0], point))
        last = horizon - away - service
        if rng.random() >= share:
            windows.append([0, last])
            continue
        centre = rng.randint(away, last)
        windows.append([max(0, centre - half_width), min(last, max(centre + half_width, away))])
    return with_windows(points, [rng.randint(1, 40) for _ in range(count)], 200, horizon, service, windows)


def c2_instance(rng, count):
    side, horizon, service, stops, half_width = 500, 7822, 90, 40, 80
    points, windows = [(side // 2, side // 2)], []
    while len(points) <= count:
        centre = [rng.randint(30, side - 30) for _ in range(2)]
        here, clock = points[0], 0
        left = [tuple(round(min(side, max(0, rng.gauss(axis, 12)))) for axis in centre)
                for _ in range(min(stops, count + 1 - len(points)))]
        while left:  # visits the nearest remaining customer
            following = min(left, key=lambda point: math.dist(here, point))
            left.remove(following)
            clock += math.dist(here, following)
            last = horizon - math.ceil(math.dist(points[0], following)) - service
            windows.append([max(0, round(clock) - half_width), min(last, round(clock) + half_width)])
            clock, here = clock + service, following
            points.append(following)
    return with_windows(points, [rng.choice([10, 20, 30, 40]) for _ in range(count)], 700, horizon, service, windows)


KINDS = {"x": x_instance, "r1": r1_instance, "c2": c2_instance}


def reference(script, ours, instance, seconds):
    routes, _ = ours.run(instance, seconds, 1)
    cost, wrong = script.Problem(instance, 10_000).check(routes)
    if cost is None:
        sys.exit(f"large_instances: {instance['name']}: our own plan is refused: {wrong}")
    return cost


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", default=",".join(KINDS), help="kinds to generate, comma separated")
    parser.add_argument("--count", type=int, default=3, help="number of instances per kind")
    parser.add_argument("--customers", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reference", type=float, default=60, help="seconds of our search per reference")
    parser.add_argument("--build", default=ROOT / "build/dev", type=pathlib.Path, help="folder with bin/vrpd")
    parser.add_argument("--core", type=int, default=0, help="CPU core of the daemon")
    parser.add_argument("--peer-script", default=ROOT.parent / "shared/peers/measure_solvers.py", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    kinds = arguments.kinds.split(",")
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        sys.exit(f"large_instances: --kinds: got {unknown[0]}, wanted some of {', '.join(KINDS)}")
    script, ours = load_script(arguments.peer_script), Vrpd(arguments.build, arguments.core)
    try:
        with arguments.out.open("w") as out:
            for kind in kinds:
                for number in range(arguments.count):
                    rng = random.Random(f"{kind} {arguments.customers} {arguments.seed} {number}")
                    instance = {"name": f"{kind}{arguments.customers}-s{arguments.seed}-{number}",
                                **KINDS[kind](rng, arguments.customers)}
                    cost = reference(script, ours, instance, arguments.reference)
                    out.write(json.dumps({**instance, "ref_cost": cost,
                                          "ref_by": f"vrp {arguments.reference:g}s"}) + "\n")
                    out.flush()
    finally:
        ours.close()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Measures how often our search and PyVRP serve every customer with a fleet that is just large enough.

The vehicles have three sizes. The demands split the load of each vehicle at random, so a plan that serves all customers
exists. With --windows, uses Solomon's instances with fewer vehicles than they state. The two solvers alternate on one
core. Needs protoc and the Python packages grpcio, googleapis-common-protos and pyvrp.

Prints one JSON line per run: whether the plan serves all customers, its cost if so, and the run time. Then prints one
JSON line per fill level or file.

Examples:
  full_fleets.py                               20 fleets, 100, 99 and 97 % filled, one second each
  full_fleets.py --build build/lite --limit 5
  full_fleets.py --windows ../shared/data/solomon/R109.txt=11 ../shared/data/solomon/RC101.txt=14 --limit 2
"""

import argparse
import json
import os
import pathlib
import random
import sys
import tempfile
import time

from solver_sides import ROOT, Vrpd

FLEET = [50] * 6 + [130] * 5 + [320] * 2
PIECES = (3, 5, 8)  # customers per vehicle
COST_PER_CAPACITY = 10  # fixed cost of a vehicle per unit of its capacity


def split_load(rng, load, pieces):
    bounds = sorted(rng.sample(range(1, load), pieces - 1))
    return [end - begin for begin, end in zip([0, *bounds], [*bounds, load])]


def rows(title, values):
    return [title, *(f"{number}\t{value}" for number, value in enumerate(values, 1))]


def instance_text(filled_percent, seed):
    """Returns an instance in CVRPLIB format, which both solvers read."""
    rng = random.Random(seed)
    demands = [piece for capacity in FLEET
               for piece in split_load(rng, capacity * filled_percent // 100, rng.choice(PIECES))]
    rng.shuffle(demands)
    coords = [f"{rng.randint(0, 1000)}\t{rng.randint(0, 1000)}" for _ in range(len(demands) + 1)]
    return "\n".join([
        f"NAME: full-{filled_percent}-{seed}", "TYPE: HFVRP", f"DIMENSION: {len(coords)}", f"VEHICLES: {len(FLEET)}",
        "EDGE_WEIGHT_TYPE: EUC_2D", *rows("NODE_COORD_SECTION", coords), *rows("DEMAND_SECTION", [0, *demands]),
        *rows("CAPACITY_SECTION", FLEET),
        *rows("VEHICLES_FIXED_COST_SECTION", [COST_PER_CAPACITY * capacity for capacity in FLEET]),
        *rows("VEHICLES_UNIT_DISTANCE_COST_SECTION", [1] * len(FLEET)), "DEPOT_SECTION", "1", "-1", "EOF", ""])


def solomon_text(path, vehicles, unlike):
    """Returns a Solomon instance in CVRPLIB format, times 10. Adds `unlike` to the capacity of every other vehicle."""
    fields = [line.split() for line in path.read_text().splitlines()]
    numbers = [[int(float(field)) for field in line] for line in fields if line and line[0].isdigit()]
    (_, capacity), customers = numbers[0], numbers[1:]
    column = list(zip(*customers))

    def pairs(a, b):
        return [f"{10 * x}\t{10 * y}" for x, y in zip(column[a], column[b])]

    return "\n".join([
        f"NAME: {path.stem}-{vehicles}", "TYPE: VRPTW", f"DIMENSION: {len(customers)}", f"VEHICLES: {vehicles}",
        *([] if unlike else [f"CAPACITY: {capacity}"]), "EDGE_WEIGHT_TYPE: EUC_2D", *rows("NODE_COORD_SECTION", pairs(1, 2)),
        *rows("DEMAND_SECTION", column[3]), *rows("TIME_WINDOW_SECTION", pairs(4, 5)),
        *rows("SERVICE_TIME_SECTION", [10 * time for time in column[6]]),
        *(rows("CAPACITY_SECTION", [capacity + unlike * (v % 2) for v in range(vehicles)]) if unlike else []),
        "DEPOT_SECTION", "1", "-1", "EOF", ""])


def run_ours(ours, text, limit, seed):
    solution, seconds = ours.solve_vrplib(text, limit, seed)
    return not solution.unserved, None if solution.unserved else solution.cost, seconds


def run_pyvrp(text, limit, seed):
    import pyvrp
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "fleet.vrp"
        path.write_text(text)
        data = pyvrp.read(path, "round")
    start = time.perf_counter()
    result = pyvrp.solve(data, pyvrp.stop.MaxRuntime(limit), seed=seed, display=False)
    feasible = result.is_feasible()
    return feasible, result.cost() if feasible else None, time.perf_counter() - start


def compare(solvers, about, texts, limit):
    """Runs each solver on each of `texts`, with a different seed for each text, and prints the results."""
    full_plans = dict.fromkeys(solvers, 0)
    for seed, text in enumerate(texts):
        for solver, run in solvers.items():
            serves_all, cost, seconds = run(text, limit, seed)
            full_plans[solver] += serves_all
            print(json.dumps({"what": "full_fleets", **about, "run": seed, "side": solver, "serves_all": serves_all,
                              "cost": cost, "seconds": round(seconds, 3)}), flush=True)
    print(json.dumps({"summary": True, **about, "runs": len(texts), "limit": limit, "serve_all": full_plans,
                      "load1": os.getloadavg()[0]}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build/dev", type=pathlib.Path, help="folder with bin/vrpd")
    parser.add_argument("--runs", type=int, default=20, help="number of fleets, or of seeds per file")
    parser.add_argument("--filled", default="100,99,97", help="fill levels in per cent, comma separated")
    parser.add_argument("--windows", nargs="+", metavar="FILE=VEHICLES", help="Solomon instances to use instead")
    parser.add_argument("--unlike", type=int, default=0, help="with --windows: extra capacity of every other vehicle")
    parser.add_argument("--limit", type=float, default=1, help="time limit of a run in seconds")
    parser.add_argument("--core", type=int, default=0, help="CPU core on which both solvers run")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {arguments.core})
    ours = Vrpd(arguments.build, arguments.core)
    solvers = {"ours": lambda *about: run_ours(ours, *about), "pyvrp": run_pyvrp}
    try:
        for given in arguments.windows or []:
            path, vehicles = given.rsplit("=", 1)
            text = solomon_text(pathlib.Path(path), int(vehicles), arguments.unlike)
            about = {"file": path, "vehicles": int(vehicles), "unlike": arguments.unlike}
            compare(solvers, about, [text] * arguments.runs, arguments.limit)
        for filled in [] if arguments.windows else map(int, arguments.filled.split(",")):
            texts = [instance_text(filled, seed) for seed in range(arguments.runs)]
            compare(solvers, {"filled_percent": filled}, texts, arguments.limit)
    finally:
        ours.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

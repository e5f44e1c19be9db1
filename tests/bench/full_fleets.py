#!/usr/bin/env python3
"""How often a fleet that just suffices serves everyone: ours beside PyVRP.

Vehicles of three sizes, each with its share of the fleet's capacity cut at random into customers' demands, so that a
plan which serves all exists. With --windows, Solomon's instances with fewer vehicles than they state. Sides alternate
on one core. Needs protoc and the Python packages grpcio, googleapis-common-protos and pyvrp.

Prints a JSON line for each answer: whether it serves all, its cost if so, seconds. Then one for each filling or file.

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
PIECES = (3, 5, 8)  # customers of a vehicle
COST_OF_ROOM = 10  # of a vehicle that is used, for a unit of its capacity


def cut(draws, load, pieces):
    cuts = sorted(draws.sample(range(1, load), pieces - 1))
    return [end - begin for begin, end in zip([0, *cuts], [*cuts, load])]


def rows(title, values):
    return [title, *(f"{number}\t{value}" for number, value in enumerate(values, 1))]


def instance_text(filled_percent, seed):
    """In CVRPLIB's form, as both sides read it."""
    draws = random.Random(seed)
    demands = [piece for room in FLEET for piece in cut(draws, room * filled_percent // 100, draws.choice(PIECES))]
    draws.shuffle(demands)
    places = [f"{draws.randint(0, 1000)}\t{draws.randint(0, 1000)}" for _ in range(len(demands) + 1)]
    return "\n".join([
        f"NAME: full-{filled_percent}-{seed}", "TYPE: HFVRP", f"DIMENSION: {len(places)}", f"VEHICLES: {len(FLEET)}",
        "EDGE_WEIGHT_TYPE: EUC_2D", *rows("NODE_COORD_SECTION", places), *rows("DEMAND_SECTION", [0, *demands]),
        *rows("CAPACITY_SECTION", FLEET),
        *rows("VEHICLES_FIXED_COST_SECTION", [COST_OF_ROOM * room for room in FLEET]),
        *rows("VEHICLES_UNIT_DISTANCE_COST_SECTION", [1] * len(FLEET)), "DEPOT_SECTION", "1", "-1", "EOF", ""])


def solomon_text(path, vehicles, unlike):
    """In CVRPLIB's form, in tenths; `unlike`: every other vehicle carries that much more than stated."""
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
    begun = time.perf_counter()
    result = pyvrp.solve(data, pyvrp.stop.MaxRuntime(limit), seed=seed, display=False)
    whole = result.is_feasible()
    return whole, result.cost() if whole else None, time.perf_counter() - begun


def compare(sides, about, texts, limit):
    """Of `texts` each, with another seed."""
    whole = dict.fromkeys(sides, 0)
    for seed, text in enumerate(texts):
        for side, run in sides.items():
            serves_all, cost, seconds = run(text, limit, seed)
            whole[side] += serves_all
            print(json.dumps({"what": "full_fleets", **about, "run": seed, "side": side, "serves_all": serves_all,
                              "cost": cost, "seconds": round(seconds, 3)}), flush=True)
    print(json.dumps({"summary": True, **about, "runs": len(texts), "limit": limit, "serve_all": whole,
                      "load1": os.getloadavg()[0]}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build/dev", type=pathlib.Path, help="folder with bin/vrpd")
    parser.add_argument("--runs", type=int, default=20, help="fleets, or seeds of a file")
    parser.add_argument("--filled", default="100,99,97", help="per cent, comma separated")
    parser.add_argument("--windows", nargs="+", metavar="FILE=VEHICLES", help="Solomon's, not fleets by loads")
    parser.add_argument("--unlike", type=int, default=0, help="with --windows: load that every other vehicle has more")
    parser.add_argument("--limit", type=float, default=1, help="seconds")
    parser.add_argument("--core", type=int, default=0, help="where the sides run")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {arguments.core})
    ours = Vrpd(arguments.build, arguments.core)
    sides = {"ours": lambda *about: run_ours(ours, *about), "pyvrp": run_pyvrp}
    try:
        for given in arguments.windows or []:
            path, vehicles = given.rsplit("=", 1)
            text = solomon_text(pathlib.Path(path), int(vehicles), arguments.unlike)
            compare(sides, {"file": path, "vehicles": int(vehicles), "unlike": arguments.unlike}, [text] * arguments.runs, arguments.limit)
        for filled in [] if arguments.windows else map(int, arguments.filled.split(",")):
            texts = [instance_text(filled, seed) for seed in range(arguments.runs)]
            compare(sides, {"filled_percent": filled}, texts, arguments.limit)
    finally:
        ours.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

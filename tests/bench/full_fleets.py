#!/usr/bin/env python3
"""How often a fleet that just suffices serves everyone: ours beside PyVRP.

Vehicles of three sizes, each with its share of the fleet's capacity cut at random into customers' demands, so that a
plan which serves all exists. Sides alternate on one core. Needs protoc and the Python packages grpcio,
googleapis-common-protos and pyvrp.

Prints a JSON line for each answer: whether it serves all, its cost if so, seconds. Then one for
each filling.

Examples:
  full_fleets.py                               20 fleets, 100, 99 and 97 % filled, one second each
  full_fleets.py --build build/lite --limit 5
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build/dev", type=pathlib.Path, help="folder with bin/vrpd")
    parser.add_argument("--fleets", type=int, default=20)
    parser.add_argument("--filled", default="100,99,97", help="per cent, comma separated")
    parser.add_argument("--limit", type=float, default=1, help="seconds")
    parser.add_argument("--core", type=int, default=0, help="where the sides run")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {arguments.core})
    ours = Vrpd(arguments.build, arguments.core)
    sides = {"ours": lambda *about: run_ours(ours, *about), "pyvrp": run_pyvrp}
    try:
        for filled in map(int, arguments.filled.split(",")):
            whole = dict.fromkeys(sides, 0)
            for seed in range(arguments.fleets):
                text = instance_text(filled, seed)
                for side, run in sides.items():
                    serves_all, cost, seconds = run(text, arguments.limit, seed)
                    whole[side] += serves_all
                    print(json.dumps({"what": "full_fleets", "filled_percent": filled, "fleet": seed, "side": side,
                                      "serves_all": serves_all, "cost": cost, "seconds": round(seconds, 3)}), flush=True)
            print(json.dumps({"summary": True, "filled_percent": filled, "fleets": arguments.fleets, "limit": arguments.limit,
                              "serve_all": whole, "load1": os.getloadavg()[0]}), flush=True)
    finally:
        ours.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

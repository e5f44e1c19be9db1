#!/usr/bin/env python3
"""Our search on published instances that lie beside their best plans: NAME.vrp and NAME.sol, as PyVRP's collection,
CVRPLIB and the DIMACS challenge give them.

Each best plan goes through our checker first: what it refuses, or reckons otherwise than the file states, would mean that we
read the instance in another way than its authors. Gaps are to what the checker reckons. Prints a JSON line an instance
and limit, and last one a limit.

Examples:
  published_sets.py --data CVRP/X-n9*.vrp --limits 10,60
  published_sets.py --data VRPTW/*.vrp --rounding dimacs --stride 10 --limits 10

Ours is a vrpd of its own (--build), held to one core, one thread a search. Needs protoc, and the Python packages grpcio
and googleapis-common-protos.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import sys

from solver_sides import ROOT, Vrpd

# Of EUC_2D as the sets' authors mean it: cost in the file's units, so that DIMACS costs have one decimal.
ROUNDING = {"nearest": "EUC_2D", "dimacs": "FLOOR_2D\nSCALE : 10", "exact": "EXACT_2D"}
COST = re.compile(r"^Cost\s*:?\s*([0-9.]+).*", re.MULTILINE)


def instance_text(path, rounding):
    text = path.read_text(errors="replace")
    return re.sub(r"(EDGE_WEIGHT_TYPE\s*:\s*)EUC_2D", lambda found: found[1] + ROUNDING[rounding], text, count=1)


def stated_cost(path):
    found = COST.search(path.read_text())
    return float(found[1]) if found else None


def reference(ours, path, text):
    """What our checker says of the plan beside the instance."""
    plan = path.with_suffix(".sol")
    # Without its cost, which some sets state in other units.
    answer = ours.check_vrplib(text, COST.sub("", plan.read_text()))
    line = {"instance": path.stem, "best_known": answer.cost, "stated": stated_cost(plan)}
    if not answer.feasible:
        line["refused"] = [violation.message for violation in answer.violations][:3]
    print(json.dumps(line), flush=True)
    return answer.cost if answer.feasible else None


def summarise(runs, limit):
    gaps = [run["gap_percent"] for run in runs if run["limit"] == limit and run["gap_percent"] is not None]
    line = {"summary": True, "limit": limit, "runs": sum(run["limit"] == limit for run in runs), "solved": len(gaps),
            "load1": os.getloadavg()[0]}
    if gaps:
        line.update(mean_gap_percent=round(statistics.mean(gaps), 3), median_gap_percent=round(statistics.median(gaps), 3),
                    largest_gap_percent=round(max(gaps), 3))
    return line


def run(ours, path, text, best, limit, seed):
    solution, seconds = ours.solve_vrplib(text, limit, seed)
    whole = all(customer.reason == "cheaper to skip" for customer in solution.unserved)
    line = {"instance": path.stem, "limit": limit, "seconds": round(seconds, 3), "cost": solution.cost,
            "gap_percent": round(100 * (solution.cost / best - 1), 3) if whole else None,
            "unserved": len(solution.unserved), "routes": len(solution.routes)}
    print(json.dumps(line), flush=True)
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", type=pathlib.Path, required=True, help=".vrp files with a .sol beside each")
    parser.add_argument("--rounding", choices=ROUNDING, default="nearest", help="what the set means by EUC_2D")
    parser.add_argument("--limits", default="10", help="seconds, comma separated")
    parser.add_argument("--stride", type=int, default=1, help="every so many instances")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--build", default=ROOT / "build/dev", type=pathlib.Path, help="folder with bin/vrpd")
    parser.add_argument("--core", type=int, default=0, help="where the daemon runs")
    arguments = parser.parse_args()
    limits = [float(limit) for limit in arguments.limits.split(",")]
    paths = sorted(arguments.data)[::arguments.stride]
    if missing := [path for path in paths for path in (path, path.with_suffix(".sol")) if not path.exists()]:
        sys.exit(f"published_sets: {missing[0]} is missing")
    ours, runs = Vrpd(arguments.build, arguments.core), []
    try:
        for path in paths:
            text = instance_text(path, arguments.rounding)
            best = reference(ours, path, text)
            if best is not None:
                runs += [run(ours, path, text, best, limit, arguments.seed) for limit in limits]
    finally:
        ours.close()
    for limit in limits:
        print(json.dumps(summarise(runs, limit)), flush=True)


if __name__ == "__main__":
    main()

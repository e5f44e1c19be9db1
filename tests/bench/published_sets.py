#!/usr/bin/env python3
"""Runs our search, and with --pyvrp PyVRP too, on published instances with best-known solutions: NAME.vrp and NAME.sol.

PyVRP's collection, CVRPLIB and the DIMACS challenge publish such files. Our checker first evaluates each best-known
solution. If the checker rejects it, or its cost differs from the stated one, we read the instance differently than its
authors. Gaps are relative to the checker's cost. For PyVRP's plans, PyVRP itself reads the file and computes the cost.
Prints one JSON line per best-known solution and one per instance, solver ("side") and limit, then one per solver and
limit.

Examples:
  published_sets.py --data CVRP/X-n9*.vrp --limits 10,60
  published_sets.py --data VRPTW/*.vrp --rounding dimacs --stride 10 --limits 10

Our solver is a separate vrpd (--build), pinned to one core, with one thread per search. PyVRP runs in this process, on
the same core.
Needs protoc, and the Python packages grpcio, googleapis-common-protos and, with --pyvrp, pyvrp.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import sys
import time

from solver_sides import ROOT, Vrpd

# For each meaning of EUC_2D: our EDGE_WEIGHT_TYPE, PyVRP's name of the rounding, and PyVRP's units per unit of the
# file. Costs are in the file's units, so DIMACS costs have one decimal.
ROUNDING = {"nearest": ("EUC_2D", "round", 1), "dimacs": ("FLOOR_2D\nSCALE : 10", "dimacs", 10),
            "exact": ("EXACT_2D", "exact", 1000)}
COST = re.compile(r"^Cost\s*:?\s*([0-9.]+).*", re.MULTILINE)


def instance_text(path, rounding):
    text = path.read_text(errors="replace")
    return re.sub(r"(EDGE_WEIGHT_TYPE\s*:\s*)EUC_2D", lambda found: found[1] + ROUNDING[rounding][0], text, count=1)


def stated_cost(path):
    found = COST.search(path.read_text())
    return float(found[1]) if found else None


def reference(ours, path, text):
    """Returns the checker's cost of the best-known solution, or None if the checker rejects it."""
    plan = path.with_suffix(".sol")
    # Removes the stated cost, which some sets give in other units.
    answer = ours.check_vrplib(text, COST.sub("", plan.read_text()))
    line = {"instance": path.stem, "best_known": answer.cost, "stated": stated_cost(plan)}
    if not answer.feasible:
        line["refused"] = [violation.message for violation in answer.violations][:3]
    print(json.dumps(line), flush=True)
    return answer.cost if answer.feasible else None


def summarise(runs, side, limit):
    own_runs = [run for run in runs if (run["side"], run["limit"]) == (side, limit)]
    gaps = [run["gap_percent"] for run in own_runs if run["gap_percent"] is not None]
    line = {"summary": True, "side": side, "limit": limit, "runs": len(own_runs), "solved": len(gaps),
            "load1": os.getloadavg()[0]}
    if gaps:
        line.update(mean_gap_percent=round(statistics.mean(gaps), 3), median_gap_percent=round(statistics.median(gaps), 3),
                    largest_gap_percent=round(max(gaps), 3))
    return line


def print_result(path, side, limit, seconds, cost, best, routes):
    """Prints and returns a result. `cost` is None without a plan that serves all mandatory customers."""
    line = {"instance": path.stem, "side": side, "limit": limit, "seconds": round(seconds, 3), "cost": cost,
            "gap_percent": None if cost is None else round(100 * (cost / best - 1), 3), "routes": routes}
    print(json.dumps(line), flush=True)
    return line


def run_ours(ours, path, text, best, limit, seed):
    solution, seconds = ours.solve_vrplib(text, limit, seed)
    serves_all = all(customer.reason == "cheaper to skip" for customer in solution.unserved)
    return print_result(path, "ours", limit, seconds, solution.cost if serves_all else None, best, len(solution.routes))


def run_pyvrp(path, rounding, best, limit, seed):
    import pyvrp
    _, name, units = ROUNDING[rounding]
    start = time.perf_counter()
    result = pyvrp.solve(pyvrp.read(path, name), pyvrp.stop.MaxRuntime(limit), seed=seed, display=False)
    cost = result.cost() / units if result.is_feasible() else None
    return print_result(path, "pyvrp", limit, time.perf_counter() - start, cost, best, result.best.num_routes())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", type=pathlib.Path, required=True, help=".vrp files, each with its .sol")
    parser.add_argument("--rounding", choices=ROUNDING, default="nearest", help="EUC_2D rounding of the set")
    parser.add_argument("--limits", default="10", help="time limits in seconds, comma separated")
    parser.add_argument("--stride", type=int, default=1, help="use every STRIDE-th instance")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--build", default=ROOT / "build/dev", type=pathlib.Path, help="folder with bin/vrpd")
    parser.add_argument("--pyvrp", action="store_true", help="run PyVRP too")
    parser.add_argument("--core", type=int, default=0, help="CPU core on which the solvers run")
    arguments = parser.parse_args()
    limits = [float(limit) for limit in arguments.limits.split(",")]
    paths = sorted(arguments.data)[::arguments.stride]
    if missing := [path for path in paths for path in (path, path.with_suffix(".sol")) if not path.exists()]:
        sys.exit(f"published_sets: {missing[0]} is missing; --data needs .vrp files, each with its .sol beside it")
    os.sched_setaffinity(0, {arguments.core})
    ours, runs = Vrpd(arguments.build, arguments.core), []
    try:
        for path in paths:
            text = instance_text(path, arguments.rounding)
            best = reference(ours, path, text)
            for limit in limits if best is not None else []:
                runs.append(run_ours(ours, path, text, best, limit, arguments.seed))
                if arguments.pyvrp:
                    runs.append(run_pyvrp(path, arguments.rounding, best, limit, arguments.seed))
    finally:
        ours.close()
    for side in ("ours", "pyvrp") if arguments.pyvrp else ("ours",):
        for limit in limits:
            print(json.dumps(summarise(runs, side, limit)), flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compares our search with other solvers: cost by wall time on the same instances, with one thread each.

Runs every solver once per instance and limit. The order of the solvers alternates between runs, so that a temporarily
slow machine slows all of them. Prints one JSON line per run, then one per solver and limit. The latter holds the mean,
median and quartiles of the gap to the references, the median wall time and the machine's load. For rivals it also holds
the mean paired difference to ours with its standard error.

Examples:
  tests/bench/compare_solvers.py --data cvrp100.jsonl --stride 2 --peers hgs,pyvrp --limits 0.02,0.05,0.1,0.5,1
  tests/bench/compare_solvers.py --data X-n101-k25.vrp X-n200-k36.vrp --peers hgs --limits 10

Our solver is a separate vrpd (--build), pinned to one core. The time limit is the request's budget. Our wall time is
from sending the request to receiving the response over gRPC. The peers run in this process, on the same core, as
defined by `measure_solvers.py` (--peer-script). That script also checks and measures every plan, including ours. VROOM
has no time limit. It runs once per instance at exploration level 5, and our solver then runs for the same time
("limit": "vroom"). Needs protoc, and the Python packages numpy, grpcio, googleapis-common-protos and those of the
solvers: hgs (hygese), pyvrp, vroom (pyvroom), ortools.
"""

import argparse
import json
import os
import pathlib
import statistics
import sys

from solver_sides import ROOT, Peer, Vrpd, load_script



def load_instances(script, paths, stride, count):
    instances = [instance for path in paths for instance in script.load(path) if instance.get("ref_cost")]
    return instances[::stride][:count]


def gap_percent(script, instance, routes):
    """Returns the gap of checked routes to the reference, or None if there are no routes or they are infeasible."""
    if routes is None:
        return None
    cost, _ = script.Problem(instance, 10_000).check(routes)
    return None if cost is None else 100 * (cost / instance["ref_cost"] - 1)


def summarise(runs, solver, limit):
    own_runs = [run for run in runs if run["side"] == solver and run["limit"] == limit and run["gap_percent"] is not None]
    ours = {run["instance"]: run["gap_percent"] for run in runs
            if run["side"] == "ours" and run["limit"] == limit and run["gap_percent"] is not None}
    gaps = [run["gap_percent"] for run in own_runs]
    pairs = [run["gap_percent"] - ours[run["instance"]] for run in own_runs if run["instance"] in ours]
    line = {"summary": True, "side": solver, "limit": limit, "solved": len(gaps), "load1": os.getloadavg()[0]}
    if not gaps:
        return line
    quartiles = statistics.quantiles(gaps, n=4) if len(gaps) > 1 else [gaps[0]] * 3
    line.update(mean_gap_percent=round(statistics.mean(gaps), 4), median_gap_percent=round(quartiles[1], 4),
                quartiles_percent=[round(quartiles[0], 4), round(quartiles[2], 4)],
                median_seconds=round(statistics.median(run["seconds"] for run in own_runs), 4))
    if solver != "ours" and len(pairs) > 1:
        line.update(pairs=len(pairs), behind_ours_percent=round(statistics.mean(pairs), 4),
                    standard_error=round(statistics.stdev(pairs) / len(pairs) ** 0.5, 4))
    return line


def run_all(script, solvers, instances, limits, seed):
    runs = []

    def run(name, instance, limit, label):
        routes, seconds = solvers[name].run(instance, limit, seed)
        runs.append({"instance": instance["name"], "side": name, "limit": label, "seconds": round(seconds, 4),
                     "gap_percent": gap_percent(script, instance, routes)})
        print(json.dumps(runs[-1]), flush=True)
        return seconds

    names = [name for name in solvers if name != "vroom"]
    for instance in instances:
        for limit in limits:
            names = names[1:] + names[:1]
            for name in names:
                run(name, instance, limit, limit)
        if "vroom" in solvers:
            run("ours", instance, run("vroom", instance, None, "vroom"), "vroom")
    return runs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", required=True, help=".jsonl, .vrp or Solomon .txt files with references")
    parser.add_argument("--peers", default="hgs", help="solvers, comma separated: hgs, pyvrp, vroom, ortools")
    parser.add_argument("--limits", default="0.1,1", help="time limits in seconds, comma separated")
    parser.add_argument("--stride", type=int, default=1, help="use every STRIDE-th instance")
    parser.add_argument("--count", type=int, default=50, help="maximum number of instances of all files")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--build", default=ROOT / "build/dev", type=pathlib.Path, help="folder with bin/vrpd")
    parser.add_argument("--core", type=int, default=0, help="CPU core on which all solvers run")
    parser.add_argument("--peer-script", default=ROOT.parent / "shared/peers/measure_solvers.py", type=pathlib.Path)
    arguments = parser.parse_args()
    for path in (arguments.build / "bin/vrpd", arguments.peer_script):
        if not path.exists():
            sys.exit(f"compare_solvers: {path} is missing; see --build and --peer-script")
    script = load_script(arguments.peer_script)
    peers = [name for name in arguments.peers.split(",") if name]
    if unknown := [name for name in peers if name not in script.RUN]:
        sys.exit(f"compare_solvers: --peers: got {unknown[0]}, wanted some of {', '.join(sorted(script.RUN))}")
    instances = load_instances(script, arguments.data, arguments.stride, arguments.count)
    if not instances:
        sys.exit("compare_solvers: --data: got no instance with a reference cost, wanted at least one")
    limits = [float(limit) for limit in arguments.limits.split(",")]
    os.sched_setaffinity(0, {arguments.core})
    solvers = {"ours": Vrpd(arguments.build, arguments.core), **{name: Peer(script, name) for name in peers}}
    try:
        for solver in solvers.values():  # imports the solver and makes its first call
            solver.run(instances[0], min(limits), arguments.seed)
        runs = run_all(script, solvers, instances, limits, arguments.seed)
    finally:
        for solver in solvers.values():
            solver.close()
    for limit, name in dict.fromkeys((run["limit"], run["side"]) for run in runs):
        print(json.dumps(summarise(runs, name, limit)), flush=True)


if __name__ == "__main__":
    main()

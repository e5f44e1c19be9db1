#!/usr/bin/env python3
"""Our search beside other solvers: cost against wall time on the same instances, in turns, one thread each.

For each instance and limit every side runs once, the order of the sides turning from run to run; so a machine that is
slow for a while is slow for all. Prints a JSON line a run and, last, one a side and limit: mean, median and quartiles
of the gap to the instances' references, the mean difference to ours in pairs with its standard error, the wall time,
and the machine's load.

Examples:
  tests/bench/compare_solvers.py --data cvrp100.jsonl --stride 2 --peers hgs,pyvrp --limits 0.02,0.05,0.1,0.5,1
  tests/bench/compare_solvers.py --data X-n101-k25.vrp X-n200-k36.vrp --peers hgs --limits 10

Ours is build/lite/bench/search_quality_report (--program), the search in its own process without daemon and client.
The peers run as `measure_solvers.py` (--peer-script) defines them; it needs numpy and the package of the solver:
hgs (hygese), pyvrp, vroom (limits do not apply: exploration level 5), ortools.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
VROOM_LEVEL = 5


def load_script(path):
    spec = importlib.util.spec_from_file_location("measure_solvers", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Ours:
    """search_quality_report on one instance at a time."""

    def __init__(self, program, folder):
        self._program = program
        self._folder = pathlib.Path(folder)

    def run(self, case, limit, seed):
        path = case["path"]
        if path is None:
            path = self._folder / "instance.jsonl"
            path.write_text(json.dumps(case["instance"]) + "\n")
        budget = max(1, round(1000 * limit))
        out = subprocess.run([self._program, "--budgets", str(budget), "--seed", str(seed), path],
                             capture_output=True, text=True, check=True).stdout
        line = json.loads(out.splitlines()[-1])
        if line["count"] != 1:
            return None, limit
        return line["gap_percent"], limit


class Peer:
    def __init__(self, script, name):
        self._script = script
        self._name = name

    def run(self, case, limit, seed):
        problem = self._script.Problem(case["instance"], 10_000)
        begun = time.perf_counter()
        argument = VROOM_LEVEL if self._name == "vroom" else limit
        history = self._script.RUN[self._name](problem, argument, seed, False, 1)
        seconds = time.perf_counter() - begun
        if not history:
            return None, seconds
        cost, _ = problem.check(history[-1][1])
        return (None if cost is None else 100 * (cost / case["instance"]["ref_cost"] - 1)), seconds


def load_cases(script, paths, stride, count):
    cases = []
    for path in paths:
        single = not path.endswith(".jsonl")
        for instance in script.load(path):
            if instance.get("ref_cost"):
                cases.append({"instance": instance, "path": path if single else None})
    return cases[::stride][:count]


def summarise(runs, side, limit):
    mine = [run for run in runs if run["side"] == side and run["limit"] == limit and run["gap_percent"] is not None]
    ours = {run["instance"]: run["gap_percent"] for run in runs
            if run["side"] == "ours" and run["limit"] == limit and run["gap_percent"] is not None}
    gaps = [run["gap_percent"] for run in mine]
    pairs = [run["gap_percent"] - ours[run["instance"]] for run in mine if run["instance"] in ours]
    line = {"summary": True, "side": side, "limit": limit, "solved": len(gaps), "load1": os.getloadavg()[0]}
    if not gaps:
        return line
    quartiles = statistics.quantiles(gaps, n=4) if len(gaps) > 1 else [gaps[0]] * 3
    line.update(mean_gap_percent=round(statistics.mean(gaps), 4), median_gap_percent=round(quartiles[1], 4),
                quartiles_percent=[round(quartiles[0], 4), round(quartiles[2], 4)],
                median_seconds=round(statistics.median(run["seconds"] for run in mine), 4))
    if side != "ours" and len(pairs) > 1:
        line.update(pairs=len(pairs), behind_ours_percent=round(statistics.mean(pairs), 4),
                    standard_error=round(statistics.stdev(pairs) / len(pairs) ** 0.5, 4))
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", required=True, help=".jsonl, .vrp or Solomon .txt files with references")
    parser.add_argument("--peers", default="hgs", help="comma separated: hgs, pyvrp, vroom, ortools")
    parser.add_argument("--limits", default="0.1,1", help="seconds, comma separated")
    parser.add_argument("--stride", type=int, default=1, help="every so many instances")
    parser.add_argument("--count", type=int, default=50, help="at most so many instances")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", default=ROOT / "build/lite/bench/search_quality_report", type=pathlib.Path)
    parser.add_argument("--peer-script", default=ROOT.parent / "shared/peers/measure_solvers.py", type=pathlib.Path)
    arguments = parser.parse_args()
    for path in (arguments.program, arguments.peer_script):
        if not path.exists():
            sys.exit(f"compare_solvers: {path} is missing")
    script = load_script(arguments.peer_script)
    peers = [name for name in arguments.peers.split(",") if name]
    if unknown := [name for name in peers if name not in script.RUN]:
        sys.exit(f"compare_solvers: --peers: got {unknown[0]}, wanted some of {', '.join(sorted(script.RUN))}")
    cases = load_cases(script, arguments.data, arguments.stride, arguments.count)
    if not cases:
        sys.exit("compare_solvers: no instance with a reference cost")
    limits = [float(limit) for limit in arguments.limits.split(",")]
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        sides = {"ours": Ours(arguments.program, folder), **{name: Peer(script, name) for name in peers}}
        for name in peers:  # imports and first calls
            sides[name].run(cases[0], min(limits), arguments.seed)
        names = list(sides)
        for case in cases:
            for limit in limits:
                names = names[1:] + names[:1]
                for name in names:
                    gap, seconds = sides[name].run(case, limit, arguments.seed)
                    runs.append({"instance": case["instance"]["name"], "side": name, "limit": limit,
                                 "seconds": round(seconds, 4), "gap_percent": gap})
                    print(json.dumps(runs[-1]), flush=True)
        for limit in limits:
            for name in sides:
                print(json.dumps(summarise(runs, name, limit)), flush=True)


if __name__ == "__main__":
    main()

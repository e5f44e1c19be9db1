#!/usr/bin/env python3
"""Compares the automatic stop rule of `vrpctl solve` with a fixed budget on the same instances.

Solves each generated instance with both rules in alternating order, so that a temporarily slow machine slows both.
Needs only Python and a build. Prints JSON lines: first the seed, then one line per solve, then a summary per class. A
summary holds the mean of the automatic rule's extra cost in per cent, and the counts of its end reasons. It also holds the
median, 90th percentile and maximum of the rule's seconds. Exits with 1 if a class has a mean extra cost over
--max-percent or a median solve over --max-seconds.

Examples:
  VRP_BINARY_DIR=build/lite tests/bench/stop_rule.py
  VRP_BINARY_DIR=build/lite tests/bench/stop_rule.py --classes vrptw100 --instances 50 --threads 1
  VRP_BINARY_DIR=build/lite tests/bench/stop_rule.py --seed 71  # repeats an earlier run
"""

import argparse
import collections
import json
import os
import pathlib
import random
import re
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from daemon import Daemon  # noqa: E402


def generate_files(daemon, folder, name, count, seed):
    """Generates instances and returns their paths, one file per instance."""
    problem, customers = re.fullmatch(r"([a-z]+)(\d+)", name).groups()
    path = folder / f"{name}.jsonl"
    result = daemon.call("generate", "--problem", problem, "--customers", customers, "--count", str(count), "--seed",
                       str(seed), "--out", path)
    if result.returncode != 0:
        sys.exit(f"stop_rule: cannot generate {name}: {result.stderr.strip()}")
    files = []
    for number, line in enumerate(path.read_text().splitlines()):
        files.append(folder / f"{name}-{number}.jsonl")
        files[-1].write_text(line + "\n")
    return files


def solve_once(daemon, path, arguments):
    response = daemon.json("solve", path, *arguments)[0]
    return {"cost": response["cost"], "feasible": response["feasible"], "seconds": response["time_ms"]["total"] / 1000,
            "limit_seconds": response["budget_ms"] / 1000, "end_reason": response["end_reason"],
            "threads": response["threads"]}


def run_class(daemon, name, files, rules):
    runs = {rule: [] for rule in rules}
    order = list(rules)
    for number, path in enumerate(files):
        order.reverse()
        for rule in order:
            runs[rule].append(solve_once(daemon, path, rules[rule]))
            print(json.dumps({"class": name, "instance": number, "side": rule, **runs[rule][-1]}), flush=True)
    return runs


def summary(name, runs):
    ours, fixed = runs["automatic"], runs["fixed"]
    extra_costs = [100 * (a["cost"] / b["cost"] - 1) for a, b in zip(ours, fixed)]
    seconds = sorted(run["seconds"] for run in ours)
    error = statistics.stdev(extra_costs) / len(extra_costs) ** 0.5 if len(extra_costs) > 1 else None
    return {"summary": True, "class": name, "instances": len(ours), "feasible": sum(run["feasible"] for run in ours),
            "mean_above_percent": round(statistics.mean(extra_costs), 4), "standard_error": error and round(error, 4),
            "worst_above_percent": round(max(extra_costs), 4), "median_seconds": round(statistics.median(seconds), 3),
            "p90_seconds": round(seconds[int(0.9 * (len(seconds) - 1))], 3), "most_seconds": round(seconds[-1], 3),
            "mean_seconds": round(statistics.mean(seconds), 3), "limit_seconds": ours[0]["limit_seconds"],
            "fixed_seconds": fixed[0]["limit_seconds"],
            "end_reason": dict(collections.Counter(run["end_reason"] for run in ours)), "load1": os.getloadavg()[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--classes", default="cvrp100,vrptw100",
                        help="problems with their numbers of customers, separated by commas")
    parser.add_argument("--instances", type=int, default=20, help="number of instances per class")
    parser.add_argument("--fixed", default="10s", help="budget of the fixed rule")
    parser.add_argument("--threads", type=int, default=0, help="threads of both rules; 0: all idle threads")
    parser.add_argument("--seed", type=int, help="seed of the instances; default: random")
    parser.add_argument("--max-percent", type=float, default=0.1, help="maximum extra cost in per cent")
    parser.add_argument("--max-seconds", type=float, default=2, help="maximum of the median seconds")
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(1, 1 << 31)
    print(json.dumps({"what": "stop_rule", "seed": seed, "instances": arguments.instances, "threads": arguments.threads}),
          flush=True)
    common = ["--threads", str(arguments.threads)]
    rules = {"automatic": common, "fixed": [*common, "--budget", arguments.fixed]}
    daemon = Daemon()
    within_limits = True
    try:
        with tempfile.TemporaryDirectory() as folder:
            for name in arguments.classes.split(","):
                files = generate_files(daemon, pathlib.Path(folder), name, arguments.instances, seed)
                line = summary(name, run_class(daemon, name, files, rules))
                print(json.dumps(line), flush=True)
                within_limits &= line["mean_above_percent"] <= arguments.max_percent
                within_limits &= line["median_seconds"] <= arguments.max_seconds
    finally:
        daemon.stop()
        daemon.clean_up()
    return 0 if within_limits else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Measures whether a network helps the search.

Compares STRATEGY_SEEDED with STRATEGY_SEARCH in paired runs on one vrpd. Solves every instance with both
strategies, with the same seed and budget. The order alternates between instances. Prints one JSON object per size
and budget: the mean of (cost with network / cost without - 1) in per cent, its 95 % interval and a verdict. The verdict
is `win` or `loss` if the interval excludes 0, else `even`. docs/benchmarks.md has the
results, by which STRATEGY_AUTO leaves the network out.

Examples:
  tests/bench/ablate_network.py --model models/gt-mixed
  tests/bench/ablate_network.py --model models/gt-mixed --data cvrp100.jsonl --budgets 0.02,0.1 --count 200

Needs protoc, and the Python packages numpy, grpcio and googleapis-common-protos.
"""

import argparse
import json
import os
import pathlib
import statistics
import sys

from solver_sides import ROOT, Vrpd, load_script

DATA = [ROOT.parent / "shared/data/random" / f"cvrp{size}_seed1234.jsonl" for size in (20, 50, 100)]


def cost_of(script, instance, routes):
    cost, wrong = script.Problem(instance, 10_000).check(routes)
    if cost is None:
        sys.exit(f"ablate_network: {instance['name']}: the peers' checker refuses a plan: {wrong}")
    return cost


def differences(script, solvers, instances, budget, seed):
    found = []
    order = ["with", "without"]
    for instance in instances:
        order.reverse()
        costs = {name: cost_of(script, instance, solvers[name].run(instance, budget, seed)[0]) for name in order}
        found.append(100 * (costs["with"] / costs["without"] - 1))
    return found


def summary(path, budget, found):
    mean = statistics.mean(found)
    half_width = 1.96 * statistics.stdev(found) / len(found) ** 0.5
    verdict = "win" if mean + half_width < 0 else "loss" if mean - half_width > 0 else "even"
    return {"data": path.name, "budget_s": budget, "pairs": len(found), "difference_percent": round(mean, 4),
            "interval_percent": [round(mean - half_width, 4), round(mean + half_width, 4)], "verdict": verdict,
            "load1": os.getloadavg()[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help="model, as listed by vrpctl models list: models/NAME")
    parser.add_argument("--data", nargs="+", default=DATA, type=pathlib.Path, help="instance files, as JSON lines")
    parser.add_argument("--budgets", default="0.01,0.02,0.05,0.1,0.5", help="budgets in seconds, comma separated")
    parser.add_argument("--count", type=int, default=100, help="number of instances per file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--build", default=ROOT / "build/dev", type=pathlib.Path, help="folder with bin/vrpd")
    parser.add_argument("--core", type=int, default=0, help="CPU core of the daemon and this script")
    parser.add_argument("--peer-script", default=ROOT.parent / "shared/peers/measure_solvers.py", type=pathlib.Path)
    arguments = parser.parse_args()
    script = load_script(arguments.peer_script)
    os.sched_setaffinity(0, {arguments.core})
    daemon = Vrpd(arguments.build, arguments.core)
    try:
        solvers = {"without": daemon, "with": daemon.with_network(arguments.model)}
        for path in arguments.data:
            instances = script.load(str(path))[:arguments.count]
            for solver in solvers.values():  # loads the model
                solver.run(instances[0], 1, arguments.seed)
            for budget in map(float, arguments.budgets.split(",")):
                found = differences(script, solvers, instances, budget, arguments.seed)
                print(json.dumps(summary(path, budget, found)), flush=True)
    finally:
        daemon.close()


if __name__ == "__main__":
    main()

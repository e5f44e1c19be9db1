#!/usr/bin/env python3
"""Measures the benchmarks of two builds in turns, to show that a change made nothing slower.

Example, with a second clone at the commit before, built in /tmp/before/build/dev:

    tests/bench/compare_builds.py --before /tmp/before/build/dev
    tests/bench/compare_builds.py --before /tmp/before/build/dev --only search --rounds 5

Needs engine_bench, serving_bench and search_scaling_bench in both builds. Prints one JSON line per figure: the medians of
both builds, `ratio` (after / before; times, so below 1 is faster) and `spread` (largest minus smallest of a side's rounds,
divided by its median; the larger of both sides).
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

from our_engine import OurEngine

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIDES = ("before", "after")

# Arguments of engine_bench, and the request that each round sends three times per side.
ENGINE_CASES = {
    "train_gt_cvrp10": ({"customers": 10, "batch": 128}, "step"),
    "train_gt_cvrp20": ({"customers": 20, "batch": 512}, "step"),
    "train_gt_cvrp50": ({"customers": 50, "batch": 256}, "step rollout"),
    "train_pomo_cvrp50": ({"customers": 50, "batch": 16, "starts": 50}, "step shared"),
    "train_ptrnet_tsp50": ({"architecture": "ptrnet", "problem": "tsp", "customers": 49, "batch": 256}, "step"),
    "train_supervised_ptrnet_tsp20": (
        {"architecture": "ptrnet", "problem": "tsp", "customers": 19, "batch": 256, "supervised": 1}, "step"),
}


def measure_engine(builds, rounds):
    """Yields (name, {side: [CPU seconds]}) of training steps."""
    for name, (case, request) in ENGINE_CASES.items():
        engines = {side: OurEngine(build / "bench" / "engine_bench", **case) for side, build in builds.items()}
        times = {side: [] for side in SIDES}
        for number in range(rounds * 3 + 1):
            for side in SIDES:
                answer = engines[side].ask(request)
                if number:
                    times[side].append(answer["cpu_s"])
        for engine in engines.values():
            engine.close()
        yield name, times


def lines(program, *arguments):
    """Returns the JSON lines that a benchmark prints."""
    output = subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def measure_lines(builds, rounds, program, arguments, figures):
    """Yields (name, {side: [figure]}) of a program that prints JSON lines. `figures` returns {name: figure} of a line."""
    times = {}
    for _ in range(rounds):
        for side in SIDES:
            for line in lines(builds[side] / "bench" / program, *arguments):
                for name, figure in figures(line).items():
                    times.setdefault(name, {s: [] for s in SIDES})[side].append(figure)
    yield from times.items()


def serving_figures(line):
    return {f"{line['what']}_{key}": line[key] for key in ("health_p50_ms", "served_p50_ms", "direct_p50_ms") if key in line}


def search_figures(line):
    return {f"{line['what']}_{line['customers']}_{key}": line[key] for key in ("first_plan_ms", "us_per_iteration")}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=pathlib.Path, required=True, help="build folder of the commit before")
    parser.add_argument("--after", type=pathlib.Path, default=ROOT / "build" / "dev", help="build folder of the change")
    parser.add_argument("--only", choices=("engine", "serving", "search"), help="run this part alone")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each side (5)")
    parser.add_argument("--seconds", default="1", help="seconds of each size of search_scaling_bench (1)")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    builds = {"before": arguments.before, "after": arguments.after}
    parts = {
        "engine": lambda: measure_engine(builds, arguments.rounds),
        "serving": lambda: measure_lines(builds, arguments.rounds, "serving_bench", ("overhead", "6"), serving_figures),
        "search": lambda: measure_lines(builds, arguments.rounds, "search_scaling_bench", (arguments.seconds,), search_figures),
    }
    for part, measure in parts.items():
        if arguments.only not in (None, part):
            continue
        for name, times in measure():
            before, after = (statistics.median(times[side]) for side in SIDES)
            spread = max((max(values) - min(values)) / statistics.median(values) for values in times.values())
            print(json.dumps({"what": f"{part}_{name}", "before": round(before, 6), "after": round(after, 6),
                              "ratio": round(after / before, 3), "spread": round(spread, 2),
                              "rounds": len(times["after"]), "load1": round(os.getloadavg()[0], 2)}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

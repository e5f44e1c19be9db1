#!/usr/bin/env python3
"""Measures estimates of costs on fresh instances, and prints the table of docs/benchmarks.md.

Examples:
  compare_estimates.py --labels /tmp/labels --instances 100 --marginals 4
  compare_estimates.py --labels /data/labels --instances 2000 --marginals 24 --core 1

Runs bench/estimate_bench on one core: the errors of the model, those of a regression on sqrt(area x n), load and depot
distance, those of searches after a bias factor, and rank correlations of what one more customer costs. The costs are of
searches of one second, which are kept in --labels, so that an interrupted run continues. The seed of the fresh
instances is printed before anything is measured.
"""

import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def percent(value):
    return f"{100 * value:.2f}"


def measure(arguments):
    """Yields the lines of estimate_bench as they come."""
    command = ["taskset", "-c", str(arguments.core), arguments.build / "bench" / "estimate_bench", arguments.model,
               arguments.labels, str(arguments.instances), str(arguments.seed), str(arguments.marginals)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            print(line, end="", file=sys.stderr, flush=True)
            yield json.loads(line)
    if process.returncode != 0:
        sys.exit(process.returncode)


def table(lines):
    """Returns the lines as a table, one row for each way to a cost."""
    rows = ["| way to a cost | mean error, % | without windows | with windows | ms | answers/s |",
            "| --- | --- | --- | --- | --- | --- |"]
    for line in lines:
        if "mean_error" not in line:
            continue
        errors = [percent(line[key]) for key in ("mean_error", "mean_error_without_windows", "mean_error_with_windows")]
        speed = [f"{line['ms']:.2f}", f"{line['per_s']:,.0f}"] if "ms" in line else ["", ""]
        rows.append("| " + " | ".join([line["what"], *errors, *speed]) + " |")
    return "\n".join(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default=ROOT / "models" / "estimate-mixed" / "1", help="folder of the model")
    parser.add_argument("--labels", required=True, help="folder for labels, kept between runs")
    parser.add_argument("--instances", type=int, default=2000, help="number of fresh instances")
    parser.add_argument("--seed", type=int, default=20261128, help="seed of the fresh instances")
    parser.add_argument("--marginals", type=int, default=24, help="instances for the cost of one more customer; 0: none")
    parser.add_argument("--core", type=int, default=0, help="core to run on")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "dev", help="build folder")
    print(table(list(measure(parser.parse_args()))))


if __name__ == "__main__":
    main()

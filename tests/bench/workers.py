#!/usr/bin/env python3
"""Compares trainings by two workers of one thread each with one process of one thread and one of two threads.

Each side trains the same configuration (REINFORCE with an exponential baseline, 3 layers of width 128, fp32) in a vrpd of its own, in
turns. A side's figure is the median of the steps' rates over its rounds, without the first steps. Prints one JSON line per run and one
with the ratios. Run it on a quiet machine with two cores.

Examples:
  workers.py
  workers.py --customers 50 --batch 512 --rounds 3 --steps 12"""

import argparse
import json
import pathlib
import re
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from daemon import Daemon  # noqa: E402

TRAINING = """\
name: bench
model: gt
problem: {{kind: cvrp, customers: {customers}}}
training: {{method: reinforce, epochs: 1, batches_per_epoch: {steps}, batch_size: {batch}, checkpoint_every_steps: 1000000}}
reinforce: {{baseline: exponential}}
validation: {{instances: 8}}
"""
# Workers and threads of vrpd.
SIDES = {"one thread": (1, 1), "two threads": (1, 2), "two workers": (2, 2)}
FIRST_STEPS = 2  # reported steps of each run that are left out


def run_once(folder, side, arguments):
    workers, threads = SIDES[side]
    config = folder / "config.yaml"
    config.write_text(TRAINING.format(**vars(arguments)))
    daemon = Daemon(flags=("--threads", str(threads)))
    try:
        done = daemon.call("train", "--config", config, "--set", f"training.workers={workers}")
        assert done.returncode == 0, done.stderr + done.stdout
        rates = [float(rate) for rate in re.findall(r"step \d+/\d+ .* ([0-9.]+) instances/s", done.stdout)]
        network = [line for line in done.stdout.splitlines() if line.startswith("network between")]
        return statistics.median(rates[FIRST_STEPS:]), network
    finally:
        daemon.clean_up()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--customers", type=int, default=50)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    rates = {side: [] for side in SIDES}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(arguments.rounds):
            for side in SIDES:
                rate, network = run_once(pathlib.Path(folder), side, arguments)
                rates[side].append(rate)
                print(json.dumps({"side": side, "instances_per_second": round(rates[side][-1], 1), "network": network}), flush=True)
    medians = {side: statistics.median(values) for side, values in rates.items()}
    print(json.dumps({"what": "workers", **vars(arguments), "instances_per_second": {k: round(v, 1) for k, v in medians.items()},
                      "of_one_thread": round(medians["two workers"] / medians["one thread"], 3),
                      "of_two_threads": round(medians["two workers"] / medians["two threads"], 3)}))


if __name__ == "__main__":
    main()

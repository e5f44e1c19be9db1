#!/usr/bin/env python3
"""Trains gt-mixed like the shipped weights, in eight stages, each from the weights of the previous stage.

The stages share configs/gt_mixed.yaml; STAGES lists each one's differences. Needs a running vrpd, in which the stages
publish the models gt-mixed-1 to gt-mixed-8. A stage whose model exists is skipped, so that the script can be run again
after an interruption. A stage's job outlives the script: wait for it first (`vrpctl jobs watch`). Options that this script
does not know go to each `vrpctl train`.

Two things differ from the original training. The first four stages were run in several parts that were not recorded; here
each is one job with its own seeds. Stages that used fp32 on two cores use bf16 if the CPU has it.

Examples:
  train_gt_mixed.py                                  about 8 hours on one core
  train_gt_mixed.py --device cuda:0
  train_gt_mixed.py --vrpctl 'vrpctl --remote host:50051' --validate-only
"""

import argparse
import pathlib
import shlex
import subprocess
import sys

CONFIG = pathlib.Path(__file__).resolve().parent.parent / "configs" / "gt_mixed.yaml"

# The last two stages draw instances like Kool's more often.
KOOL_DISTRIBUTION = {
    "problem.kinds": "[cvrp, cvrp, cvrp, tsp]", "problem.layouts": "[uniform, uniform, uniform, clustered, x]",
    "training.weight_average": 0.998, "training.learning_rate": 0.0002, "training.final_learning_rate": 0.000003,
    "training.warmup_steps": 100, "training.batches_per_epoch": 500}

CONSTANT = {"training.schedule": "constant", "training.final_learning_rate": 0}

# A step is a batch of 64 instances. The comments give the number of instances of each stage.
STAGES = [
    # 273,000 instances.
    {**CONSTANT, "problem.customers": "[10, 40]", "reinforce.baseline": "pomo", "reinforce.starts": 8,
     "training.epochs": 17, "training.batches_per_epoch": 250},
    # 144,000 and 166,000, with a learning rate that fell over both.
    {**CONSTANT, "problem.customers": "[10, 60]", "training.epochs": 9, "training.batches_per_epoch": 250},
    {"training.epochs": 13, "training.batches_per_epoch": 200},
    # 894,000 and 589,000.
    {**CONSTANT, "training.learning_rate": 0.00025, "training.epochs": 35, "training.batches_per_epoch": 400},
    {"training.learning_rate": 0.00025, "training.final_learning_rate": 0.000005, "training.epochs": 23,
     "training.batches_per_epoch": 400, "training.seed": 5, "problem.seed": 424242},
    # 384,000, with small ones more often, and averaged weights.
    {"problem.customers_skew": 2, "training.weight_average": 0.998, "training.learning_rate": 0.0002,
     "training.final_learning_rate": 0.00001, "training.epochs": 24, "training.batches_per_epoch": 250,
     "training.seed": 8, "problem.seed": 515151},
    # 1,920,000 and 1,760,000, with more samples: 8 samples did not improve greedy tours any further.
    {**KOOL_DISTRIBUTION, "problem.customers_skew": 1.5, "reinforce.samples": 24, "training.epochs": 60,
     "training.seed": 77, "problem.seed": 990017},
    {**KOOL_DISTRIBUTION, "problem.customers_skew": 2.2, "reinforce.samples": 32, "training.epochs": 55,
     "training.seed": 99, "problem.seed": 660013},
]


def stage_command(vrpctl, number):
    """Returns the arguments of `vrpctl train` for a stage, 1 to len(STAGES)."""
    settings = {"name": f"gt-mixed-{number}", "training.seed": number, "problem.seed": 1233 + number, **STAGES[number - 1]}
    if number > 1:
        settings["training.initial_model"] = f"models/gt-mixed-{number - 1}/versions/1"
    words = [*vrpctl, "train", "--config", str(CONFIG)]
    for key, value in settings.items():
        words += ["--set", f"{key}={value}"]
    return words


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vrpctl", default="vrpctl", help="the client, with its options")
    arguments, rest = parser.parse_known_args()
    vrpctl = shlex.split(arguments.vrpctl)
    for number in range(1, len(STAGES) + 1):
        found = subprocess.run([*vrpctl, "models", "get", f"gt-mixed-{number}"], capture_output=True)
        if found.returncode == 0:
            print(f"gt-mixed-{number}: exists, skipped", flush=True)
            continue
        print(f"gt-mixed-{number}: stage {number} of {len(STAGES)}", flush=True)
        done = subprocess.run(stage_command(vrpctl, number) + rest)
        if done.returncode != 0:
            return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Measures two training jobs at once with half of the threads each beside the same two jobs one after the other with all threads.

Needs vrpd and vrpctl (built by ./dev build dev vrpd vrpctl). Starts a daemon of each kind in turns, trains the same two
jobs on it, and prints one JSON line per case: the seconds from the first submission to the last end, without the start of the
daemon. The sides take turns `--runs` times; each figure is their median.

Examples:
  jobs_at_once.py
  jobs_at_once.py --cases tiny cvrp20 --threads 2 --runs 3
"""

import argparse
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = {  # preset and its overrides
    "tiny": ("tiny_1", ("training.epochs=4",)),
    "cvrp20": ("tiny_1", ("problem.customers=20", "training.batch_size=512", "training.epochs=1", "training.batches_per_epoch=25")),
}


def train_two(daemon_of, case, jobs_at_once, threads):
    """Returns the seconds in which two jobs end."""
    preset, settings = CASES[case]
    overrides = [word for setting in settings for word in ("--set", setting)]
    with tempfile.TemporaryDirectory(prefix="vrp-jobs-") as folder:
        daemon = daemon_of(pathlib.Path(folder) / "state",
                           flags=("--threads", str(threads), "--training-jobs-at-once", str(jobs_at_once)))
        try:
            begun = time.monotonic()
            names = []
            for seed in (1, 2):
                words = ("train", "--preset", preset, "--detach", "--set", f"training.seed={seed}", *overrides)
                names.append(daemon.json(*words)[0]["name"])
            for name in names:
                daemon.events_until(lambda event: event.get("state") in ("SUCCEEDED", "FAILED"), "jobs", "watch", name)
            taken = time.monotonic() - begun
            for name in names:
                job = daemon.json("jobs", "get", name)[0]
                if job["state"] != "SUCCEEDED":
                    sys.exit(f"{name} is {job['state']}")
            return taken
        finally:
            daemon.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "dev", help="folder of vrpd and vrpctl")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    os.environ["VRP_BINARY_DIR"] = str(arguments.build)
    sys.path.insert(0, str(ROOT / "tests" / "e2e"))
    from daemon import Daemon
    for case in arguments.cases:
        times = {1: [], 2: []}
        for _ in range(arguments.runs):
            for jobs_at_once, measured in times.items():
                measured.append(train_two(Daemon, case, jobs_at_once, arguments.threads))
        row, at_once = (statistics.median(times[jobs]) for jobs in (1, 2))
        print(json.dumps({"case": case, "threads": arguments.threads, "in_a_row_s": round(row, 2), "at_once_s": round(at_once, 2),
                          "faster": round(row / at_once, 2)}), flush=True)


if __name__ == "__main__":
    main()

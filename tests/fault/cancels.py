#!/usr/bin/env python3
"""Cancels a CVRP50 training run with batches of 512 at random moments, and measures how soon vrpd solves and the job ends.

Each time, the script submits a job and cancels it at a random moment: alternately after its start and after its first step.
It sends a solve at once. The script measures the times from the cancellation to the solve's correct response and to the
job's end. The job must end as CANCELLED within --patience seconds. vrpd's memory may grow by at most 100 MiB, and the state
folder must hold neither jobs nor temporary files. Prints one JSON line per ten cancels and one at the end, with
percentiles. Exits with 1 on any error. Other times are reported, not judged.

Examples:
  cancels.py --cancels 10
  cancels.py --cancels 1000 --seed 3      a few seconds each"""

import argparse
import collections
import json
import pathlib
import random
import shutil
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import api  # noqa: E402
from api import message  # noqa: E402
from daemon import Daemon  # noqa: E402
from judge import leftovers  # noqa: E402
from latencies import percentiles  # noqa: E402
from process import resources  # noqa: E402

TRAINING = """\
name: big
model: gt
problem: {kind: cvrp, customers: 50}
training: {method: reinforce, epochs: 100, batches_per_epoch: 100, batch_size: 512, checkpoint_every_steps: 2}
reinforce: {baseline_instances: 512}
validation: {instances: 512, reference: nearest_neighbour}
"""
RUNNING, SUCCEEDED, CANCELLED = 3, 7, 9  # values of JobState; ended states are SUCCEEDED and above
BUDGET_MS = 50  # budget of a solve
POLL_S = 0.02  # interval between two reads of a job's state
WARM_UP = 5  # number of cancels before the first measurement of the memory
MAX_GROWTH_MIB = 100  # limit for the growth of the resident memory after the warm-up


class Cancels:
    def __init__(self, daemon, arguments):
        self.daemon, self.arguments, self.random = daemon, arguments, random.Random(arguments.seed)
        self.channel, self.problems = api.connect(daemon), []
        self.solved_ms, self.ended_ms, self.moments = [], [], collections.Counter()
        self.request = message("CreateTrainingJobRequest")()
        self.request.spec.config_yaml, self.request.spec.config_name = TRAINING, "big.yaml"

    def training(self, verb, name):
        return api.ask(self.channel, f"TrainingService/{verb}TrainingJob", message(f"{verb}TrainingJobRequest")(name=name))

    def start_job(self, until_step):
        """Starts a job and waits until it runs or, if `until_step`, until its first step. Returns its name."""
        name = api.ask(self.channel, "TrainingService/CreateTrainingJob", self.request).name
        for event in api.start(self.channel, "TrainingService/WatchTrainingJob", [message("WatchTrainingJobRequest")(name=name)]):
            if event.progress.step > 0 if until_step else event.state.state == RUNNING:
                return name
        raise AssertionError(f"{name}: the watch ended before the job {'made a step' if until_step else 'ran'}")

    def cancel_a_job(self):
        name = self.start_job(until_step=len(self.solved_ms) % 2 == 1)
        time.sleep(self.random.uniform(0, self.arguments.spread))
        step = self.training("Get", name).progress.step
        start = time.monotonic()
        self.training("Cancel", name)
        while not api.is_valid(api.ask(self.channel, "SolverService/Solve", api.solve_request(budget_ms=BUDGET_MS))):
            self.problems.append(f"{name}: a wrong response to a solve after the cancellation")
        self.solved_ms.append(1000 * (time.monotonic() - start))
        while (state := self.training("Get", name).state) < SUCCEEDED and time.monotonic() - start < self.arguments.patience:
            time.sleep(POLL_S)
        self.ended_ms.append(1000 * (time.monotonic() - start))
        if state != CANCELLED:
            self.problems.append(f"{name}: cancelled in step {step}, now in state {state}, wanted {CANCELLED} (CANCELLED)")
        self.moments["before the first step" if step == 0 else "later"] += 1
        self.training("Delete", name)

    def run(self):
        start, warm = time.monotonic(), None
        for i in range(self.arguments.cancels):
            self.cancel_a_job()
            if i + 1 == min(WARM_UP, self.arguments.cancels):
                warm = resources(self.daemon.process.pid)
            if (i + 1) % 10 == 0:
                print(json.dumps({"what": "cancelled", "cancels": i + 1, "solved_ms": percentiles(self.solved_ms),
                                  "rss_mib": resources(self.daemon.process.pid)["rss_mib"], "problems": len(self.problems)}),
                      flush=True)
        after = resources(self.daemon.process.pid)
        if after["rss_mib"] - warm["rss_mib"] > MAX_GROWTH_MIB:
            self.problems.append(f"memory grew from {warm['rss_mib']} to {after['rss_mib']} MiB, wanted at most {MAX_GROWTH_MIB} MiB more")
        if self.daemon.stop() != 0:
            self.problems.append("SIGTERM did not end vrpd cleanly")
        if remaining_files := leftovers(self.daemon.state) + [str(path) for path in (self.daemon.state / "jobs").glob("*")]:
            self.problems.append(f"left behind: {remaining_files[:5]}")
        print(json.dumps({"what": "cancels", "seed": self.arguments.seed, "cancels": self.arguments.cancels,
                          "cancelled": dict(self.moments), "from_cancel_to_solved_ms": percentiles(self.solved_ms),
                          "from_cancel_to_ended_ms": percentiles(self.ended_ms), "budget_ms": BUDGET_MS, "warm": warm,
                          "after": after, "problems": self.problems, "seconds": round(time.monotonic() - start, 1)}))
        return int(bool(self.problems))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cancels", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--spread", type=float, default=2, help="cancel each job within this many seconds")
    parser.add_argument("--patience", type=float, default=120, help="fail if a cancelled job ends later than after this many seconds")
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-cancels-"))
    daemon = Daemon(folder / "state")
    try:
        return Cancels(daemon, arguments).run()
    finally:
        daemon.clean_up()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Damages each kind of file in vrpd's state folder, or makes it read-only, and checks the rest.

The folder holds a finished training with its model, a killed one with checkpoints, an imported model, matrices and a dataset.
A case is a copy of it in which one file is emptied, truncated, overwritten or has flipped bits. vrpd must start and work:
damaged objects are rejected or skipped with a message, the unfinished training resumes from an older checkpoint, and
everything else works. A damaged or lost database must stop the start by name, until the jobs are forgotten on purpose. Then
come the read-only cases (EROFS of fault_shim.cc, like a disk that the kernel has remounted): at the start and during a
training. Writes must be refused with the reason, solving must work, and SIGTERM must end vrpd. Prints one JSON line per case
and one at the end. Exits with 1 on any error.

Examples:
  damaged_state.py
  damaged_state.py --cases 12"""

import argparse
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import api  # noqa: E402
import grpc  # noqa: E402
from daemon import BINARIES, DATA, ROOT, Daemon, tiny_config  # noqa: E402
from process import settled  # noqa: E402

SHIM = BINARIES.parent / "tests" / "fault_shim.so"
LONG = ("--set", "name=long", "--set", "training.epochs=10000", "--set", "training.batches_per_epoch=100",
        "--set", "training.checkpoint_every_steps=5")
# The newest file of each kind, and the loss that damage to it may cause.
FILES = {
    "jobs/*/checkpoint/step-*/state.safetensors": "steps",
    "jobs/*/checkpoint/step-*/checkpoint.json": "steps",
    "models/tiny/1/weights.safetensors": "tiny",
    "models/tiny/1/card.json": "tiny",
    "matrices/*": "matrices",
    "datasets/kept/instances.jsonl": "dataset",
    "datasets/kept/dataset.json": "dataset",
    "tensorboard/*/events.out.*": "nothing",
    "lock": "nothing",
    "state.json": "nothing",
    "jobs.db-shm": "nothing",
    "jobs.db-wal": "jobs",
    "jobs.db": "start",
}


def flip(data):
    source, out = random.Random(1), bytearray(data)
    for _ in range(20):
        out[source.randrange(len(out))] ^= 0xFF
    return bytes(out)


DAMAGES = {
    "emptied": lambda data: b"",
    "cut off": lambda data: data[:len(data) // 2],
    "overwritten": lambda data: b"damaged " * (len(data) // 8 + 1),
    "bits turned": flip,
    "removed": None,
}
LOSES_ALL = ("emptied", "removed")
# The point at which the folder becomes read-only, and vrpd's reaction. No point means before it starts.
READ_ONLY = {"": "refuses", "rename jobs/*/checkpoint/step-#": "serves"}
TIMEOUT_S = 30


class State:
    """The state folder that each case copies."""

    def __init__(self, folder):
        self.folder, self.path = folder, folder / "template"
        config = tiny_config(folder)
        daemon = Daemon(self.path)
        try:
            daemon.json("train", "--config", config)
            matrices = folder / "matrices.json"
            matrices.write_text(json.dumps({"distance_matrix": [[0, 1, 2], [1, 0, 1], [2, 1, 0]]}))
            self.matrices = daemon.json("matrices", "upload", matrices)[0]["name"]
            lines = folder / "own.jsonl"
            lines.write_text(json.dumps({"kind": "cvrp", "coords": [[0, 0], [1, 0]], "demands": [0, 1], "capacity": 2}) + "\n")
            daemon.json("datasets", "upload", lines, "--name", "kept")
            daemon.json("models", "import", ROOT / "models" / "ptrnet-cvrp20" / "1", "--name", "brought")
            self.long = daemon.json("train", "--config", config, "--detach", *LONG)[0]["name"]
            daemon.events_until(lambda event: event["type"] == "checkpoint" and event["step"] >= 15, "jobs", "watch", self.long)
            self.jobs = {job["name"] for job in daemon.json("jobs", "list")}
            daemon.kill()
        finally:
            daemon.clean_up()
        # Moves everything of the database into its main file.
        self.stopped = shutil.copytree(self.path, folder / "stopped")
        daemon = Daemon(self.stopped)
        daemon.stop()

    def copy(self, stopped=False):
        state = pathlib.Path(tempfile.mkdtemp(dir=self.folder)) / "state"
        shutil.copytree(self.stopped if stopped else self.path, state)
        return state

    def solve_by_matrices(self):
        request = api.message("SolveRequest")()
        request.instance.matrices = self.matrices
        request.instance.depots.add()
        for _ in range(2):
            request.instance.customers.add(demand=[1])
        request.instance.vehicles.add(capacity=[2])
        request.budget.FromMilliseconds(20)
        return request


class Case:
    def __init__(self, template):
        self.template, self.problems = template, []

    def expect(self, right, text):
        if not right:
            self.problems.append(text)

    def check_solves(self, daemon):
        with api.connect(daemon) as channel:
            self.expect(api.is_valid(api.ask(channel, "SolverService/Solve", api.solve_request())), "a solve is wrong")

    def check_model(self, daemon, name, whole):
        done = daemon.call("solve", DATA / "E-n22-k4.vrp", "--model", name, "--strategy", "greedy", "--budget", "20s")
        if whole:
            self.expect(done.returncode == 0, f"{name} does not serve: {done.stderr.strip()}")
        else:
            self.expect(done.returncode not in (0, 3) and done.stderr, f"{name} is damaged and serves, or the daemon died")

    def check_rest(self, daemon, cost):
        """Checks everything except the expected loss."""
        self.check_solves(daemon)
        self.check_model(daemon, "gt-mixed", whole=True)
        self.check_model(daemon, "brought", whole=True)
        listed = {job["name"] for job in daemon.json("jobs", "list")}
        self.expect(cost == "jobs" or listed == self.template.jobs, f"jobs {listed}, wanted {self.template.jobs}")
        if cost != "jobs":
            events = daemon.events_until(lambda event: event["attempt"] == 2 and event["type"] in ("progress", "state") and
                                         event.get("state") != "PREPARING", "jobs", "watch", self.template.long)
            self.expect(events[-1].get("state") != "FAILED", f"the unfinished training failed: {events[-1]}")
        if cost != "matrices":
            with api.connect(daemon) as channel:
                answer = api.ask(channel, "SolverService/Solve", self.template.solve_by_matrices())
                self.expect(api.is_valid(answer, customers=2), "matrices cannot be used")
        if cost != "dataset":
            self.expect(daemon.call("datasets", "get", "kept").returncode == 0, "the dataset is gone")
        # Does not depend on the outcome of the first one.
        lines = self.template.folder / "own.jsonl"
        self.expect(daemon.call("datasets", "upload", lines, "--name", "kept").returncode == 0, "the dataset is not repaired by an upload")
        self.expect(daemon.call("models", "list").returncode == 0, "models cannot be listed")
        self.expect(daemon.stop() == 0, "SIGTERM did not end vrpd cleanly")

    def damage(self, pattern, damage, cost):
        state = self.template.copy(stopped=cost == "start")
        found = [path for path in state.glob(pattern) if path.is_file()]
        path = max(found, key=lambda path: (path.stat().st_mtime, str(path)))
        if damage == "removed":
            path.unlink()
        else:
            path.write_bytes(DAMAGES[damage](path.read_bytes()))
        try:
            daemon = Daemon(state)
        except RuntimeError as refused:
            text = str(refused).splitlines()[-1]
            self.expect(cost in ("start", "jobs") and "jobs.db" in text, f"it did not start: {text}")
            return self.forget_and_restart(state)
        self.expect(cost != "start" or damage not in LOSES_ALL, "it starts with a new database although the old one is lost")
        try:
            if cost == "tiny":
                self.check_model(daemon, "tiny", whole=False)
            self.check_rest(daemon, "jobs" if cost == "start" else cost)
        except (AssertionError, grpc.RpcError) as error:
            self.problems.append(str(error))
        finally:
            daemon.clean_up()
            shutil.rmtree(state.parent, ignore_errors=True)
        return self.problems

    def start_again(self, state, damaged):
        """Starts the last daemon on `state` and checks that all but `damaged` is unchanged."""
        daemon = Daemon(state)
        try:
            self.check_rest(daemon, damaged)
        finally:
            daemon.clean_up()
            shutil.rmtree(state.parent, ignore_errors=True)
        return self.problems

    def forget_and_restart(self, state):
        """Follows the remedy of the refusal: the remains of the jobs are moved aside, and all else is unchanged."""
        done = subprocess.run([BINARIES / "vrpd", "--forget-jobs", "--state-dir", state], capture_output=True, text=True, check=False)
        self.expect(done.returncode == 0 and "forgotten-" in done.stdout, f"--forget-jobs: {done.stdout}{done.stderr}")
        self.expect(len(list(state.glob("forgotten-*/jobs/*"))) > 0, "the folders of jobs were not moved aside")
        return self.start_again(state, "jobs")

    def read_only(self, point, then):
        state = self.template.copy()
        environment = {**os.environ, "LD_PRELOAD": str(SHIM), "VRP_FAULT_ROOT": str(state), "VRP_FAULT_ACTION": "readonly",
                       "VRP_FAULT_POINT": point, "VRP_FAULT_OCCURRENCE": "1", "VRP_FAULT_HIT": str(state.parent / "hit")}
        try:
            daemon = Daemon(state, env=environment)
        except RuntimeError as refused:
            self.expect(then == "refuses" and "ead-only" in str(refused), f"it did not start: {refused}")
            return self.problems
        try:
            self.expect(then == "serves", "vrpd starts on a read-only folder")
            settled((state.parent / "hit").exists, bool, TIMEOUT_S)
            done = daemon.call("train", "--config", tiny_config(self.template.folder), "--detach")
            self.expect(done.returncode not in (0, 3) and "ead-only" in done.stderr, f"a training is accepted, or refused with: {done.stderr}")
            self.check_solves(daemon)
            self.check_model(daemon, "gt-mixed", whole=True)
            self.expect(daemon.stop() == 0, "SIGTERM did not end vrpd cleanly")
        finally:
            daemon.clean_up()
        return self.start_again(state, "nothing")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=0, help="number of cases, evenly chosen; 0: all")
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-damaged-")).resolve()
    cases = [("damage", pattern, damage, cost) for pattern, cost in FILES.items() for damage in DAMAGES]
    if SHIM.exists():
        cases += [("read_only", point, then) for point, then in READ_ONLY.items()]
    if arguments.cases:
        # Includes the first and the last, which is the read-only disk in the middle of a training.
        last = max(1, arguments.cases - 1)
        cases = [cases[i * (len(cases) - 1) // last] for i in range(arguments.cases)]
    wrong = 0
    try:
        template = State(folder)
        for kind, *words in cases:
            problems = getattr(Case(template), kind)(*words)
            print(json.dumps({"what": kind, "case": words, "problems": problems}), flush=True)
            wrong += bool(problems)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(json.dumps({"what": "damaged_state", "cases": len(cases), "wrong": wrong}))
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())

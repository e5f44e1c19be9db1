#!/usr/bin/env python3
"""Damages each kind of file in vrpd's state folder, or makes the folder read-only, and checks that all else works.

The folder holds a finished training with its model, a killed one with checkpoints, an imported model, matrices and a dataset.
A case is a copy of the folder in which one file is emptied, truncated, overwritten, removed or has flipped bits. vrpd must
start and reject or skip damaged objects with a message. It must resume the unfinished training from an older checkpoint, and
all else must work. An emptied or removed database must prevent the start with an error that names it, until vrpd
--forget-jobs moves the jobs aside. Other damage to the database may do so. In the last cases the folder is read-only.
(fault_shim.cc returns EROFS, like a disk that the kernel has remounted.) If it is so from the start, vrpd must end with the
reason. If it becomes so during a training job, writes must be refused with the reason, solving must work, and SIGTERM must
end vrpd. Prints one JSON line per case and one at the end. Exits with 1 on any error.

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
from process import wait_until  # noqa: E402

SHIM = BINARIES.parent / "tests" / "fault_shim.so"
LONG_TRAINING = ("--set", "name=long", "--set", "training.epochs=10000", "--set", "training.batches_per_epoch=100",
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


def flip_bits(data):
    """Returns `data` with all bits of up to 20 bytes flipped, which a fixed seed chooses."""
    source, out = random.Random(1), bytearray(data)
    for _ in range(20):
        out[source.randrange(len(out))] ^= 0xFF
    return bytes(out)


DAMAGES = {
    "emptied": lambda data: b"",
    "truncated": lambda data: data[:len(data) // 2],
    "overwritten": lambda data: b"damaged " * (len(data) // 8 + 1),
    "bits flipped": flip_bits,
    "removed": None,
}
# Damages after which SQLite would silently begin a new database.
LOSES_ALL = ("emptied", "removed")
# The point at which the folder becomes read-only, and vrpd's reaction. An empty point means before vrpd starts.
READ_ONLY = {"": "refuses", "rename jobs/*/checkpoint/step-#": "serves"}
TIMEOUT_S = 30  # time limit until the folder becomes read-only


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
            daemon.json("models", "import", ROOT / "models" / "ptrnet-cvrp20" / "1", "--name", "imported")
            self.long = daemon.json("train", "--config", config, "--detach", *LONG_TRAINING)[0]["name"]
            daemon.events_until(lambda event: event["type"] == "checkpoint" and event["step"] >= 15, "jobs", "watch", self.long)
            self.jobs = {job["name"] for job in daemon.json("jobs", "list")}
            daemon.kill()
        finally:
            daemon.clean_up()
        # The clean stop moves the whole database into its main file.
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

    def expect(self, condition, text):
        if not condition:
            self.problems.append(text)

    def check_solves(self, daemon):
        with api.connect(daemon) as channel:
            self.expect(api.is_valid(api.ask(channel, "SolverService/Solve", api.solve_request())), "a solve is wrong")

    def check_model(self, daemon, name, intact):
        result = daemon.call("solve", DATA / "E-n22-k4.vrp", "--model", name, "--strategy", "greedy", "--budget", "20s")
        if intact:
            self.expect(result.returncode == 0, f"{name} does not serve: {result.stderr.strip()}")
        else:
            self.expect(result.returncode not in (0, 3) and result.stderr, f"{name} is damaged, and the solve exited {result.returncode} with {result.stderr!r}, wanted an error (not 0 or 3)")

    def check_rest(self, daemon, loss):
        """Checks everything except the expected loss, and stops vrpd."""
        self.check_solves(daemon)
        self.check_model(daemon, "gt-mixed", intact=True)
        self.check_model(daemon, "imported", intact=True)
        listed = {job["name"] for job in daemon.json("jobs", "list")}
        self.expect(loss == "jobs" or listed == self.template.jobs, f"jobs {listed}, wanted {self.template.jobs}")
        if loss != "jobs":
            events = daemon.events_until(lambda event: event["attempt"] == 2 and event["type"] in ("progress", "state") and
                                         event.get("state") != "PREPARING", "jobs", "watch", self.template.long)
            self.expect(events[-1].get("state") != "FAILED", f"the unfinished training failed: {events[-1]}")
        if loss != "matrices":
            with api.connect(daemon) as channel:
                answer = api.ask(channel, "SolverService/Solve", self.template.solve_by_matrices())
                self.expect(api.is_valid(answer, customers=2), "matrices cannot be used")
        if loss != "dataset":
            self.expect(daemon.call("datasets", "get", "kept").returncode == 0, "the dataset is gone")
        # A repeated upload must succeed whether or not the dataset is damaged.
        lines = self.template.folder / "own.jsonl"
        self.expect(daemon.call("datasets", "upload", lines, "--name", "kept").returncode == 0, "an upload does not repair the dataset")
        self.expect(daemon.call("models", "list").returncode == 0, "models cannot be listed")
        self.expect(daemon.stop() == 0, "SIGTERM did not end vrpd cleanly")

    def damage(self, pattern, damage, loss):
        state = self.template.copy(stopped=loss == "start")
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
            self.expect(loss in ("start", "jobs") and "jobs.db" in text, f"vrpd did not start: {text}")
            return self.forget_and_restart(state)
        self.expect(loss != "start" or damage not in LOSES_ALL, "vrpd starts with a new database although the old one is lost")
        try:
            if loss == "tiny":
                self.check_model(daemon, "tiny", intact=False)
            self.check_rest(daemon, "jobs" if loss == "start" else loss)
        except (AssertionError, grpc.RpcError) as error:
            self.problems.append(str(error))
        finally:
            daemon.clean_up()
            shutil.rmtree(state.parent, ignore_errors=True)
        return self.problems

    def start_again(self, state, loss):
        """Starts vrpd on `state`, checks everything but the expected loss, and deletes the folder."""
        daemon = Daemon(state)
        try:
            self.check_rest(daemon, loss)
        finally:
            daemon.clean_up()
            shutil.rmtree(state.parent, ignore_errors=True)
        return self.problems

    def forget_and_restart(self, state):
        """Runs vrpd --forget-jobs, as the error advises, and checks that it moves the jobs aside and changes nothing else."""
        result = subprocess.run([BINARIES / "vrpd", "--forget-jobs", "--state-dir", state], capture_output=True, text=True, check=False)
        self.expect(result.returncode == 0 and "forgotten-" in result.stdout, f"--forget-jobs: {result.stdout}{result.stderr}")
        self.expect(len(list(state.glob("forgotten-*/jobs/*"))) > 0, "the folders of jobs were not moved aside")
        return self.start_again(state, "jobs")

    def read_only(self, point, reaction):
        state = self.template.copy()
        environment = {**os.environ, "LD_PRELOAD": str(SHIM), "VRP_FAULT_ROOT": str(state), "VRP_FAULT_ACTION": "readonly",
                       "VRP_FAULT_POINT": point, "VRP_FAULT_OCCURRENCE": "1", "VRP_FAULT_HIT": str(state.parent / "hit")}
        try:
            daemon = Daemon(state, env=environment)
        except RuntimeError as refused:
            self.expect(reaction == "refuses" and "ead-only" in str(refused), f"vrpd did not start: {refused}")
            return self.problems
        try:
            self.expect(reaction == "serves", "vrpd starts on a read-only folder")
            wait_until((state.parent / "hit").exists, bool, TIMEOUT_S)
            result = daemon.call("train", "--config", tiny_config(self.template.folder), "--detach")
            self.expect(result.returncode not in (0, 3) and "ead-only" in result.stderr, f"a training job exited {result.returncode} with {result.stderr!r}, wanted an error that says read-only")
            self.check_solves(daemon)
            self.check_model(daemon, "gt-mixed", intact=True)
            self.expect(daemon.stop() == 0, "SIGTERM did not end vrpd cleanly")
        finally:
            daemon.clean_up()
        return self.start_again(state, "nothing")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=0, help="run this many cases, evenly chosen; 0: all")
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-damaged-")).resolve()
    cases = [("damage", pattern, damage, loss) for pattern, loss in FILES.items() for damage in DAMAGES]
    if SHIM.exists():
        cases += [("read_only", point, reaction) for point, reaction in READ_ONLY.items()]
    if arguments.cases:
        # Includes the first and the last case, in which the disk becomes read-only during a training job.
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

#!/usr/bin/env python3
"""Sends SIGTERM at random times while vrpd starts, restores, imports and backs up, and checks the state folder.

A case is one SIGTERM. The process must end within a minute, lose nothing acknowledged and leave nothing partial. The next start
must work:
  start     vrpd on a state folder with models and an interrupted training job; the next start has all of them
  restore   vrpd --restore into an empty folder; the folder then is empty or complete, and a repeated restore or a start works
  import    vrpd during `vrpctl models import`; an acknowledged version exists, and another one completely or not at all
  backup    vrpd during `vrpctl server backup`; a finished backup can be restored, and another one leaves no file

Prints one JSON line per phase, with the number of cases in which the signal came during the work, and one at the end. Exits
with 1 on any error.

Examples:
  terminations.py --cases 40
  terminations.py --cases 400 --seed 7 --phases restore backup"""

import argparse
import json
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from daemon import BINARIES, ROOT, Daemon, tiny_config, vrpctl  # noqa: E402
from judge import leftovers  # noqa: E402

LIMIT_S = 60  # time limit between SIGTERM and the end of the process
MODEL = ROOT / "models" / "gt-mixed"
LONG_TRAINING = ("--set", "name=long", "--set", "training.epochs=100000", "--set", "training.checkpoint_every_steps=5")
# Number of imported models, with which a restore and a backup take some tenths of a second.
COPIES = 6
# Maximum delays before SIGTERM: durations of the work on an idle core, rounded up.
START_S, RESTORE_S, IMPORT_S, BACKUP_S = 0.08, 0.4, 0.08, 0.4
BEFORE_SERVING = (0, -signal.SIGTERM)  # exit statuses; -SIGTERM means before vrpd handles signals


def terminate(process):
    """Sends SIGTERM. Returns the exit status and the seconds until the process ended, or raises an error after LIMIT_S."""
    process.send_signal(signal.SIGTERM)
    start = time.monotonic()
    status = process.wait(timeout=LIMIT_S)
    return status, time.monotonic() - start


def versions(state):
    """Returns the versions of each model of the state folder, by the model's name."""
    return {folder.name: sorted(path.name for path in folder.iterdir()) for folder in (state / "models").iterdir()
            if not folder.name.startswith(".")}


class Terminations:
    def __init__(self, folder, seed):
        self.folder, self.random = folder, random.Random(seed)
        self.state, self.backup = folder / "state", folder / "whole.tar"
        self.model = max(MODEL.iterdir(), key=lambda path: int(path.name))
        self.problems, self.interrupted, self.longest_s = [], 0, 0.0
        self.job = self.make_state()
        self.models = versions(self.state)

    def make_state(self):
        """Creates models and a training job that resumes with every daemon. Returns the training job's name."""
        daemon = Daemon(self.state)
        try:
            for number in range(COPIES):
                daemon.json("models", "import", self.model, "--name", f"kept-{number}")
            job = daemon.json("train", "--config", tiny_config(self.folder), "--detach", *LONG_TRAINING)[0]["name"]
            daemon.events_until(lambda event: event["type"] == "checkpoint", "jobs", "watch", job)
            daemon.json("server", "backup", self.backup)
            assert daemon.stop() == 0, daemon.log_path.read_text()
        finally:
            daemon.clean_up()
        return job

    def expect(self, condition, text):
        if not condition:
            self.problems.append(text)

    def terminate(self, process, allowed, what):
        status, seconds = terminate(process)
        self.longest_s = max(self.longest_s, seconds)
        self.expect(status in allowed, f"{what}: ended with {status}, wanted one of {allowed}")

    def check_start(self, state, what):
        """Checks that a start finds all objects."""
        daemon = None
        try:
            daemon = Daemon(state)
            jobs = [job["name"] for job in daemon.json("jobs", "list")]
            self.expect(jobs == [self.job], f"{what}: jobs are {jobs}, wanted {[self.job]}")
            daemon.events_until(lambda event: event["type"] == "checkpoint", "jobs", "watch", self.job)
            listed = {model["name"] for model in daemon.json("models", "list")}
            wanted = {f"models/{name}/versions/{number}" for name, numbers in self.models.items() for number in numbers}
            self.expect(wanted <= listed, f"{what}: models {sorted(wanted - listed)} are gone")
            self.expect(daemon.stop() == 0, f"{what}: the next SIGTERM did not end vrpd cleanly")
        except (RuntimeError, AssertionError) as error:
            self.problems.append(f"{what}: {error}")
        finally:
            if daemon is not None:
                daemon.clean_up()
        self.expect(not leftovers(state), f"{what}: left behind {leftovers(state)}")

    def start(self, number):
        log = open(self.folder / "start.log", "ab")
        process = subprocess.Popen([BINARIES / "vrpd", "--listen", "127.0.0.1:0", "--state-dir", self.state],
                                   stdout=subprocess.PIPE, stderr=log, text=True)
        time.sleep(self.random.uniform(0, START_S))
        self.terminate(process, BEFORE_SERVING, f"start {number}")
        self.interrupted += not process.stdout.read()
        process.stdout.close()
        log.close()
        self.check_start(self.state, f"start {number}")

    def restore(self, number):
        target = self.folder / "restored"
        shutil.rmtree(target, ignore_errors=True)
        command = [BINARIES / "vrpd", "--restore", self.backup, "--state-dir", target]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        time.sleep(self.random.uniform(0, RESTORE_S))
        self.terminate(process, (0, 1, -signal.SIGTERM), f"restore {number}")
        restored = "restored" in process.stdout.read()
        process.stdout.close()
        remaining = sorted(path.name for path in target.iterdir()) if target.exists() else []
        self.interrupted += not restored
        if not restored:
            self.expect(not remaining, f"restore {number}: SIGTERM left {remaining}")
            repeated = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
            self.expect(repeated.returncode == 0, f"restore {number}: the repeated restore failed: {repeated.stderr.strip()}")
        self.check_start(target, f"restore {number}")

    def call(self, arguments, longest_s, what):
        """Runs vrpctl and sends SIGTERM to its daemon meanwhile. Returns whether vrpctl succeeded, and its error output."""
        daemon = Daemon(self.state)
        try:
            client = subprocess.Popen([BINARIES / "vrpctl", "--remote", daemon.address, *arguments],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            time.sleep(self.random.uniform(0, longest_s))
            self.terminate(daemon.process, (0,), what)
            _, errors = client.communicate(timeout=60)
        finally:
            daemon.clean_up()
        self.interrupted += client.returncode != 0
        return client.returncode == 0, errors

    def import_model(self, number):
        daemon = Daemon(self.state)
        try:
            name = f"brought-{number}"
            call = subprocess.Popen([BINARIES / "vrpctl", "--remote", daemon.address, "models", "import", self.model, "--name", name],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            time.sleep(self.random.uniform(0, IMPORT_S))
            self.terminate(daemon.process, (0,), f"import {number}")
            _, errors = call.communicate(timeout=60)
        finally:
            daemon.clean_up()
        found = versions(self.state).get(name, [])
        self.interrupted += call.returncode != 0
        if call.returncode == 0:
            self.expect(found == ["1"], f"import {number}: acknowledged as version 1, found {found}")
        else:
            self.expect(errors.strip(), f"import {number}: failed without a message")
        if found:
            self.models[name] = found
        self.check_start(self.state, f"import {number}")

    def back_up(self, number):
        file = self.folder / f"backup-{number}.tar"
        succeeded, errors = self.call(("server", "backup", file), BACKUP_S, f"backup {number}")
        if succeeded:
            target = self.folder / "from-backup"
            shutil.rmtree(target, ignore_errors=True)
            restored = subprocess.run([BINARIES / "vrpd", "--restore", file, "--state-dir", target], capture_output=True, text=True,
                                      timeout=60, check=False)
            self.expect(restored.returncode == 0, f"backup {number}: reported as done, but restoring it failed: {restored.stderr.strip()}")
        else:
            self.expect(errors.strip(), f"backup {number}: failed without a message")
            remaining = [path.name for path in self.folder.glob(f"{file.name}*")]
            self.expect(not remaining, f"backup {number}: failed and left {remaining}")
        file.unlink(missing_ok=True)
        self.check_start(self.state, f"backup {number}")


PHASES = {"start": Terminations.start, "restore": Terminations.restore, "import": Terminations.import_model,
          "backup": Terminations.back_up}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=40, help="run this many cases, divided among the phases (default: 40)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--phases", nargs="+", choices=PHASES, default=list(PHASES))
    options = parser.parse_args()
    assert vrpctl("--version").returncode == 0, f"got no vrpctl that runs in {BINARIES}, wanted one: ./dev build makes it"
    folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-terminations-"))
    try:
        run = Terminations(folder, options.seed)
        for phase in options.phases:
            run.interrupted, run.longest_s, before = 0, 0.0, len(run.problems)
            cases = max(1, options.cases // len(options.phases))
            for number in range(cases):
                PHASES[phase](run, number)
            print(json.dumps({"phase": phase, "cases": cases, "met_in_the_middle": run.interrupted,
                              "longest_s": round(run.longest_s, 2), "problems": run.problems[before:]}), flush=True)
        print(json.dumps({"cases": cases * len(options.phases), "wrong": len(run.problems)}), flush=True)
        return 1 if run.problems else 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

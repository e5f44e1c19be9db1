#!/usr/bin/env python3
"""Disturbs a training by two workers and checks that it ends with the same weights as an undisturbed one.

Each case trains the same configuration with training.workers: 2. After the first checkpoint it kills or stops a worker, their
launcher or vrpd, or asks for a live model, or for the end. A killed or hanging worker must not need help: vrpd starts the
workers again, and the job goes on from its checkpoint. The job must succeed with one version of the model, the weights must be
those of the undisturbed job bit by bit, and no worker may be left. Prints one JSON line per case. Exits with 1 on any error.

Examples:
  worker_faults.py
  worker_faults.py --cases kill_worker stop_worker --repeat 20"""

import argparse
import hashlib
import json
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from daemon import BINARIES, Daemon  # noqa: E402
from judge import ENDED  # noqa: E402

TRAINING = """\
name: {name}
model: ptrnet
problem: {{kind: cvrp, customers: 10}}
network: {{hidden: 32, layers: 1, dropout: 0.0}}
training: {{method: reinforce, epochs: 4, batches_per_epoch: 40, batch_size: 63, workers: 2, checkpoint_every_steps: 10}}
reinforce: {{baseline_instances: 99}}
validation: {{instances: 51}}
"""
PATIENCE_S = 3  # limit for a silent worker
LIMIT_S = 180  # limit for a case
POLL_S = 0.02


def workers(folder):
    """Returns the process ids of the workers whose daemon has its temporary files in `folder`, by rank, and their launcher's."""
    found, launcher = {}, None
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            variables = dict(line.split(b"=", 1) for line in (process / "environ").read_bytes().split(b"\0") if b"=" in line)
        except OSError:
            continue
        if not any(word.startswith(f"unix:{folder}/".encode()) for word in words):
            continue
        if words[0].endswith(b"vrp_worker"):
            found[int(variables[b"OMPI_COMM_WORLD_RANK"])] = int(process.name)
        else:
            launcher = int(process.name)
    return found, launcher


class Case:
    def __init__(self, folder, what):
        self.what, self.folder, self.state = what, folder / what, folder / what / "state"
        self.temporary = pathlib.Path(tempfile.mkdtemp(prefix="vw"))  # short, for the paths of sockets
        self.folder.mkdir()
        self.config = self.folder / "config.yaml"
        self.config.write_text(TRAINING.format(name="shared"))
        self.daemon, self.problems = self.start(), []

    def start(self):
        return Daemon(self.state, flags=("--worker-patience-s", str(PATIENCE_S)),
                      env={**os.environ, "TMPDIR": str(self.temporary)})

    def expect(self, condition, text):
        if not condition:
            self.problems.append(text)

    def job(self):
        return self.daemon.json("jobs", "list")[0]

    def await_state(self, wanted):
        """Waits until wanted(job). Returns the job."""
        end = time.monotonic() + LIMIT_S
        while not wanted(job := self.job()):
            if time.monotonic() > end:
                raise TimeoutError(f"{self.what}: the job is {job}")
            time.sleep(POLL_S)
        return job

    def disturb(self):
        ranks, launcher = workers(self.temporary)
        targets = {"worker": ranks.get(1), "leader": ranks.get(0), "launcher": launcher, "daemon": self.daemon.process.pid}
        verb, _, target = self.what.partition("_")
        if verb in ("kill", "stop"):
            os.kill(targets[target], signal.SIGKILL if verb == "kill" else signal.SIGSTOP)
        if self.what == "kill_daemon":
            self.daemon.kill()
            self.daemon = self.start()
        if self.what == "publish":
            published = self.daemon.json("jobs", "publish", self.job()["name"])[0]
            self.expect(published["model"] == "models/shared/versions/1", f"published {published}")
        if self.what in ("end", "cancel"):
            done = self.daemon.call("jobs", "stop" if self.what == "end" else "cancel", self.job()["name"])
            self.expect(done.returncode == 0, done.stderr)

    def run(self):
        begun = time.monotonic()
        submitted = self.daemon.call("train", "--config", self.config, "--detach")
        assert submitted.returncode == 0, submitted.stderr
        self.await_state(lambda job: (job["progress"] or {}).get("step", 0) >= 12)
        self.disturb()
        job = self.await_state(lambda job: job["state"] in ENDED)
        self.expect(job["state"] == ("CANCELLED" if self.what == "cancel" else "SUCCEEDED"), f"the job ended as {job}")
        time.sleep(0.5)
        self.expect(not workers(self.temporary)[0], f"workers are left: {workers(self.temporary)[0]}")
        self.expect(not list(self.temporary.glob("vrpd-*")) or self.what == "kill_daemon",
                    f"files are left: {list(self.temporary.glob('*'))}")
        versions = sorted(path.name for path in (self.state / "models" / "shared").glob("*"))
        wanted = {"publish": ["1", "2"], "cancel": []}.get(self.what, ["1"])
        self.expect(versions == wanted, f"the model has versions {versions}, wanted {wanted}")
        log = self.daemon.call("jobs", "watch", job["name"]).stdout
        restarted = "starts the workers again" in log
        self.expect(restarted == (self.what in ("kill_worker", "stop_worker", "kill_leader", "stop_leader", "kill_launcher")),
                    f"restarted: {restarted}; the job's log:\n{log}")
        weights = self.state / "models" / "shared" / (versions or ["0"])[-1] / "weights.safetensors"
        digest = hashlib.sha256(weights.read_bytes()).hexdigest() if weights.exists() else ""
        print(json.dumps({"what": self.what, "seconds": round(time.monotonic() - begun, 1), "weights": digest[:16],
                          "problems": self.problems}), flush=True)
        return digest

    def clean_up(self):
        self.daemon.clean_up()
        shutil.rmtree(self.temporary, ignore_errors=True)
        shutil.rmtree(self.folder, ignore_errors=True)


CASES = ("publish", "kill_worker", "stop_worker", "kill_leader", "stop_leader", "kill_launcher", "kill_daemon", "end", "cancel")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", nargs="+", choices=CASES, default=CASES)
    parser.add_argument("--repeat", type=int, default=1, help="run each case this often")
    arguments = parser.parse_args()
    if not (BINARIES / "vrp_worker").exists():
        print("skipped: vrp_worker is not built, because MPI is not installed")
        return 0
    folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-workers-"))
    undisturbed, failed = None, 0
    try:
        for what in ("none", *(what for what in arguments.cases for _ in range(arguments.repeat))):
            case = Case(folder, what)
            try:
                digest = case.run()
                undisturbed = undisturbed or digest
                if what not in ("end", "cancel"):
                    case.expect(digest == undisturbed, f"{what}: the weights differ from those of the undisturbed job")
                failed += bool(case.problems)
                for problem in case.problems:
                    print(f"{what}: {problem}", file=sys.stderr)
            finally:
                case.clean_up()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())

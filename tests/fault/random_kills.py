#!/usr/bin/env python3
"""Kills vrpd (SIGKILL) at random moments while it trains and is given jobs, and looks what has become of them.

One state folder throughout. Each time vrpd is started, one of its jobs has to get on (a kill before that is void and not
counted); then another job is submitted, and within 0.3 s the kill comes, so that it strikes the submission, the run, a
checkpoint or a publication. At last vrpd is started once more, every request is sent again (under its request id), and:
every acknowledged job is there, none twice, all have succeeded, their events without gap or double, each with one
version of its model, which can be loaded. Prints a JSON line a kill and one at the end; exits 1 where anything was wrong.

Examples:
  random_kills.py --kills 30
  random_kills.py --kills 1000 --seed 7       the long form: about an hour
"""

import argparse
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from daemon import BINARIES, Daemon, tiny_config  # noqa: E402
from judge import ENDED, Judge, leftovers  # noqa: E402

AT_ONCE = 3  # jobs that wait or run
PROGRESS_S = 30
LAST_S = 300
POLL_S = 0.05
STEPS = ("--set", "training.epochs=4", "--set", "training.batches_per_epoch=25")


class Run:
    def __init__(self, folder, seed):
        self.folder, self.state, self.random = folder, folder / "state", random.Random(seed)
        self.config = tiny_config(folder)
        self.requests, self.acknowledged = [], {}

    def words(self, request):
        return ("train", "--config", self.config, "--detach", "--request-id", request, "--set", f"name={request}",
                *STEPS, "--output", "json")

    def cycle(self):
        """A start, some progress, a submission, a kill: whether a job was getting on."""
        daemon = Daemon(self.state)
        try:
            progressed = not self.requests or self.await_progress(daemon)
            submission = self.submit(daemon) if self.active(daemon) < AT_ONCE else None
            time.sleep(self.random.uniform(0, 0.3))
            daemon.kill()
            if submission is not None:
                self.take_answer(submission)
            return progressed
        finally:
            daemon.clean_up()

    def jobs(self, daemon):
        """All of them, by request id."""
        listed = daemon.json("jobs", "list")
        return {job["request_id"]: job for job in listed}

    def active(self, daemon):
        return sum(job["state"] not in ENDED for job in self.jobs(daemon).values())

    def await_progress(self, daemon):
        """Until a job has told of a step that it had not at first, or has ended."""
        def steps():
            return {request: (job["state"] in ENDED, (job["progress"] or {}).get("step", 0))
                    for request, job in self.jobs(daemon).items()}
        before, until = steps(), time.monotonic() + PROGRESS_S
        if all(ended for ended, _ in before.values()):
            return True  # the submission is what will be struck
        while time.monotonic() < until:
            if steps() != before:
                return True
            time.sleep(POLL_S)
        return False

    def submit(self, daemon):
        self.requests.append(f"job-{len(self.requests)}")
        return subprocess.Popen([BINARIES / "vrpctl", "--remote", daemon.address, *map(str, self.words(self.requests[-1]))],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def take_answer(self, submission):
        output, _ = submission.communicate(timeout=60)
        if submission.returncode == 0:
            self.acknowledged[self.requests[-1]] = json.loads(output.splitlines()[0])["name"]

    def judge(self):
        """What is wrong once all jobs have ended; a text each."""
        daemon = Daemon(self.state)
        try:
            verdict = Judge(daemon, self.state)
            before = {request: job["name"] for request, job in self.jobs(daemon).items()}
            for request, name in self.acknowledged.items():
                verdict.expect(before.get(request) == name, f"{request}: acknowledged as {name}, now {before.get(request)}")
            names = {request: json.loads(daemon.call(*self.words(request)).stdout)["name"] for request in self.requests}
            verdict.once(("jobs",), list(names.values()), "jobs")
            until = time.monotonic() + LAST_S
            while self.active(daemon) and time.monotonic() < until:
                time.sleep(1)
            for request, job in self.jobs(daemon).items():
                verdict.job("training", job, may_fail=False)
                verdict.model(request, published=True)
            verdict.expect(daemon.stop() == 0, "SIGTERM did not end it well")
            verdict.expect(not leftovers(self.state), f"left behind: {leftovers(self.state)}")
            return verdict.problems
        finally:
            daemon.clean_up()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-kills-"))
    try:
        run, struck, begun = Run(folder, arguments.seed), 0, time.monotonic()
        for cycle in range(2 * arguments.kills):
            struck += run.cycle()
            print(json.dumps({"what": "random_kill", "cycle": cycle + 1, "struck": struck, "submitted": len(run.requests),
                              "acknowledged": len(run.acknowledged)}), flush=True)
            if struck == arguments.kills:
                break
        problems = run.judge()
        print(json.dumps({"what": "random_kills", "kills": cycle + 1, "void": cycle + 1 - struck, "jobs": len(run.requests),
                          "acknowledged": len(run.acknowledged), "problems": problems,
                          "seconds": round(time.monotonic() - begun, 1)}))
        return int(bool(problems) or struck < arguments.kills)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

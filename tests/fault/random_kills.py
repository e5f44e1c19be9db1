#!/usr/bin/env python3
"""Kills vrpd (SIGKILL) at random moments while it trains, searches, publishes and accepts jobs, and checks the jobs and models.

All kills use one state folder. After each start, one training job must report a new step. Then clients submit a training job,
submit a solve job, publish the running job's weights, or several of these at once. The kill follows within 0.3 s. A kill is
void, and repeated, if the job that made progress had ended before the next start. Finally vrpd starts once more, and every
submission is sent again under its request id. Every acknowledged job must exist once and have succeeded with gap-free events,
unless the daemon has quarantined it after three crashes without a checkpoint (`quarantined`). Every acknowledged publication
must exist. A model must have at most one version per step, and at most one more version than requested publications. Each
version must be loadable.

Prints one JSON line per kill and one at the end. Exits with 1 on any error. `interrupted` in the last line counts calls without
an answer (`training`, `solving`, `publish`), and partial checkpoints and versions of models in the state folder. `made`
counts the submissions without an answer that took effect nevertheless.

Examples:
  random_kills.py --kills 30
  random_kills.py --kills 1000 --seed 7       about half an hour"""

import argparse
import collections
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from daemon import BINARIES, DATA, Daemon, tiny_config  # noqa: E402
from judge import ENDED, Judge, job_command, leftovers  # noqa: E402

AT_ONCE = 3  # maximum number of waiting and running jobs per kind
PROGRESS_S = 120  # time limit of the first step after a start
LAST_S = 120  # at least one of the remaining jobs must end within this time
POLL_S = 0.02  # interval between two reads of the jobs' states
# Length of a training job. Kills must usually find the job running. But the job must rarely crash so often that the daemon
# quarantines it. On a busy machine, jobs report steps faster than they write checkpoints.
LENGTH = ("--set", "training.epochs=100000", "--set", "training.batches_per_epoch=10", "--time-limit", "1500ms")
# Half of the kills come within EARLY_S, since calls last only hundredths of a second, and the others within LATE_S.
EARLY_S, LATE_S = 0.06, 0.3
KINDS = ("training", "solving")
# Part of the error of a quarantined job.
QUARANTINED = "times in a row in this job without a new checkpoint"
TRIES = 10  # maximum number of cycles per kill that counts; on a busy machine, many jobs end before the kill


def active(jobs):
    return sum(job["state"] not in ENDED for job in jobs.values())


def quarantined(job):
    """Returns whether the daemon has quarantined the job after repeated crashes."""
    return job["state"] == "FAILED" and QUARANTINED in str(job.get("error"))


class Call:
    """A call of vrpctl that may be in progress when vrpd is killed."""

    def __init__(self, daemon, what, request, command):
        self.what, self.request, self.answer = what, request, None
        self.process = subprocess.Popen([BINARIES / "vrpctl", "--remote", daemon.address, *map(str, command), "--output", "json"],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def wait(self):
        output, self.error = self.process.communicate(timeout=120)
        if self.process.returncode == 0:
            self.answer = json.loads(output.splitlines()[0])


class Run:
    def __init__(self, folder, seed):
        self.folder, self.state, self.random = folder, folder / "state", random.Random(seed)
        self.config = tiny_config(folder)
        self.requests = {kind: [] for kind in KINDS}
        self.acknowledged = {kind: {} for kind in KINDS}
        self.publish_calls, self.published = collections.Counter(), []
        self.cycles, self.counted, self.interrupted, self.pending = 0, 0, collections.Counter(), None
        self.unanswered, self.problems, self.quarantined = set(), [], 0

    def command(self, kind, request):
        common = ("--detach", "--request-id", request)
        if kind == "solving":
            return ("solve", DATA / "E-n22-k4.vrp", "--job", "--budget", "300ms", *common)
        return ("train", "--config", self.config, *common, "--set", f"name={request}", *LENGTH)

    def jobs(self, daemon, kind):
        """Returns all jobs by request id."""
        return {job["request_id"]: job for job in daemon.json(job_command(kind), "list")}

    def active(self, daemon, kind):
        return active(self.jobs(daemon, kind))

    def submit(self, daemon, kind):
        self.requests[kind].append(f"{kind}-{len(self.requests[kind])}")
        request = self.requests[kind][-1]
        return Call(daemon, kind, request, self.command(kind, request))

    def publish(self, daemon, request, name):
        self.publish_calls[request] += 1
        return Call(daemon, "publish", request, ("jobs", "publish", name))

    def count_last_kill(self, jobs):
        """Counts the last kill if the job that made progress has not ended in `jobs`, the jobs right after the start."""
        if self.pending is None:
            return
        request, interrupted = self.pending
        if jobs[request]["state"] not in ENDED:
            self.counted += 1
            self.interrupted.update(interrupted)
        self.pending = None

    def restart(self):
        """Restarts vrpd and decides whether the last kill counts. Returns the daemon and the training jobs."""
        daemon = Daemon(self.state)
        try:
            jobs = self.jobs(daemon, "training")
            self.count_last_kill(jobs)
        except BaseException:
            daemon.clean_up()
            raise
        return daemon, jobs

    def kill_once(self, daemon, jobs):
        """Waits for progress, sends calls and kills vrpd."""
        self.cycles += 1
        if not active(jobs):
            self.record(self.submit(daemon, "training"))
        jobs, progressing = self.await_progress(daemon)
        calls = self.start_random_calls(daemon, jobs, progressing)
        time.sleep(self.random.uniform(0, self.random.choice((EARLY_S, LATE_S))))
        daemon.kill()
        for call in calls:
            self.record(call)
        if progressing is not None:
            interrupted = [call.what for call in calls if call.answer is None] + self.partial_writes()
            self.pending = (progressing["request_id"], interrupted)

    def await_progress(self, daemon):
        """Returns all training jobs, and the one that has advanced by a step since the start, or None."""
        first, until = {}, time.monotonic() + PROGRESS_S
        while time.monotonic() < until:
            jobs = self.jobs(daemon, "training")
            for request, job in jobs.items():
                step = (job["progress"] or {}).get("step", 0)
                if job["state"] == "RUNNING" and step > first.setdefault(request, step):
                    return jobs, job
            if all(job["state"] in ENDED for job in jobs.values()):
                break
            time.sleep(POLL_S)
        else:
            self.problems.append(f"no job made progress within {PROGRESS_S} s")
        return jobs, None

    def start_random_calls(self, daemon, jobs, progressing):
        choices = [kind for kind, count in (("training", active(jobs)), ("solving", self.active(daemon, "solving"))) if count < AT_ONCE]
        if progressing is not None:
            choices.append("publish")
        chosen = self.random.sample(choices, self.random.randint(min(1, len(choices)), len(choices)))
        return [self.publish(daemon, progressing["request_id"], progressing["name"]) if what == "publish"
                else self.submit(daemon, what) for what in chosen]

    def record(self, call):
        call.wait()
        if call.what == "publish":
            if call.answer is not None:
                self.published.append((call.request, call.answer))
        elif call.answer is not None:
            self.acknowledged[call.what][call.request] = call.answer["name"]
        else:
            self.unanswered.add((call.what, call.request))

    def partial_writes(self):
        """Returns the kinds of objects that the kill left incomplete: checkpoint, version."""
        found = {"checkpoint": "jobs/*/checkpoint/tmp-*", "version": "models/.staging/*/*"}
        return [what for what, pattern in found.items() if any(self.state.glob(pattern))]

    def judge(self):
        """Waits until all jobs have ended and returns all errors found, as texts."""
        daemon, _ = self.restart()
        try:
            judge = Judge(daemon, self.state)
            for kind in KINDS:
                self.judge_submissions(daemon, judge, kind)
            self.await_ends(daemon)
            for kind in KINDS:
                for job in self.jobs(daemon, kind).values():
                    self.quarantined += quarantined(job)
                    judge.check_job(job["request_id"], job, may_fail=quarantined(job), command=job_command(kind))
            self.judge_models(daemon, judge)
            judge.expect(daemon.stop() == 0, "SIGTERM did not end vrpd cleanly")
            judge.expect(not leftovers(self.state), f"left behind: {leftovers(self.state)}")
            return self.problems + judge.problems
        finally:
            daemon.clean_up()

    def await_ends(self, daemon):
        """Blocks until all jobs have ended, or until none has ended for LAST_S. After many kills this takes minutes."""
        left, until = None, 0
        while (now := sum(self.active(daemon, kind) for kind in KINDS)) > 0:
            if left is None or now < left:
                left, until = now, time.monotonic() + LAST_S
            elif time.monotonic() > until:
                return
            time.sleep(1)

    def judge_submissions(self, daemon, judge, kind):
        before = {request: job["name"] for request, job in self.jobs(daemon, kind).items()}
        self.interrupted["made"] += sum((kind, request) in self.unanswered for request in before)
        for request, name in self.acknowledged[kind].items():
            judge.expect(before.get(request) == name, f"{request}: acknowledged as {name}, now {before.get(request)}")
        names = [daemon.json(*self.command(kind, request))[0]["name"] for request in self.requests[kind]]
        judge.check_listed((job_command(kind),), names, kind)

    def judge_models(self, daemon, judge):
        jobs = self.jobs(daemon, "training")
        self.versions = 0
        for request in self.requests["training"]:
            versions = sorted((path.name for path in (self.state / "models" / request).glob("[0-9]*")), key=int)
            steps = [self.step_of(daemon, judge, request, version) for version in versions]
            self.versions += len(versions)
            failed = quarantined(jobs[request])
            judge.expect(int(not failed) <= len(versions) <= 1 + self.publish_calls[request],
                           f"model {request}: {len(versions)} versions after {self.publish_calls[request]} requested publications")
            judge.expect(len(set(steps)) == len(steps), f"model {request}: a step was published twice: {steps}")
            judge.expect(failed or jobs[request]["model"] == f"models/{request}/versions/{versions[-1] if versions else 1}",
                           f"{request}: ended with the model {jobs[request]['model']}, but has the versions {versions}")
            for version in versions:
                judge.check_serves(f"{request}@{version}")
        for request, answer in self.published:
            version = answer["model"].rpartition("/")[2]
            step = self.step_of(daemon, judge, request, version)
            judge.expect(step == f"{jobs[request]['name']}/steps/{answer['step']}",
                           f"the publication {answer} was acknowledged, but its model is of {step}")

    def step_of(self, daemon, judge, name, version):
        """Returns the training job that a version's card names, with its step unless the weights are the final ones."""
        got = daemon.call("models", "get", f"{name}@{version}", "--output", "json")
        judge.expect(got.returncode == 0, f"model {name}@{version}: {got.stderr.strip()}")
        return json.loads(got.stdout)["training_job"] if got.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=30, help="stop after this many kills that count (default 30)")
    parser.add_argument("--seed", type=int, default=1, help="choose moments and calls by this seed (default 1)")
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-kills-"))
    try:
        run, start = Run(folder, arguments.seed), time.monotonic()
        while run.counted < arguments.kills and run.cycles <= TRIES * arguments.kills:
            daemon, jobs = run.restart()
            try:
                if run.counted < arguments.kills:
                    run.kill_once(daemon, jobs)
            finally:
                daemon.clean_up()
            print(json.dumps({"what": "random_kill", "cycle": run.cycles, "kills": run.counted,
                              "submitted": sum(map(len, run.requests.values()))}), flush=True)
        problems = run.judge()
        print(json.dumps({"what": "random_kills", "seed": arguments.seed, "kills": run.counted, "void": run.cycles - run.counted,
                          "interrupted": dict(run.interrupted),
                          "jobs": {kind: len(requests) for kind, requests in run.requests.items()},
                          "acknowledged": {kind: len(names) for kind, names in run.acknowledged.items()},
                          "quarantined": run.quarantined, "publications": len(run.published), "versions": run.versions, "problems": problems,
                          "seconds": round(time.monotonic() - start, 1)}))
        return int(bool(problems) or run.counted < arguments.kills)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

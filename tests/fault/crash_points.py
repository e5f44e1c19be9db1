#!/usr/bin/env python3
"""Injects a fault at each change that vrpd makes to its state folder, restarts vrpd, and checks that nothing is lost.

Clients request a training job that validates, saves checkpoints and publishes, and a second one that is published live,
paused, resumed, cancelled and deleted. They request a solve job, a model import, an alias, an evaluation and a backup. They
upload matrices and datasets, and delete some of them and a version of another model. A first run without a fault reports the
points (fault_shim.cc names them, as `fsync jobs.db-wal`) and their hits. Then, in a fresh state folder each, a fault happens
at a point's first hit. With --hits the fault also happens at later hits, and with --database-hits at those of the database,
from the first hit to the last:

  kill   SIGKILL instead of the operation; a write first stores half of its data
  full   the disk is full from then on (only at points that need space); the daemon must continue, report this, and end at
         SIGTERM

After that vrpd starts without faults. Everything acknowledged must exist and, after a kill, nothing whose deletion was
acknowledged. The same requests are sent again. Then nothing may exist twice, and no temporary file may remain. Every job
must have ended as expected, with gap-free events and the expected versions of its model, which can be loaded.

A case whose point does not occur is repeated at an earlier hit. A case without a fault is an error, unless its point is in
RARE_POINTS. Prints one JSON line per case and one at the end. Exits with 1 on any error.

Examples:
  crash_points.py
  crash_points.py --action full --point "write jobs.db-wal"
  crash_points.py --hits 5 --parallel 4"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from daemon import BINARIES, DATA, ROOT, Daemon, tiny_config  # noqa: E402
from judge import ENDED, Judge, job_command, leftovers  # noqa: E402

SHIM = BINARIES.parent / "tests" / "fault_shim.so"
MODEL = ROOT / "models" / "ptrnet-cvrp20" / "1"
# Texts by which an error reports a full disk, and the operations that need space.
FULL_WORDS = ("space", "disk not full", "disk full", "disk is full", "limit may be exceeded")
NEED_SPACE = ("create", "mkdir", "write")
WAIT_S = 60  # time limit of a wait for a job
FULL_WAIT_S = 6  # time limit of a wait on a full disk, where a job may wait for ever for space to store its end
POLL_S = 0.1  # interval between two reads of a job's state
TRIES = 3  # maximum number of runs of a case until its fault happens
# Points whose occurrence depends on the timing of threads. A missed point is reported, but is no error.
RARE_POINTS = ()
# Requests that return the existing object when they are repeated; each import makes a new version.
IDEMPOTENT = {"training", "solving", "matrices", "alias", "evaluation", "backup", "temporary matrices", "dataset",
              "temporary dataset"}
ENDLESS = ("--set", "training.epochs=100000", "--set", "training.batches_per_epoch=10")


class Work:
    """The requests of clients to the daemon. They can be sent again."""

    def __init__(self, folder):
        self.folder = folder
        self.config = tiny_config(folder)
        self.matrices = folder / "matrices.json"
        self.matrices.write_text(json.dumps({"distance_matrix": [[0, 1, 2], [1, 0, 1], [2, 1, 0]]}))
        self.temporary = folder / "temporary.json"
        self.temporary.write_text(json.dumps({"distance_matrix": [[0, 3, 2], [3, 0, 3], [2, 3, 0]]}))
        self.lines = folder / "own.jsonl"
        self.lines.write_text(json.dumps({"kind": "cvrp", "coords": [[0, 0], [1, 0]], "demands": [0, 1], "capacity": 2}) + "\n")

    def requests(self):
        return {
            "training": ("train", "--config", self.config, "--detach", "--request-id", "train"),
            "solving": ("solve", DATA / "E-n22-k4.vrp", "--job", "--detach", "--budget", "300ms", "--request-id", "solve"),
            "matrices": ("matrices", "upload", self.matrices),
            "import": ("models", "import", MODEL, "--name", "imported"),
            "alias": ("models", "alias", "imported@production", "1"),
            "evaluation": ("models", "evaluate", "imported", "--generate", "cvrp5:1"),
            "backup": ("server", "backup", self.folder / "vrp.tar"),
            "temporary version": ("models", "import", MODEL, "--name", "temporary"),
            "temporary matrices": ("matrices", "upload", self.temporary),
            "dataset": ("datasets", "upload", self.lines, "--name", "kept"),
            "temporary dataset": ("datasets", "upload", self.lines, "--name", "temporary"),
            "second": ("train", "--config", self.config, "--detach", "--request-id", "second", "--set", "name=second", *ENDLESS),
        }

    def send(self, daemon, timeout_s=WAIT_S):
        """Sends the requests until the daemon dies. Returns the objects' names and the errors, each by the request's name."""
        names, refusals = {}, {}

        def ask(what, *arguments):
            if daemon.process.poll() is not None:
                return None
            done = daemon.call(*arguments, "--output", "json")
            if done.returncode != 0:
                refusals[what] = done.stderr.strip()
                return None
            answer = json.loads((done.stdout.splitlines() or ["{}"])[0])
            names[what] = answer.get("name", what)
            return answer

        for what, words in self.requests().items():
            if what in ("alias", "evaluation") and "import" in refusals:
                continue  # without the import, neither can succeed
            ask(what, *words)
        for what, words in (("temporary version", ("models", "delete")), ("temporary matrices", ("matrices", "delete")),
                            ("temporary dataset", ("datasets", "delete"))):
            if what in names and ask(f"delete {what}", *words, names[what]) is not None:
                names[f"delete {what}"] = names[what]
        if "second" in names:
            self.control_second_job(daemon, names, ask, timeout_s)
        return names, refusals

    def control_second_job(self, daemon, names, ask, timeout_s):
        """Publishes, pauses, resumes, cancels and deletes the second job, from whatever state it is in."""
        job = names["second"]

        def state_once(*wanted):
            """Returns the job's state once it is one of `wanted` (RUNNING only after a step).

            Returns "" if the job has ended in another state, the daemon has died or `timeout_s` has passed.
            """
            until = time.monotonic() + timeout_s
            while time.monotonic() < until and daemon.process.poll() is None:
                got = daemon.call("jobs", "get", job, "--output", "json")
                found = json.loads(got.stdout) if got.returncode == 0 else {}
                reported = found.get("state") != "RUNNING" or (found.get("progress") or {}).get("step", 0) > 0
                if found.get("state") in wanted and reported:
                    return found["state"]
                if found.get("state") in ENDED:
                    return ""
                time.sleep(POLL_S)
            return ""

        # After a restart the job may be in any of these states.
        state = state_once("RUNNING", "PAUSED", "CANCELLED")
        if state == "PAUSED" and ask("resume", "jobs", "resume", job) is not None:
            state = state_once("RUNNING")
        if state == "RUNNING":
            published = ask("publish", "jobs", "publish", job)
            if published is not None:
                names["publish"] = (published["model"], published["step"])
            if ask("pause", "jobs", "pause", job) is None or not state_once("PAUSED"):
                return
            if ask("resume", "jobs", "resume", job) is None or not state_once("RUNNING"):
                return
            if ask("cancel", "jobs", "cancel", job) is None:
                return
            state = state_once("CANCELLED")
        if state == "CANCELLED":
            ask("delete", "jobs", "delete", job)


def wait_for(daemon, names, timeout_s=WAIT_S):
    """Blocks until the jobs have ended, the daemon has died, or a time limit has passed. Returns the jobs."""
    jobs, until = {}, time.monotonic() + timeout_s
    wanted = [what for what in ("training", "solving") if what in names]
    while time.monotonic() < until and daemon.process.poll() is None:
        for what in wanted:
            got = daemon.call(job_command(what), "get", names[what], "--output", "json")
            if got.returncode == 0:
                jobs[what] = json.loads(got.stdout)
        if all(jobs.get(what, {}).get("state") in ENDED for what in wanted):
            break
        time.sleep(POLL_S)
    return jobs


def judge_deletions(daemon, judge, acknowledged):
    """Checks, before any repeated request, that deleted objects are gone and that the second job's state fits its requests."""
    listed = {what: {item["name"] for item in daemon.json(*words)}
              for what, words in (("version", ("models", "list")), ("matrices", ("matrices", "list")),
                                  ("dataset", ("datasets", "list")))}
    for what in ("version", "matrices", "dataset"):
        name = acknowledged.get(f"delete temporary {what}")
        judge.expect(name not in listed[what], f"{name} was deleted and exists again")
    jobs = {job["name"]: job["state"] for job in daemon.json("jobs", "list")}
    state = jobs.get(acknowledged.get("second"))
    if "delete" in acknowledged:
        judge.expect(state is None, f"the deleted job exists again: {state}")
    elif "cancel" in acknowledged:
        judge.expect(state in (None, "CANCELLED"), f"the cancelled job is {state}, wanted CANCELLED or no job")
    elif "pause" in acknowledged and "resume" not in acknowledged:
        # A request to resume may have had an effect without a response.
        judge.expect(state in ("PAUSING", "PAUSED", "QUEUED", "PREPARING", "RUNNING"), f"the paused job is {state}, wanted a paused or resumed job")
    elif "second" in acknowledged:
        judge.expect(state not in (None, *ENDED), f"the second job is {state}, wanted a job that has not ended")


def judge_publications(daemon, judge, *published):
    """Checks the versions of the second job's model: the acknowledged ones exist, one per step, and can be loaded."""
    versions = [model for model in daemon.json("models", "list") if model["name"].startswith("models/second/")]
    trained = {model["name"]: model["training_job"] for model in versions}
    judge.expect(len(set(trained.values())) == len(trained), f"a step was published twice: {trained}")
    for model, step in filter(None, published):
        judge.expect(trained.get(model, "").endswith(f"/steps/{step}"), f"published as {model} of step {step}, now {trained}")
    for name in trained:
        judge.check_serves(name)


def judge_after(work, state, acknowledged, may_fail):
    """Returns the errors found after the restart, as texts.

    `may_fail` is whether jobs may have failed, as on a full disk.
    """
    daemon = Daemon(state)
    try:
        judge = Judge(daemon, state)
        if not may_fail:
            judge_deletions(daemon, judge, acknowledged)
        names, refusals = work.send(daemon)
        judge.expect(not refusals, f"refused after the restart: {refusals}")
        for what in ("delete", "delete temporary version", "delete temporary matrices", "delete temporary dataset"):
            judge.expect(what in names, f"was not requested after the restart: {what}")
        judge_publications(daemon, judge, acknowledged.get("publish"), names.get("publish"))
        for what in acknowledged.keys() & IDEMPOTENT:
            name = acknowledged[what]
            judge.expect(names.get(what) == name, f"{what} was acknowledged as {name}, now {names.get(what)}")
        jobs = wait_for(daemon, names)
        for what in ("training", "solving"):
            judge.check_job(what, jobs.get(what, {}), may_fail)
            judge.check_listed((job_command(what),), [names.get(what)], what)
        judge.check_model("tiny", jobs.get("training", {}).get("state") == "SUCCEEDED")
        imported = list((state / "models" / "imported").glob("*"))
        judge.expect(1 <= len(imported) <= 2, f"model imported: {len(imported)} versions, wanted 1 or 2")
        judge.check_alias("imported@production", 1)
        judge.expect(daemon.stop() == 0, "SIGTERM did not end vrpd cleanly")
        judge.expect(not leftovers(state), f"left behind: {leftovers(state)}")
        return judge.problems
    finally:
        daemon.clean_up()


def run_until_fault(work, state, settings):
    """Runs the work until the fault or the end. Returns the acknowledged requests and the errors before any restart."""
    environment = {**os.environ, "LD_PRELOAD": str(SHIM), "VRP_FAULT_ROOT": str(state), **settings}
    disk_full = settings.get("VRP_FAULT_ACTION") == "full"
    try:
        daemon = Daemon(state, env=environment)
    except RuntimeError as died:
        reported = any(word in str(died) for word in FULL_WORDS) or not disk_full
        return {}, [] if reported else [f"vrpd did not start, and its error does not name the full disk: {died}"]
    try:
        names, refusals = work.send(daemon, FULL_WAIT_S if disk_full else WAIT_S)
        wait_for(daemon, names, FULL_WAIT_S if disk_full else WAIT_S)
        problems = []
        if disk_full:
            problems += [f"{what} was refused without the reason: {text}" for what, text in refusals.items()
                         if not any(word in text for word in FULL_WORDS)]
            if daemon.process.poll() is not None:
                problems.append("the daemon crashed on the full disk")
            elif daemon.stop() != 0:
                problems.append("SIGTERM did not end vrpd cleanly on the full disk")
        elif daemon.process.poll() is None:
            daemon.stop()
        return names, problems
    finally:
        daemon.clean_up()


def run(action="", point="", occurrence=0):
    """Runs a case in its own folder. Returns a dict to print and the trace of its points."""
    start = time.monotonic()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-fault-")).resolve()
    state, trace, hit = folder / "state", folder / "trace", folder / "hit"
    state.mkdir(mode=0o700)
    try:
        settings = {"VRP_FAULT_TRACE": str(trace), "VRP_FAULT_POINT": point, "VRP_FAULT_OCCURRENCE": str(occurrence),
                    "VRP_FAULT_ACTION": action, "VRP_FAULT_HIT": str(hit)}
        work = Work(folder)
        acknowledged, problems = run_until_fault(work, state, settings)
        points = trace.read_text().splitlines()
        problems += judge_after(work, state, acknowledged, may_fail=action == "full")
        return {"what": "crash_point", "action": action, "point": point, "occurrence": occurrence, "hit": hit.exists(),
                "acknowledged": len(acknowledged), "problems": problems,
                "seconds": round(time.monotonic() - start, 1)}, points
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run_until_hit(action, point, occurrence):
    """Runs a case until its fault happens, at most TRIES times, since the number of hits varies."""
    for _ in range(TRIES):
        done, _ = run(action, point, occurrence)
        if done["hit"] or done["problems"]:
            break
        occurrence = 1 + (occurrence - 1) // 2
    if not done["hit"] and point not in RARE_POINTS:
        done["problems"].append("the fault did not happen")
    return done


def occurrences(count, hits):
    """Returns at most `hits` numbers from 1 to `count`: the first, the last and evenly spaced ones between, or only 1."""
    if hits == 1:
        return [1]
    return sorted({1 + round(i * (count - 1) / (hits - 1)) for i in range(hits)})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--action", choices=("kill", "full"), action="append", help="run only this fault; default: both")
    parser.add_argument("--hits", type=int, default=1, help="run cases at this many hits of each point")
    parser.add_argument("--database-hits", type=int, default=6, help="run cases at this many hits of each point of jobs.db and its files")
    parser.add_argument("--cases", type=int, default=0, help="run this many cases, evenly chosen; 0: all")
    parser.add_argument("--point", help="run only this point")
    parser.add_argument("--parallel", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    if not SHIM.exists():
        print(f"skipped: there is no {SHIM}: built with a sanitizer, or not built")
        return 77

    start = time.monotonic()
    faultless, points = run()
    print(json.dumps(faultless), flush=True)
    counts = collections.Counter(points)
    cases = [(action, point, n) for action in arguments.action or ("kill", "full") for point in sorted(counts)
             if arguments.point in (None, point) and (action == "kill" or point.split()[0] in NEED_SPACE)
             for n in occurrences(counts[point], max(arguments.hits, arguments.database_hits if "jobs.db" in point else 1))]
    if arguments.cases and arguments.cases < len(cases):
        cases = [cases[i * len(cases) // arguments.cases] for i in range(arguments.cases)]
    wrong, hits = len(faultless["problems"]), 0
    with concurrent.futures.ProcessPoolExecutor(arguments.parallel) as pool:
        for done in pool.map(run_until_hit, *zip(*cases, strict=True)):
            print(json.dumps(done), flush=True)
            wrong += len(done["problems"]) > 0
            hits += done["hit"]
    print(json.dumps({"what": "crash_points", "points": len(counts), "cases": len(cases), "hits": hits, "wrong": wrong,
                      "seconds": round(time.monotonic() - start, 1)}))
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())

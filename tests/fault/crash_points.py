#!/usr/bin/env python3
"""Strikes vrpd at each change that it makes to its state folder, starts it again, and looks what has become of its work.

The work: a training job that validates, saves checkpoints and publishes; a solve job; a matrix upload; a model import, an
alias for it, a backup. A first run without a fault tells the points (fault_shim.cc names them: `fsync jobs.db-wal`) and how often each is
passed. Then, a fresh state folder each, a fault strikes at a point's first hit, and with --hits at later ones too:

  kill   SIGKILL instead of the operation, of a write after its half
  full   from then on the disk is full; the daemon must stay up, say so, and end at SIGTERM

After that vrpd is started without faults, the same requests are sent again, and: what was acknowledged is there, once;
every job has ended as it should, its events without a gap; one version of its model, which can be loaded; no
temporary file is left. Prints a JSON line a case and one at the end; exits 1 where anything was wrong.

Examples:
  crash_points.py
  crash_points.py --hits 5 --parallel 4
  crash_points.py --action full --point "write jobs.db-wal"
"""

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
from judge import ENDED, Judge, job_words, leftovers  # noqa: E402

SHIM = BINARIES.parent / "tests" / "fault_shim.so"
MODEL = ROOT / "models" / "ptrnet-cvrp20" / "1"
FULL_WORDS = ("space", "disk not full", "disk full", "used up")
NEED_SPACE = ("create", "mkdir", "write")
WAIT_S = 60
FULL_WAIT_S = 6  # a job that waits for space to tell its end may wait for ever
POLL_S = 0.1


class Work:
    """What clients ask of the daemon; asking again is harmless."""

    def __init__(self, folder):
        self.folder = folder
        self.config = tiny_config(folder)
        self.matrices = folder / "matrices.json"
        self.matrices.write_text(json.dumps({"distance_matrix": [[0, 1, 2], [1, 0, 1], [2, 1, 0]]}))

    def requests(self):
        return {
            "training": ("train", "--config", self.config, "--detach", "--request-id", "train"),
            "solving": ("solve", DATA / "E-n22-k4.vrp", "--job", "--detach", "--budget", "300ms", "--request-id", "solve"),
            "matrices": ("matrices", "upload", self.matrices),
            "import": ("models", "import", MODEL, "--name", "brought"),
            "alias": ("models", "alias", "brought@production", "1"),
            "evaluation": ("models", "evaluate", "brought", "--generate", "cvrp5:1"),
            "backup": ("server", "backup", self.folder / "vrp.tar"),
        }

    def send(self, daemon):
        """The names of what the daemon acknowledged; of the others, what vrpctl said."""
        names, refusals = {}, {}
        for what, words in self.requests().items():
            if what in ("alias", "evaluation") and "import" in refusals:
                continue  # there is nothing to name
            done = daemon.call(*words, "--output", "json")
            if done.returncode == 0:
                names[what] = json.loads(done.stdout.splitlines()[0]).get("name", what)
            else:
                refusals[what] = done.stderr.strip()
        return names, refusals


def wait_for(daemon, names, patience_s=WAIT_S):
    """Until the jobs have ended, the daemon has died, or too long; the jobs as they are then."""
    jobs, until = {}, time.monotonic() + patience_s
    wanted = [what for what in ("training", "solving") if what in names]
    while time.monotonic() < until and daemon.process.poll() is None:
        for what in wanted:
            got = daemon.call(job_words(what), "get", names[what], "--output", "json")
            if got.returncode == 0:
                jobs[what] = json.loads(got.stdout)
        if all(jobs.get(what, {}).get("state") in ENDED for what in wanted):
            break
        time.sleep(POLL_S)
    return jobs


def judge_after(work, state, acknowledged, may_fail):
    """What is wrong once vrpd has been started again; a text each."""
    daemon = Daemon(state)
    try:
        verdict = Judge(daemon, state)
        names, refusals = work.send(daemon)
        verdict.expect(not refusals, f"refused after the restart: {refusals}")
        for what in acknowledged.keys() - {"import"}:  # each import is a version
            name = acknowledged[what]
            verdict.expect(names.get(what) == name, f"{what} was acknowledged as {name}, now {names.get(what)}")
        jobs = wait_for(daemon, names)
        for what in ("training", "solving"):
            verdict.job(what, jobs.get(what, {}), may_fail)
            verdict.once((job_words(what),), [names.get(what)], what)
        verdict.model("tiny", jobs.get("training", {}).get("state") == "SUCCEEDED")
        brought = list((state / "models" / "brought").glob("*"))
        verdict.expect(1 <= len(brought) <= 2, f"model brought: {len(brought)} versions")
        verdict.alias("brought@production", 1)
        verdict.expect(daemon.stop() == 0, "SIGTERM did not end it well")
        verdict.expect(not leftovers(state), f"left behind: {leftovers(state)}")
        return verdict.problems
    finally:
        daemon.clean_up()


def strike(work, state, settings):
    """Works under the shim until the fault strikes or all is done: what was acknowledged, and what was wrong before any
    restart."""
    environment = {**os.environ, "LD_PRELOAD": str(SHIM), "VRP_FAULT_ROOT": str(state), **settings}
    acts_full = settings.get("VRP_FAULT_ACTION") == "full"
    try:
        daemon = Daemon(state, env=environment)
    except RuntimeError as died:
        told = any(word in str(died) for word in FULL_WORDS) or not acts_full
        return {}, [] if told else [f"it did not start, and did not say why: {died}"]
    try:
        names, refusals = work.send(daemon)
        wait_for(daemon, names, FULL_WAIT_S if acts_full else WAIT_S)
        problems = []
        if acts_full:
            problems += [f"{what} was refused without the reason: {text}" for what, text in refusals.items()
                         if not any(word in text for word in FULL_WORDS)]
            if daemon.process.poll() is not None:
                problems.append("the daemon died of the full disk")
            elif daemon.stop() != 0:
                problems.append("SIGTERM did not end it well on the full disk")
        elif daemon.process.poll() is None:
            daemon.stop()
        return names, problems
    finally:
        daemon.clean_up()


def run(action="", point="", occurrence=0):
    """A case in a folder of its own: a dict to print, and the trace of what was passed."""
    begun = time.monotonic()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-fault-")).resolve()
    state, trace, hit = folder / "state", folder / "trace", folder / "hit"
    state.mkdir(mode=0o700)
    try:
        settings = {"VRP_FAULT_TRACE": str(trace), "VRP_FAULT_POINT": point, "VRP_FAULT_OCCURRENCE": str(occurrence),
                    "VRP_FAULT_ACTION": action, "VRP_FAULT_HIT": str(hit)}
        work = Work(folder)
        acknowledged, problems = strike(work, state, settings)
        passed = trace.read_text().splitlines()
        problems += judge_after(work, state, acknowledged, may_fail=action == "full")
        return {"what": "crash_point", "action": action, "point": point, "occurrence": occurrence, "struck": hit.exists(),
                "acknowledged": len(acknowledged), "problems": problems,
                "seconds": round(time.monotonic() - begun, 1)}, passed
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def occurrences(count, hits):
    """The first, the last and what lies evenly between, `hits` at most."""
    if hits == 1:
        return [1]
    return sorted({1 + round(i * (count - 1) / (hits - 1)) for i in range(hits)})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--action", choices=("kill", "full"), action="append", help="default: both")
    parser.add_argument("--hits", type=int, default=1, help="of each point at which the fault strikes, a case each")
    parser.add_argument("--cases", type=int, default=0, help="only so many of them, evenly chosen; 0: all")
    parser.add_argument("--point", help="only this one")
    parser.add_argument("--parallel", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    if not SHIM.exists():
        print(f"skipped: there is no {SHIM}: built with a sanitizer, or not built")
        return 77

    faultless, passed = run()
    print(json.dumps(faultless), flush=True)
    counts = collections.Counter(passed)
    cases = [(action, point, n) for action in arguments.action or ("kill", "full") for point in sorted(counts)
             if arguments.point in (None, point) and (action == "kill" or point.split()[0] in NEED_SPACE)
             for n in occurrences(counts[point], arguments.hits)]
    if arguments.cases and arguments.cases < len(cases):
        cases = [cases[i * len(cases) // arguments.cases] for i in range(arguments.cases)]
    wrong, struck = len(faultless["problems"]), 0
    with concurrent.futures.ProcessPoolExecutor(arguments.parallel) as pool:
        for done, _ in pool.map(run, *zip(*cases, strict=True)):
            print(json.dumps(done), flush=True)
            wrong += len(done["problems"]) > 0
            struck += done["struck"]
    print(json.dumps({"what": "crash_points", "points": len(counts), "cases": len(cases), "struck": struck, "wrong": wrong}))
    # A point may not come up again (who writes first is up to the threads), but most must.
    return int(wrong > 0 or struck < 0.8 * len(cases))


if __name__ == "__main__":
    sys.exit(main())

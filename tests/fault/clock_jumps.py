#!/usr/bin/env python3
"""Changes vrpd's view of the machine's clock (clock_shim.cc) during training and solving.

Neither vrpd nor vrpctl may be affected.
The jumps are a day forwards and an hour back. Meanwhile a training job with a time limit and a solve job with a watch run.
So do a solve and a stream, with budgets of 2 s. After the jump, the budgets must end in time by the test's own clock,
with correct responses. The training must make steps and not reach its time limit. Requests with a deadline must be
served. vrpctl bench and vrpctl top must survive another such jump, and vrpd must end in time on SIGTERM. Then vrpd restarts
with the changed clock and must resume the training, whose events must have no gap. Prints one JSON line per jump. Exits with
1 on any error.

Examples:
  clock_jumps.py
  clock_jumps.py --jump 31536000 --jump -86400"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import api  # noqa: E402
from daemon import BINARIES, CALL_TIMEOUT_S, DATA, Daemon, first_gap, tiny_config  # noqa: E402

SHIM = BINARIES.parent / "tests" / "clock_shim.so"
JUMPS = (86_400, -3600)  # in seconds
RUNNING, SUCCEEDED = 3, 7  # values of JobState
BUDGET_S = 2  # budget of the solve, the stream and the solve job, and duration of vrpctl bench
LATE_S = 50  # tolerated delay on a busy machine, much less than the jumps
LONG_TRAINING = ("--set", "training.epochs=100000", "--set", "training.batches_per_epoch=100", "--set",
                 "training.checkpoint_every_steps=20", "--time-limit", "30m")


class Clock:
    """The offset that the shim adds to the real clock."""

    def __init__(self, folder):
        self.path = folder / "offset"
        self.set(0)

    def set(self, seconds):
        # Writes in place, because vrpd has the file mapped.
        with open(self.path, "r+b" if self.path.exists() else "wb") as file:
            file.write(struct.pack("<q", seconds))


class Case:
    """A jump of the clock, with its own state folder and the errors found."""

    def __init__(self, folder, jump):
        self.folder, self.jump, self.problems = folder, jump, []
        self.clock = Clock(folder)

    def expect(self, condition, text):
        if not condition:
            self.problems.append(text)

    def env(self):
        return {**os.environ, "LD_PRELOAD": str(SHIM), "VRP_CLOCK_OFFSET": str(self.clock.path)}

    def start(self):
        return Daemon(self.folder / "state", env=self.env())

    def step(self, daemon, job):
        return self.job(daemon, job).progress.step

    def job(self, daemon, name):
        with api.connect(daemon) as channel:
            return api.ask(channel, "TrainingService/GetTrainingJob", api.message("GetTrainingJobRequest")(name=name))

    def timed(self, call):
        """Returns the result of a call and its duration in seconds."""
        start = time.monotonic()
        return call(), time.monotonic() - start

    def check_in_time(self, what, seconds):
        self.expect(BUDGET_S * 0.9 <= seconds <= BUDGET_S + LATE_S, f"{what}: took {seconds:.2f} s, wanted {BUDGET_S * 0.9:.1f} to {BUDGET_S + LATE_S} s")

    def solve(self, channel):
        return api.ask(channel, "SolverService/Solve", api.solve_request(budget_ms=1000 * BUDGET_S), timeout=60)

    def stream(self, channel):
        return list(api.start(channel, "SolverService/StreamSolve", [api.solve_request(budget_ms=1000 * BUDGET_S)], timeout=60))

    def bench(self, daemon):
        """Runs vrpctl bench, during which the caller changes the clock, and returns its measurements."""
        arguments = ("bench", DATA / "E-n22-k4.vrp", "--budget", "20ms", "--clients", "1", "--duration", f"{BUDGET_S}s", "--warm-up", "1ms")
        result = subprocess.run([BINARIES / "vrpctl", "--remote", daemon.address, *arguments, "--output", "json"], env=self.env(),
                              capture_output=True, text=True, timeout=CALL_TIMEOUT_S)
        if result.returncode != 0:
            raise AssertionError(f"vrpctl bench exited {result.returncode}: {result.stderr}")
        return json.loads(result.stdout.splitlines()[0])

    def run(self):
        daemon = self.start()
        try:
            job = daemon.json("train", "--config", tiny_config(self.folder), "--detach", *LONG_TRAINING)[0]["name"]
            daemon.events_until(lambda event: event["type"] == "progress", "jobs", "watch", job)
            self.jump_while_solving(daemon)
            self.check_progress(daemon, job)
            self.jump_while_measuring(daemon)
            self.expect(daemon.stop() == 0, "SIGTERM did not end vrpd cleanly")
            daemon = self.start()
            events = daemon.events_until(lambda event: event["type"] == "progress" and event["attempt"] == 2, "jobs", "watch", job)
            self.expect(not first_gap(events), f"the training job's events have gaps: {first_gap(events)}")
            run_time_s = self.job(daemon, job).run_time.ToSeconds()
            self.expect(0 < run_time_s < 600, f"the training reports a run time of {run_time_s} s, wanted above 0 and below 600 s")
            return self.problems
        finally:
            daemon.clean_up()

    def jump_while_solving(self, daemon):
        solve_job = daemon.json("solve", DATA / "E-n22-k4.vrp", "--job", "--detach", "--budget", f"{BUDGET_S}s")[0]["name"]
        with api.connect(daemon) as channel, concurrent.futures.ThreadPoolExecutor(3) as pool:
            solve = pool.submit(self.timed, lambda: self.solve(channel))
            stream = pool.submit(self.timed, lambda: self.stream(channel))
            watch = pool.submit(self.timed, lambda: daemon.events_until(
                lambda event: event.get("state") in ("SUCCEEDED", "FAILED"), "solve-jobs", "watch", solve_job))
            time.sleep(BUDGET_S / 4)
            self.clock.set(self.jump)
            answer, seconds = solve.result()
            self.check_in_time("a solve", seconds)
            self.expect(api.is_valid(answer), "the solve's answer is wrong")
            messages, seconds = stream.result()
            self.check_in_time("a stream", seconds)
            self.expect(api.is_valid(messages[-1].response), "the stream's answer is wrong")
            watch.result()
            job = api.ask(channel, "SolverService/GetSolveJob", api.message("GetSolveJobRequest")(name=solve_job))
        self.expect(job.state == SUCCEEDED, f"the solve job's state is {job.state}, wanted {SUCCEEDED} (SUCCEEDED)")
        searched = job.progress.search_time.ToMilliseconds() / 1000
        self.expect(BUDGET_S * 0.5 <= searched <= BUDGET_S + LATE_S, f"the solve job searched for {searched} s, wanted {BUDGET_S * 0.5} to {BUDGET_S + LATE_S} s")

    def jump_while_measuring(self, daemon):
        top = subprocess.Popen([BINARIES / "vrpctl", "--remote", daemon.address, "top", "--follow", "--interval", "200ms",
                                "--output", "json"], env=self.env(), stdout=subprocess.PIPE, text=True)
        top.stdout.readline()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            bench = pool.submit(self.timed, lambda: self.bench(daemon))
            time.sleep(BUDGET_S / 2)
            self.clock.set(2 * self.jump)
            # Reads more lines than vrpctl top can have printed before the jump.
            lines = pool.submit(lambda: [top.stdout.readline() for _ in range(12)])
            concurrent.futures.wait([lines], timeout=BUDGET_S + LATE_S)
            top.kill()
            top.wait()
            self.expect(all(lines.result()), "vrpctl top no longer prints")
            measured, seconds = bench.result()
        self.check_in_time("vrpctl bench", seconds)
        self.expect(measured["refused"] == 0, f"vrpctl bench was refused {measured['refused']} times")
        self.check_in_time("vrpctl bench by its own clock", measured["elapsed_ms"] / 1000)
        self.expect(0 <= measured["latency_ms"]["max"] <= 1000 * LATE_S, f"vrpctl bench measured {measured['latency_ms']}, wanted a maximum of 0 to {1000 * LATE_S} ms")

    def check_progress(self, daemon, job):
        before = self.step(daemon, job)
        until = time.monotonic() + LATE_S
        while self.step(daemon, job) <= before and time.monotonic() < until:
            time.sleep(0.2)
        self.expect(self.step(daemon, job) > before, "the training no longer makes steps")
        self.expect(self.job(daemon, job).state == RUNNING, "the training no longer runs")
        with api.connect(daemon) as channel:
            request = api.solve_request(budget_ms=200)
            self.expect(api.is_valid(api.ask(channel, "SolverService/Solve", request, timeout=30)), "a later solve is wrong")
            stats = api.ask(channel, "SystemService/GetServerStats")
            longest = max(rpc.duration.sum_seconds for rpc in stats.rpcs)
            self.expect(longest < 300, f"an RPC reports a duration of {longest} s in total, wanted below 300 s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jump", type=int, action="append", help="seconds to jump; default: a day forwards, an hour back")
    arguments = parser.parse_args()
    if not SHIM.exists():
        print(f"skipped: there is no {SHIM}: built with a sanitizer, or not built")
        return 77
    wrong = 0
    for jump in arguments.jump or JUMPS:
        folder, start = pathlib.Path(tempfile.mkdtemp(prefix="vrp-clock-")), time.monotonic()
        try:
            problems = Case(folder, jump).run()
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        print(json.dumps({"what": "clock_jump", "seconds": jump, "problems": problems,
                          "took_s": round(time.monotonic() - start, 1)}), flush=True)
        wrong += bool(problems)
    print(json.dumps({"what": "clock_jumps", "cases": len(arguments.jump or JUMPS), "wrong": wrong}))
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())

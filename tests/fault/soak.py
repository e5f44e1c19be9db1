#!/usr/bin/env python3
"""Calls RPCs of every service of vrpd for --seconds, and checks that its memory, threads and files do not grow.

Callers solve by single calls, streams, batches and solve jobs. They submit, watch, cancel and delete small training jobs, upload
and delete matrices, evaluate and export models, and generate instances. After a warm-up, memory, threads, open files and the
size of the state folder are sampled each second. Growth is the median of the last tenth of the samples minus that of the
first. Each tenth has at least ten samples. Prints one JSON line per minute and one at the end. Exits with 1 if an RPC fails,
if a response is wrong or if growth exceeds a limit.

Examples:
  soak.py                    three minutes
  soak.py --seconds 7200     two hours"""

import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import statistics
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import api  # noqa: E402
import grpc  # noqa: E402
from api import message  # noqa: E402
from daemon import Daemon, tiny_config  # noqa: E402
from process import resources  # noqa: E402

# Maximum growth after the warm-up.
LIMITS = {"rss_mib": 50, "threads": 8, "files": 16, "state_mib": 30}
MAX_JOBS = 5  # number of training jobs from which no caller submits another one
WARM_UP_SHARE = 0.25  # share of --seconds
MIN_SAMPLES = 10  # minimum number of samples in the first and in the last tenth
# Statuses of expected refusals: vrpd is busy, or another caller changed the job.
BUSY = {grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.ABORTED,
        grpc.StatusCode.NOT_FOUND}
ENDED = (7, 8, 9)  # values of JobState


def size_mib(folder):
    """Returns the total size of the files in a folder. The daemon may delete some of them meanwhile."""
    total = 0
    for path, _, files in os.walk(folder):  # skips folders it cannot list
        for name in files:
            try:
                total += os.stat(os.path.join(path, name)).st_size
            except FileNotFoundError:
                pass
    return round(total / 2**20, 2)


class Caller(threading.Thread):
    """A client with its own connection that performs random actions one by one."""

    def __init__(self, soak, number):
        super().__init__(daemon=True)
        self.soak, self.random, self.channel = soak, random.Random(f"{soak.seed} {number}"), api.connect(soak.daemon)

    def run(self):
        actions = (self.solve, self.solve, self.stream, self.batch, self.train, self.watch, self.cancel, self.delete_ended_jobs,
                   self.matrices, self.evaluate, self.export, self.solve_job, self.query_server)
        while time.monotonic() < self.soak.until:
            action = self.random.choice(actions)
            try:
                action()
                self.soak.done[action.__name__] += 1
            except grpc.RpcError as error:
                if error.code() in BUSY:
                    self.soak.refused[action.__name__] += 1
                else:
                    self.soak.problems.append(f"{action.__name__}: {error.code().name} {error.details()}")
            except Exception as error:  # otherwise the thread would end without a report
                self.soak.problems.append(f"{action.__name__}: {error!r}")

    def ask(self, name, /, **fields):
        return api.ask(self.channel, name, api.METHODS[name].request(**fields))

    def read(self, name, /, **fields):
        return list(api.start(self.channel, name, [api.METHODS[name].request(**fields)], timeout=120))

    def check(self, answer):
        if not api.is_valid(answer):
            self.soak.problems.append("a response is wrong")

    def solve(self):
        self.check(api.ask(self.channel, "SolverService/Solve", api.solve_request(budget_ms=self.random.choice((5, 50, 200)))))

    def stream(self):
        messages = list(api.start(self.channel, "SolverService/StreamSolve", [api.solve_request(budget_ms=100)], timeout=60))
        self.check(messages[-1].response)

    def batch(self):
        request_type = message("BatchSolveRequest")
        requests = [request_type(id=str(i), solve=api.solve_request(budget_ms=20)) for i in range(8)]
        for response in api.start(self.channel, "SolverService/BatchSolve", requests, timeout=60):
            self.check(response.response)

    def train(self):
        if len(self.soak.jobs) < MAX_JOBS:
            name = self.ask("TrainingService/CreateTrainingJob", spec={"config_yaml": self.soak.config, "config_name": "tiny.yaml"}).name
            self.soak.jobs.append(name)

    def some_job(self):
        return self.random.choice(self.soak.jobs or [self.soak.example])

    def watch(self):
        watch = api.start(self.channel, "TrainingService/WatchTrainingJob",
                          [message("WatchTrainingJobRequest")(name=self.some_job())], timeout=60)
        for count, _ in enumerate(watch):
            if count == 20:
                watch.cancel()
                return

    def cancel(self):
        if self.random.random() < 0.3:
            self.ask("TrainingService/CancelTrainingJob", name=self.some_job())

    def delete_ended_jobs(self):
        """Deletes ended jobs, and all but the three newest versions of their model."""
        for name in list(self.soak.jobs):
            if self.ask("TrainingService/GetTrainingJob", name=name).state in ENDED:
                self.ask("TrainingService/DeleteTrainingJob", name=name)
                self.soak.jobs.remove(name)
        for old in sorted((self.soak.daemon.state / "models" / "tiny").glob("[0-9]*"), key=lambda path: int(path.name))[:-3]:
            shutil.rmtree(old, ignore_errors=True)

    def matrices(self):
        upload, size = message("UploadMatricesRequest"), 30
        values = [float(i != j) * self.random.randrange(1, 100) for i in range(size) for j in range(size)]
        matrices = next(api.start(self.channel, "DatasetService/UploadMatrices",
                              [upload(header={"size": size}), upload(chunk={"values": values})], timeout=60))
        self.ask("DatasetService/DeleteMatrices", name=matrices.name)

    def evaluate(self):
        self.read("ModelService/EvaluateModel", model="models/ptrnet-cvrp20",
                  generate={"problem_type": 2, "customer_count": 10, "instance_count": 20})

    def export(self):
        self.read("ModelService/ExportModel", name="models/ptrnet-cvrp20")

    def solve_job(self):
        name = self.ask("SolverService/CreateSolveJob", solve=api.solve_request(budget_ms=50)).name
        events = self.read("SolverService/WatchSolveJob", name=name)
        self.check(next(event.response for event in events if event.HasField("response")))
        self.ask("SolverService/DeleteSolveJob", name=name)

    def query_server(self):
        self.ask("SystemService/GetServerStats")
        self.ask("ModelService/ListModels")
        self.read("DatasetService/GenerateInstances", problem_type=3, customer_count=30, instance_count=20)


class Soak:
    def __init__(self, daemon, folder, arguments):
        self.daemon, self.seed, self.seconds = daemon, arguments.seed, arguments.seconds
        self.callers = arguments.callers
        self.config, self.jobs, self.problems = tiny_config(folder).read_text(), [], []
        self.done, self.refused, self.samples = collections.Counter(), collections.Counter(), []
        self.example = daemon.json("train", "--config", tiny_config(folder))[-1] and daemon.json("jobs", "list")[0]["name"]

    def take_sample(self):
        self.samples.append({**resources(self.daemon.process.pid), "state_mib": size_mib(self.daemon.state)})

    def run(self):
        start = time.monotonic()
        self.until = start + self.seconds
        callers = [Caller(self, number) for number in range(self.callers)]
        for caller in callers:
            caller.start()
        time.sleep(self.seconds * WARM_UP_SHARE)
        last_report = time.monotonic()
        while time.monotonic() < self.until and self.daemon.process.poll() is None:
            self.take_sample()
            if time.monotonic() - last_report >= 60:
                last_report = time.monotonic()
                print(json.dumps({"what": "soaking", "seconds": round(last_report - start), **self.samples[-1],
                                  "done": sum(self.done.values()), "problems": len(self.problems)}), flush=True)
            time.sleep(1)
        for caller in callers:
            caller.join(timeout=150)
            if caller.is_alive():
                self.problems.append("a call does not end")
        return self.judge(round(time.monotonic() - start))

    def growth(self, what):
        """Returns the median of the last tenth of the samples minus that of the first tenth."""
        values = [sample[what] for sample in self.samples]
        tenth = max(MIN_SAMPLES, len(values) // 10)
        return round(statistics.median(values[-tenth:]) - statistics.median(values[:tenth]), 2)

    def judge(self, seconds):
        growth = {what: self.growth(what) for what in LIMITS}
        if len(self.samples) < 2 * MIN_SAMPLES:
            self.problems.append(f"too short to measure growth: {len(self.samples)} samples, wanted {2 * MIN_SAMPLES}: raise --seconds")
        self.problems += [f"{what} grew by {grown}, more than {LIMITS[what]}" for what, grown in growth.items() if grown > LIMITS[what]]
        if self.daemon.stop() != 0:
            self.problems.append("SIGTERM did not end vrpd cleanly")
        print(json.dumps({"what": "soak", "seed": self.seed, "seconds": seconds, "cases": sum(self.done.values()),
                          "done": dict(self.done), "refused": dict(self.refused), "growth": growth,
                          "noted": len(self.samples), "first": self.samples[0], "last": self.samples[-1],
                          "wrong": len(self.problems), "problems": self.problems[:10]}))
        return int(bool(self.problems))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=180)
    parser.add_argument("--callers", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-soak-"))
    daemon = Daemon(folder / "state")
    try:
        return Soak(daemon, folder, arguments).run()
    finally:
        daemon.clean_up()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

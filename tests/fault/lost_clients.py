#!/usr/bin/env python3
"""Runs clients that are killed, send nothing, read nothing, or open many streams, and checks that vrpd frees their resources.

  killed   a client with every streaming RPC and a long solve in progress is killed (SIGKILL); a few seconds later vrpd has
           ended its calls and streams, and freed its files and threads
  silent   connections that send nothing, and connections that send only HTTP/2's preface; vrpd serves other clients, and
           closes these connections at the latest when their client does (--long waits until vrpd closes the first kind)
  stopped  a client that reads none of its streams (SIGSTOP); a training continues, and memory is bounded
  idle     --streams watches of a paused job at once; memory and CPU are reported, and concurrent solves are correct

Prints one JSON line per case and one at the end. Exits with 1 on any error. Times are reported, not judged.

Examples:
  lost_clients.py
  lost_clients.py --clients 20 --streams 1000 --connections 500 --long"""

import argparse
import json
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import api  # noqa: E402
import grpc  # noqa: E402
from api import METHODS, message  # noqa: E402
from daemon import Daemon, tiny_config  # noqa: E402
from examples import Examples  # noqa: E402
from process import resources, wait_until  # noqa: E402

LONG_TRAINING = ("--set", "training.epochs=100000", "--set", "training.batches_per_epoch=100")
STREAMS_PER_CHANNEL = 500  # number of idle watches per channel
WATCH = "TrainingService/WatchTrainingJob"
HTTP2_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))  # with an empty SETTINGS frame
HANDSHAKE_S = 10  # time after which vrpd closes a connection without a preface
SILENT_S = 20  # tolerated delay of the close
MAX_GROWTH_MIB = 200  # limit for the growth of the resident memory while a client reads nothing
FILES_PER_CONNECTION = 2  # number of file descriptors that vrpd holds for a connection


def child(address, training, budget_ms):
    """Starts every streaming RPC and a solve, prints their number after a watch's first event, and sleeps."""
    calls, channel = [], grpc.insecure_channel(address)
    solve = api.solve_request(budget_ms=int(budget_ms))
    requests = {
        "SolverService/Solve": solve, "SolverService/StreamSolve": solve,
        "SolverService/BatchSolve": message("BatchSolveRequest")(id="1", solve=solve),
        WATCH: message("WatchTrainingJobRequest")(name=training),
        "ModelService/EvaluateModel": message("EvaluateModelRequest")(
            model="models/ptrnet-cvrp20", generate=message("GenerateInstancesRequest")(problem_type=2, customer_count=20, instance_count=20_000)),
        "DatasetService/GenerateInstances": message("GenerateInstancesRequest")(problem_type=2, customer_count=100, instance_count=1_000_000),
        "DatasetService/UploadMatrices": message("UploadMatricesRequest")(header={"size": 1000}),
        "ModelService/ImportModel": message("ImportModelRequest")(header={"name": "half"}),
    }

    def never_ending(request):
        yield request
        time.sleep(3600)
    for name, method in METHODS.items():
        if not (method.client_streams or method.server_streams or name in requests):
            continue
        request = requests.get(name) or method.request()
        if name not in requests and "name" in request.DESCRIPTOR.fields_by_name:
            request.name = "models/gt-mixed" if "Model" in name else "solveJobs/" + "0" * 16
        calls.append(api.start(channel, name, never_ending(request) if method.client_streams else [request]))
    next(api.start(channel, WATCH, [requests[WATCH]]))
    print(len(calls), flush=True)
    time.sleep(3600)


class LostClients:
    def __init__(self, daemon, folder, arguments):
        self.daemon, self.folder, self.arguments, self.wrong = daemon, folder, arguments, 0
        self.channel = api.connect(daemon)
        Examples(daemon, folder)  # runs a training job and a solve job, which may open further files
        self.training = daemon.json("train", "--config", tiny_config(folder), "--detach", *LONG_TRAINING)[0]["name"]
        wait_until(self.step, lambda step: step > 0)  # the first step opens further files

    def step(self):
        job = api.ask(self.channel, "TrainingService/GetTrainingJob", message("GetTrainingJobRequest")(name=self.training))
        return job.progress.step

    def stats(self):
        return api.ask(self.channel, "SystemService/GetServerStats")

    def resources(self):
        return resources(self.daemon.process.pid)

    def solve_ms(self):
        """Solves for 50 ms and records whether the answer is correct. Returns the duration in ms."""
        start = time.monotonic()
        answer = api.ask(self.channel, "SolverService/Solve", api.solve_request(), timeout=30)
        self.solve_valid = api.is_valid(answer)
        return round(1000 * (time.monotonic() - start), 1)

    def report(self, what, problems, **more):
        if not self.solve_valid:
            problems.append("a concurrent solve had a wrong answer")
        self.wrong += bool(problems)
        print(json.dumps({"what": what, **more, "problems": problems}), flush=True)

    def spawn(self, budget_ms):
        words = ("--child", self.daemon.address, self.training, str(budget_ms))
        client = subprocess.Popen([sys.executable, __file__, *words],
                                  stdout=subprocess.PIPE, text=True)
        return client, int(client.stdout.readline())

    def open_calls(self):
        """Waits for the daemon to become idle. Returns a list with an error that names the open calls, or an empty list."""
        def idle(stats):
            return stats.open_streams == 0 and not any(queue.waiting for queue in stats.queues) and not busy(stats)

        def busy(stats):
            return {rpc.rpc: rpc.in_flight for rpc in stats.rpcs if rpc.in_flight > ("GetServerStats" in rpc.rpc)}
        stats = wait_until(self.stats, idle)
        return [] if idle(stats) else [f"{stats.open_streams} streams are open, calls in flight: {busy(stats)}"]

    def check_killed(self):
        start, before, calls = time.monotonic(), self.resources(), 0
        for _ in range(self.arguments.clients):
            client, count = self.spawn(budget_ms=60_000)
            calls += count
            client.kill()
            client.wait()
        killed = time.monotonic()
        problems = self.open_calls()
        gone_s = time.monotonic() - killed
        milliseconds = self.solve_ms()
        after = wait_until(self.resources, lambda now: now["files"] <= before["files"] + 2)
        if after["files"] > before["files"] + 2:
            problems.append(f"open files: {before['files']}, then {after['files']}, wanted at most 2 more")
        if after["threads"] > before["threads"] + 16:  # gRPC keeps some threads
            problems.append(f"threads: {before['threads']}, then {after['threads']}, wanted at most 16 more")
        self.report("killed_clients", problems, clients=self.arguments.clients, calls=calls, gone_s=round(gone_s, 2),
                  solve_ms=milliseconds, before=before, after=after, seconds=round(time.monotonic() - start, 1))

    def check_silent(self):
        start, before = time.monotonic(), self.resources()
        host, port = self.daemon.address.rsplit(":", 1)
        connections = [socket.create_connection((host, int(port))) for _ in range(self.arguments.connections)]
        with_preface = connections[::2]
        for connection in with_preface:
            connection.sendall(HTTP2_PREFACE)
        milliseconds, during, problems = self.solve_ms(), self.resources(), []
        if self.arguments.long:
            time.sleep(HANDSHAKE_S + SILENT_S)
            left = (self.resources()["files"] - before["files"]) // FILES_PER_CONNECTION
            if left > len(with_preface) + 1:
                problems.append(f"{left} silent connections are still open")
        for connection in connections:
            connection.close()
        after = wait_until(self.resources, lambda now: now["files"] <= before["files"] + 2)
        if after["files"] > before["files"] + 2:
            problems.append(f"open files: {before['files']}, then {after['files']}, wanted at most 2 more")
        self.report("silent_connections", problems, connections=len(connections), solve_ms=milliseconds, before=before,
                  during=during, after=after, seconds=round(time.monotonic() - start, 1))

    def check_stopped(self):
        start, before, problems = time.monotonic(), self.resources(), []
        client, calls = self.spawn(budget_ms=300)
        client.send_signal(signal.SIGSTOP)
        time.sleep(1)
        first = self.step()
        wait_until(self.step, lambda step: step > first + 20)
        last, during = self.step(), self.resources()
        if last <= first:
            problems.append("the training made no step while a client read nothing")
        if during["rss_mib"] - before["rss_mib"] > MAX_GROWTH_MIB:
            problems.append(f"memory grew from {before['rss_mib']} to {during['rss_mib']} MiB, wanted at most {MAX_GROWTH_MIB} MiB more")
        milliseconds = self.solve_ms()
        client.kill()
        client.wait()
        problems += self.open_calls()
        self.report("stopped_reader", problems, calls=calls, steps=last - first, solve_ms=milliseconds, before=before,
                  during=during, seconds=round(time.monotonic() - start, 1))

    def check_idle(self):
        """Watches a paused job by many streams at once."""
        start, problems = time.monotonic(), []
        name = self.daemon.json("train", "--config", tiny_config(self.folder), "--detach")[0]["name"]
        self.daemon.json("jobs", "pause", name)
        before, count = self.resources(), self.arguments.streams
        channels = [api.connect(self.daemon) for _ in range(-(-count // STREAMS_PER_CHANNEL))]
        request = message("WatchTrainingJobRequest")(name=name)
        watches = [api.start(channels[i % len(channels)], WATCH, [request]) for i in range(count)]
        for watch in watches:
            next(watch)
        stats, during = self.stats(), self.resources()
        if stats.open_streams != count:
            problems.append(f"{stats.open_streams} streams are open, wanted {count}")
        times = sorted(self.solve_ms() for _ in range(10))
        for channel in channels:
            channel.close()
        problems += self.open_calls()
        self.report("idle_streams", problems, streams=count, solve_ms_median=times[5], solve_ms_most=times[-1],
                  mib_a_stream=round((during["rss_mib"] - before["rss_mib"]) / count, 3), before=before, during=during,
                  after=self.resources(), seconds=round(time.monotonic() - start, 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=2, help="kill this many clients")
    parser.add_argument("--connections", type=int, default=100, help="open this many silent connections")
    parser.add_argument("--streams", type=int, default=1000, help="open this many idle watches")
    parser.add_argument("--long", action="store_true", help="wait until vrpd closes silent connections")
    parser.add_argument("--child", nargs=3, metavar=("ADDRESS", "JOB", "MS"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        child(*arguments.child)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-lost-"))
    config = folder / "vrpd.yaml"
    config.write_text(f"max_open_streams: {arguments.streams + 100}\n")
    daemon = Daemon(folder / "state", flags=("--config", str(config)))
    try:
        clients = LostClients(daemon, folder, arguments)
        for check in (clients.check_killed, clients.check_silent, clients.check_stopped, clients.check_idle):
            check()
        if daemon.stop() != 0:
            clients.wrong += 1
        print(json.dumps({"what": "lost_clients", "cases": 4, "wrong": clients.wrong}))
        return int(clients.wrong > 0)
    finally:
        daemon.clean_up()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

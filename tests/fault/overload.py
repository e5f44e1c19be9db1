#!/usr/bin/env python3
"""Sends several times as many solves as vrpd can run, in an open loop, and checks that each is answered or rejected.

First a closed loop of 32 callers measures the capacity. (A request that has waited longer than its budget returns the
first plan found.) Then requests come at --times that rate for --seconds, independent of earlier ones. If none is rejected,
another process took part of the machine during the measurement, and requests come again at twice the rate. Each must end
with a correct answer, or be rejected with RESOURCE_EXHAUSTED and a retry delay. At the end the queue must be empty, memory
grown by at most 200 MiB, and further answers correct. Latencies are by this client's clock. The latencies and the share of
rejections slower than 50 ms are reported, not judged, because clients share the cores. Prints one JSON line. Exits with 1 on
any error, or if no request was rejected.

Examples:
  overload.py
  overload.py --seconds 60      one minute"""

import argparse
import collections
import json
import pathlib
import shutil
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import api  # noqa: E402
import grpc  # noqa: E402
from daemon import Daemon  # noqa: E402
from latencies import percentiles  # noqa: E402
from process import resources, wait_until  # noqa: E402

CUSTOMERS = 1000  # the first plan must take longer than sending and reading a request
BUDGET_MS = 100  # budget of a solve
CALLERS = 32  # number of callers in the closed loop
RETRY_DELAY_S = 0.05  # delay before a rejected caller retries
MIN_CAPACITY = 1  # solves per second assumed if the measurement finds fewer
MAX_ROUNDS = 5  # maximum number of rates until a request is rejected
CAPACITY_S = 2  # duration of the measurement of the capacity
PROMPT_MS = 50  # limit of a prompt rejection
DEADLINE_S = 120  # deadline of a call
MAX_GROWTH_MIB = 200  # limit for the growth of the resident memory during the overload
SOLVE = "SolverService/Solve"


class Load:
    def __init__(self, daemon):
        self.daemon, self.channel, self.lock = daemon, api.connect(daemon), threading.Lock()
        self.request = api.generated_request(self.channel, CUSTOMERS, BUDGET_MS)
        method = api.METHODS[SOLVE]
        self.solve = self.channel.unary_unary(method.path, request_serializer=method.request.SerializeToString,
                                              response_deserializer=method.response.FromString)
        self.latencies, self.problems = collections.defaultdict(list), collections.Counter()
        self.in_flight = 0

    def stats(self):
        return api.ask(self.channel, "SystemService/GetServerStats")

    def capacity(self):
        """Returns the solves per second of a closed loop."""
        counts, until = [0] * CALLERS, time.monotonic() + CAPACITY_S

        def call(i):
            while time.monotonic() < until:
                done = self.solve.future(self.request, timeout=DEADLINE_S)
                if done.code() == grpc.StatusCode.OK:  # blocks
                    counts[i] += 1
                else:
                    time.sleep(RETRY_DELAY_S)
        callers = [threading.Thread(target=call, args=(i,)) for i in range(CALLERS)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
        return sum(counts) / CAPACITY_S

    def send(self):
        """Sends one request and records its end."""
        start = time.monotonic()
        with self.lock:
            self.in_flight += 1
        future = self.solve.future(self.request, timeout=DEADLINE_S)
        future.add_done_callback(lambda done: self.record_outcome(done, time.monotonic() - start))

    def record_outcome(self, done, seconds):
        code = done.code()
        wrong = None
        if code == grpc.StatusCode.OK:
            wrong = None if api.is_valid(done.result(), CUSTOMERS) else "an answer is wrong"
        elif code != grpc.StatusCode.RESOURCE_EXHAUSTED:
            wrong = f"{code.name}: {done.details()}"
        elif not any(key == "grpc-status-details-bin" and b"google.rpc.RetryInfo" in value
                     for key, value in done.trailing_metadata()):
            wrong = "rejected without RetryInfo"
        with self.lock:
            self.in_flight -= 1
            self.latencies[code.name].append(1000 * seconds)
            if wrong is not None:
                self.problems[wrong] += 1

    def late_rejections(self):
        """Returns the number of rejections that took more than PROMPT_MS, and their share."""
        times = self.latencies["RESOURCE_EXHAUSTED"]
        late = sum(time_ms > PROMPT_MS for time_ms in times)
        return {"beyond_ms": PROMPT_MS, "count": late, "share": round(late / max(1, len(times)), 5)}

    def send_at_rate(self, rate, seconds):
        """Sends `rate` requests per second. Returns their number and the peak memory in MiB."""
        start, sent, peak = time.monotonic(), 0, 0
        while (now := time.monotonic() - start) < seconds:
            while sent < now * rate:
                self.send()
                sent += 1
            time.sleep(0.005)
            peak = max(peak, resources(self.daemon.process.pid)["rss_mib"]) if sent % 20 == 0 else peak
        wait_until(lambda: self.in_flight, lambda left: left == 0, timeout_s=DEADLINE_S + 5)
        return sent, peak

    def measure_sequential(self):
        """Returns percentiles of the latencies of ten consecutive requests, in ms."""
        times = []
        for _ in range(10):
            start = time.monotonic()
            if not api.is_valid(self.solve(self.request, timeout=DEADLINE_S), CUSTOMERS):
                self.problems["an answer after the overload is wrong"] += 1
            times.append(1000 * (time.monotonic() - start))
        return percentiles(times)


def run_load(daemon, arguments):
    load = Load(daemon)
    capacity = load.capacity()
    calm_before, before = load.measure_sequential(), resources(daemon.process.pid)
    sent, peak = 0, 0
    rate = arguments.times * max(capacity, MIN_CAPACITY)
    for _ in range(MAX_ROUNDS):
        more, round_peak = load.send_at_rate(rate, arguments.seconds)
        sent, peak, rate = sent + more, max(peak, round_peak), 2 * rate
        if load.latencies["RESOURCE_EXHAUSTED"]:
            break
    if load.in_flight:
        load.problems[f"{load.in_flight} requests have not ended"] += 1
    calm_after, after = load.measure_sequential(), resources(daemon.process.pid)
    if waiting := sum(queue.waiting for queue in load.stats().queues):
        load.problems[f"{waiting} requests are still queued"] += 1
    if max(peak, after["rss_mib"]) - before["rss_mib"] > MAX_GROWTH_MIB:
        load.problems[f"memory grew from {before['rss_mib']} to {max(peak, after['rss_mib'])} MiB, wanted at most {MAX_GROWTH_MIB} more"] += 1
    if daemon.stop() != 0:
        load.problems["SIGTERM did not end vrpd cleanly"] += 1
    print(json.dumps({
        "what": "overload", "capacity_per_s": round(capacity, 1), "times": arguments.times, "seconds": arguments.seconds,
        "cases": sent, "latency_ms": {code: percentiles(times) for code, times in load.latencies.items()},
        "late_refusals": load.late_rejections(),
        "calm_before_ms": calm_before, "calm_after_ms": calm_after, "before": before, "peak_mib": peak, "after": after,
        "problems": dict(load.problems)}))
    return int(bool(load.problems) or not load.latencies["RESOURCE_EXHAUSTED"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--times", type=float, default=4, help="send at this multiple of the measured capacity")
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-overload-"))
    daemon = Daemon(folder / "state")
    try:
        return run_load(daemon, arguments)
    finally:
        daemon.clean_up()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

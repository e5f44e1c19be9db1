#!/usr/bin/env python3
"""Sends malformed and hostile messages to every RPC that the API's descriptor names, and checks vrpd's responses.

Each case is one call. It sends no message, or an empty, truncated, bit-flipped, spliced, random or oversized message. Other
cases have wrong lengths and depths, or valid types with unusual values (NaN, 2^63, invalid UTF-8, paths). Others send two
messages instead of one, or streams that end early or come in the wrong order.

Each call must end soon with OK or with a status of the daemon that names the reason. UNKNOWN, INTERNAL, UNAVAILABLE,
DATA_LOSS, an empty text and a path of the daemon count as errors. At the end vrpd must be alive, solve, and have counted
calls of every RPC. No stream may be open, memory may grow by at most 300 MiB, and the state folder must hold only what vrpd
acknowledged. Prints one JSON line per RPC and one at the end. Exits with 1 on any error.

Examples:
  hostile_messages.py
  hostile_messages.py --cases 1000 --seed 7            cases per RPC; all RPCs together take a few minutes
  hostile_messages.py --rpc SolverService/Solve --cases 5000"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import random
import shutil
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import api  # noqa: E402
import grpc  # noqa: E402
import hostile_bytes  # noqa: E402
from api import METHODS  # noqa: E402
from daemon import Daemon  # noqa: E402
from examples import Examples  # noqa: E402
from judge import leftovers  # noqa: E402
from process import resources, wait_until  # noqa: E402

MAX_MESSAGE_MIB = 1  # max_message_mib of vrpd
# Deadline of LONG_CALLS, which may reach it without an error. All other calls must end sooner than TIMEOUT_S.
LONG_CALL_DEADLINE_S = 1.0
LONG_CALLS = {"SolverService/Solve", "SolverService/StreamSolve", "SolverService/BatchSolve", "SolverService/WatchSolveJob",
              "SimulationService/WatchSimulation", "SweepService/WatchSweep",
              "TrainingService/WatchTrainingJob", "TrainingService/PublishTrainingJob", "ModelService/EvaluateModel",
              "DatasetService/GenerateInstances", "ModelService/ExportModel"}
TIMEOUT_S = 30  # time limit of a call
MAX_RESPONSES = 100  # number of responses after which the client cancels a call
MAX_TEXT_LENGTH = 2000  # maximum number of characters of an error
MAX_GROWTH_MIB = 300  # limit for the growth of the resident memory over all cases
FORBIDDEN = {grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DATA_LOSS}
# Exceptions to FORBIDDEN: imported weights that do not match their card are data loss.
ALLOWED = {("ModelService/ImportModel", grpc.StatusCode.DATA_LOSS)}


def fixed_cases(valid):
    """Yields the fixed cases of every RPC: (kind, messages, whether the caller then cancels)."""
    yield "no message", [], False
    yield "empty", [b""], False
    yield "two messages", valid + valid, False
    yield "oversized", valid[:-1] + [hostile_bytes.length_delimited(1, bytes(MAX_MESSAGE_MIB * 2**20 + 1))], False
    yield "cancelled", valid, True
    for text, malformed in hostile_bytes.malformed_messages().items():
        yield text, valid[:-1] + [malformed], False
    if len(valid) > 1:
        yield "reversed", valid[::-1], False
        yield "only the first part", valid[:1], False
        yield "first part, cancelled", valid[:1], True
        yield "without the first part", valid[1:], False
        yield "first part twice", [valid[0], *valid], False
        yield "malformed part in between", [valid[0], b"\xff\xff\xff", *valid[1:]], False


def random_case(source, method, valid):
    """Returns a random case of an RPC, like those of fixed_cases()."""
    position = source.randrange(len(valid))
    kind = source.choice(("truncated", "flipped", "flipped", "spliced", "random bytes", "extreme values", "extreme values"))
    part = {"truncated": lambda: valid[position][:source.randrange(len(valid[position]) + 1)],
            "flipped": lambda: hostile_bytes.flipped(source, valid[position]),
            "spliced": lambda: hostile_bytes.spliced(source, valid[position]),
            "random bytes": lambda: source.randbytes(source.choice((1, 3, 10, 100, 3000))),
            "extreme values": lambda: hostile_bytes.random_message(source, method.request.DESCRIPTOR)}[kind]()
    return kind, [*valid[:position], part, *valid[position + 1:]], source.random() < 0.05


class Sender:
    """A client that sends the cases and records the resources that vrpd acknowledges."""

    def __init__(self, daemon, examples):
        self.daemon, self.examples = daemon, examples
        self.channels = [api.connect(daemon) for _ in range(4)]
        self.acknowledged = collections.defaultdict(set)  # names of acknowledged resources, by kind
        self.unacknowledged = collections.Counter()  # cancelled calls that may have created a resource, by kind

    def call(self, name, channel, messages, cancels):
        """Returns the status code and text, the duration in seconds, and whether the client ended the call."""
        start, count = time.monotonic(), 0
        responses = api.start(channel, name, messages, timeout=LONG_CALL_DEADLINE_S if name in LONG_CALLS else TIMEOUT_S)
        try:
            if cancels:
                time.sleep(0.002)
                responses.cancel()
            for response in responses:
                count += 1
                self.record_acknowledged(response)
                if count == MAX_RESPONSES:
                    responses.cancel()
        except grpc.RpcError:
            pass
        client_ended = cancels or count == MAX_RESPONSES
        if client_ended and responses.code() == grpc.StatusCode.CANCELLED:
            self.unacknowledged[METHODS[name].response.DESCRIPTOR.name] += 1
        return responses.code(), responses.details() or "", time.monotonic() - start, client_ended

    def record_acknowledged(self, response):
        kind = response.DESCRIPTOR.name
        if kind in ("TrainingJob", "SolveJob", "Matrices", "Dataset", "Model") and response.name:
            self.acknowledged[kind].add(response.name)

    def find_error(self, name, code, text, seconds, client_ended):
        if client_ended and code == grpc.StatusCode.CANCELLED or code == grpc.StatusCode.OK:
            return None
        if code == grpc.StatusCode.DEADLINE_EXCEEDED and name in LONG_CALLS:
            return None
        if code in FORBIDDEN and (name, code) not in ALLOWED:
            return f"{code.name}: {text[:200]}"
        if code == grpc.StatusCode.DEADLINE_EXCEEDED or seconds > TIMEOUT_S:
            return f"no response within {TIMEOUT_S} s"
        if not text:
            return f"{code.name} without a text"
        if len(text) > MAX_TEXT_LENGTH:
            return f"{code.name} with a text of {len(text)} characters, wanted at most {MAX_TEXT_LENGTH}: {text[:100]}"
        if str(self.daemon.state) in text:
            return f"{code.name} reveals a folder of the daemon: {text[:200]}"
        return None

    def run(self, name, cases, seed):
        """Runs all cases of an RPC. Returns a dict to print."""
        method, valid = METHODS[name], self.examples.request_bytes(name)
        all_cases = list(fixed_cases(valid))
        all_cases += [random_case(random.Random(f"{seed} {name} {i}"), method, valid) for i in range(cases)]
        codes, problems = collections.Counter(), []

        def run_case(i):
            kind, messages, cancels = all_cases[i]
            return kind, messages, self.call(name, self.channels[i % len(self.channels)], messages, cancels)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for kind, messages, (code, text, seconds, client_ended) in pool.map(run_case, range(len(all_cases))):
                codes[code.name] += 1
                wrong = self.find_error(name, code, text, seconds, client_ended)
                if wrong is not None:
                    problems.append(f"{kind}: {wrong} (last message {messages[-1][:40].hex() if messages else 'none'})")
        return {"what": "hostile_rpc", "rpc": name, "cases": len(all_cases), "codes": dict(codes), "problems": len(problems),
                "first_problems": problems[:5]}


def check_after(daemon, sender, names, before):
    """Returns the errors of the daemon after all cases, as texts, and its resources."""
    problems = []
    with api.connect(daemon) as channel:
        if not api.is_valid(api.ask(channel, "SolverService/Solve", api.solve_request())):
            problems.append("an ordinary solve has a wrong answer")
        stats = wait_until(lambda: api.ask(channel, "SystemService/GetServerStats"), lambda stats: stats.open_streams == 0)
        called = {rpc.rpc.removeprefix("vrp.v1.") for rpc in stats.rpcs if rpc.outcomes}
        problems += [f"{name} was not called" for name in sorted(set(names) - called)]
        if stats.open_streams:
            problems.append(f"{stats.open_streams} streams are still open")
        listed = {
            "TrainingJob": {job["name"] for job in daemon.json("jobs", "list")},
            "SolveJob": {job["name"] for job in daemon.json("solve-jobs", "list")},
            "Matrices": {matrices["name"] for matrices in daemon.json("matrices", "list")},
            "Dataset": {dataset["name"] for dataset in daemon.json("datasets", "list")}}
    for kind, exist in listed.items():
        unacknowledged = exist - sender.acknowledged[kind]
        if len(unacknowledged) > sender.unacknowledged[kind]:
            problems.append(f"{kind}: {sorted(unacknowledged)} exist, but were never acknowledged")
    if remaining_files := leftovers(daemon.state):
        problems.append(f"left behind: {remaining_files[:5]}")
    after = resources(daemon.process.pid)
    if after["rss_mib"] - before["rss_mib"] > MAX_GROWTH_MIB:
        problems.append(f"memory grew from {before['rss_mib']} to {after['rss_mib']} MiB, wanted at most {MAX_GROWTH_MIB} MiB more")
    return problems, after


def run_cases(daemon, folder, arguments):
    examples = Examples(daemon, folder)
    sender = Sender(daemon, examples)
    sender.acknowledged["TrainingJob"].add(examples.training)
    sender.acknowledged["SolveJob"].add(examples.solve_job)
    names = [name for name in METHODS if arguments.rpc in (None, name)]
    before, cases, wrong, start = resources(daemon.process.pid), 0, 0, time.monotonic()
    for name in names:
        line = sender.run(name, arguments.cases, arguments.seed)
        print(json.dumps(line), flush=True)
        cases, wrong = cases + line["cases"], wrong + line["problems"]
        if daemon.process.poll() is not None:
            print(json.dumps({"what": "hostile_messages", "problems": [f"vrpd died in {name}"],
                              "log": daemon.log_path.read_text()[-2000:]}))
            return 1
    problems, after = check_after(daemon, sender, names, before)
    if daemon.stop() != 0:
        problems.append("SIGTERM did not end vrpd cleanly")
    print(json.dumps({"what": "hostile_messages", "seed": arguments.seed, "rpcs": len(names), "cases": cases,
                      "wrong": wrong, "problems": problems, "before": before, "after": after,
                      "seconds": round(time.monotonic() - start, 1)}))
    return int(wrong > 0 or bool(problems))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=40, help="run this many random cases per RPC, besides the fixed ones")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rpc", choices=sorted(METHODS), help="run only this RPC")
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-hostile-"))
    limits = folder / "vrpd.yaml"
    limits.write_text(f"max_message_mib: {MAX_MESSAGE_MIB}\nmax_budget_s: 5\n")
    daemon = Daemon(folder / "state", flags=("--config", str(limits)))
    try:
        return run_cases(daemon, folder, arguments)
    finally:
        daemon.clean_up()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

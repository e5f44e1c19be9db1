#!/usr/bin/env python3
"""Sends messages that are small on the wire and large in memory, and measures the growth of vrpd's memory.

Each shape is the smallest encoding of its kind, repeated to the size of a message. The kinds are empty customers, vehicles,
shipments, routes, skills and unknown fields. First one client, then several at once send the message to Solve. Every
call must end with OK, INVALID_ARGUMENT or RESOURCE_EXHAUSTED, and at the end vrpd must solve. Prints one JSON line per shape,
with the resident memory before and at its peak, and one at the end. Exits with 1 if a call ends otherwise, vrpd does
not solve, or the memory grows by more than --max-mib.

Examples:
  message_memory.py
  message_memory.py --mib 16 --callers 1 --binary OLD/vrpd --max-mib 100000     an older vrpd; needs gigabytes"""

import argparse
import concurrent.futures
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import api  # noqa: E402
import grpc  # noqa: E402
from daemon import BINARIES, Daemon  # noqa: E402
from hostile_bytes import length_delimited  # noqa: E402

OPTIONS = (("grpc.max_send_message_length", -1), ("grpc.use_local_subchannel_pool", 1))
TIMEOUT_S = 120  # time limit of a call
ALLOWED = {grpc.StatusCode.OK, grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.RESOURCE_EXHAUSTED}
INSTANCE, PLAN = 1, 10  # fields of SolveRequest
# The field of SolveRequest, or None, and the piece of two or three bytes that is repeated in it.
SHAPES = {
    "customers": (INSTANCE, b"\x52\x00"),
    "vehicles": (INSTANCE, b"\x5a\x00"),
    "shipments": (INSTANCE, b"\x72\x00"),
    "routes": (PLAN, b"\x0a\x00"),
    "skills of one customer": (INSTANCE, b"\x4a\x00"),
    "unknown fields": (None, b"\xf2\x3f\x00"),
}


def message(shape, size):
    field, piece = SHAPES[shape]
    pieces = piece * (size // len(piece))
    if shape.startswith("skills"):
        pieces = length_delimited(10, pieces)
    return pieces if field is None else length_delimited(field, pieces)


def status_mib(process, name):
    """Returns the value of a line of /proc/PID/status in MiB."""
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) / 1024
    raise KeyError(f"/proc/{process.pid}/status: got no line {name}")


def call(address, wire):
    with grpc.insecure_channel(address, OPTIONS) as channel:
        solve = channel.unary_unary("/vrp.v1.SolverService/Solve")
        try:
            solve(wire, timeout=TIMEOUT_S)
            return grpc.StatusCode.OK, ""
        except grpc.RpcError as error:
            return error.code(), error.details()


def measure(binary, shape, size, callers):
    """Runs the calls on a fresh daemon. Returns its memory in MiB before and at its peak, the outcomes, and whether it solves."""
    daemon = Daemon(binary=binary)
    try:
        before = status_mib(daemon.process, "VmRSS")
        pathlib.Path(f"/proc/{daemon.process.pid}/clear_refs").write_text("5")  # resets VmHWM
        wire = message(shape, size)
        with concurrent.futures.ThreadPoolExecutor(callers) as pool:
            outcomes = list(pool.map(lambda _: call(daemon.address, wire), range(callers)))
        peak_mib = status_mib(daemon.process, "VmHWM")
        with api.connect(daemon) as channel:
            valid = api.is_valid(api.ask(channel, "SolverService/Solve", api.solve_request()))
        return before, peak_mib, outcomes, valid
    finally:
        daemon.clean_up()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mib", type=int, default=63, help="send messages of this size on the wire, in MiB")
    parser.add_argument("--callers", type=int, nargs="+", default=[1, 32])
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=list(SHAPES))
    parser.add_argument("--binary", type=pathlib.Path, default=BINARIES / "vrpd")
    parser.add_argument("--max-mib", type=int, default=3000, help="fail if the memory grows by more than this, in MiB")
    arguments = parser.parse_args()
    wrong, cases = 0, 0
    for callers in arguments.callers:
        for shape in arguments.shapes:
            before, peak_mib, outcomes, valid = measure(arguments.binary, shape, arguments.mib << 20, callers)
            codes = sorted({code.name for code, _ in outcomes})
            failed = not valid or not {code for code, _ in outcomes} <= ALLOWED or peak_mib - before > arguments.max_mib
            print(json.dumps({"what": shape, "callers": callers, "wire_mib": arguments.mib, "before_mib": round(before),
                              "peak_mib": round(peak_mib), "codes": codes, "text": outcomes[0][1], "wrong": failed}), flush=True)
            wrong, cases = wrong + failed, cases + 1
    print(json.dumps({"what": "message_memory", "cases": cases, "wrong": wrong}))
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())

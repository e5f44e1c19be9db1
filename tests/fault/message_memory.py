#!/usr/bin/env python3
"""Sends messages that are small on the wire and large in memory, and measures the growth of vrpd's memory.

Each shape is the smallest encoding of its kind, repeated to the size of a message: empty customers, vehicles, routes of an
initial plan, texts, unknown fields. One caller, then several at once, send it to an RPC. Every call must end with a status of
the daemon, OK included, and at the end vrpd must solve. Prints one JSON line per shape, with the resident memory before and
its peak, and one at the end. Exits with 1 if a call ends otherwise or the memory grows by more than --max-mib.

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
from hostile_bytes import sized  # noqa: E402

OPTIONS = (("grpc.max_send_message_length", -1), ("grpc.use_local_subchannel_pool", 1))
TIMEOUT_S = 120
ALLOWED = {grpc.StatusCode.OK, grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.RESOURCE_EXHAUSTED}
# A piece of two or three bytes, and the field of SolveRequest in which it is repeated.
INSTANCE, PLAN = 1, 10
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
        pieces = sized(10, pieces)
    return pieces if field is None else sized(field, pieces)


def figure(process, name):
    """Returns a line of /proc/PID/status, in MiB."""
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) / 1024
    raise KeyError(name)


def call(address, wire):
    with grpc.insecure_channel(address, OPTIONS) as channel:
        solve = channel.unary_unary("/vrp.v1.SolverService/Solve")
        try:
            solve(wire, timeout=TIMEOUT_S)
            return grpc.StatusCode.OK, ""
        except grpc.RpcError as error:
            return error.code(), error.details()


def peak(binary, shape, size, callers):
    """Runs the calls on a fresh daemon. Returns its memory before, its peak and the outcomes."""
    daemon = Daemon(binary=binary)
    try:
        before = figure(daemon.process, "VmRSS")
        pathlib.Path(f"/proc/{daemon.process.pid}/clear_refs").write_text("5")  # resets VmHWM
        wire = message(shape, size)
        with concurrent.futures.ThreadPoolExecutor(callers) as pool:
            ended = list(pool.map(lambda _: call(daemon.address, wire), range(callers)))
        most = figure(daemon.process, "VmHWM")
        with api.connect(daemon) as channel:
            sound = api.is_valid(api.ask(channel, "SolverService/Solve", api.solve_request()))
        return before, most, ended, sound
    finally:
        daemon.clean_up()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mib", type=int, default=63, help="size of a message on the wire")
    parser.add_argument("--callers", type=int, nargs="+", default=[1, 32])
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=list(SHAPES))
    parser.add_argument("--binary", type=pathlib.Path, default=BINARIES / "vrpd")
    parser.add_argument("--max-mib", type=int, default=3000, help="maximum growth in MiB: twice max_request_memory_mib, "
                        "for messages on the wire and parsed, and for conversions")
    arguments = parser.parse_args()
    wrong, cases = 0, 0
    for callers in arguments.callers:
        for shape in arguments.shapes:
            before, most, ended, sound = peak(arguments.binary, shape, arguments.mib << 20, callers)
            codes = sorted({code.name for code, _ in ended})
            bad = not sound or not {code for code, _ in ended} <= ALLOWED or most - before > arguments.max_mib
            print(json.dumps({"what": shape, "callers": callers, "wire_mib": arguments.mib, "before_mib": round(before),
                              "peak_mib": round(most), "codes": codes, "text": ended[0][1], "wrong": bad}), flush=True)
            wrong, cases = wrong + bad, cases + 1
    print(json.dumps({"what": "message_memory", "cases": cases, "wrong": wrong}))
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Measures how much of the cores' time is search when many small instances are solved by `vrpctl solve --answers`.

Examples:
  many_instances.py
  many_instances.py --instances 100000 --budget-ms 20 --threads 2

Starts a vrpd, generates the instances by a seed, solves them, and prints one JSON line: `search_share` is the sum of the
search times in the answers, divided by wall time times threads; `client_cpu_s` and `daemon_cpu_s` are processor times.
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from daemon import BINARIES, Daemon  # noqa: E402


def processor_seconds(pid):
    """Returns the processor time of a running process."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_mib(pid):
    """Returns the largest resident memory of a running process."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0.0


def follow(process):
    """Waits for the process, and returns its largest resident memory in MiB."""
    peak = 0.0
    while process.poll() is None:
        try:
            peak = max(peak, peak_mib(process.pid))
        except (FileNotFoundError, ProcessLookupError):
            pass
        time.sleep(0.2)
    return peak


def measure(arguments, folder):
    daemon = Daemon(folder / "state", flags=("--threads", str(arguments.threads)))
    try:
        instances = folder / "set.jsonl"
        made = daemon.call("generate", "--problem", "cvrp", "--customers", arguments.customers, "--count", arguments.instances,
                           "--seed", arguments.seed, "--out", instances)
        if made.returncode != 0:
            sys.exit(made.stderr)
        before = processor_seconds(daemon.process.pid)
        begun = time.monotonic()
        with subprocess.Popen([BINARIES / "vrpctl", "--remote", daemon.address, "--output", "json", "solve", instances, "--answers",
                               folder / "answers", "--budget", f"{arguments.budget_ms}ms"], stdout=subprocess.PIPE, text=True) as run:
            peak = follow(run)
            summary = json.loads(run.stdout.read().splitlines()[-1])
        wall = time.monotonic() - begun
        search_ms = 0.0
        with open(folder / "answers" / "set.jsonl", encoding="utf-8") as answers:
            for line in answers:
                search_ms += json.loads(line)["time_ms"]["search"]
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return {"instances": summary["instances"], "customers": arguments.customers, "seed": arguments.seed,
                "budget_ms": arguments.budget_ms, "threads": arguments.threads, "wall_s": round(wall, 2),
                "search_share": round(search_ms / 1000 / wall / arguments.threads, 4),
                "client_cpu_s": round(usage.ru_utime + usage.ru_stime, 2),
                "daemon_cpu_s": round(processor_seconds(daemon.process.pid) - before, 2),
                "client_peak_mib": round(peak, 1), "daemon_peak_mib": round(peak_mib(daemon.process.pid), 1),
                "mean_cost": summary["mean_cost"], "failed": summary["failed"], "load1": round(os.getloadavg()[0], 2)}
    finally:
        daemon.clean_up()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instances", type=int, default=2000, help="number of instances")
    parser.add_argument("--customers", type=int, default=50, help="customers of each instance")
    parser.add_argument("--budget-ms", type=int, default=20, help="time of each instance")
    parser.add_argument("--threads", type=int, default=2, help="threads of the daemon")
    parser.add_argument("--seed", type=int, default=20261128, help="seed of the instances")
    with tempfile.TemporaryDirectory(prefix="vrp-many-") as folder:
        print(json.dumps(measure(parser.parse_args(), pathlib.Path(folder))))


if __name__ == "__main__":
    main()

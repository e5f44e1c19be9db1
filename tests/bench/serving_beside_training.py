#!/usr/bin/env python3
"""Measures how a training run on all threads slows concurrent solves.

Needs vrpd and vrpctl. Starts a daemon with two threads, generates instances, and solves each for --reference to get
reference costs. Then `vrpctl bench` solves them with one client and a budget in three phases. The daemon is idle, then
trains on CVRP50 with batches of 512, then is idle again. Prints one JSON line per phase, with the client's latencies,
the mean cost and the mean gap. Finally prints the ratios of training to idle (the mean of both idle phases).

Examples:
  serving_beside_training.py
  serving_beside_training.py --budget 20ms --duration 60s
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONFIG = """\
name: beside
model: gt
problem: {kind: cvrp, customers: 50}
graph_transformer: {hidden: 128, heads: 8, feed_forward: 512, layers: 3, norm: instance, edge_bias: false}
training: {method: reinforce, epochs: 1000, batches_per_epoch: 1000, batch_size: 512, learning_rate: 0.0001,
  checkpoint_every_steps: 100}
validation: {instances: 16}
"""
WARM_STEPS = 2


def instances_with_references(daemon, folder, arguments):
    """Writes a file of instances whose reference costs come from a longer search."""
    path = folder / "instances.jsonl"
    generated = daemon.call("generate", "--problem", "cvrp", "--customers", arguments.customers, "--count", arguments.instances,
                            "--seed", arguments.seed).stdout.splitlines()
    lines = []
    for i, line in enumerate(generated):
        one = folder / f"{i}.json"
        one.write_text(line)
        answer = daemon.json("solve", one, "--budget", arguments.reference, "--threads", arguments.threads)[0]
        lines.append(json.dumps({**json.loads(line), "ref_cost": answer["cost"]}))
    path.write_text("\n".join(lines) + "\n")
    return path


def measure(daemon, instances, beside, arguments):
    report = daemon.json("bench", instances, "--budget", arguments.budget, "--duration", arguments.duration, "--clients", 1)[0]
    line = {"what": "serving_beside_training", "training": beside, "budget": arguments.budget, "customers": arguments.customers,
            "answered": report["answered"], "refused": report["refused"], "p50_ms": report["latency_ms"]["p50"],
            "p99_ms": report["latency_ms"]["p99"], "most_ms": report["latency_ms"]["max"], "mean_cost": report["mean_cost"],
            "mean_gap": report["mean_gap"], "load1": round(os.getloadavg()[0], 2)}
    print(json.dumps(line), flush=True)
    return line


def steps_of(daemon, job):
    return (daemon.json("jobs", "get", job)[0]["progress"] or {}).get("step", 0)


def measure_during_training(daemon, folder, instances, arguments):
    config = folder / "beside.yaml"
    config.write_text(CONFIG)
    job = daemon.json("train", "--config", config, "--detach")[0]["name"]
    daemon.events_until(lambda event: event["type"] == "progress" and event["step"] >= WARM_STEPS or "error" in event,
                        "jobs", "watch", job)
    before = steps_of(daemon, job)
    line = measure(daemon, instances, True, arguments)
    steps = steps_of(daemon, job) - before
    daemon.json("jobs", "cancel", job)
    daemon.events_until(lambda event: event.get("state") in ("CANCELLED", "FAILED", "SUCCEEDED"), "jobs", "watch", job)
    if not steps:
        sys.exit("serving_beside_training: the training made no step during the solves; raise --duration")
    return line, steps


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budget", default="50ms")
    parser.add_argument("--duration", default="30s", help="duration of each phase")
    parser.add_argument("--customers", type=int, default=100)
    parser.add_argument("--instances", type=int, default=20)
    parser.add_argument("--reference", default="3s", help="search time per instance for its reference cost")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "dev")
    arguments = parser.parse_args()
    os.environ["VRP_BINARY_DIR"] = str(arguments.build)
    sys.path.insert(0, str(ROOT / "tests" / "e2e"))
    from daemon import Daemon
    folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-beside-"))
    daemon = Daemon(folder / "state", flags=("--threads", str(arguments.threads)))
    try:
        instances = instances_with_references(daemon, folder, arguments)
        before = measure(daemon, instances, False, arguments)
        beside, steps = measure_during_training(daemon, folder, instances, arguments)
        idle = [before, measure(daemon, instances, False, arguments)]
        ratios = {f"{key}_ratio": round(beside[key] / statistics.mean(line[key] for line in idle), 4)
                  for key in ("p50_ms", "p99_ms", "mean_cost", "mean_gap")}
        print(json.dumps({"what": "serving_beside_training_ratio", "steps_meanwhile": steps, **ratios}))
        daemon.stop()
    finally:
        daemon.clean_up()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Measures training throughput for a user of the daemon, by the wall time between progress events of `vrpctl train`.

Needs vrpd, vrpctl and engine_bench (built by ./dev build dev vrpd vrpctl engine_bench). Starts a separate daemon and
trains a case of compare_rl4co.py on it with `vrpctl train --remote`. Divides the number of instances between the first
progress event after the warm-up and the last one by the time between their arrivals. Before and after, engine_bench
runs the same steps without a daemon. The difference is the cost of daemon, job, events and client. Prints one JSON
line per case and baseline, then a table.

Examples:
  train_wall.py
  train_wall.py --cases am_cvrp20 --steps 60
"""

import argparse
import json
import os
import pathlib
import statistics
import sys
import time

from our_engine import OurEngine

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = {"am_cvrp10": (10, 128), "am_cvrp20": (20, 512), "am_cvrp50": (50, 512)}  # customers, batch
CONFIG = """\
name: train-wall
model: gt
problem: {{kind: cvrp, customers: {customers}}}
graph_transformer: {{hidden: 128, heads: 8, feed_forward: 512, layers: 3, norm: instance, edge_bias: false}}
training: {{method: reinforce, epochs: 1, batches_per_epoch: {steps}, batch_size: {batch}, learning_rate: 0.0001,
  checkpoint_every_steps: 1000000}}
reinforce: {{warmup_epochs: {warmup}, baseline_instances: 16}}
validation: {{instances: 16}}
"""


def measure_daemon(case, baseline, arguments):
    """Returns the seconds per step from the first progress event after the warm-up to the last, and their number."""
    customers, batch = CASES[case]
    sys.path.insert(0, str(ROOT / "tests" / "e2e"))
    os.environ["VRP_BINARY_DIR"] = str(arguments.build)
    from daemon import Daemon
    daemon = Daemon(flags=("--threads", str(arguments.threads)))
    try:
        config = daemon.state / "train_wall.yaml"
        config.write_text(CONFIG.format(customers=customers, batch=batch, steps=arguments.steps,
                                        warmup=0 if baseline else 1))
        seen = []
        with daemon.follow("train", "--config", config) as client:
            for line in client.stdout:
                event = json.loads(line)
                if event.get("type") == "progress" and not event.get("end_of_epoch"):
                    seen.append((event["step"], time.perf_counter()))
                if event.get("state") in ("FAILED", "CANCELLED"):
                    sys.exit(f"train_wall: {case}: got the event {line.strip()}, wanted a job that runs to its end")
    finally:
        daemon.stop()
        daemon.clean_up()
    # The first steps warm up memory and caches.
    first = next((at for at in seen if at[0] >= arguments.warmup), None)
    if first is None or seen[-1][0] <= first[0]:
        sys.exit(f"train_wall: {case}: got the progress {seen}, wanted at least two reports after --warmup; raise --steps")
    steps = seen[-1][0] - first[0]
    return (seen[-1][1] - first[1]) / steps, steps


def measure_engine(case, baseline, arguments):
    customers, batch = CASES[case]
    program = arguments.build / "bench" / "engine_bench"
    with OurEngine(program, problem="cvrp", customers=customers, batch=batch, threads=arguments.threads,
                   seed=1234) as engine:
        answers = [engine.ask("step rollout" if baseline else "step exponential")
                   for _ in range(arguments.warmup + arguments.repeats)]
    return statistics.median(answer["seconds"] for answer in answers[arguments.warmup:])


def measure(case, baseline, arguments):
    batch = CASES[case][1]
    before = measure_engine(case, baseline, arguments)
    daemon, steps = measure_daemon(case, baseline, arguments)
    engine = (before + measure_engine(case, baseline, arguments)) / 2  # averages out changes of other load
    return {"what": f"train_wall_{case}", "batch": batch, "incl_rollout_baseline": baseline, "steps": steps,
            "by_vrpctl_per_s": round(batch / daemon, 1), "by_engine_per_s": round(batch / engine, 1),
            "around_a_step_ms": round(1e3 * (daemon - engine), 2), "around_share": round(daemon / engine - 1, 3),
            "threads": arguments.threads, "load1": round(os.getloadavg()[0], 2)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default=",".join(CASES), help="cases to run, comma separated")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--warmup", type=int, default=3, help="number of unmeasured warm-up steps")
    parser.add_argument("--repeats", type=int, default=7, help="number of measured steps of engine_bench")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "dev")
    arguments = parser.parse_args()
    lines = []
    for case in arguments.cases.split(","):
        for baseline in (False, True):
            lines.append(measure(case, baseline, arguments))
            print(json.dumps(lines[-1]), flush=True)
    print(f"{'what':24} {'baseline':>8} {'vrpctl train/s':>14} {'engine/s':>9} {'overhead':>14} {'load':>5}",
          file=sys.stderr)
    for m in lines:
        print(f"{m['what']:24} {'yes' if m['incl_rollout_baseline'] else '':>8} {m['by_vrpctl_per_s']:14.1f} "
              f"{m['by_engine_per_s']:9.1f} {m['around_a_step_ms']:6.2f} ms {100 * m['around_share']:+3.0f} % "
              f"{m['load1']:5.2f}", file=sys.stderr)


if __name__ == "__main__":
    main()

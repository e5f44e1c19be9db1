#!/usr/bin/env python3
"""Compares dispatch policies on days drawn from sites, as the competition EURO meets NeurIPS 2022 draws them.

Examples:
  compare_dispatch.py ../shared/data/ortec/*n2*.txt --seeds 7,8 --decisions 1 --policies greedy,sampling,model
  compare_dispatch.py SITE... --state proof --decisions 1,5 --also sampling=30   # continue it with the same command

A private vrpd with one thread simulates each site on one day per seed. All policies of a simulation take turns on the
same core and see the same days, with the same wall time for each decision. `--also POLICY=SECONDS` simulates one policy
with another time. The plan in hindsight is searched for --hindsight seconds once per day. The reference is the best of
all plans of the day: that one, and those of all policies at all times per decision.

Simulations are jobs in the folder --state: a run that was interrupted continues with the next day. Prints one JSON line
per day and policy, then one per policy: the mean gap to the reference in per cent with its 95 % interval, and the mean
difference to the policy --against in points, with its interval, over the days that both have.

Needs protoc, and the Python packages grpcio and googleapis-common-protos.
"""

import argparse
import collections
import json
import math
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

from solver_sides import ROOT, generated_messages

SECONDS_OF_LATER_HINDSIGHT = 1  # it starts from the plans of the policies, so the best plan of the day is kept
POLL_S = 5
ENDED = {"JOB_STATE_SUCCEEDED", "JOB_STATE_FAILED", "JOB_STATE_CANCELLED"}


class Simulations:
    """The simulations of a private daemon on one core."""

    def __init__(self, arguments, folder):
        import grpc
        generated_messages(folder)
        from vrp.v1 import dispatch_pb2, simulation_service_pb2
        self._policies, self._messages = dispatch_pb2.DispatchPolicy, simulation_service_pb2
        sys.path.insert(0, str(ROOT / "tests" / "e2e"))
        from daemon import Daemon
        flags = ["--threads", "1"]
        if arguments.models_dir:
            flags += ["--models-dir", str(arguments.models_dir)]
        self._daemon = Daemon(arguments.state, flags=flags, binary=arguments.build / "bin" / "vrpd")
        subprocess.run(["taskset", "--all-tasks", "--cpu-list", "--pid", str(arguments.core),
                        str(self._daemon.process.pid)], check=True, stdout=subprocess.DEVNULL)
        self._channel = grpc.insecure_channel(self._daemon.address, options=[("grpc.max_receive_message_length", -1)])

    def close(self):
        self._channel.close()
        self._daemon.stop()

    def _call(self, name, request):
        return self._channel.unary_unary(
            f"/vrp.v1.SimulationService/{name}Simulation",
            request_serializer=type(request).SerializeToString,
            response_deserializer=self._messages.Simulation.FromString)(request)

    def create(self, sites, seed, decision_s, policies, hindsight_s, model):
        """Queues one day of each site, or finds the simulation of an earlier run. Returns its name."""
        spec = self._messages.SimulationSpec(days=1, first_seed=seed, seed=seed)
        for site in sites:
            spec.sites.add().file.content = site.read_bytes()
            spec.sites[-1].file.name = site.name
        for policy in policies:
            added = spec.policies.add(policy=self._policies.Value(f"DISPATCH_POLICY_{policy.upper()}"))
            if policy == "model" and model:
                added.model = f"models/{model}"
        spec.decision_time.FromNanoseconds(round(1e9 * decision_s))
        spec.hindsight_time.FromNanoseconds(round(1e9 * hindsight_s))
        name = f"{seed}-{decision_s:g}-{'-'.join(policies)}"
        return self._call("Create", self._messages.CreateSimulationRequest(spec=spec, request_id=name)).name

    def get(self, name):
        return self._call("Get", self._messages.GetSimulationRequest(name=name))

    def state(self, simulation):
        return self._messages.Simulation.DESCRIPTOR.fields_by_name["state"].enum_type.values_by_number[
            simulation.state].name


def queue(simulations, arguments):
    """Returns (time per decision, name) of each simulation, in the order in which they run."""
    runs = [(decision, arguments.policies) for decision in arguments.decisions]
    runs += [(seconds, [policy]) for policy, seconds in arguments.also]
    return [(decision, simulations.create(arguments.sites, seed, decision, policies,
                                          arguments.hindsight if number == 0 else SECONDS_OF_LATER_HINDSIGHT,
                                          arguments.model))
            for number, (decision, policies) in enumerate(runs) for seed in arguments.seeds]


def days_of(simulation, decision):
    for results in simulation.days:
        for day in results.results:
            yield {"site": day.site, "seed": day.seed, "policy": day.policy, "decision_s": decision, "cost": day.cost,
                   "requests": day.request_count, "missed": day.missed_count, "hindsight_cost": day.hindsight_cost}


def with_gaps(days):
    """Adds the best plan of each day and the gap to it."""
    best = collections.defaultdict(lambda: math.inf)
    for day in days:
        key = day["site"], day["seed"]
        best[key] = min(best[key], day["cost"] if day["missed"] == 0 else math.inf, day["hindsight_cost"])
    return [{**day, "reference": best[day["site"], day["seed"]],
             "gap_percent": round(100 * (day["cost"] / best[day["site"], day["seed"]] - 1), 4)} for day in days]


def interval(values):
    """Returns the mean and its 95 % interval by the normal distribution, None for a single value."""
    mean = statistics.mean(values)
    if len(values) < 2:
        return round(mean, 3), None
    half = 1.96 * statistics.stdev(values) / math.sqrt(len(values))
    return round(mean, 3), [round(mean - half, 3), round(mean + half, 3)]


def summaries(days, against):
    """Yields a line per policy and time of a decision."""
    gaps = collections.defaultdict(dict)
    missed = collections.Counter()
    for day in days:
        gaps[day["policy"], day["decision_s"]][day["site"], day["seed"]] = day["gap_percent"]
        missed[day["policy"], day["decision_s"]] += day["missed"]
    for (policy, decision), own in sorted(gaps.items(), key=lambda item: (item[0][1], item[0][0])):
        mean, of_mean = interval(list(own.values()))
        line = {"policy": policy, "decision_s": decision, "days": len(own), "mean_gap_percent": mean,
                "interval": of_mean, "missed": missed[policy, decision]}
        # A policy of --also is compared with the shortest decisions.
        others = [gaps[key] for key in sorted(gaps) if key[0] == against and key != (policy, decision)]
        other = gaps.get((against, decision), others[0] if others else {})
        common = own.keys() & other.keys()
        if policy != against and common:
            mean, of_mean = interval([own[day] - other[day] for day in common])
            line |= {"against": against, "days_in_common": len(common), "difference_points": mean,
                     "interval_of_difference": of_mean,
                     "days_worse_than_it": sum(own[day] > other[day] for day in common)}
        yield line


def wait(simulations, queued):
    """Waits until all simulations have ended, with progress on stderr. Returns their days; Ctrl-C returns those so far."""
    days, waiting = [], list(queued)
    try:
        while waiting:
            decision, name = waiting[0]
            simulation = simulations.get(name)
            state = simulations.state(simulation)
            if state in ENDED:
                if state != "JOB_STATE_SUCCEEDED":
                    sys.exit(f"{name}: {state}: {simulation.error.message}")
                days += days_of(simulation, decision)
                waiting.pop(0)
                continue
            progress = simulation.progress
            print(f"simulation {len(queued) - len(waiting) + 1} of {len(queued)}, {decision:g} s a decision: "
                  f"{progress.finished_day_count} of {progress.day_count} days, load {os.getloadavg()[0]:.1f}",
                  file=sys.stderr, flush=True)
            time.sleep(POLL_S)
    except KeyboardInterrupt:
        for decision, name in waiting:
            days += days_of(simulations.get(name), decision)
        print("interrupted; the same command continues", file=sys.stderr)
    return days


def cpu_name():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def timed_policy(text):
    policy, _, seconds = text.partition("=")
    return policy, float(seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sites", nargs="+", type=pathlib.Path, help="VRPTW files")
    parser.add_argument("--seeds", type=lambda text: [int(seed) for seed in text.split(",")], default=[7, 8, 9, 10, 11],
                        help="one day of each site per seed")
    parser.add_argument("--decisions", type=lambda text: [float(s) for s in text.split(",")], default=[1.0],
                        help="seconds per decision of all policies")
    parser.add_argument("--policies", type=lambda text: text.split(","),
                        default=["greedy", "lazy", "horizon", "sampling", "model"])
    parser.add_argument("--also", type=timed_policy, action="append", default=[], metavar="POLICY=SECONDS")
    parser.add_argument("--model", help="dispatch model; default: the shipped one")
    parser.add_argument("--models-dir", type=pathlib.Path, help="folder of models; default: that of vrpd")
    parser.add_argument("--hindsight", type=float, default=60, help="seconds of the plan in hindsight of each day")
    parser.add_argument("--against", default="model", help="policy with which the others are compared")
    parser.add_argument("--state", type=pathlib.Path, help="folder that keeps the simulations")
    parser.add_argument("--build", default=ROOT / "build/dev", type=pathlib.Path, help="folder with bin/vrpd")
    parser.add_argument("--core", type=int, default=0, help="CPU core on which vrpd runs")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        simulations = Simulations(arguments, folder)
        try:
            days = with_gaps(wait(simulations, queue(simulations, arguments)))
        finally:
            simulations.close()
    for line in days:
        print(json.dumps(line))
    for line in summaries(days, arguments.against):
        print(json.dumps(line | {"cpu": cpu_name(), "load1": round(os.getloadavg()[0], 2)}), flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compares training and greedy decoding of our engine and rl4co. Their steps alternate within one run.

Needs a Python with torch and rl4co, engine_bench (built by ./dev build dev engine_bench) and rl4co's measuring script
(measure_rl4co.py), which defines the cases and their names. Both engines have the same sizes, norm (instance), batch
and problem; the attention models start from the same weights. A training step includes data generation, the rollout (and
the baseline's, if the case has one), backward, clipping and the optimiser. In greedy decoding both engines have the same
instances, so the tours and the numbers of steps are the same.

`fp32` sets both engines to float32. `best` uses the fastest setting of each engine on this machine. For rl4co, the
choices are its own or torch's attention in float32 and, if the CPU has bf16 instructions, its own in bf16 autocast. On
such a CPU our engine uses bf16.

Prints one JSON line per case, then a table. `ratio` is the ratio of the median times. `ratio_cpu` is the ratio of the
median CPU times, which depend less on other load. `ratio_least` is the ratio of the fastest steps. `spread` is
(slowest - fastest) / median of each engine. With --check, exits with 1 if a case misses its minimum ratio.

Examples:
  compare_rl4co.py --peer measure_rl4co.py
  compare_rl4co.py --peer measure_rl4co.py --cases am_cvrp20,greedy_cvrp100 --repeats 7 --precisions fp32
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from our_engine import OurEngine
from peer import ROOT, Peer, quiet_openmp

# name: case of measure_rl4co.py, its arguments, our arguments, (goal, minimum) of the ratio in fp32, the same in best
CASES = {
    "am_cvrp10": ("am_train", {"sizes": "10", "train_batch": 128}, {"problem": "cvrp", "customers": 10}, (5, 3), (5, 2)),
    "am_cvrp20": ("am_train", {"sizes": "20", "train_batch": 512}, {"problem": "cvrp", "customers": 20}, (5, 3), (5, 2)),
    "am_cvrp50": ("am_train", {"sizes": "50", "train_batch": 512}, {"problem": "cvrp", "customers": 50}, (5, 3), (5, 2)),
    "pomo_cvrp50": ("pomo_train", {"pomo_size": 50, "pomo_batch": 64},
                    {"problem": "cvrp", "customers": 50, "starts": 50}, (5, 3), (5, 2)),
    "ptr_tsp50": ("ptr_train", {"ptr_size": 50, "train_batch": 512},
                  {"architecture": "ptrnet", "problem": "tsp", "customers": 50}, (8, 4), (5, 3)),
    "greedy_cvrp50": ("greedy", {"infer_sizes": "50", "infer_batch": 256}, {"problem": "cvrp", "customers": 50},
                      (8, 4), (8, 4)),
    "greedy_cvrp100": ("greedy", {"infer_sizes": "100", "infer_batch": 256}, {"problem": "cvrp", "customers": 100},
                       (8, 4), (8, 4)),
    "pomo_greedy_cvrp100": ("pomo_greedy", {"infer_sizes": "100"}, {"problem": "cvrp", "customers": 100, "starts": 100},
                            (10, 4), (10, 4)),
}
VARIANTS = (("none", "default"), ("none", "simple"), ("bf16", "simple"))


def has_bf16():
    return "avx512_bf16" in pathlib.Path("/proc/cpuinfo").read_text()


class Comparison:
    """A comparison of both engines on one case in one precision."""

    def __init__(self, name, precision, arguments):
        self.name, self.precision, self.arguments = name, precision, arguments
        self.peer_case, self.peer_arguments, self.ours, *goals = CASES[name]
        self.goal, self.least = goals[precision == "best"]
        self.peer = Peer(arguments.peer, arguments.threads)
        from_parity = ROOT / "tests" / "parity"
        sys.path.insert(0, str(from_parity))
        import rl4co_reference
        self.reference = rl4co_reference
        self.folder = tempfile.TemporaryDirectory()
        self.current = {}
        self.results = []

    def wrappers(self):
        """Returns wrappers of the script's functions that record the next measurement."""
        def train(original):
            def call(name, env, policy, batch, with_rollout, call_kw=None):
                self.current = {"batch": batch, "policy": policy, "request":
                                "step rollout" if with_rollout else "step exponential"}
                original(name, env, policy, batch, with_rollout, call_kw)
            return call

        def infer(original):
            def call(name, env, policy, batch, repeats, call_kw, n_traj=1):
                generate = env.generator._generate

                def generate_and_keep(batch_size):
                    env.generator._generate = generate
                    data = self.reference.make_instances(env, batch_size[0])
                    instances = self.reference.instance_tensors(data, "cvrp")
                    self.current["instances"] = self.write_instances(instances)
                    return data

                env.generator._generate = generate_and_keep
                self.current = {"batch": batch, "policy": policy, "request": f"greedy {n_traj}"}
                original(name, env, policy, batch, repeats, call_kw, n_traj)
            return call

        return {"train_case": train, "infer_case": infer}

    def write_instances(self, tensors):
        path = pathlib.Path(self.folder.name, "instances.safetensors")
        path.write_bytes(self.reference.weights.safetensors_bytes(tensors, {"kind": "cvrp"}))
        return path

    def write_model(self, policy):
        path = pathlib.Path(self.folder.name, "model")
        self.reference.weights.write_model(path, self.reference.our_weights(policy),
                                           self.reference.our_options(policy))
        return path

    def start_ours(self):
        current = self.current or {"batch": self.peer.arguments.pomo_batch, "policy": self.peer.names["policy"],
                                   "request": "step shared"}
        case = dict(self.ours, batch=current["batch"], threads=self.arguments.threads, seed=1234,
                    instances=current.get("instances"), bf16=int(self.precision == "best" and has_bf16()))
        if case.get("architecture", "gt") == "gt":
            case["model"] = self.write_model(current["policy"])
        return OurEngine(self.arguments.program, **case), current

    def alternate(self, step):
        """Alternates steps of both engines, adds the times to self.results, and returns the peer's times and value."""
        ours, current = self.start_ours()
        peer_times, peer_cpu, answers = [], [], []
        with ours:
            for turn in range(-self.arguments.warmup, self.arguments.repeats):
                answer = ours.ask(current["request"])
                cpu, begin = time.process_time(), time.perf_counter()
                value = step()
                seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
                if turn >= 0:
                    answers.append(answer)
                    peer_times.append(seconds)
                    peer_cpu.append(cpu)
        self.results.append({"about": ours.about, "answers": answers, "peer_times": peer_times, "peer_cpu": peer_cpu})
        return peer_times, value

    def choose_variant(self):
        """Returns rl4co's fastest variant on this machine, by one step of each after a warm-up step."""
        if self.precision == "fp32":
            return VARIANTS[0]
        seconds = {}
        for variant in VARIANTS if has_bf16() else VARIANTS[:2]:
            self.peer.set_precision(*variant)
            times = []

            def one(step, times=times):
                value = step()
                begin = time.perf_counter()
                step()
                times.append(time.perf_counter() - begin)
                return times[-1:], value

            self.peer.run_case(self.peer_case, one, **self.peer_arguments)
            seconds[variant] = sum(times)
        return min(seconds, key=seconds.get)

    def run(self):
        variant = self.choose_variant()
        self.peer.set_precision(*variant)
        lines = self.peer.run_case(self.peer_case, self.alternate, self.wrappers(), **self.peer_arguments)
        for line, result in zip(lines, self.results, strict=True):
            print(json.dumps(self.summary(line, result)), flush=True)

    def summary(self, line, result):
        answers, per_step = result["answers"], line["batch"] * line.get("starts", 1)
        theirs = timing(result["peer_times"], result["peer_cpu"], per_step)
        ours = timing([a["seconds"] for a in answers], [a["cpu_s"] for a in answers], per_step)
        theirs |= {key: line[key] for key in ("decoded_steps", "amp", "sdpa", "peak_mem_mib")}
        ours |= {"decoded_steps": answers[-1]["decoded_steps"], "peak_mem_mib": answers[-1]["peak_mem_mib"],
                 "loaded_mib": result["about"]["rss_mib"], "params": result["about"]["params"]}
        if "phases" in answers[-1]:
            ours["phases_s"] = {name: statistics.median(a["phases"].get(name, 0) for a in answers)
                                for name in answers[-1]["phases"]}
        return {"what": line["what"], "batch": line["batch"],
                "incl_rollout_baseline": line.get("incl_rollout_baseline"), "precision": self.precision,
                "ratio": round(theirs["step_s"] / ours["step_s"], 2),
                "ratio_cpu": round(theirs["cpu_s"] / ours["cpu_s"], 2),
                "ratio_least": round(min(result["peer_times"]) / min(a["seconds"] for a in answers), 2),
                "goal": self.goal, "least": self.least, "rl4co": theirs, "ours": ours,
                "threads": self.arguments.threads, "load1": round(os.getloadavg()[0], 2)}


def timing(times, cpu, per_step):
    median = statistics.median(times)
    return {"step_s": round(median, 6), "per_s": round(per_step / median, 2),
            "spread": round((max(times) - min(times)) / median, 2), "cpu_s": round(statistics.median(cpu), 6),
            "times_s": [round(t, 6) for t in times]}


def table(lines):
    print(f"{'what':34} {'batch':>5} {'baseline':>8} {'prec.':>5} {'rl4co/s':>9} {'ours/s':>9} {'ratio':>6} {'cpu':>6} "
          f"{'goal':>5} {'min.':>5} {'MiB':>11} {'load':>5} {'spread':>9}", file=sys.stderr)
    for m in lines:
        ours, theirs = m["ours"], m["rl4co"]
        print(f"{m['what']:34} {m['batch']:5} {'yes' if m['incl_rollout_baseline'] else '':>8} {m['precision']:>5} "
              f"{theirs['per_s']:9.1f} {ours['per_s']:9.1f} {m['ratio']:6.2f} {m['ratio_cpu']:6.2f} {m['goal']:5} "
              f"{m['least']:5} {theirs['peak_mem_mib']:5.0f}/{ours['peak_mem_mib']:5.0f} {m['load1']:5.2f} "
              f"{theirs['spread']:4.2f}/{ours['spread']:4.2f}", file=sys.stderr)


def measure_in_own_process(case, precision, arguments):
    """Runs one case in a separate process, so that the process's peak memory is the case's. Yields the printed results."""
    command = [sys.executable, __file__, "--only", case, "--precisions", precision]
    for name in ("peer", "program", "threads", "warmup", "repeats"):
        command += [f"--{name}", str(getattr(arguments, name))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            yield json.loads(line)
    if process.returncode:
        print(f"compare_rl4co: {case} ({precision}) ended with code {process.returncode}; its error is above",
              file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", type=pathlib.Path, required=True, help="path of measure_rl4co.py")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "dev" / "bench" / "engine_bench")
    parser.add_argument("--cases", default=",".join(CASES), help="cases to run, comma separated")
    parser.add_argument("--precisions", default="fp32,best")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--warmup", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--check", action="store_true", help="exit with 1 if a case misses its minimum ratio")
    parser.add_argument("--only", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only:
        quiet_openmp()
        Comparison(arguments.only, arguments.precisions, arguments).run()
        return 0
    lines = [line for case in arguments.cases.split(",") for precision in arguments.precisions.split(",")
             for line in measure_in_own_process(case, precision, arguments)]
    table(lines)
    return 1 if arguments.check and any(line["ratio"] < line["least"] for line in lines) else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Compares learning curves of our engine and rl4co from the same initial weights, as the cost on fixed instances.

Needs a Python with torch and rl4co, and engine_bench (built by ./dev build dev engine_bench). A side is one of the
trainers ours_fp32, ours_bf16, ours_all and rl4co. All sides train with REINFORCE as in Kool et al. (2019). They use
fresh instances, Adam, and gradients clipped to norm 1. The baseline is a moving average in the first epoch, then the
greedy rollout of a frozen copy of the network. After each epoch, this program replaces the copy if a paired t-test
(one-sided, 5 %) on fixed instances finds the network better.

All networks see instances moved and scaled into the unit square; costs are in the instances' own unit. The weights of
the inputs that rl4co lacks stay 0, except in ours_all, which trains them too. On a CPU without bf16 products, ours_bf16
emulates the products, so the pace of ours_bf16 is meaningless.

Stores every curve in --cache, in a file named after the settings. Reads the curves of sides that are not run from
--cache. Prints one JSON line per checkpoint, then two tables. The first, by instances seen, has the mean over the
seeds. With several seeds it marks sides that differ from rl4co by more than two standard errors (of the seeds), or by
more than 0.001 before the first step. The second, by wall time, uses the seconds per step that --pace measures with
alternating sides. The curves themselves may therefore come from a busy machine. Exits with 1 if a side is marked.

Examples:
  learning_curves.py                                            full run: hours on two cores, mostly for rl4co
  learning_curves.py --sides ours_fp32                          reruns our side; the cache has the others
  learning_curves.py --batch 128 --steps 1000 --epoch-steps 100 about half an hour
  learning_curves.py --steps 20 --epoch-steps 5 --batch 32 --evaluate 200 --baseline-instances 100 --seeds 0,1   a quick try
"""

import argparse
import json
import math
import os
import pathlib
import statistics
import sys
import tempfile

from curve_sides import Ours, Rl4co
from peer import ROOT, quiet_openmp

# Further arguments of engine_bench, and whether only the parameters that rl4co has are trained.
SIDES = {"ours_fp32": ({}, True), "ours_bf16": ({"bf16": 1}, True), "ours_all": ({}, False), "rl4co": None}
Z_95 = 1.645  # one-sided; the t-test has nearly this bound with hundreds of instances
SETTINGS = ("customers", "batch", "steps", "epoch_steps", "checkpoints", "evaluate", "baseline_instances",
            "learning_rate")


def is_better(candidate, frozen):
    """Whether the candidate's costs are lower, by the paired t-test."""
    differences = [a - b for a, b in zip(candidate, frozen, strict=True)]
    mean, deviation = statistics.fmean(differences), statistics.stdev(differences)
    return mean < 0 and (deviation == 0 or mean / (deviation / math.sqrt(len(differences))) < -Z_95)


class Curves:
    """A trainer of the sides that stores their curves."""

    def __init__(self, arguments, folder):
        sys.path.insert(0, str(ROOT / "tests" / "parity"))
        import rl4co_reference as reference
        import torch
        torch.set_num_threads(arguments.threads)
        torch.manual_seed(4321)
        self.reference, self.arguments, self.folder = reference, arguments, pathlib.Path(folder)
        env = reference.make_env("cvrp", arguments.customers)
        self.data, self.files = {}, {}
        for name, count in (("evaluate", arguments.evaluate), ("baseline", arguments.baseline_instances)):
            data, sides = reference.scaled_instances(env, count)
            tensors = reference.instance_tensors(data, "cvrp")
            tensors["positions"] = tensors["positions"] * sides.double()[:, None, None]
            self.data[name] = (data, sides)
            self.files[name] = self.folder / f"{name}.safetensors"
            self.files[name].write_bytes(reference.weights.safetensors_bytes(tensors, {"kind": "cvrp"}))

    def make(self, name, seed):
        policy = self.reference.make_untrained("cvrp", {"normalization": "instance"}, seed)
        if name == "rl4co":
            return Rl4co(self.arguments, self.reference, policy, self.data, seed)
        model = self.folder / f"model-{seed}"
        weights, options = self.reference.our_weights(policy), self.reference.our_options(policy)
        self.reference.weights.write_model(model, weights, options)
        case, only_theirs = SIDES[name]
        if only_theirs:
            case = dict(case, learned=self.folder / "learned")
            self.reference.weights.write_model(case["learned"], self.reference.our_mask(policy), options)
        return Ours(self.arguments, model, self.files, seed, **case)

    def cached(self, name, seed):
        settings = "-".join(f"{key[0]}{getattr(self.arguments, key)}" for key in SETTINGS)
        return self.arguments.cache / f"{name}-{settings}-seed{seed}.jsonl"

    def curve(self, name, seed):
        """Trains a side from the start and returns its checkpoints."""
        arguments, side, lines = self.arguments, self.make(name, seed), []
        interval = arguments.steps // arguments.checkpoints
        for step in range(arguments.steps + 1):
            if step % interval == 0:
                lines.append({"what": f"learning_curve_cvrp{arguments.customers}", "side": name, "seed": seed,
                              "step": step, "instances_seen": step * arguments.batch,
                              "train_s": round(side.seconds, 3), "train_cpu_s": round(side.cpu_seconds, 3),
                              "cost": round(side.evaluate(), 5), "load1": round(os.getloadavg()[0], 2)})
                print(json.dumps(lines[-1]), flush=True)
                self.cached(name, seed).write_text("".join(json.dumps(line) + "\n" for line in lines))
            if step == arguments.steps:
                break
            side.step("exponential" if step < arguments.epoch_steps else "rollout")
            if (step + 1) % arguments.epoch_steps == 0 and is_better(side.costs("network"), side.costs("frozen")):
                side.freeze()
        side.close()
        return lines

    def all_curves(self):
        """Trains the requested sides. Returns their lines and those of cached sides, whose curves may be incomplete."""
        wanted, lines = self.arguments.sides.split(","), []
        for seed in map(int, self.arguments.seeds.split(",")):
            for name in SIDES:
                if name in wanted:
                    lines += self.curve(name, seed)
                elif self.cached(name, seed).exists():
                    lines += [json.loads(line) for line in self.cached(name, seed).read_text().splitlines()]
        return lines

    def pace(self, names, steps):
        """Alternates steps of all sides and returns the median seconds of a step with the rollout baseline."""
        sides, seconds = {name: self.make(name, 0) for name in names}, {name: [] for name in names}
        for turn in range(steps + 2):
            for name, side in sides.items():
                before = side.seconds
                side.step("rollout")
                if turn >= 2:
                    seconds[name].append(side.seconds - before)
        for side in sides.values():
            side.close()
        for name, times in seconds.items():
            print(json.dumps({"what": "pace", "side": name, "step_s": round(statistics.median(times), 5),
                              "spread": round((max(times) - min(times)) / statistics.median(times), 2),
                              "load1": round(os.getloadavg()[0], 2)}), flush=True)
        return {name: statistics.median(times) for name, times in seconds.items()}


def costs_by_step(lines, side):
    """Returns the list of all seeds' costs for each step."""
    costs = {}
    for line in lines:
        if line["side"] == side:
            costs.setdefault(line["step"], []).append(line["cost"])
    return costs


def table_by_instances(lines, batch):
    """Prints each side's mean cost and its difference from rl4co's.

    Returns whether no side is marked."""
    agree, theirs = True, costs_by_step(lines, "rl4co")
    sides = [side for side in SIDES if any(line["side"] == side for line in lines)]
    for step in sorted({line["step"] for line in lines}):
        text = f"{step * batch:12,} instances"
        for side in sides:
            costs = costs_by_step(lines, side).get(step, [])
            if not costs:  # the side has not reached this step
                continue
            text += f"  {side} {statistics.fmean(costs):8.4f}"
            if side == "rl4co" or len(costs) < 2 or len(theirs.get(step, [])) < 2:
                continue
            error = math.sqrt(sum(statistics.variance(c) / len(c) for c in (costs, theirs[step])))
            difference = statistics.fmean(costs) - statistics.fmean(theirs[step])
            # All sides start from the same weights, so only ties and rounding can differ at step 0.
            within = abs(difference) <= (1e-3 if step == 0 else 2 * error)
            agree &= within
            text += f" ({difference:+.4f}, 2 SE {2 * error:.4f}{'' if within else ' BEYOND'})"
        print(text, file=sys.stderr)
    return agree


def seconds_to(cost, curve, pace):
    """Returns the seconds until a curve [(step, cost)] reaches `cost`, interpolated linearly; None if it never does."""
    for (step, high), (next_step, low) in zip(curve, curve[1:], strict=False):
        if low <= cost:
            share = (high - cost) / (high - low) if high > cost else 0
            return pace * (step + share * (next_step - step))
    return None


def table_by_seconds(lines, pace):
    """Prints when rl4co and the other sides reach the cost of each of rl4co's checkpoints."""
    curves = {side: sorted((step, statistics.fmean(costs)) for step, costs in costs_by_step(lines, side).items())
              for side in pace}
    for step, cost in curves["rl4co"][1:]:
        text = f"cost {cost:8.4f}  rl4co after {step * pace['rl4co']:8.1f} s"
        for side in (side for side in curves if side != "rl4co"):
            seconds = seconds_to(cost, curves[side], pace[side])
            text += f"  {side} " + (f"{seconds:8.1f} s ({step * pace['rl4co'] / seconds:.1f}x)" if seconds else "not")
        print(text, file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "dev" / "bench" / "engine_bench")
    parser.add_argument("--cache", type=pathlib.Path, default=ROOT / "build" / "learning_curves")
    parser.add_argument("--customers", type=int, default=20)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--steps", type=int, default=2500, help="train for this many steps")
    parser.add_argument("--epoch-steps", type=int, default=250)
    parser.add_argument("--checkpoints", type=int, default=5)
    parser.add_argument("--learning-rate", type=float, default=1e-4)
    parser.add_argument("--seeds", default="0,1,2", help="use these seeds, comma separated")
    parser.add_argument("--evaluate", type=int, default=10000, help="evaluate on this many instances")
    parser.add_argument("--baseline-instances", type=int, default=1000, help="use this many instances in the t-test")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--pace", type=int, default=10, help="time this many steps of each side; 0 skips the timing")
    parser.add_argument("--sides", default="ours_fp32,ours_bf16,rl4co",
                        help="run these sides, comma separated; \"none\" uses only the cache")
    arguments = parser.parse_args()
    quiet_openmp()
    arguments.cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        curves = Curves(arguments, folder)
        lines = curves.all_curves()
        agree = table_by_instances(lines, arguments.batch)
        sides = [side for side in SIDES if any(line["side"] == side for line in lines)]
        if arguments.pace and "rl4co" in sides:
            table_by_seconds(lines, curves.pace(sides, arguments.pace))
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())

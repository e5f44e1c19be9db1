#!/usr/bin/env python3
"""Learning curves of our engine and of rl4co: the same initial weights, the same method, the cost on fixed instances.

Needs a Python with torch and rl4co, and engine_bench (built by ./dev bench). REINFORCE as Kool et al. 2019: batches of
fresh instances, a moving average as the baseline in the first epoch, then the greedy rollout of a frozen copy, which
the network replaces after an epoch where a paired t-test (one-sided, 5 %) on fixed instances says that it is better;
Adam, gradients clipped to norm 1. This program decides when, for every side alike. rl4co's networks see instances as
ours do, moved and scaled into the unit square; costs are in the instances' own unit.

Prints a JSON line for each seed, side and checkpoint, then a table: the mean over the seeds, and whether a side's
differs from rl4co's by more than two standard errors (of the seeds). Seconds are those of the training steps alone.

Examples:
  learning_curves.py                                              the whole: hours on two cores, rl4co's share most of it
  learning_curves.py --steps 100 --epoch-steps 25 --batch 128 --evaluate 2000 --baseline-instances 500     minutes
"""

import argparse
import copy
import json
import math
import os
import pathlib
import statistics
import sys
import tempfile
import time

from our_engine import OurEngine
from peer import ROOT, quiet_openmp

SIDES = ("ours_fp32", "ours_bf16", "rl4co")
Z_95 = 1.645  # one-sided; the t-test's at hundreds of instances


def better(candidate, frozen):
    """Whether the candidate's costs are lower, by the paired t-test."""
    differences = [a - b for a, b in zip(candidate, frozen, strict=True)]
    mean = statistics.fmean(differences)
    return mean < 0 and mean / (statistics.stdev(differences) / math.sqrt(len(differences))) < -Z_95


class Ours:
    def __init__(self, arguments, model, files, seed, bf16):
        self.engine = OurEngine(arguments.program, problem="cvrp", customers=arguments.customers, batch=arguments.batch,
                                threads=arguments.threads, seed=1000 + seed, model=model, instances=files["evaluate"],
                                baseline_instances=files["baseline"], bf16=int(bf16))
        self.seconds = 0.0

    def step(self, baseline):
        self.seconds += self.engine.ask(f"step {baseline}")["seconds"]

    def costs(self, which):
        return self.engine.ask(f"costs {which}")["costs"]

    def freeze(self):
        self.engine.ask("freeze")

    def evaluate(self):
        return self.engine.ask("greedy")["cost"]

    def close(self):
        self.engine.close()


class Rl4co:
    """The same with rl4co's policy and environment, and torch's Adam."""

    def __init__(self, arguments, reference, policy, data, seed):
        import torch
        self.torch, self.reference, self.arguments, self.data = torch, reference, arguments, data
        self.env = reference.make_env("cvrp", arguments.customers)
        self.policy = copy.deepcopy(policy).train()
        self.frozen = copy.deepcopy(policy).eval()
        self.optimiser = torch.optim.Adam(self.policy.parameters(), lr=1e-4)
        self.average, self.seconds = None, 0.0
        torch.manual_seed(1000 + seed)

    def step(self, baseline):
        torch, begin = self.torch, time.perf_counter()
        data, sides = self.reference.scaled_instances(self.env, self.arguments.batch)
        state = self.env.reset(data)
        before = state.clone()
        out = self.policy(state, self.env, phase="train")
        costs = -out["reward"] * sides
        if baseline == "rollout":
            with torch.inference_mode():
                expected = -self.frozen(before, self.env, phase="test", decode_type="greedy")["reward"] * sides
            expected = expected.clone()
        else:
            expected = costs.mean().detach() if self.average is None else self.average
        self.average = (costs.mean().detach() if self.average is None
                        else 0.8 * self.average + 0.2 * costs.mean().detach())
        loss = ((costs - expected) * out["log_likelihood"]).mean()
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.policy.parameters(), 1.0)
        self.optimiser.step()
        self.seconds += time.perf_counter() - begin

    def greedy_costs(self, policy, data, sides):
        policy.eval()
        costs = self.reference.greedy(policy, self.env, data, 1, batch=500)[1][:, 0] * sides
        self.policy.train()
        return costs.tolist()

    def costs(self, which):
        return self.greedy_costs(self.policy if which == "network" else self.frozen, *self.data["baseline"])

    def freeze(self):
        self.frozen = copy.deepcopy(self.policy).eval()

    def evaluate(self):
        return statistics.fmean(self.greedy_costs(self.policy, *self.data["evaluate"]))

    def close(self):
        pass


def epoch_steps(side, steps, first, arguments):
    """Trains by `steps` steps from step number `first`; replaces the baseline at the ends of epochs."""
    for step in range(first, first + steps):
        side.step("exponential" if step < arguments.epoch_steps else "rollout")
        if (step + 1) % arguments.epoch_steps == 0 and better(side.costs("network"), side.costs("frozen")):
            side.freeze()


def curves_of_seed(seed, arguments, reference, data, files, folder):
    policy = reference.make_untrained("cvrp", {"normalization": "instance"}, seed)
    model = pathlib.Path(folder, f"model-{seed}")
    reference.weights.write_model(model, reference.our_weights(policy), reference.our_options(policy))
    make = {"ours_fp32": lambda: Ours(arguments, model, files, seed, False),
            "ours_bf16": lambda: Ours(arguments, model, files, seed, True),
            "rl4co": lambda: Rl4co(arguments, reference, policy, data, seed)}
    sides = {name: make[name]() for name in arguments.sides.split(",")}
    between = arguments.steps // arguments.checkpoints
    lines = []
    for checkpoint in range(arguments.checkpoints + 1):
        for name, side in sides.items():  # in turns, so that other load on the machine is shared
            if checkpoint:
                epoch_steps(side, between, (checkpoint - 1) * between, arguments)
            lines.append({"what": "learning_curve_cvrp%d" % arguments.customers, "seed": seed, "side": name,
                          "instances_seen": checkpoint * between * arguments.batch,
                          "train_s": round(side.seconds, 3), "cost": round(side.evaluate(), 5),
                          "load1": round(os.getloadavg()[0], 2)})
            print(json.dumps(lines[-1]), flush=True)
    for side in sides.values():
        side.close()
    return lines


def table(lines, sides):
    """Per checkpoint: each side's mean cost and seconds; its difference from rl4co's in standard errors."""
    agree = True
    for seen in sorted({line["instances_seen"] for line in lines}):
        costs = {side: [m["cost"] for m in lines if m["side"] == side and m["instances_seen"] == seen] for side in sides}
        text = f"{seen:12,}"
        for side in sides:
            seconds = statistics.fmean(m["train_s"] for m in lines if m["side"] == side and m["instances_seen"] == seen)
            text += f"  {side} {statistics.fmean(costs[side]):8.4f} {seconds:8.1f} s"
            if side != "rl4co" and "rl4co" in sides and len(costs[side]) > 1:
                error = math.sqrt(sum(statistics.variance(costs[s]) / len(costs[s]) for s in (side, "rl4co")))
                difference = statistics.fmean(costs[side]) - statistics.fmean(costs["rl4co"])
                within = abs(difference) <= 2 * error or seen == 0 and abs(difference) < 1e-3
                agree &= within
                text += f" ({difference:+.4f}, 2 SE {2 * error:.4f}{'' if within else ' BEYOND'})"
        print(text, file=sys.stderr)
    return agree


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "dev" / "bench" / "engine_bench")
    parser.add_argument("--customers", type=int, default=20)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--steps", type=int, default=2500, help="training steps")
    parser.add_argument("--epoch-steps", type=int, default=250)
    parser.add_argument("--checkpoints", type=int, default=5)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--evaluate", type=int, default=10000, help="instances on which the cost is taken")
    parser.add_argument("--baseline-instances", type=int, default=1000, help="of the t-test")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--sides", help="comma separated, of " + ", ".join(SIDES) +
                        "; default: all, bf16 only where the CPU has it in hardware")
    arguments = parser.parse_args()
    quiet_openmp()
    if not arguments.sides:
        bf16 = "avx512_bf16" in pathlib.Path("/proc/cpuinfo").read_text()
        arguments.sides = ",".join(side for side in SIDES if bf16 or side != "ours_bf16")
    sys.path.insert(0, str(ROOT / "tests" / "parity"))
    import rl4co_reference as reference
    import torch
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(4321)
    env = reference.make_env("cvrp", arguments.customers)
    data, files = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for name, count in (("evaluate", arguments.evaluate), ("baseline", arguments.baseline_instances)):
            data[name] = reference.scaled_instances(env, count)
            tensors = reference.instance_tensors(data[name][0], "cvrp")
            tensors["positions"] = tensors["positions"] * data[name][1].double()[:, None, None]
            files[name] = pathlib.Path(folder, name + ".safetensors")
            files[name].write_bytes(reference.weights.safetensors_bytes(tensors, {"kind": "cvrp"}))
        lines = [line for seed in range(arguments.seeds)
                 for line in curves_of_seed(seed, arguments, reference, data, files, folder)]
    return 0 if table(lines, arguments.sides.split(",")) else 1


if __name__ == "__main__":
    sys.exit(main())

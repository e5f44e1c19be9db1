"""Trains our engine and rl4co's policy by the same method, for learning_curves.py.

Each class has step(baseline), costs(network or frozen) of the baseline's instances, freeze(), evaluate() and close().
It adds up the seconds and CPU seconds of its steps.
"""

import copy
import pathlib
import statistics
import time

from our_engine import OurEngine


def emulation(case):
    """Returns environment variables that make the engine emulate bf16 products if the CPU's are missing or slow.

    Speed does not affect the curve.
    """
    cpu = pathlib.Path("/proc/cpuinfo").read_text()
    fast = "amx_bf16" in cpu or ("avx512_bf16" in cpu and "AuthenticAMD" in cpu)
    return {"VRP_ISA": "avx512_bf16_emulated"} if case.get("bf16") and not fast else {}


class Ours:
    """A training run of our engine."""

    def __init__(self, arguments, model, files, seed, **case):
        self.engine = OurEngine(arguments.program, environment=emulation(case), problem="cvrp",
                                customers=arguments.customers, batch=arguments.batch, threads=arguments.threads,
                                seed=1000 + seed, model=model, instances=files["evaluate"],
                                baseline_instances=files["baseline"], learning_rate=arguments.learning_rate, **case)
        if case.get("bf16") and self.engine.about["bf16"] == "none":
            raise SystemExit("ours_bf16: this CPU has neither bf16 products nor AVX-512 to emulate them")
        self.seconds = self.cpu_seconds = 0.0

    def step(self, baseline):
        answer = self.engine.ask(f"step {baseline}")
        self.seconds += answer["seconds"]
        self.cpu_seconds += answer["cpu_s"]

    def costs(self, which):
        return self.engine.ask(f"costs {which}")["costs"]

    def freeze(self):
        self.engine.ask("freeze")

    def evaluate(self):
        return self.engine.ask("greedy")["cost"]

    def close(self):
        self.engine.close()


class Rl4co:
    """A training run of rl4co's policy in its environment, with torch's Adam."""

    def __init__(self, arguments, reference, policy, data, seed):
        import torch
        self.torch, self.reference, self.arguments, self.data = torch, reference, arguments, data
        self.env = reference.make_env("cvrp", arguments.customers)
        self.policy = copy.deepcopy(policy).train()
        self.frozen = copy.deepcopy(policy).eval()
        self.optimiser = torch.optim.Adam(self.policy.parameters(), lr=arguments.learning_rate)
        self.average = None
        self.seconds = self.cpu_seconds = 0.0
        torch.manual_seed(1000 + seed)

    def step(self, baseline):
        torch, begin, cpu = self.torch, time.perf_counter(), time.process_time()
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
        self.cpu_seconds += time.process_time() - cpu

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

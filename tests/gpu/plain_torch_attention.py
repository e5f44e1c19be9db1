#!/usr/bin/env python3
"""Compares the attention model in plain torch, trained and decoded like rl4co, with engine_bench on the same GPU.

rl4co need not be installed: plain_torch_model.py is its model. It uses autocast to bf16, sampling step by step with
autograd through all steps, Adam, and gradients clipped to norm 1. rl4co's overhead (checks of each choice,
TensorDicts, Lightning) is left out, so this model is no slower than rl4co.

Both implementations have the same weights and draw instances from the same distribution. Before the measurement, their
greedy tours of the same instances must cost the same. Then each is measured with growing batches until memory or time
runs out, and its best result counts. A training step includes drawing its data, rollout, backward, clipping and the
optimiser. Prints one JSON line.

Examples:
  plain_torch_attention.py --case am_cvrp50
  plain_torch_attention.py --case pomo_cvrp50 --device cpu --batches 8,16 --program build/dev/bench/engine_bench
"""

import argparse
import dataclasses
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "models"), str(ROOT / "tests" / "bench")]

import import_weights  # noqa: E402
from gpu_machine import bundle_environment  # noqa: E402
from our_engine import OurEngine  # noqa: E402
from plain_torch_model import CAPACITIES, CLIP, HEADS, AttentionModel, Instances, draw_instances  # noqa: E402

WARM_STEPS, TIMED_STEPS = 3, 7
BACK_TO_BACK_S = 0.3  # duration of the steps that are enqueued back to back
AGREED_INSTANCES, AGREED = 64, 1e-3  # instances and relative tolerance of the comparison of greedy costs


@dataclasses.dataclass(frozen=True)
class Case:
    customers: int
    request: str  # request to engine_bench
    batches: tuple
    layers: int = 3
    starts: int = 1
    goal: float = 10
    min_ratio: float = 5


GROWING = (512, 2048, 8192, 32768)
CASES = {
    "am_cvrp50": Case(50, "step exponential", GROWING),
    "am_cvrp100": Case(100, "step exponential", GROWING),
    "pomo_cvrp50": Case(50, "step shared", (64, 512, 2048, 4096), layers=6, starts=50),
    "pomo_cvrp100": Case(100, "step shared", (32, 256, 1024, 2048), layers=6, starts=100),
    "greedy_cvrp100": Case(100, "greedy", (1, 256, 2048, 10000)),
    # Only for our engine: forced decoding along given labels, batch 64, as in
    # configs/ptrnet_supervised.yaml.
    "pointer_cvrp20": Case(20, "step", (64,)),
}
POINTER_SIZES = '{"hidden": 256, "layers": 2, "dropout": 0.2, "logit_clip": 10}'
SUPERVISED_STEPS = 157 * 50  # steps of configs/ptrnet_supervised.yaml


class PlainTorch:
    """The attention model in plain torch, trained and decoded."""

    def __init__(self, case, options):
        self._case, self._device = case, torch.device(options.device)
        self._bf16 = options.precision == "bf16"
        torch.manual_seed(1234)
        self.model = AttentionModel(case.layers, case.starts).to(self._device)
        self._optimiser = torch.optim.Adam(self.model.parameters(), lr=1e-4, fused=self._device.type == "cuda")
        self._average = None

    def _autocast(self):
        return torch.autocast(self._device.type, dtype=torch.bfloat16, enabled=self._bf16)

    def step(self, batch):
        data = draw_instances(self._case.customers, batch, self._device)
        with self._autocast():
            tours = self.model(data, sample=True)
        if self._case.starts > 1:
            baseline = tours.costs.mean(1, keepdim=True)
        else:
            mean = tours.costs.mean().detach()
            self._average = mean if self._average is None else 0.8 * self._average + 0.2 * mean
            baseline = self._average
        loss = ((tours.costs - baseline) * tours.log_likelihoods).mean()
        self._optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self._optimiser.step()
        return tours.steps

    def greedy(self, batch):
        data = draw_instances(self._case.customers, batch, self._device)
        with torch.inference_mode(), self._autocast():
            return self.model(data, sample=False).steps

    def greedy_costs(self, data):
        data = Instances(data.positions.to(self._device), data.shares.to(self._device))
        torch.set_float32_matmul_precision("highest")
        with torch.inference_mode():
            costs = self.model(data, sample=False).costs
        torch.set_float32_matmul_precision("medium")  # as rl4co's trainer sets it
        return costs

    def _synchronize(self):
        if self._device.type == "cuda":
            torch.cuda.synchronize()

    def measure(self, batch, until):
        one = self.greedy if self._case.request == "greedy" else self.step
        if self._device.type == "cuda":
            torch.cuda.reset_peak_memory_stats()
        times = []
        for turn in range(-WARM_STEPS, TIMED_STEPS):
            self._synchronize()
            begin = time.perf_counter()
            steps = one(batch)
            self._synchronize()
            if turn >= 0:
                times.append(time.perf_counter() - begin)
            if time.monotonic() > until and times:
                break
        peak = torch.cuda.max_memory_allocated() / 2**20 if self._device.type == "cuda" else 0
        return {"times_s": times, "decoded_steps": steps, "peak_mem_mib": round(peak)}


class Ours:
    """engine_bench with the same weights."""

    def __init__(self, case, options, folder, weights):
        self._case, self._options, self._folder = case, options, pathlib.Path(folder)
        self._environment = bundle_environment(options.bundle) if options.bundle else None
        program = options.program or options.bundle.resolve() / "bench" / "engine_bench"
        self._program = program
        if weights is None:
            self._network = {"architecture": "ptrnet", "sizes": POINTER_SIZES, "supervised": 1}
        else:
            tensors = import_weights.convert(weights, graph_context=case.starts == 1)
            import_weights.write_model(self._folder / "model", tensors,
                                       import_weights.options_of(tensors, HEADS, CLIP))
            self._network = {"model": self._folder / "model", "starts": case.starts}

    def engine(self, batch, **more):
        case = dict(self._network, problem="cvrp", customers=self._case.customers, batch=batch, device=self._options.device,
                    threads=len(os.sched_getaffinity(0)), seed=1234, **more)
        return OurEngine(self._program, self._environment, **case)

    def write_instances(self, data):
        """Writes instances in the format of tests/parity/parity_case.h."""
        capacity = float(CAPACITIES[self._case.customers])
        demands = (data.shares.double() * capacity).round()
        path = self._folder / f"instances-{len(demands)}.safetensors"
        path.write_bytes(import_weights.safetensors_bytes(
            {"positions": data.positions.double(), "demands": demands,
             "capacities": torch.full((len(demands),), capacity, dtype=torch.double)}, {"kind": "cvrp"}))
        return path

    def greedy_cost(self, data):
        with self.engine(1, instances=self.write_instances(data)) as engine:
            return engine.ask(f"greedy {self._case.starts}")["cost"]

    def _request(self, before):
        """Returns the request for training steps. On a GPU, enqueues many steps before it waits for one, as in training."""
        verb, *baseline = self._case.request.split()
        if verb != "step" or self._options.device == "cpu":
            return self._case.request
        count = 4 if before is None else max(4, min(64, round(BACK_TO_BACK_S / before["seconds"])))
        return " ".join(["captured", str(count), *baseline])

    def measure(self, batch, until):
        more = {"bf16": int(self._options.precision == "bf16")}
        if self._case.request == "greedy":
            more["instances"] = self.write_instances(draw_instances(self._case.customers, batch, "cpu"))
        answers = []
        with self.engine(batch, **more) as engine:
            for turn in range(-WARM_STEPS, TIMED_STEPS):
                answer = engine.ask(self._request(answer if turn > -WARM_STEPS else None))
                if turn >= 0:
                    answers.append(answer)
                if time.monotonic() > until and answers:
                    break
        last = {key: answers[-1][key] for key in ("copied_bytes", "matrix_bytes", "phases") if key in answers[-1]}
        return {"times_s": [a["seconds"] for a in answers], "decoded_steps": answers[-1]["decoded_steps"], **last}


def sweep(implementation, batches, seconds):
    """Returns the measurements of an implementation by batch size, up to the limit of memory or time."""
    begin, found, why = time.monotonic(), {}, "all batches"
    for batch in batches:
        if time.monotonic() > begin + seconds:
            why = "time"
            break
        try:
            line = implementation.measure(batch, begin + seconds)
        except (RuntimeError, OSError) as error:  # out of memory, or a program that ended
            why = f"batch {batch}: {str(error).splitlines()[0]}"
            break
        median = statistics.median(line["times_s"])
        found[batch] = dict(line, step_s=round(median, 6), per_s=round(batch / median, 2),
                            spread=round((max(line["times_s"]) - min(line["times_s"])) / median, 3),
                            times_s=[round(seconds, 6) for seconds in line["times_s"]])
    if torch.cuda.is_available():
        torch.cuda.empty_cache()  # for the other implementation
    return found, why


def summary(found, why):
    if not found:
        raise SystemExit(f"plain_torch_attention: nothing could be measured: {why}")
    best = max(found, key=lambda batch: found[batch]["per_s"])
    return {"best_batch": best, "best_per_s": found[best]["per_s"], "end_reason": why, "by_batch": found}


def fill_unit_square(positions):
    """Moves and scales positions, by one factor per instance, as our networks do."""
    low = positions.amin(1, keepdim=True)
    return (positions - low) / (positions.amax(1, keepdim=True) - low).amax(2, keepdim=True)


def agree(plain, ours, case):
    """Compares the greedy costs of both implementations on the same instances in float32. Exits if they differ."""
    data = draw_instances(case.customers, AGREED_INSTANCES, "cpu")
    data.positions = fill_unit_square(data.positions)
    theirs, own = plain.greedy_costs(data).double().mean().item(), ours.greedy_cost(data)
    if abs(theirs - own) > AGREED * theirs:
        raise SystemExit(f"plain_torch_attention: with the same weights greedy tours cost {own:.6f}, "
                         f"in plain torch {theirs:.6f}; wanted a difference of at most {AGREED:.1%}")
    return {"ours": own, "plain": theirs, "instances": AGREED_INSTANCES}


def compare(name, options, folder):
    case = CASES[name]
    if options.batches:
        case = dataclasses.replace(case, batches=tuple(int(word) for word in options.batches.split(",")))
    line = {"what": name, "device": options.device, "precision": options.precision, "customers": case.customers,
            "starts": case.starts}
    if name.startswith("pointer"):
        line["ours"] = summary(*sweep(Ours(case, options, folder, None), case.batches, options.seconds))
        seconds = SUPERVISED_STEPS / line["ours"]["best_per_s"] * case.batches[0]
        return line | {"all_epochs_s": round(seconds, 2), "goal_s": 20}
    plain = PlainTorch(case, options)
    ours = Ours(case, options, folder, plain.model.cpu().state_dict())
    plain.model.to(options.device)
    line["agreement"] = agree(plain, ours, case)
    line["plain"] = summary(*sweep(plain, case.batches, options.seconds / 2))
    line["ours"] = summary(*sweep(ours, case.batches, options.seconds / 2))
    both = [batch for batch in line["plain"]["by_batch"] if batch in line["ours"]["by_batch"]]
    ratio = {batch: round(line["ours"]["by_batch"][batch]["per_s"] / line["plain"]["by_batch"][batch]["per_s"], 2)
             for batch in both}
    best = round(line["ours"]["best_per_s"] / line["plain"]["best_per_s"], 2)
    return line | {"ratio": best, "ratio_by_batch": ratio, "goal": case.goal, "least": case.min_ratio}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", choices=CASES, required=True)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--precision", choices=["bf16", "fp32"], default="bf16")
    parser.add_argument("--batches", help="measure these batch sizes, comma separated; default: the case's")
    parser.add_argument("--seconds", type=float, default=80,
                        help="limit the measurements to this time; default: %(default)s")
    parser.add_argument("--bundle", type=pathlib.Path, help="use the programs of this bundle (./dev gpu-bundle)")
    parser.add_argument("--program", type=pathlib.Path, help="path of engine_bench; default: the bundle's")
    options = parser.parse_args()
    if not (options.bundle or options.program):
        parser.error("got neither --bundle nor --program, wanted one of them")
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(compare(options.case, options, folder)))


if __name__ == "__main__":
    main()

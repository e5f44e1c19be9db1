#!/usr/bin/env python3
"""Makes the test data of parity_test: the results of small rl4co networks with seeded random weights.

Needs torch and rl4co. Writes one safetensors file per network to tests/data/parity. A file holds the weights under our
names ("weights.NAME"), instances, greedy tours, and sampled tours with their loss weights. It also holds float64
log-likelihoods of the sampled tours and the gradient of their weighted sum ("gradient.NAME"). NaN marks elements that
rl4co's network does not have.

Example:  make_reference.py
"""

import argparse
import json
import pathlib

import torch
from rl4co_reference import (ROOT, force_decode_in_float64, greedy, instance_tensors, make_env, make_instances, make_policy,
                             our_options, our_weights, sample, weights)

SMALL = {"embed_dim": 16, "num_heads": 2, "num_encoder_layers": 2, "feedforward_hidden": 32}
POMO = {"normalization": "instance", "use_graph_context": False}
CASES = {  # name: (problem, policy, customers, instances, starts)
    "am_cvrp_instance_norm": ("cvrp", SMALL | {"normalization": "instance"}, 20, 6, 1),
    "am_cvrp_batch_norm": ("cvrp", SMALL | {"normalization": "batch"}, 12, 4, 1),
    "am_tsp_instance_norm": ("tsp", SMALL | {"normalization": "instance"}, 15, 4, 1),
    "pomo_cvrp": ("cvrp", SMALL | POMO | {"num_encoder_layers": 3}, 10, 2, 10),
}


def make_case(name, folder):
    kind, settings, customers, count, starts = CASES[name]
    policy = make_policy(kind, settings, seed=7)
    env = make_env(kind, customers)
    torch.manual_seed(11)
    data = make_instances(env, count)
    loss_weights = torch.randn(count, starts)
    actions, _ = sample(policy, env, data, starts, loss_weights)
    log_likelihoods, gradient = force_decode_in_float64(policy, env, data, actions, loss_weights)
    tours, costs = greedy(policy, env, data, starts)
    tensors = instance_tensors(data, kind) | {
        "actions": actions, "weights": loss_weights.double(), "log_likelihoods": log_likelihoods,
        "greedy": tours, "greedy_costs": costs}
    tensors |= {f"weights.{key}": tensor for key, tensor in our_weights(policy).items()}
    tensors |= {f"gradient.{key}": tensor for key, tensor in gradient.items()}
    metadata = {"kind": kind, "architecture_json": json.dumps(our_options(policy))}
    (folder / f"{name}.safetensors").write_bytes(weights.safetensors_bytes(tensors, metadata))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=pathlib.Path, default=ROOT / "tests" / "data" / "parity",
                        help="write into this folder")
    arguments = parser.parse_args()
    arguments.to.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    for name in CASES:
        make_case(name, arguments.to)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compares our graph transformer with rl4co's at full size: log-likelihoods, gradients, greedy tours.

Needs torch and rl4co, and policy_probe built. The networks have width 128, 8 heads, a feed-forward width of 512 and 3
layers (POMO: 6). Their weights are random from a seed, or come from a checkpoint file of Kool et al. or rl4co. rl4co's
generator makes the instances. Each instance is moved and scaled so that the longer side of its bounding box is 1. Prints
one JSON line per network. Exits with 0 if all networks agree, otherwise with 1. Fields of a line:

  log_likelihood            largest difference for a sampled tour, in float32
  second_pass               the same, if the pass that computes the gradient computes the log-likelihoods too
  log_likelihood_float64    the same as second_pass, in float64
  gradient_PRECISION        largest difference of an element, divided by the largest element of that parameter's gradient,
                            for the worst parameter; gradient_PRECISION_of is the parameter's name
  gradient_PRECISION_whole  2-norm of the error of all parameters, divided by that of the gradient
  greedy_different          number of different tours; greedy_ties of them have equal costs within 1e-5
  agrees                    whether no tour differs and all errors are within their tolerances

All gradients are compared with rl4co's float64 gradient. PRECISION is float64 (ours, tolerance 1e-6), float32 (ours) or
float32_rl4co (rl4co's own).

In float32, the gradients of both networks can be wrong by far more than 1e-4. One cause is a ReLU whose input changes
sign by rounding (relu_sign_changes_rl4co counts rl4co's). Another is a sum whose terms nearly cancel, such as the bias of a
TSP's embedding. The affected inputs are arbitrary. Our error must therefore be at most 1e-4 or 4 times rl4co's float32
error, whichever is larger. This holds for the worst parameter and for the whole gradient.

Some parameters have a zero gradient apart from rounding: biases of keys, which softmax ignores, and biases before an
instance norm. Their float64 gradient is below 1e-9 of the largest element of all parameters. Their errors are divided
by that element instead. --parameters prints the three errors of each parameter.

Examples:
  compare_rl4co_policy.py
  compare_rl4co_policy.py --networks am_cvrp20 --instances 100
  compare_rl4co_policy.py --checkpoint epoch-99.pt --problem cvrp --customers 20
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import torch
from rl4co_reference import (ROOT, force_decode_in_float64, greedy, instance_tensors, make_env, make_instances, make_policy,
                             our_gradient, our_options, our_weights, relu_sign_changes, sample, weights)

POMO = {"num_encoder_layers": 6, "normalization": "instance", "use_graph_context": False}
NETWORKS = {  # name: (problem, policy, customers, starts)
    "am_cvrp20": ("cvrp", {"normalization": "instance"}, 20, 1),
    "am_cvrp20_batch_norm": ("cvrp", {"normalization": "batch"}, 20, 1),
    "am_tsp20": ("tsp", {"normalization": "instance"}, 20, 1),
    "am_cvrp50": ("cvrp", {"normalization": "instance"}, 50, 1),
    "pomo_cvrp20": ("cvrp", POMO, 20, 20),
}
TOLERANCE, TOLERANCE_FLOAT64 = 1e-4, 1e-6  # for log-likelihoods, and for gradients as a share of the largest element
ZERO = 1e-9  # gradients below this share of the largest element count as zero


def load_policy(path, kind):
    """Returns rl4co's policy with the weights of a checkpoint of rl4co or Kool."""
    state = weights.rl4co_names(weights.find_state(weights.load_checkpoint(path)))
    batch = any(name.endswith("running_mean") for name in state)
    policy = make_policy(kind, {"normalization": "batch" if batch else "instance",
                                "num_encoder_layers": weights.count_layers(state, "encoder.net.layers.")}, seed=1)
    missing = policy.load_state_dict(state, strict=False)
    if missing.unexpected_keys or any("num_batches_tracked" not in key for key in missing.missing_keys):
        sys.exit(f"{path}: wanted the parameters of rl4co's AttentionModelPolicy for {kind}, got {missing}")
    return policy.eval()


def probe(program, case, metadata):
    """Returns our network's results for the case."""
    with tempfile.TemporaryDirectory() as folder:
        case_path, out_path = pathlib.Path(folder, "case"), pathlib.Path(folder, "out")
        case_path.write_bytes(weights.safetensors_bytes(case, metadata))
        subprocess.run([program, case_path, out_path], check=True)
        return weights.read_safetensors(out_path)


def scales(gradient):
    """Returns the divisor of each parameter's errors."""
    largest = {name: float(tensor.nan_to_num().abs().max()) for name, tensor in gradient.items()}
    overall = max(largest.values())
    return {name: value if value > ZERO * overall else overall for name, value in largest.items()}


def gradient_errors(reference, other):
    """Returns the largest error of each parameter, divided by its scale.

    `reference` is rl4co's gradient in float64. NaN marks elements that rl4co does not have; they are ignored.
    """
    return {name: float((reference[name] - other[name]).nan_to_num().abs().max()) / scale
            for name, scale in scales(reference).items()}


def whole_error(reference, other):
    """Returns the error's 2-norm as a share of the gradient's, over all parameters."""
    square = sum(float((reference[name] - other[name]).nan_to_num().double().square().sum()) for name in reference)
    return (square / sum(float(tensor.nan_to_num().square().sum()) for tensor in reference.values())) ** 0.5


def different_tours(theirs, ours):
    """Returns whether the tours of each pair (instance, start) differ, [B, P]. Theirs end in zeros, ours in -1."""
    width = max(theirs.shape[2], ours.shape[2])
    theirs, ours = (torch.nn.functional.pad(t, (0, width - t.shape[2])) for t in (theirs, ours.clamp(min=0)))
    return (theirs != ours).any(dim=2)


def compare(name, policy, kind, customers, starts, arguments):
    env = make_env(kind, customers)
    torch.manual_seed(arguments.seed)
    data = make_instances(env, arguments.instances)
    loss_weights = torch.randn(arguments.instances, starts)
    actions, log_likelihoods = sample(policy, env, data, starts, loss_weights)
    theirs = our_gradient(policy)
    exact_log_likelihoods, exact = force_decode_in_float64(policy, env, data, actions, loss_weights)
    tours, costs = greedy(policy, env, data, starts)
    case = instance_tensors(data, kind) | {"actions": actions, "weights": loss_weights.double()}
    case |= {f"weights.{key}": tensor for key, tensor in our_weights(policy).items()}
    ours = probe(arguments.program, case, {"kind": kind, "architecture_json": json.dumps(our_options(policy))})
    differ = different_tours(tours, ours["greedy"])
    ties = differ & ((costs - ours["greedy_costs"]).abs() < 1e-5)
    gradients = {"float64": {key: ours[f"gradient64.{key}"] for key in exact},
                 "float32": {key: ours[f"gradient.{key}"] for key in exact}, "float32_rl4co": theirs}
    errors = {precision: gradient_errors(exact, gradient) for precision, gradient in gradients.items()}
    line = {"network": name, "instances": arguments.instances, "trajectories": starts,
            "log_likelihood": float((log_likelihoods - ours["log_likelihoods"]).abs().max()),
            "second_pass": float((log_likelihoods - ours["second_pass"]).abs().max()),
            "log_likelihood_float64": float((exact_log_likelihoods - ours["second_pass64"]).abs().max())}
    for precision, by_name in errors.items():
        worst = max(by_name, key=by_name.get)
        line[f"gradient_{precision}"], line[f"gradient_{precision}_of"] = by_name[worst], worst
        line[f"gradient_{precision}_whole"] = whole_error(exact, gradients[precision])
    line["relu_sign_changes_rl4co"] = relu_sign_changes(policy, env, data)
    line |= {"greedy_different": int(differ.sum()), "greedy_ties": int(ties.sum()),
             "greedy_cost": float(costs.mean()), "greedy_cost_ours": float(ours["greedy_costs"].mean())}
    line["agrees"] = (max(line["log_likelihood"], line["second_pass"]) <= TOLERANCE and not differ.any().item()
                      and max(line["log_likelihood_float64"], line["gradient_float64"]) <= TOLERANCE_FLOAT64
                      and all(line[f"gradient_float32{what}"] <= max(TOLERANCE, 4 * line[f"gradient_float32_rl4co{what}"])
                              for what in ("", "_whole")))
    if arguments.parameters:
        line["parameters"] = {key: {precision: by_name[key] for precision, by_name in errors.items()} for key in exact}
    print(json.dumps(line), flush=True)
    return line["agrees"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", default=",".join(NETWORKS), help="compare only these networks, comma separated")
    parser.add_argument("--instances", type=int, default=1000, help="generate this many instances per network")
    parser.add_argument("--seed", type=int, default=1234, help="draw instances, loss weights and tours from this seed")
    parser.add_argument("--checkpoint", type=pathlib.Path, help="compare the weights of this file instead")
    parser.add_argument("--problem", choices=["cvrp", "tsp"], default="cvrp", help="set the problem of --checkpoint")
    parser.add_argument("--customers", type=int, default=20, help="set the number of customers of --checkpoint")
    parser.add_argument("--parameters", action="store_true", help="print every parameter's errors too")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "dev" / "bench" / "policy_probe",
                        help="run this policy_probe")
    arguments = parser.parse_args()
    if arguments.checkpoint:
        policy = load_policy(arguments.checkpoint, arguments.problem)
        return 0 if compare(arguments.checkpoint.name, policy, arguments.problem, arguments.customers, 1,
                            arguments) else 1
    all_agree = True
    for name in arguments.networks.split(","):
        kind, settings, customers, starts = NETWORKS[name]
        all_agree &= compare(name, make_policy(kind, settings, seed=3), kind, customers, starts, arguments)
    return 0 if all_agree else 1


if __name__ == "__main__":
    sys.exit(main())

"""Builds policies and instances of rl4co, and computes the policies' results as a reference for our networks.

Needs torch and rl4co. The scripts in tests/parity and tests/bench import this module.
"""

import copy
import importlib.util
import logging
import os
import pathlib
import warnings

warnings.filterwarnings("ignore")
os.environ.setdefault("RL_WARNINGS", "False")

import torch  # noqa: E402
from rl4co.envs import CVRPEnv, TSPEnv  # noqa: E402
from rl4co.models.zoo.am import AttentionModelPolicy  # noqa: E402

logging.disable(logging.WARNING)
ROOT = pathlib.Path(__file__).resolve().parents[2]


def load_module(path):
    """Imports one of our scripts by its path."""
    spec = importlib.util.spec_from_file_location(pathlib.Path(path).stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


weights = load_module(ROOT / "models" / "import_weights.py")


def make_env(kind, customers):
    return {"cvrp": CVRPEnv, "tsp": TSPEnv}[kind](generator_params={"num_loc": customers}, check_solution=False)


def fill_unit_square(points):
    """Moves and scales points [B, N, 2] into the unit square, with the same factor for both axes, and rounds to float32.

    Returns the points and the longer sides [B] of their former bounding boxes.
    """
    points = points.double()
    low = points.amin(dim=1, keepdim=True)
    side = (points.amax(dim=1, keepdim=True) - low).amax(dim=2, keepdim=True)
    return ((points - low) / side).float(), side[:, 0, 0].float()


def scaled_instances(env, count):
    """Generates a TensorDict of instances whose bounding boxes have a longer side of 1.

    Returns the instances and the longer sides [count] of the boxes before scaling.
    """
    data = env.generator(batch_size=[count])
    if "depot" not in data.keys():
        data["locs"], sides = fill_unit_square(data["locs"])
        return data, sides
    nodes, sides = fill_unit_square(torch.cat((data["depot"][:, None], data["locs"]), 1))
    data["depot"], data["locs"] = nodes[:, 0].clone(), nodes[:, 1:].clone()
    return data, sides


def make_instances(env, count):
    """Returns only the instances of scaled_instances."""
    return scaled_instances(env, count)[0]


def instance_tensors(data, kind):
    """Returns the instances in the form that policy_probe reads."""
    if kind == "tsp":
        return {"positions": data["locs"].double()}
    positions = torch.cat((data["depot"][:, None], data["locs"]), 1).double()
    capacity = data["capacity"].double()
    demands = (data["demand"].double() * capacity).round()
    return {"positions": positions, "demands": torch.nn.functional.pad(demands, (1, 0)),
            "capacities": capacity[:, 0].contiguous()}


def make_untrained(kind, settings, seed):
    torch.manual_seed(seed)
    return AttentionModelPolicy(env_name=kind, **settings)


def make_policy(kind, settings, seed):
    """Makes a policy with random weights, also in normalisation layers. Fills the statistics of batch norms from 5 batches."""
    policy = make_untrained(kind, settings, seed)
    with torch.no_grad():  # so that normalisation scales differ from 1
        for name, parameter in policy.named_parameters():
            if "normalizer" in name:
                parameter.add_(0.2 * torch.randn_like(parameter))
    if settings.get("normalization", "batch") == "batch":
        env = make_env(kind, 20)
        for _ in range(5):
            policy.train()
            with torch.no_grad():
                policy(env.reset(env.generator(batch_size=[64])), env, phase="train")
    return policy.eval()


def our_weights(policy):
    context = policy.decoder.use_graph_context
    return weights.convert(policy.state_dict(), graph_context=context)


def our_options(policy):
    heads = policy.decoder.pointer.num_heads
    return weights.options_of(our_weights(policy), heads, float(policy.tanh_clipping))


def our_mask(policy):
    """Returns a mask per parameter, by our names: 1 where rl4co's network has the element, 0 where only ours has it."""
    parameters = dict(policy.named_parameters())
    ones = {name: torch.full_like(tensor, float(name in parameters), dtype=torch.float)
            for name, tensor in policy.state_dict().items()}
    return weights.convert(ones, policy.decoder.use_graph_context)


def our_gradient(policy):
    """Returns the gradients by our names, NaN where rl4co's network has no such element."""
    context = policy.decoder.use_graph_context
    ones, gradient = {}, {}
    for name, tensor in policy.state_dict().items():
        ones[name], gradient[name] = torch.zeros_like(tensor, dtype=torch.float), torch.zeros_like(tensor)
    for name, parameter in policy.named_parameters():
        if parameter.grad is not None:
            ones[name], gradient[name] = torch.ones_like(parameter), parameter.grad
    known = weights.convert(ones, context)
    return {name: torch.where(known[name] > 0, tensor, torch.nan)
            for name, tensor in weights.convert(gradient, context).items()}


def sample(policy, env, data, starts, loss_weights):
    """Samples tours, and stores the gradient of sum(loss_weights * log-likelihoods) in the policy's parameters.

    Returns the tours [B, P, T] and their log-likelihoods [B, P]. `loss_weights` is [B, P].
    """
    policy.zero_grad(set_to_none=True)
    decode_options = {"decode_type": "multistart_sampling", "num_starts": starts} if starts > 1 else {"decode_type": "sampling"}
    out = policy(env.reset(data.clone()), env, phase="train", **decode_options)
    count = data.batch_size[0]
    log_likelihoods = out["log_likelihood"].view(starts, count).T  # rl4co orders trajectories by start
    actions = out["actions"].view(starts, count, -1).transpose(0, 1)
    (log_likelihoods * loss_weights).sum().backward()
    return actions.int().contiguous(), log_likelihoods.detach().double().contiguous()


def in_float64(data):
    """Returns the instances in float64, with demands as exact shares of capacity, as our decoder computes them."""
    data = data.clone().apply(lambda tensor: tensor.double() if tensor.is_floating_point() else tensor)
    if "demand" in data.keys():
        data["demand"] = (data["demand"] * data["capacity"]).round() / data["capacity"]
    return data


def round_features(_module, arguments):
    """Rounds the demands that an embedding reads to float32, as our networks do in any precision."""
    state = arguments[0].clone()
    if "demand" in state.keys():
        state["demand"] = state["demand"].float().double()
    return (state,)


def relu_sign_changes(policy, env, data):
    """Counts inputs of the encoder's ReLUs that are positive in only one of float32 and float64."""
    def positive(policy, data):
        seen = []
        hooks = [layer[2].module.lins[0].register_forward_hook(lambda *call: seen.append(call[2] > 0))
                 for layer in policy.encoder.net.layers]
        with torch.inference_mode():
            policy.encoder(env.reset(data))
        for hook in hooks:
            hook.remove()
        return seen

    ours, exact = positive(policy, data.clone()), positive(copy.deepcopy(policy).double(), in_float64(data))
    return sum(int((a != b).sum()) for a, b in zip(ours, exact, strict=True))


def force_decode_in_float64(policy, env, data, actions, loss_weights):
    """Returns log-likelihoods [B, P] and the gradient (see our_gradient) of given tours, all in float64."""
    count, starts, _ = actions.shape
    rows = actions.long().transpose(0, 1).reshape(starts * count, -1)  # rl4co orders trajectories by start
    decode_options = {"num_starts": starts, "multistart": True} if starts > 1 else {}
    policy = copy.deepcopy(policy).double()
    policy.zero_grad(set_to_none=True)
    policy.encoder.init_embedding.register_forward_pre_hook(round_features)
    torch.set_default_dtype(torch.float64)
    try:
        state = env.reset(in_float64(data))
        # With several starts, the environment makes the first choices.
        out = policy(state, env, phase="train", actions=rows[:, 1:] if starts > 1 else rows, **decode_options)
        log_likelihoods = out["log_likelihood"].view(starts, count).T
        (log_likelihoods * loss_weights.double()).sum().backward()
    finally:
        torch.set_default_dtype(torch.float32)
    return log_likelihoods.detach().contiguous(), our_gradient(policy)


def greedy(policy, env, data, starts, batch=1000):
    """Returns greedy tours [B, P, T] and their costs [B, P]."""
    decode_options = {"decode_type": "multistart_greedy", "num_starts": starts} if starts > 1 else {"decode_type": "greedy"}
    tours, costs = [], []
    for part in data.split(batch):
        with torch.inference_mode():
            out = policy(env.reset(part.clone()), env, phase="test", **decode_options)
        count = part.batch_size[0]
        tours.append(out["actions"].view(starts, count, -1).transpose(0, 1).int())
        costs.append(-out["reward"].view(starts, count).T.double())
    longest = max(tour.shape[2] for tour in tours)
    tours = [torch.nn.functional.pad(tour, (0, longest - tour.shape[2])) for tour in tours]
    return torch.cat(tours).contiguous(), torch.cat(costs).contiguous()

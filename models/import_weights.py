#!/usr/bin/env python3
"""Converts attention-model weights of rl4co and of Kool et al. into a model that vrpd loads.

Reads a checkpoint of rl4co (AttentionModel or POMO: Lightning's .ckpt, or a state_dict saved with torch.save) or of
https://github.com/wouterkool/attention-learn-to-route (epoch-*.pt), for the TSP or the CVRP, and writes a folder
with weights.safetensors and card.json. Needs a Python with torch, not rl4co. Never runs code that a checkpoint names.
torch's weights_only reader refuses rl4co's files, which hold whole environments beside the weights. From such a file,
everything except tensors and plain containers is read as an empty object.

Examples:
  import_weights.py epoch-99.pt --to ~/.local/share/vrpd/models/kool-cvrp20/1
  import_weights.py pomo.ckpt --to DIR/pomo-cvrp50/1 --graph-context no

The imported network has the same inputs as the original, except that coordinates are moved and scaled, by one factor,
so that the instance's bounding box fills the unit square. Batch norm is frozen at its running statistics.
"""

import argparse
import datetime
import hashlib
import json
import pathlib
import pickle
import struct
import sys
import types

import torch

# kNodeFeatureNames of core/model/policy/network_batch.h.
NODE_FEATURES = ("x", "y", "demand", "backhaul", "window_open", "window_close", "service", "open_routes", "limit_share",
                 "from_depot", "to_depot", "is_depot")
CONTEXT_SHARES = 4  # kContextShares of core/kernels/routing/routing_problem.h; the first is the remaining load


class Placeholder:
    """A stand-in for an object of a checkpoint that is neither a tensor nor a plain container. Does nothing."""

    def __init__(self, *args, **kwargs):
        del args, kwargs

    def __setstate__(self, state):
        del state

    def __setitem__(self, key, value):
        del key, value

    def append(self, value):
        del value

    def extend(self, values):
        del values


def _is_allowed(module, name):
    return (module == "collections" and name in ("OrderedDict", "defaultdict")
            or module == "torch._utils" and name.startswith("_rebuild_")
            or module == "torch" and (name.endswith("Storage") or name in ("Size", "device"))
            or module == "builtins" and name in ("dict", "list", "tuple", "set", "int", "float", "bool", "str"))


class PlaceholderUnpickler(pickle.Unpickler):
    def find_class(self, module, name):
        return super().find_class(module, name) if _is_allowed(module, name) else Placeholder


def load_checkpoint(path):
    """Returns the objects in a file of torch.save, without running anything that it names."""
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError:
        reader = types.SimpleNamespace(Unpickler=PlaceholderUnpickler, __name__="placeholders",
                                       load=lambda f, **_: PlaceholderUnpickler(f).load())
        return torch.load(path, map_location="cpu", weights_only=False, pickle_module=reader)


def find_state(checkpoint):
    """Returns the policy's tensors by name, without wrappers' prefixes."""
    for key in ("state_dict", "model", "policy"):
        if isinstance(checkpoint, dict) and isinstance(checkpoint.get(key), dict):
            checkpoint = checkpoint[key]
            break
    if not isinstance(checkpoint, dict):
        raise ValueError("the file has no state_dict")
    for mark in ("encoder.init_embedding.init_embed.weight", "init_embed.weight"):
        for prefix in ("policy.", "module.", "model.policy.", ""):
            if prefix + mark in checkpoint:
                return {name[len(prefix):]: tensor for name, tensor in checkpoint.items()
                        if name.startswith(prefix) and torch.is_tensor(tensor)}
    raise ValueError("found neither rl4co's nor Kool's attention model (encoder.init_embedding.init_embed.weight or "
                     "init_embed.weight)")


def rl4co_names(state):
    """Returns Kool's state with rl4co's names and shapes, or rl4co's state unchanged."""
    if "init_embed.weight" not in state:
        return state
    renamed = {}
    for name, tensor in state.items():
        if name.startswith("embedder.layers."):
            continue
        if name.startswith("init_embed"):
            renamed["encoder.init_embedding." + name] = tensor
        elif name == "project_step_context.weight":
            renamed["decoder.context_embedding.project_context.weight"] = tensor
        elif name == "W_placeholder":
            renamed["decoder.context_embedding.W_placeholder"] = tensor
        elif name == "project_out.weight":
            renamed["decoder.pointer.project_out.weight"] = tensor
        else:
            renamed["decoder." + name] = tensor
    for layer in range(count_layers(state, "embedder.layers.")):
        source, target = f"embedder.layers.{layer}.", f"encoder.net.layers.{layer}."
        # [heads, in, head] each become [heads * head, in]; the output's [heads, head, out] becomes [out, heads * head].
        projections = [state[f"{source}0.module.W_{what}"] for what in ("query", "key", "val")]
        hidden = projections[0].shape[1]
        renamed[target + "0.module.Wqkv.weight"] = torch.cat(
            [w.permute(0, 2, 1).reshape(hidden, hidden) for w in projections])
        renamed[target + "0.module.Wqkv.bias"] = torch.zeros(3 * hidden)
        renamed[target + "0.module.out_proj.weight"] = state[source + "0.module.W_out"].reshape(hidden, hidden).T
        renamed[target + "0.module.out_proj.bias"] = torch.zeros(hidden)
        for part in (1, 3):
            for name in ("weight", "bias", "running_mean", "running_var"):
                if f"{source}{part}.normalizer.{name}" in state:
                    renamed[f"{target}{part}.normalizer.{name}"] = state[f"{source}{part}.normalizer.{name}"]
        for theirs, ours in ((0, 0), (2, 1)):
            for name in ("weight", "bias"):
                renamed[f"{target}2.module.lins.{ours}.{name}"] = state[f"{source}2.module.{theirs}.{name}"]
    return renamed


def count_layers(state, prefix):
    return 1 + max((int(name[len(prefix):].split(".")[0]) for name in state if name.startswith(prefix)), default=-1)


def _embedding(state, name, columns):
    """Returns [hidden, features], with weight 0 for inputs that the network does not know, and the bias."""
    weight = state[f"encoder.init_embedding.{name}.weight"]
    if weight.shape[1] != columns:
        raise ValueError(f"{name}: got {weight.shape[1]} inputs, wanted {columns}: only TSP and CVRP can be imported")
    wide = torch.zeros(weight.shape[0], len(NODE_FEATURES), dtype=weight.dtype)
    wide[:, :columns] = weight
    return wide, state[f"encoder.init_embedding.{name}.bias"]


def _context(state, hidden, tsp):
    """Splits the projection of the step's context into last, first, placeholder and shares."""
    weight = state["decoder.context_embedding.project_context.weight"]
    wanted = 2 * hidden if tsp else hidden + 1
    if weight.shape[1] != wanted:
        raise ValueError(f"project_context: got {weight.shape[1]} inputs, wanted {wanted}")
    zeros = torch.zeros(hidden, hidden, dtype=weight.dtype)
    shares = torch.zeros(CONTEXT_SHARES, hidden, dtype=weight.dtype)
    if tsp:  # the context is [first, last]; in the first step, the placeholder replaces both
        return {"decoder.last.weight": weight[:, hidden:], "decoder.first.weight": weight[:, :hidden],
                "decoder.placeholder": state["decoder.context_embedding.W_placeholder"],
                "decoder.shares.weight": shares}
    shares[0] = weight[:, hidden]
    return {"decoder.last.weight": weight[:, :hidden], "decoder.first.weight": zeros,
            "decoder.placeholder": torch.zeros(2 * hidden, dtype=weight.dtype), "decoder.shares.weight": shares}


def _norm(state, prefix):
    names = {"scale": "weight", "shift": "bias", "mean": "running_mean", "variance": "running_var"}
    return {ours: state[f"{prefix}.normalizer.{theirs}"] for ours, theirs in names.items()
            if f"{prefix}.normalizer.{theirs}" in state}


def convert(state, graph_context=True):
    """Returns our tensors from rl4co's or Kool's state, by name.

    core/model/graph_transformer/graph_transformer_architecture.h lists the names.

    Only rearranges elements and adds zeros. It therefore also converts gradients, and turns a state of ones into a mask
    of the elements that come from theirs.
    """
    state = rl4co_names(state)
    tsp = "decoder.context_embedding.W_placeholder" in state
    node, node_bias = _embedding(state, "init_embed", 2 if tsp else 3)
    hidden = node.shape[0]
    depot, depot_bias = ((torch.zeros_like(node), torch.zeros_like(node_bias)) if tsp
                         else _embedding(state, "init_embed_depot", 2))
    tensors = {"embed.node.weight": node, "embed.node.bias": node_bias,
               "embed.depot.weight": depot, "embed.depot.bias": depot_bias}
    for layer in range(count_layers(state, "encoder.net.layers.")):
        theirs, ours = f"encoder.net.layers.{layer}.", f"encoder.layers.{layer}."
        for what, name in (("qkv", "0.module.Wqkv"), ("out", "0.module.out_proj"), ("feed1", "2.module.lins.0"),
                           ("feed2", "2.module.lins.1")):
            for part in ("weight", "bias"):
                tensors[f"{ours}{what}.{part}"] = state[f"{theirs}{name}.{part}"]
        for part, name in ((1, "norm1"), (3, "norm2")):
            for what, tensor in _norm(state, f"{theirs}{part}").items():
                tensors[f"{ours}{name}.{what}"] = tensor
    graph = state["decoder.project_fixed_context.weight"]
    tensors |= {"decoder.project.weight": state["decoder.project_node_embeddings.weight"],
                "decoder.graph.weight": graph if graph_context else torch.zeros_like(graph),
                **_context(state, hidden, tsp),
                "decoder.out.weight": state["decoder.pointer.project_out.weight"]}
    return {name: tensor.detach().contiguous() for name, tensor in tensors.items()}


def options_of(tensors, heads, clip):
    """Returns the card's architecture_json."""
    return {"hidden": tensors["embed.node.weight"].shape[0], "heads": heads,
            "feed_forward": tensors["encoder.layers.0.feed1.weight"].shape[0],
            "layers": count_layers(tensors, "encoder.layers."),
            "norm": "frozen_batch" if "encoder.layers.0.norm1.mean" in tensors else "instance", "edge_bias": False,
            "logit_clip": clip}


def safetensors_bytes(tensors, metadata=None):
    """Returns https://github.com/huggingface/safetensors bytes. Mixes of float32, float64, int32 and int64 work."""
    types_ = {torch.float32: "F32", torch.float64: "F64", torch.int32: "I32", torch.int64: "I64"}
    header = {"__metadata__": metadata} if metadata else {}
    at, data = 0, []
    # Types of eight bytes come first, so that every tensor is aligned.
    for name, tensor in sorted(tensors.items(), key=lambda item: -item[1].element_size()):
        raw = tensor.contiguous().numpy().tobytes()
        header[name] = {"dtype": types_[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [at, at + len(raw)]}
        at += len(raw)
        data.append(raw)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(data)


def read_safetensors(path):
    types_ = {"F32": torch.float32, "F64": torch.float64, "I32": torch.int32, "I64": torch.int64}
    raw = pathlib.Path(path).read_bytes()
    length = struct.unpack("<Q", raw[:8])[0]
    tensors = {}
    for name, entry in json.loads(raw[8:8 + length]).items():
        if name == "__metadata__":
            continue
        begin, end = (8 + length + at for at in entry["data_offsets"])
        flat = torch.frombuffer(bytearray(raw[begin:end]), dtype=types_[entry["dtype"]]) if end > begin else torch.zeros(0)
        tensors[name] = flat.reshape(entry["shape"])
    return tensors


def write_model(folder, tensors, options, source=""):
    """Writes weights.safetensors and card.json to `folder`, as core/registry reads them."""
    weights = safetensors_bytes({name: tensor.float() for name, tensor in tensors.items()})
    tsp = not tensors["embed.depot.weight"].any()
    card = {"schema_version": 1, "architecture": "gt", "architecture_json": json.dumps(options),
            "kinds": ["tsp" if tsp else "cvrp"], "input_features": list(NODE_FEATURES),
            "parameters": sum(tensor.numel() for tensor in tensors.values()), "training_job": "",
            "training_config": f"# imported from {source}\n" if source else "", "steps": 0, "validation_cost": 0,
            "validation_reference": 0,
            "created": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "weights_sha256": hashlib.sha256(weights).hexdigest()}
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "weights.safetensors").write_bytes(weights)
    (folder / "card.json").write_text(json.dumps(card, indent=2) + "\n")
    return card


def _settings(checkpoint):
    """Returns the policy's settings in a Lightning checkpoint; None stands for an unknown setting."""
    settings = checkpoint.get("hyper_parameters") if isinstance(checkpoint, dict) else None
    settings = settings if isinstance(settings, dict) else {}
    policy = settings.get("policy_kwargs")
    policy = policy if isinstance(policy, dict) else {}
    pomo = settings.get("baseline") == "shared"
    return {"heads": policy.get("num_heads"), "clip": policy.get("tanh_clipping"),
            "graph_context": policy.get("use_graph_context", not pomo if settings else None)}


def _heads(state, asked, stated):
    query = state.get("embedder.layers.0.0.module.W_query")  # the shape in Kool's checkpoints determines the heads
    return query.shape[0] if query is not None else asked or stated or 8


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=pathlib.Path)
    parser.add_argument("--to", type=pathlib.Path, required=True,
                        help="folder to write: NAME/VERSION in the daemon's folder of models")
    parser.add_argument("--heads", type=int, help="attention heads, if not in the checkpoint (default: 8)")
    parser.add_argument("--clip", type=float, help="logit clipping, if not in the checkpoint (default: 10)")
    parser.add_argument("--graph-context", choices=["yes", "no"],
                        help="whether the decoder reads the nodes' mean (default: as in the checkpoint, else yes; "
                             "no for POMO)")
    arguments = parser.parse_args()
    try:
        checkpoint = load_checkpoint(arguments.checkpoint)
        state, stated = find_state(checkpoint), _settings(checkpoint)
        context = {"yes": True, "no": False, None: stated["graph_context"] in (None, True)}[arguments.graph_context]
        tensors = convert(state, context)
    except (OSError, ValueError, KeyError, RuntimeError, pickle.UnpicklingError, EOFError) as error:
        sys.exit(f"import_weights: {arguments.checkpoint}: {error}")
    options = options_of(tensors, _heads(state, arguments.heads, stated["heads"]),
                         arguments.clip or stated["clip"] or 10.0)
    card = write_model(arguments.to, tensors, options, arguments.checkpoint.name)
    print(f"{arguments.to}: {card['kinds'][0]}, {card['parameters']:,} parameters, {card['architecture_json']}")


if __name__ == "__main__":
    main()

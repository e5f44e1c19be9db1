"""Tests models/import_weights.py on small checkpoints with the layouts of rl4co and of Kool et al., and solves with the models.

The tests' own Python has no torch. VRP_TORCH_PYTHON names a Python with torch; otherwise the test is skipped.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import torch
except ImportError:
    other = os.environ.get("VRP_TORCH_PYTHON")
    if other and os.environ.get("VRP_TORCH_PYTHON_USED") != "1":
        os.execve(other, [other, *sys.argv], {**os.environ, "VRP_TORCH_PYTHON_USED": "1"})
    print(f"skipped: {sys.executable} has no torch, which models/import_weights.py needs; set VRP_TORCH_PYTHON to a Python with torch")
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "models"))
import import_weights  # noqa: E402
from daemon import DATA, ROOT, Daemon  # noqa: E402

HIDDEN, HEADS, FEED_FORWARD, LAYERS = 32, 2, 48, 2


class RunsWhenUnpickled:
    """An object whose unpickling creates a file. The import must not unpickle it."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


def randn(*shape):
    return 0.3 * torch.randn(*shape)


def normalizer(prefix):
    return {f"{prefix}.normalizer.weight": 1 + randn(HIDDEN), f"{prefix}.normalizer.bias": randn(HIDDEN),
            f"{prefix}.normalizer.running_mean": randn(HIDDEN), f"{prefix}.normalizer.running_var": 1 + randn(HIDDEN).abs(),
            f"{prefix}.normalizer.num_batches_tracked": torch.tensor(7)}


def rl4co_state():
    """Returns random parameters of AttentionModelPolicy for the CVRP, with the names and shapes of rl4co 0.5 to 0.7."""
    state = {"encoder.init_embedding.init_embed.weight": randn(HIDDEN, 3),
             "encoder.init_embedding.init_embed.bias": randn(HIDDEN),
             "encoder.init_embedding.init_embed_depot.weight": randn(HIDDEN, 2),
             "encoder.init_embedding.init_embed_depot.bias": randn(HIDDEN),
             "decoder.context_embedding.project_context.weight": randn(HIDDEN, HIDDEN + 1),
             "decoder.project_node_embeddings.weight": randn(3 * HIDDEN, HIDDEN),
             "decoder.project_fixed_context.weight": randn(HIDDEN, HIDDEN),
             "decoder.pointer.project_out.weight": randn(HIDDEN, HIDDEN)}
    for layer in range(LAYERS):
        prefix = f"encoder.net.layers.{layer}."
        state |= {f"{prefix}0.module.Wqkv.weight": randn(3 * HIDDEN, HIDDEN), f"{prefix}0.module.Wqkv.bias": randn(3 * HIDDEN),
                  f"{prefix}0.module.out_proj.weight": randn(HIDDEN, HIDDEN), f"{prefix}0.module.out_proj.bias": randn(HIDDEN),
                  f"{prefix}2.module.lins.0.weight": randn(FEED_FORWARD, HIDDEN),
                  f"{prefix}2.module.lins.0.bias": randn(FEED_FORWARD),
                  f"{prefix}2.module.lins.1.weight": randn(HIDDEN, FEED_FORWARD),
                  f"{prefix}2.module.lins.1.bias": randn(HIDDEN), **normalizer(f"{prefix}1"), **normalizer(f"{prefix}3")}
    return state


def kool_state():
    """Returns random parameters of AttentionModel for the TSP, as in wouterkool/attention-learn-to-route."""
    width = HIDDEN // HEADS
    state = {"init_embed.weight": randn(HIDDEN, 2), "init_embed.bias": randn(HIDDEN), "W_placeholder": randn(2 * HIDDEN),
             "project_node_embeddings.weight": randn(3 * HIDDEN, HIDDEN),
             "project_fixed_context.weight": randn(HIDDEN, HIDDEN),
             "project_step_context.weight": randn(HIDDEN, 2 * HIDDEN), "project_out.weight": randn(HIDDEN, HIDDEN)}
    for layer in range(LAYERS):
        prefix = f"embedder.layers.{layer}."
        state |= {f"{prefix}0.module.W_{what}": randn(HEADS, HIDDEN, width) for what in ("query", "key", "val")}
        state |= {f"{prefix}0.module.W_out": randn(HEADS, width, HIDDEN),
                  f"{prefix}2.module.0.weight": randn(FEED_FORWARD, HIDDEN), f"{prefix}2.module.0.bias": randn(FEED_FORWARD),
                  f"{prefix}2.module.2.weight": randn(HIDDEN, FEED_FORWARD), f"{prefix}2.module.2.bias": randn(HIDDEN),
                  **normalizer(f"{prefix}1"), **normalizer(f"{prefix}3")}
    return state


def kool_attention(state, layer, x):
    """Computes graph_encoder.py's MultiHeadAttention of the nodes x [N, HIDDEN]."""
    prefix = f"embedder.layers.{layer}.0.module.W_"
    q, k, v = (torch.einsum("nd,hdk->hnk", x, state[prefix + what]) for what in ("query", "key", "val"))
    heads = torch.softmax(q @ k.transpose(1, 2) / (HIDDEN // HEADS) ** 0.5, -1) @ v
    return torch.einsum("hnk,hkd->nd", heads, state[prefix + "out"])


def our_attention(tensors, layer, x):
    """Computes the same attention in our layout: one projection to [3, heads, width], one back."""
    prefix = f"encoder.layers.{layer}."
    rows = x @ tensors[prefix + "qkv.weight"].T + tensors[prefix + "qkv.bias"]
    q, k, v = rows.reshape(len(x), 3, HEADS, HIDDEN // HEADS).permute(1, 2, 0, 3)
    heads = torch.softmax(q @ k.transpose(1, 2) / (HIDDEN // HEADS) ** 0.5, -1) @ v
    return heads.transpose(0, 1).reshape(len(x), HIDDEN) @ tensors[prefix + "out.weight"].T + tensors[prefix + "out.bias"]


class ImportWeightsTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_import(self, checkpoint, name, *arguments):
        source = self.folder / f"{name}.ckpt"
        if checkpoint is not None:
            torch.save(checkpoint, source)
        return subprocess.run([sys.executable, ROOT / "models" / "import_weights.py", source, "--to",
                               self.folder / "models" / name / "1", *arguments], capture_output=True, text=True, check=False)

    def import_model(self, checkpoint, name, *arguments):
        """Imports the checkpoint. Returns the tensors, the card and the architecture of the model."""
        result = self.run_import(checkpoint, name, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        folder = self.folder / "models" / name / "1"
        card = json.loads((folder / "card.json").read_text())
        return import_weights.read_safetensors(folder / "weights.safetensors"), card, json.loads(card["architecture_json"])

    def assert_same(self, tensor, wanted):
        self.assertTrue(torch.equal(tensor, wanted))

    def test_imports_a_checkpoint_of_rl4co_without_unpickling_its_objects(self):
        state, made = rl4co_state(), self.folder / "made"
        tensors, card, sizes = self.import_model(
            {"state_dict": {**{f"policy.{name}": tensor for name, tensor in state.items()}, "baseline.weight": randn(3)},
             "hyper_parameters": {"policy_kwargs": {"num_heads": HEADS, "tanh_clipping": 8.0}, "env": RunsWhenUnpickled(made)}},
            "rl4co-cvrp")
        self.assertFalse(made.exists())
        self.assertEqual(card["kinds"], ["cvrp"])
        self.assertEqual(sizes, {"hidden": HIDDEN, "heads": HEADS, "feed_forward": FEED_FORWARD, "layers": LAYERS,
                                 "norm": "frozen_batch", "edge_bias": False, "logit_clip": 8.0})
        self.assert_same(tensors["embed.node.weight"][:, :3], state["encoder.init_embedding.init_embed.weight"])
        self.assertFalse(tensors["embed.node.weight"][:, 3:].any())
        for ours, theirs in (("qkv.weight", "0.module.Wqkv.weight"), ("out.bias", "0.module.out_proj.bias"),
                             ("norm1.mean", "1.normalizer.running_mean"), ("feed2.weight", "2.module.lins.1.weight"),
                             ("norm2.variance", "3.normalizer.running_var")):
            self.assert_same(tensors[f"encoder.layers.1.{ours}"], state[f"encoder.net.layers.1.{theirs}"])
        context = state["decoder.context_embedding.project_context.weight"]
        self.assert_same(tensors["decoder.last.weight"], context[:, :HIDDEN])
        self.assert_same(tensors["decoder.shares.weight"][0], context[:, HIDDEN])
        self.assert_same(tensors["decoder.graph.weight"], state["decoder.project_fixed_context.weight"])

    def test_pomos_decoder_does_not_read_the_mean_of_the_nodes(self):
        tensors, _, _ = self.import_model({"state_dict": rl4co_state(), "hyper_parameters": {"baseline": "shared"}}, "pomo")
        self.assertFalse(tensors["decoder.graph.weight"].any())

    def test_takes_the_heads_of_a_state_dict_from_the_command_line(self):
        _, _, sizes = self.import_model(rl4co_state(), "bare", "--heads", str(HEADS), "--clip", "9")
        self.assertEqual((sizes["heads"], sizes["logit_clip"]), (HEADS, 9.0))

    def test_imports_a_checkpoint_of_kool_with_the_same_attention(self):
        state, made = kool_state(), self.folder / "made"
        checkpoint = {"model": state, "optimizer": {"state": {}}, "baseline": {"env": RunsWhenUnpickled(made)}}
        tensors, card, sizes = self.import_model(checkpoint, "kool-tsp")
        self.assertFalse(made.exists())
        self.assertEqual(card["kinds"], ["tsp"])
        self.assertEqual((sizes["heads"], sizes["layers"], sizes["feed_forward"]), (HEADS, LAYERS, FEED_FORWARD))
        x = randn(9, HIDDEN)
        for layer in range(LAYERS):
            torch.testing.assert_close(our_attention(tensors, layer, x), kool_attention(state, layer, x))
            self.assert_same(tensors[f"encoder.layers.{layer}.feed2.bias"],
                             state[f"embedder.layers.{layer}.2.module.2.bias"])
        step = state["project_step_context.weight"]
        self.assert_same(tensors["decoder.first.weight"], step[:, :HIDDEN])
        self.assert_same(tensors["decoder.last.weight"], step[:, HIDDEN:])
        self.assert_same(tensors["decoder.placeholder"], state["W_placeholder"])

    def test_solves_with_an_imported_model(self):
        self.import_model({"state_dict": rl4co_state()}, "ours-cvrp", "--heads", str(HEADS))
        self.import_model({"model": kool_state()}, "ours-tsp")
        daemon = Daemon(flags=("--models-dir", self.folder / "models"))
        self.addCleanup(daemon.clean_up)
        cities = self.folder / "cities.json"
        cities.write_text(json.dumps({"kind": "tsp", "coords": [[0, 0], [3, 1], [1, 4], [5, 5], [2, 2]]}))
        for model, file in (("ours-cvrp", DATA / "E-n22-k4.vrp"), ("ours-tsp", cities)):
            with self.subTest(model=model):
                answer = daemon.json("solve", file, "--model", model, "--strategy", "greedy")[0]
                self.assertTrue(answer["feasible"])
                self.assertEqual(answer["version"], 1)

    def test_refuses_other_files_with_one_line(self):
        (self.folder / "text.ckpt").write_text("no checkpoint")
        for name, checkpoint, message in (("text", None, ""), ("absent", None, "No such file"),
                                       ("list", [1, 2], "no state_dict"),
                                       ("other", {"state_dict": {"lstm.weight": randn(2)}}, "neither rl4co's nor Kool's")):
            with self.subTest(name=name):
                result = self.run_import(checkpoint, name)
                self.assertEqual(result.returncode, 1)
                self.assertTrue(result.stderr.startswith(f"import_weights: {self.folder / name}.ckpt: "), result.stderr)
                self.assertIn(message, result.stderr)
                self.assertEqual(result.stderr.count("\n"), 1)
                self.assertFalse((self.folder / "models" / name).exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)

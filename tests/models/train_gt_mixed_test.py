"""Tests that models/train_gt_mixed.py trains its stages, made small, one after the other through a daemon."""

import json
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

from daemon import BINARIES, Daemon  # noqa: E402

SMALL = {"training.epochs": 1, "training.batches_per_epoch": 1, "training.batch_size": 2, "problem.customers": "[4, 6]",
         "graph_transformer.hidden": 16, "graph_transformer.heads": 2,
         "graph_transformer.feed_forward": 32, "graph_transformer.layers": 1, "validation.instances": 4,
         "validation.reference_iterations": 5}


class TrainGtMixedTest(unittest.TestCase):
    def setUp(self):
        self.daemon = Daemon()
        self.addCleanup(self.daemon.clean_up)

    def train(self, *arguments):
        vrpctl = f"{BINARIES / 'vrpctl'} --remote {self.daemon.address}"
        return subprocess.run([sys.executable, ROOT / "models" / "train_gt_mixed.py", "--vrpctl", vrpctl, *arguments],
                              capture_output=True, text=True)

    def models(self):
        return {model["name"] for model in self.daemon.json("models", "list") if "gt-mixed-" in model["name"]}

    def training_config_of(self, model):
        card = self.daemon.state / "models" / model / "1" / "card.json"
        return json.loads(card.read_text())["training_config"]

    def test_trains_every_stage_once_from_the_one_before(self):
        small = [word for key, value in SMALL.items() for word in ("--set", f"{key}={value}")]
        first = self.train(*small)
        self.assertEqual(first.returncode, 0, first.stdout + first.stderr)
        self.assertEqual(self.models(), {f"models/gt-mixed-{number}/versions/1" for number in range(1, 9)})
        self.assertIn("models/gt-mixed-7/versions/1", self.training_config_of("gt-mixed-8"))

        second = self.train(*small)
        self.assertEqual(second.returncode, 0, second.stderr)
        self.assertEqual(second.stdout.count("exists, skipped"), 8, second.stdout)

    def test_ends_with_the_error_of_a_failed_stage(self):
        first = self.train("--set", "training.epochs=0")
        self.assertNotEqual(first.returncode, 0)
        self.assertIn("training.epochs", first.stderr)
        self.assertNotIn("gt-mixed-2", first.stdout)
        self.assertEqual(self.models(), set())


if __name__ == "__main__":
    unittest.main()

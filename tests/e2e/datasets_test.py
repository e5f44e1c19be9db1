"""Tests training jobs on uploaded datasets, with a daemon that requires tokens and accepts no file names."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from daemon import BINARIES, CALL_TIMEOUT_S, Daemon, vrpctl

# Leaves out VRP_TOKEN and VRP_TLS_*, which the tests must not inherit.
ENVIRONMENT = {key: value for key, value in os.environ.items() if not key.startswith("VRP_T")}
TRAINING = """\
name: own
model: {model}
problem: {{kind: cvrp, customers: 6}}
network: {{hidden: 16, layers: 1, dropout: 0.0}}
graph_transformer: {{hidden: 16, heads: 2, feed_forward: 16, layers: 1}}
training: {{epochs: 1, batch_size: 8}}
validation: {{instances: 8}}
"""
REINFORCE = ("training.batches_per_epoch=2", "reinforce.baseline_instances=16")
SUPERVISED = ("training.method=supervised", "supervised.labels=file", "supervised.samples=12")


def own_lines(count, tours=True):
    """Returns instances of 6 customers as JSON lines. Each has a reference cost of 20.

    With `tours`, each has a label with one route per customer."""
    generated = subprocess.run([BINARIES / "vrpctl", "--remote", own_lines.remote, "generate", "--problem", "cvrp", "--customers", "6",
                           "--count", str(count)], capture_output=True, text=True, timeout=CALL_TIMEOUT_S, check=True,
                          env={**ENVIRONMENT, "VRP_TOKEN": own_lines.token})
    lines = [json.loads(line) for line in generated.stdout.splitlines()]
    for line in lines:
        line["ref_cost"] = 20
        if tours:
            line["ref_routes"] = [[node] for node in range(1, 7)]
    return "".join(json.dumps(line) + "\n" for line in lines)


class DatasetsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-datasets-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.tokens, lines = {}, []
        for role in ("solve", "train"):
            printed = subprocess.run([BINARIES / "vrpd", "--new-token", role], capture_output=True, text=True, check=True,
                                  timeout=CALL_TIMEOUT_S).stdout.splitlines()
            cls.tokens[role] = printed[1]
            lines.append(printed[3])
        cls.token_file = cls.write("tokens", "\n".join(lines) + "\n")
        cls.daemon = Daemon(flags=["--tokens", str(cls.token_file)])
        cls.addClassCleanup(cls.daemon.clean_up)
        own_lines.remote, own_lines.token = cls.daemon.address, cls.tokens["solve"]

    @classmethod
    def write(cls, name, text):
        path = cls.folder / name
        path.write_text(text)
        path.chmod(0o600)
        return path

    def call(self, *arguments, role="train"):
        return vrpctl("--remote", self.daemon.address, *arguments, env={**ENVIRONMENT, "VRP_TOKEN": self.tokens[role]})

    def json(self, *arguments):
        done = self.call(*arguments, "--output", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def upload(self, name, text):
        return self.json("datasets", "upload", self.write(f"{name}.jsonl", text), "--name", name)[0]

    def train(self, model, *settings, validate_only=False):
        config = self.write("own.yaml", TRAINING.format(model=model))
        how = () if "training.method=supervised" in settings else REINFORCE
        flags = [word for setting in (*how, *settings) for word in ("--set", setting)]
        return self.call("train", "--config", config, *flags, *(["--validate-only"] if validate_only else []))

    def test_requires_the_role_train_to_upload_and_delete(self):
        file = self.write("roles.jsonl", own_lines(2))
        refused = self.call("datasets", "upload", file, "--name", "roles", role="solve")
        self.assertEqual(refused.returncode, 4)
        self.assertIn("role train", refused.stderr)
        self.assertEqual(self.call("datasets", "upload", file, "--name", "roles").returncode, 0)
        self.assertEqual(self.call("datasets", "get", "roles", role="solve").returncode, 0)
        self.assertEqual(self.call("datasets", "list", role="solve").returncode, 0)
        self.assertEqual(self.call("datasets", "delete", "roles", role="solve").returncode, 4)
        self.assertEqual(self.call("datasets", "delete", "roles").returncode, 0)

    def test_trains_each_network_on_own_instances_and_validates_on_others(self):
        self.upload("instances", own_lines(20))
        validation = self.upload("validation", own_lines(8))
        self.assertEqual((validation["instances"], validation["instances_with_reference_cost"]), (8, 8))
        for model in ("ptrnet", "gt"):
            done = self.train(model, "problem.instances=datasets/instances", "validation.file=datasets/validation",
                              "validation.reference=file", f"name=own-{model}")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("vs file's reference costs (mean 20.0000)", done.stdout)
            solved = self.json("solve", self.write("one.jsonl", own_lines(1)), "--model", f"own-{model}", "--strategy", "greedy")
            self.assertTrue(solved[0]["feasible"])

    def test_uses_own_tours_as_labels(self):
        uploaded = self.upload("labels", own_lines(12))
        self.assertEqual(uploaded["instances_with_tours"], 12)
        done = self.train("ptrnet", *SUPERVISED, "supervised.label_file=datasets/labels")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("labels: 12 instances", done.stdout)
        self.upload("untoured", own_lines(3, tours=False))
        refused = self.train("ptrnet", *SUPERVISED, "supervised.label_file=datasets/untoured", validate_only=True)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("supervised.label_file: got datasets/untoured with tours in 0 of 3 lines", refused.stderr)

    def with_features(self, count):
        lines = [json.loads(line) for line in own_lines(count).splitlines()]
        for line in lines:
            line["features"] = {"early": [node / 10 for node in range(7)], "wear": [0, 1, 0, 1, 0, 1, 0]}
        return "".join(json.dumps(line) + "\n" for line in lines)

    def test_reads_own_feature_columns_in_training_and_solving(self):
        uploaded = self.upload("featured", self.with_features(12))
        self.assertEqual(uploaded["feature_columns"], ["early", "wear"])
        one, plain = self.write("featured-one.jsonl", self.with_features(1)), self.write("plain-one.jsonl", own_lines(1))
        # This instance is too large for exact search, which would not use the network.
        larger = self.write("larger.json", self.call("generate", "--problem", "cvrp", "--customers", "30").stdout)
        trainings = {
            "gt": ("problem.features=[x, y, demand, is_depot, early]",),
            "ptrnet": ("problem.features=[builtin, wear, early]", *SUPERVISED, "supervised.label_file=datasets/featured"),
        }
        for model, settings in trainings.items():
            name = f"featured-{model}"
            data = ("validation.file=datasets/featured",) + (() if model == "ptrnet" else ("problem.instances=datasets/featured",))
            done = self.train(model, *settings, *data, f"name={name}")
            self.assertEqual(done.returncode, 0, done.stderr)
            inputs = {"gt": ["x", "y", "demand", "is_depot", "early"],
                      "ptrnet": ["x", "y", "demand", "window_open", "window_close", "service", "is_depot", "is_visited", "wear",
                                 "early"]}[model]
            self.assertIn(f"input features: {len(inputs)} per node: {', '.join(inputs)}", done.stdout)
            self.assertEqual(self.json("models", "get", name)[0]["input_features"], inputs)
            solved = self.json("solve", one, "--model", name, "--strategy", "greedy")[0]
            self.assertTrue(solved["feasible"])
            lacking = self.call("solve", plain, "--model", name, "--strategy", "greedy")
            self.assertNotEqual(lacking.returncode, 0)
            self.assertIn("features.", lacking.stderr)
            self.assertIn("absent, and this network reads it", lacking.stderr)
            searched = self.json("solve", larger, "--model", name, "--strategy", "seeded", "--budget", "200ms")[0]
            self.assertTrue(searched["feasible"])
            self.assertIn("absent, and this network reads it", json.dumps(searched))
        refused = self.train("gt", "problem.features=[builtin, speed]", "problem.instances=datasets/featured", validate_only=True)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("lack the column features.speed of problem.features", refused.stderr)

    def test_refuses_missing_datasets_and_names_the_key(self):
        for validate_only in (True, False):
            refused = self.train("ptrnet", "validation.file=datasets/nowhere", validate_only=validate_only)
            self.assertEqual(refused.returncode, 2)
            self.assertIn('validation.file: got "datasets/nowhere"', refused.stderr)
        path = self.train("ptrnet", f"problem.instances={self.folder / 'roles.jsonl'}")
        self.assertIn("data_dirs", path.stderr)

    def test_names_bad_lines_and_keeps_nothing(self):
        lines = own_lines(3).splitlines()
        lines[1] = lines[1].replace("[[1], [2]", "[[1], [1]")
        done = self.call("datasets", "upload", self.write("bad.jsonl", "\n".join(lines)), "--name", "bad")
        self.assertEqual(done.returncode, 2)
        self.assertIn("bad.jsonl:2: the label is not feasible", done.stderr)
        self.assertEqual(self.call("datasets", "get", "bad").returncode, 5)

    def test_refuses_a_name_in_use(self):
        text = own_lines(2)
        first = self.upload("taken", text)
        self.assertEqual(self.upload("taken", text), first)
        other = self.call("datasets", "upload", self.write("other.jsonl", own_lines(3)), "--name", "taken")
        self.assertEqual(other.returncode, 4)
        self.assertIn("vrpctl datasets delete datasets/taken", other.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)

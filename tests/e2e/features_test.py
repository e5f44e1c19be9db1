"""Solves the instances of tests/bench/compare_features.py, one per feature, as a user sends them."""

import json
import pathlib
import sys
import tempfile
import unittest

from daemon import ROOT, Daemon

sys.path.insert(0, str(ROOT / "tests" / "bench"))
from feature_instances import FEATURES, generate  # noqa: E402


class FeaturesTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="vrp-features-")
        self.addCleanup(self.folder.cleanup)
        self.daemon = Daemon(pathlib.Path(self.folder.name) / "state")
        self.addCleanup(self.daemon.clean_up)

    def test_solves_every_feature_without_violations(self):
        path = pathlib.Path(self.folder.name) / "features.jsonl"
        path.write_text("".join(json.dumps(generate(name, 0, seed=1)) + "\n" for name in FEATURES))
        done = self.daemon.call("solve", path, "--budget", "50ms", "--output", "json")
        answers = [json.loads(line) for line in done.stdout.splitlines()][:-1]  # the last line is the summary
        self.assertEqual([answer["name"] for answer in answers], [f"{name}-0" for name in FEATURES], done.stderr)
        for answer in answers:
            with self.subTest(answer["name"]):
                # Some instances, such as that with priorities, have too few vehicles for all customers.
                violations = [one for one in answer["violations"] if one["kind"] != "missing_customer"]
                self.assertEqual(violations, [])
                self.assertEqual(bool(answer["unserved"]), answer["name"] in ("priorities-0", "prizes-0", "short_fleet-0"))


if __name__ == "__main__":
    unittest.main()

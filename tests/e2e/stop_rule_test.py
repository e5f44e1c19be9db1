"""Tests that solves end by a stop rule, a target or a proof, and fall back to search if the network is late."""

import pathlib
import tempfile
import unittest

from daemon import DATA, Daemon, tiny_config

E22 = DATA / "E-n22-k4.vrp"


class StopRuleTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-stop-"))
        cls.daemon = Daemon()
        cls.city = cls.folder / "city.json"
        cls.city.write_text(cls.daemon.call("generate", "--problem", "cvrp", "--customers", "50", "--seed", "3").stdout)

    @classmethod
    def tearDownClass(cls):
        cls.daemon.clean_up()

    def solve(self, *arguments):
        return self.daemon.json("solve", *arguments)[0]

    def test_ends_without_a_budget_and_names_its_limit(self):
        answer = self.solve(self.city)
        self.assertEqual(answer["end_reason"], "no_improvement")
        self.assertLess(answer["time_ms"]["search"], answer["budget_ms"])
        self.assertGreaterEqual(answer["threads"], 1)
        text = self.daemon.call("solve", self.city).stdout
        self.assertRegex(text, r"time: [0-9.]+ of at most [0-9]+ ms, .*; ended after [0-9]+ ms without improvement; [0-9]+ thread")

    def test_ends_at_targets(self):
        answer = self.solve(E22, "--target", "375", "--budget", "1m")
        self.assertEqual((answer["cost"], answer["end_reason"]), (375, "target"))
        self.assertEqual(self.solve(E22, "--target", "1%", "--budget", "1m")["end_reason"], "target")
        refused = self.daemon.call("solve", self.city, "--target", "1%")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("states no reference cost", refused.stderr)

    def test_repeats_an_answer_with_the_same_seed_and_iterations(self):
        answers = [self.solve(self.city, "--max-iterations", "5000", "--seed", "9") for _ in range(2)]
        self.assertEqual(answers[0]["end_reason"], "iterations")
        self.assertEqual(answers[0]["routes"], answers[1]["routes"])
        self.assertEqual(answers[0]["threads"], 1)

    def test_proves_the_optimum_of_one_customer(self):
        one = self.folder / "one.json"
        one.write_text(self.daemon.call("generate", "--problem", "cvrp", "--customers", "1").stdout)
        answer = self.solve(one, "--budget", "1m")
        self.assertEqual(answer["end_reason"], "optimal")
        self.assertLess(answer["time_ms"]["total"], 10_000)

    def test_falls_back_to_search_if_the_network_is_late(self):
        self.daemon.json("train", "--config", tiny_config(self.folder))
        large = self.folder / "large.json"
        large.write_text(self.daemon.call("generate", "--problem", "cvrp", "--customers", "400").stdout)
        for strategy in ("greedy", "sample", "multi_start"):
            words = ("solve", large, "--model", "tiny", "--strategy", strategy, "--budget", "1ms")
            answer = self.daemon.json(*words)[0]
            self.assertTrue(answer["feasible"])
            self.assertEqual(answer["strategy"], "search")
            self.assertRegex(answer["policy_note"], strategy + r" decoding of 400 customers takes about [0-9.]+ ms here")
            self.assertIsNone(answer["model"])
            refused = self.daemon.call(*words, "--network-only")
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn("budget: 1 ms is less than", refused.stderr)
            self.assertIn("raise it to", refused.stderr)
            self.assertNotIn("overloaded", refused.stderr)


if __name__ == "__main__":
    unittest.main()

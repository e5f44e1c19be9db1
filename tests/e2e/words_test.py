"""Tests the interface that scripts rely on: commands, JSON keys and exit codes of the built programs."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import xml.dom.minidom

from daemon import BINARIES, DATA, Daemon, first_gap, tiny_config, vrpctl

E22 = DATA / "E-n22-k4.vrp"
SOLVE_KEYS = {"name", "cost", "routes", "feasible", "violations", "unserved", "strategy", "model", "version", "seed",
              "budget_ms", "time_ms", "end_reason"}


class CommandLineTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-words-"))
        cls.daemon = Daemon()
        cls.config = tiny_config(cls.folder)
        cls.watched = cls.daemon.json("train", "--config", cls.config)

    @classmethod
    def tearDownClass(cls):
        cls.daemon.clean_up()

    def exit_code(self, code, *arguments):
        done = self.daemon.call(*arguments)
        self.assertEqual(done.returncode, code, f"{arguments}: {done.stdout}\n{done.stderr}")
        return done

    def test_lists_the_model_of_a_training_job(self):
        self.assertEqual(self.watched[-1]["type"], "state")
        self.assertEqual(self.watched[-1]["state"], "SUCCEEDED")
        models = self.daemon.json("models", "list")
        self.assertIn("models/tiny/versions/1", [model["name"] for model in models])
        self.assertEqual(self.daemon.json("models", "get", "tiny")[0]["architecture"], "ptrnet")

    def test_prints_gap_free_events_with_their_keys(self):
        job = self.daemon.json("jobs", "list")[-1]["name"]
        events = self.daemon.json("jobs", "watch", job)
        self.assertIsNone(first_gap(events))
        for event in events:
            self.assertLessEqual({"sequence", "attempt", "type", "time"}, event.keys())
        progress = [event for event in events if event["type"] == "progress"]
        self.assertTrue(progress)
        for event in progress:
            self.assertLessEqual({"epoch", "step", "loss", "train_cost", "validation_cost", "instances_per_second"}, event.keys())
        self.assertEqual(progress[-1]["step"], 6)
        later = self.daemon.json("jobs", "watch", job.split("/")[1], "--from", 3)
        self.assertEqual(later, events[2:])

    def test_prints_the_name_of_a_detached_training_job(self):
        printed = self.daemon.json("train", "--config", self.config, "--detach", "--set", "training.epochs=1")
        self.assertEqual(len(printed), 1)
        self.assertTrue(printed[0]["name"].startswith("trainingJobs/"))
        self.assertIn(printed[0]["state"], {"QUEUED", "PREPARING", "RUNNING"})
        self.exit_code(0, "jobs", "watch", printed[0]["name"])
        self.assertEqual(self.daemon.json("jobs", "get", printed[0]["name"])[0]["state"], "SUCCEEDED")
        self.exit_code(4, "jobs", "cancel", printed[0]["name"])

    def test_returns_the_same_job_for_the_same_request_id(self):
        words = ("train", "--config", self.config, "--detach", "--request-id", "once", "--set", "training.epochs=1")
        first, second = self.daemon.json(*words)[0], self.daemon.json(*words)[0]
        self.assertEqual(first["name"], second["name"])
        self.exit_code(0, "jobs", "watch", first["name"])

    def test_trains_profiles_and_solves_with_a_graph_transformer(self):
        small = ["--set", "training.epochs=1", "--set", "training.batches_per_epoch=4", "--set", "validation.instances=50"]
        self.exit_code(0, "train", "--config", "configs/tiny_1.yaml", "--model", "GT+RL", *small)
        model = self.daemon.json("models", "get", "tiny-1")[0]
        self.assertIn("from_depot", model["input_features"])
        job = next(job for job in self.daemon.json("jobs", "list") if job["model"].startswith("models/tiny-1/"))
        profile = self.daemon.json("jobs", "profile", job["name"])[0]
        self.assertEqual(profile["matrix_bytes_per_step"], 0)
        seconds = {phase["phase"]: phase["seconds"] for phase in profile["phases"]}
        for phase in ("data", "encode", "rollout", "second_pass", "backward", "optimiser", "log"):
            self.assertGreater(seconds[phase], 0, phase)
        wall = {phase["phase"]: phase["wall_seconds"] for phase in profile["wall_phases"]}
        self.assertAlmostEqual(sum(wall.values()), profile["wall_seconds"], 6)
        for phase in ("preparation", "steps", "validation", "publication"):
            self.assertGreater(wall[phase], 0, phase)
        self.assertGreater(job["progress"]["seconds_per_epoch"], job["progress"]["seconds_per_step"])
        self.assertEqual(model["validation_reference"], "nearest neighbour")
        self.assertEqual(model["validation_gap"], job["progress"]["validation_gap"])
        self.assertIn(" % vs nearest neighbour", self.daemon.call("models", "list").stdout)
        self.exit_code(0, "train", "--config", "configs/tiny_1.yaml", *small, "--set", "name=tiny-2",
                       "--set", "training.initial_model=models/tiny-1/versions/1")
        answer = self.daemon.json("solve", E22, "--strategy", "multi_start", "--model", "tiny-1")[0]
        self.assertTrue(answer["feasible"])
        self.assertTrue(self.daemon.json("solve", E22, "--strategy", "beam", "--model", "tiny-1")[0]["feasible"])

    def test_finds_no_worse_tours_by_beam_than_greedily(self):
        words = ("solve", E22, "--model", "models/tiny/versions/1", "--strategy")
        greedy = self.daemon.json(*words, "greedy")[0]
        beam = self.daemon.json(*words, "beam", "--width", "20")[0]
        self.assertEqual(beam["strategy"], "beam")
        self.assertTrue(beam["feasible"])
        self.assertLessEqual(beam["cost"], greedy["cost"])
        done = self.exit_code(2, *words, "beam", "--width", "20000")
        self.assertIn("width", done.stderr)

    def test_prints_every_key_of_a_solve_and_a_feasible_plan(self):
        for strategy in ("search", "greedy", "sample", "beam", "multi_start", "seeded"):
            model = strategy != "search"
            with self.subTest(strategy=strategy):
                words = ["--model", "models/tiny/versions/1"] if model else []
                answer = self.daemon.json("solve", E22, "--strategy", strategy, "--budget", "200ms", *words)[0]
                self.assertLessEqual(SOLVE_KEYS, answer.keys())
                self.assertEqual(set(answer["time_ms"]), {"queue", "decode", "search", "total"})
                self.assertTrue(answer["feasible"])
                visited = [stop["id"] for route in answer["routes"] for stop in route["stops"]]
                self.assertEqual(sorted(visited, key=int), [str(number) for number in range(1, 22)])
                for route in answer["routes"]:
                    self.assertLessEqual({"vehicle", "stops", "distance", "duration"}, route.keys())
                    for stop in route["stops"]:
                        self.assertLessEqual({"id", "arrival", "load"}, stop.keys())
                self.assertEqual(answer["version"], 1 if model else None)

    def test_finds_the_optimum_of_a_small_instance(self):
        self.assertEqual(self.daemon.json("solve", E22, "--budget", "500ms")[0]["cost"], 375)

    def test_writes_solution_and_plot_that_pass_the_check(self):
        solution, plot = self.folder / "out.sol", self.folder / "out.svg"
        answer = self.daemon.json("solve", E22, "--solution", solution, "--plot", plot)[0]
        checked = self.daemon.json("check", E22, solution)[0]
        self.assertEqual((checked["feasible"], checked["cost"], checked["violations"]), (True, answer["cost"], []))
        self.assertEqual(xml.dom.minidom.parse(str(plot)).documentElement.tagName, "svg")

    def test_exits_7_for_an_infeasible_solution_with_the_reason(self):
        bad = self.folder / "bad.sol"
        bad.write_text("Route #1: " + " ".join(map(str, range(1, 21))) + "\nCost 100\n")
        done = self.daemon.call("check", E22, bad, "--output", "json")
        self.assertEqual(done.returncode, 7)
        kinds = {violation["kind"] for violation in json.loads(done.stdout)["violations"]}
        self.assertEqual(kinds, {"capacity", "missing_customer", "cost_mismatch"})

    def test_solves_json_lines_with_a_summary_last(self):
        lines = self.folder / "set.jsonl"
        self.exit_code(0, "generate", "--problem", "cvrp", "--customers", "20", "--count", "5", "--seed", "7",
                       "--out", lines)
        self.assertEqual(len(lines.read_text().splitlines()), 5)
        printed = self.daemon.json("solve", lines, "--model", "tiny", "--strategy", "greedy")
        self.assertEqual(len(printed), 6)
        self.assertTrue(printed[-1]["summary"])
        mean = sum(answer["cost"] for answer in printed[:5]) / 5
        self.assertAlmostEqual(printed[-1]["mean_cost"], mean, places=6)
        self.assertTrue(all(answer["feasible"] for answer in printed[:5]))

    def test_solves_time_windows_and_tours(self):
        for name, customers in [("RC208.vrp", 100), ("pr107.tsp", 106)]:
            with self.subTest(name):
                answer = self.daemon.json("solve", DATA / name, "--budget", "1s")[0]
                self.assertTrue(answer["feasible"])
                self.assertEqual(sum(len(route["stops"]) for route in answer["routes"]), customers)

    def test_exits_with_the_code_of_the_error(self):
        self.exit_code(2, "solve", self.folder / "absent.vrp")
        broken = self.folder / "broken.vrp"
        broken.write_text(E22.read_text().replace("CAPACITY : 6000", "CAPACITY : many"))
        self.assertIn("broken.vrp", self.exit_code(2, "solve", broken).stderr)
        self.exit_code(2, "solve", E22, "--budget", "soon")
        self.exit_code(2, "no-such-command")
        self.exit_code(5, "solve", E22, "--model", "absent")
        self.exit_code(5, "jobs", "get", "trainingJobs/absent")
        self.assertEqual(vrpctl("--remote", "127.0.0.1:1", "server", "info").returncode, 3)
        environment = dict(os.environ, VRP_REMOTE=self.daemon.address)
        self.assertEqual(vrpctl("server", "info", env=environment).returncode, 0)
        after = vrpctl("server", "info", "--remote", self.daemon.address)
        self.assertEqual(after.returncode, 0, after.stderr)

    def test_exits_7_for_an_unreachable_customer(self):
        text = json.dumps({"name": "late", "kind": "vrptw", "capacity": 10, "coords": [[0, 0], [1, 0], [50, 0]],
                           "demands": [0, 1, 1], "time_windows": [[0, 100], [0, 100], [0, 10]], "horizon": 100})
        done = self.daemon.call("solve", "-", "--format", "json", "--output", "json", stdin=text)
        self.assertEqual(done.returncode, 7, done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual([customer["id"] for customer in answer["unserved"]], ["2"])

    def test_names_every_error_in_validation(self):
        broken = self.folder / "two.json"
        broken.write_text(json.dumps({"kind": "cvrp", "capacity": 10, "coords": [[0, 0], [1, 1], [2, 2]],
                                      "demands": [0, 11, -1]}))
        done = self.exit_code(2, "validate", broken)
        self.assertIn("customers[0].demand", done.stdout + done.stderr)
        self.assertIn("customers[1].demand", done.stdout + done.stderr)

    def test_refuses_to_listen_beyond_loopback_without_insecure(self):
        done = subprocess.run([BINARIES / "vrpd", "--listen", "0.0.0.0:0", "--state-dir", self.folder / "state"],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("--insecure", done.stderr)

    def test_prints_completions_and_begins_help_with_examples(self):
        for shell in ("bash", "zsh", "fish"):
            self.assertIn("vrpctl", vrpctl("completion", shell).stdout)
        self.assertTrue(vrpctl("solve", "--help").stdout.startswith("Examples:"))


if __name__ == "__main__":
    unittest.main(verbosity=2)

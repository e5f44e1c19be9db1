"""Tests that a sweep trains, compares and publishes its trials, survives a killed daemon, and can be stopped and paused."""

import json
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from daemon import BINARIES, ROOT, TINY_TRAINING, Daemon, first_gap, lost_events

END = ("SUCCEEDED", "FAILED", "CANCELLED")
GRID = """\
method: grid
name: swept
config: tiny.yaml  # beside this file
keys:
  training.learning_rate: [0.001, 0.01]
  network.hidden: [16, 32]
"""
HALVING = """\
method: successive_halving
config: tiny.yaml
keys: {training.seed: [1, 2, 3, 4]}
factor: 2
"""


class SweepTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-sweep-"))
        self.addCleanup(lambda: shutil.rmtree(self.folder, ignore_errors=True))
        (self.folder / "tiny.yaml").write_text(TINY_TRAINING)
        self.daemon = Daemon(self.folder / "state")
        self.addCleanup(lambda: self.daemon.clean_up())

    def write(self, text):
        path = self.folder / "sweep.yaml"
        path.write_text(text)
        return path

    def start(self, text, *flags):
        return self.daemon.json("train", "--sweep", self.write(text), *flags, "--detach")[0]["name"]

    def await_end(self, name):
        self.daemon.events_until(lambda event: event.get("state") in END, "sweeps", "watch", name)
        return self.daemon.json("sweeps", "get", name)[0]

    def versions(self, name="swept"):
        return [model for model in self.daemon.json("models", "list") if model["name"].startswith(f"models/{name}/")]

    def test_publishes_the_best_trial_and_prints_a_table(self):
        done = self.daemon.call("train", "--sweep", self.write(GRID))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("grid, 4 trials of training.learning_rate, network.hidden", done.stdout)
        name = done.stdout.split()[0]
        table = done.stdout[done.stdout.index("TRIAL"):].splitlines()
        self.assertIn("(best)", table[1])
        self.assertNotIn("(best)", "".join(table[2:]))
        sweep = self.daemon.json("sweeps", "get", name)[0]
        self.assertEqual(sweep["model"], "models/swept/versions/1")
        trials = sweep["trials"]
        self.assertEqual([trial["state"] for trial in trials], ["SUCCEEDED"] * 4)
        self.assertEqual(trials[1]["settings"], {"training.learning_rate": "0.001", "network.hidden": "32"})
        best = min(trials, key=lambda trial: trial["validation_cost"])
        self.assertTrue(best["best"])
        self.assertEqual([model["training_job"] for model in self.versions()], [best["job"]])
        self.assertEqual(self.versions()[0]["sweep"], name)
        self.assertEqual(self.versions()[0]["trial"], best["trial"])
        jobs = self.daemon.json("jobs", "list", "--label", "sweep=swept")
        self.assertEqual({job["name"] for job in jobs}, {trial["job"] for trial in trials})
        self.assertEqual({(job["sweep"], job["model"]) for job in jobs}, {(name, None)})
        self.daemon.call("sweeps", "delete", name)
        self.assertEqual(self.daemon.json("sweeps", "list"), [])
        self.assertEqual(self.daemon.json("jobs", "list"), [])
        self.assertEqual(len(self.versions()), 1)

    def test_halving_survives_a_kill_with_the_results_of_an_undisturbed_one(self):
        def results(sweep):
            self.assertEqual(sweep["state"], "SUCCEEDED", sweep["error"])
            return [(trial["settings"], trial["dropped"], trial["epoch"], trial["validation_cost"], trial["best"])
                    for trial in sweep["trials"]]
        (self.folder / "tiny.yaml").write_text(TINY_TRAINING.replace("epochs: 2", "epochs: 6"))
        expected = results(self.await_end(self.start(HALVING)))
        self.assertEqual(sum(dropped for _, dropped, *_ in expected), 3)
        name = self.start(HALVING)
        before = self.daemon.events_until(lambda event: event["type"] == "trial", "sweeps", "watch", name)
        self.daemon.kill()
        self.daemon = Daemon(self.folder / "state")
        after = self.daemon.events_until(lambda event: event.get("state") in END, "sweeps", "watch", name)
        self.assertIsNone(first_gap(after))
        self.assertEqual(lost_events(before, after), [])
        self.assertEqual(len([event for event in after if event["type"] == "resumed"]), 1)
        self.assertEqual(results(self.await_end(name)), expected)
        self.assertEqual(len(self.versions("tiny")), 2)

    def test_stop_publishes_the_best_trial_so_far(self):
        (self.folder / "tiny.yaml").write_text(TINY_TRAINING.replace("epochs: 2", "epochs: 100000"))
        name = self.start(GRID)
        self.daemon.events_until(lambda event: event["type"] == "progress", "sweeps", "watch", name)
        self.daemon.json("sweeps", "stop", name)
        sweep = self.await_end(name)
        self.assertEqual(sweep["state"], "SUCCEEDED", sweep["error"])
        self.assertEqual([trial["best"] for trial in sweep["trials"]], [True, False, False, False])
        self.assertEqual([trial["job"] is None for trial in sweep["trials"]], [False, True, True, True])
        self.assertEqual(len(self.versions()), 1)

    def test_pauses_across_a_restart_and_resumes(self):
        (self.folder / "tiny.yaml").write_text(TINY_TRAINING.replace("epochs: 2", "epochs: 400"))
        name = self.start(HALVING + "first_epochs: 300\n")
        self.daemon.events_until(lambda event: event["type"] == "progress", "sweeps", "watch", name)
        self.daemon.json("sweeps", "pause", name)
        self.daemon.events_until(lambda event: event.get("state") == "PAUSED", "sweeps", "watch", name)
        self.daemon.kill()
        self.daemon = Daemon(self.folder / "state")
        sweep = self.daemon.json("sweeps", "get", name)[0]
        self.assertEqual((sweep["state"], sweep["trials"][0]["state"]), ("PAUSED", "PAUSED"))
        self.daemon.json("sweeps", "resume", name)
        self.daemon.events_until(lambda event: event["type"] == "resumed", "sweeps", "watch", name)
        self.daemon.json("sweeps", "stop", name)
        self.assertEqual(self.await_end(name)["state"], "SUCCEEDED")

    def test_interrupt_leaves_the_sweep_running(self):
        (self.folder / "tiny.yaml").write_text(TINY_TRAINING.replace("epochs: 2", "epochs: 100000"))
        train = subprocess.Popen(
            [BINARIES / "vrpctl", "--remote", self.daemon.address, "train", "--sweep", self.write(GRID)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        name = train.stdout.readline().split()[0]
        self.daemon.events_until(lambda event: event["type"] == "progress", "sweeps", "watch", name)
        train.send_signal(signal.SIGINT)
        _, errors = train.communicate(timeout=60)
        self.assertEqual(train.returncode, 130)
        self.assertIn(f"watch it again: vrpctl sweeps watch {name} --remote {self.daemon.address}", errors)
        self.assertEqual(self.daemon.json("sweeps", "get", name)[0]["state"], "RUNNING")
        self.daemon.json("sweeps", "stop", name)
        self.await_end(name)

    def test_names_errors_before_anything_starts(self):
        for text, wanted in ((GRID.replace("[16, 32]", "[16, many]"), 'sweep.yaml:6: keys.network.hidden.values[1]: got "many"'),
                             (GRID.replace("grid", "best"), 'sweep.yaml:1: method: got "best"'),
                             (GRID.replace("network.hidden", "network.hiden"), "keys.network.hiden: unknown key"),
                             (GRID.replace("tiny.yaml", "none.yaml"), "sweep.yaml: config: ")):
            refused = self.daemon.call("train", "--sweep", self.write(text))
            self.assertEqual(refused.returncode, 2, refused.stderr)
            self.assertIn(wanted, refused.stderr)
        both = self.daemon.call("train", "--sweep", self.write(GRID), "--preset", "tiny_1")
        self.assertEqual(both.returncode, 2)
        self.assertIn("leave out --config and --preset", both.stderr)
        self.assertEqual(self.daemon.json("jobs", "list"), [])
        self.assertEqual(self.daemon.json("sweeps", "list"), [])

    def test_validates_without_starting(self):
        checked = self.daemon.call("train", "--sweep", self.write(GRID), "--validate-only")
        self.assertEqual(checked.returncode, 0, checked.stderr)
        self.assertIn("# valid: grid, 4 trials", checked.stdout)
        self.assertIn("models/swept", checked.stdout)
        self.assertEqual(self.daemon.json("sweeps", "list"), [])

    def test_shipped_sweep_runs(self):
        began = time.monotonic()
        sweep = json.loads(self.daemon.call("train", "--sweep", ROOT / "configs" / "sweeps" / "tiny.yaml", "--detach",
                                            "--output", "json").stdout)
        ended = self.await_end(sweep["name"])
        self.assertEqual(ended["state"], "SUCCEEDED", ended["error"])
        self.assertEqual(sum(trial["dropped"] for trial in ended["trials"]), 8)
        print(f"configs/sweeps/tiny.yaml took {time.monotonic() - began:.1f} s")


if __name__ == "__main__":
    unittest.main()

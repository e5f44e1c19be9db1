"""Tests a company's own history by the built programs: it is uploaded, used, exported, and deleted without a trace."""

import json
import pathlib
import shutil
import tempfile
import unittest

from daemon import Daemon

CUSTOMERS = 12
SECRET = "order-of-a-customer"  # begins the id of each request
SHAPE = ("--epoch", "20", "--margin", "10", "--max-iterations", "20", "--hindsight", "10s")


def site():
    """Returns an instance whose customers have the ids 1 to CUSTOMERS."""
    places = [[0, 0]] + [[1 + 3 * i % 7, 2 + 5 * i % 11] for i in range(CUSTOMERS)]
    return {"name": "depot", "kind": "vrptw", "capacity": 10, "coords": places, "demands": [0] + [1] * CUSTOMERS,
            "time_windows": [[0, 400]] * (CUSTOMERS + 1)}


def log(days):
    """Returns a log of six requests a day."""
    return "".join(json.dumps({"day": f"2026-11-{day:02}", "id": f"{SECRET}-{i}", "at": 20 * (i % 3),
                               "customer": str(1 + (5 * day + i) % CUSTOMERS)}) + "\n" for day in range(1, days + 1) for i in range(6))


class RequestLogTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-history-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.daemon = Daemon()
        self.addCleanup(self.daemon.clean_up)
        self.site, self.log = self.folder / "depot.json", self.folder / "history.jsonl"
        self.site.write_text(json.dumps(site()))
        self.log.write_text(log(5))

    def run_command(self, *words):
        done = self.daemon.call(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def files_with(self, text):
        """Returns the files of the state folder that contain `text`."""
        return [str(path) for path in self.daemon.state.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]

    def simulate(self):
        return self.daemon.json("dispatch", "simulate", "datasets/history", "--site", self.site, "--policy", "greedy,sampling", *SHAPE)

    def decide(self):
        return self.daemon.json("dispatch", "decide", self.site, "--departure", "10", "--later", "30,50", "--policy", "sampling", "--log", "history",
                                "--margin", "10", "--max-iterations", "20")[0]

    def train(self):
        settings = ("name=own", "dispatch.sites=datasets/depot", "dispatch.log=datasets/history", "dispatch.epoch=20", "dispatch.margin=10",
                    "dispatch.label_seconds=0", "dispatch.label_iterations=20", "dispatch.search_iterations=20", "validation.days=2",
                    "validation.decision_iterations=20", "training.epochs=1")
        self.run_command("train", "--preset", "dispatch", *(word for one in settings for word in ("--set", one)))

    def test_a_history_is_used_exported_and_deleted_completely(self):
        self.run_command("datasets", "upload", self.log, "--name", "history")
        self.run_command("datasets", "upload", self.site_line(), "--name", "depot")
        self.assertEqual({day["day"] for day in self.simulate()}, {f"2026-11-{day:02}" for day in range(1, 6)})
        self.assertGreater(self.decide()["scenarios"], 0)
        self.train()
        self.assertEqual(len(list((self.daemon.state / "labels" / "history").iterdir())), 5)
        exported = self.folder / "exported.jsonl"
        self.run_command("datasets", "export", "history", "--out", exported)
        self.assertEqual(exported.read_bytes(), self.log.read_bytes())
        self.assertTrue(self.files_with(SECRET))
        deleted = self.daemon.json("datasets", "delete", "history")[0]
        self.assertEqual(deleted["labels"], 5)
        self.assertEqual(len(deleted["simulations"]), 1)
        self.assertEqual(len(deleted["training_jobs"]), 1)
        self.assertEqual(deleted["kept_models"], ["models/own/versions/1"])
        self.assertEqual(self.files_with(SECRET), [])
        self.assertEqual(self.daemon.json("dispatch", "simulations", "list"), [])
        self.assertEqual(self.daemon.json("jobs", "list"), [])
        self.assertEqual([one["name"] for one in self.daemon.json("datasets", "list")], ["datasets/depot"])
        self.run_command("models", "get", "own")

    def site_line(self):
        path = self.folder / "depot.jsonl"
        path.write_text(json.dumps(site()) + "\n")
        return path

    def test_a_model_is_not_published_from_a_log_that_does_not_fit(self):
        self.log.write_text(log(4) + '{"day": "2026-11-05", "id": "x", "at": 0, "customer": "nobody"}\n')
        self.run_command("datasets", "upload", self.log, "--name", "history")
        self.run_command("datasets", "upload", self.site_line(), "--name", "depot")
        with self.assertRaisesRegex(AssertionError, 'dispatch.log: datasets/history:25: customer: got "nobody"'):
            self.train()
        refused = self.daemon.call("dispatch", "simulate", "datasets/history", "--site", self.site)
        self.assertIn('datasets/history:25: customer: got "nobody"', refused.stderr)
        self.assertEqual(self.daemon.json("jobs", "list"), [])
        missing = self.daemon.call("models", "get", "own")
        self.assertNotEqual(missing.returncode, 0)


if __name__ == "__main__":
    unittest.main()

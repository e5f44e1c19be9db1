"""Tests that training jobs can be paused, stopped, deleted, limited and published, most of them with a kill -9 between."""

import pathlib
import tempfile
import unittest

from daemon import Daemon, first_gap, tiny_config

ENDLESS = ("--set", "training.epochs=100000", "--set", "training.batches_per_epoch=10",
           "--set", "training.checkpoint_every_steps=5")
# A training job that ends within seconds, after 120 steps.
SHORT = ("--set", "training.epochs=12", "--set", "training.batches_per_epoch=10")


class JobControlTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-control-"))
        self.state = self.folder / "state"
        self.config = tiny_config(self.folder)
        self.daemon = Daemon(self.state)
        self.addCleanup(lambda: self.daemon.clean_up())

    def kill_and_restart(self, *flags):
        self.daemon.kill()
        self.daemon = Daemon(self.state, flags=flags)

    def submit(self, *arguments):
        return self.daemon.json("train", "--config", self.config, "--detach", *arguments)[0]["name"]

    def get(self, job):
        return self.daemon.json("jobs", "get", job)[0]

    def until(self, job, wanted):
        return self.daemon.events_until(wanted, "jobs", "watch", job)

    def until_state(self, job, state):
        return self.until(job, lambda event: event.get("state") == state)

    def until_step(self, job, step):
        return self.until(job, lambda event: event["type"] == "progress" and event["step"] >= step)

    def pause(self, job):
        self.daemon.json("jobs", "pause", job)
        return self.until_state(job, "PAUSED")

    def assert_gap_free(self, events):
        self.assertIsNone(first_gap(events))

    def weights_of(self, job):
        model = self.get(job)["model"]
        _, name, _, version = model.split("/")
        return (self.state / "models" / name / version / "weights.safetensors").read_bytes()

    def test_ends_with_the_same_weights_after_pause_kill_and_resume(self):
        plain = self.submit(*SHORT)
        self.until_state(plain, "SUCCEEDED")
        job = self.submit(*SHORT)
        self.until_step(job, 15)
        self.pause(job)
        self.kill_and_restart()
        self.assertEqual(self.get(job)["state"], "PAUSED")
        self.daemon.json("jobs", "resume", job)
        self.kill_and_restart()  # must keep the acknowledged resumption
        events = self.until_state(job, "SUCCEEDED")
        self.assert_gap_free(events)
        self.assertTrue([event for event in events if event["type"] == "resumed"][0]["resumed_from_step"] >= 15)
        self.assertEqual(self.weights_of(job), self.weights_of(plain))

    def test_keeps_a_job_paused_after_a_kill(self):
        job = self.submit(*ENDLESS)
        self.until_step(job, 12)
        self.daemon.json("jobs", "pause", job)
        self.kill_and_restart()
        events = self.until_state(job, "PAUSED")
        self.assert_gap_free(events)
        self.assertEqual(self.get(job)["state"], "PAUSED")
        self.daemon.json("jobs", "resume", job)
        self.until(job, lambda event: event["type"] == "progress" and event["attempt"] == 2)

    def test_ends_a_stopped_job_with_its_best_weights(self):
        job = self.submit(*ENDLESS)
        self.until_step(job, 25)
        self.assertEqual(self.daemon.json("jobs", "stop", job)[0]["state"], "STOPPING")
        events = self.until_state(job, "SUCCEEDED")
        self.assert_gap_free(events)
        ended = self.get(job)
        self.assertEqual(ended["end_reason"], "STOPPED")
        published = ended["published"]
        self.assertEqual(published["reason"], "BEST_VALIDATION")
        costs = [event["validation_cost"] for event in events if event["type"] == "progress" and event["end_of_epoch"]]
        self.assertLessEqual(published["validation_cost"], min(costs))
        model = self.daemon.json("models", "get", ended["model"])[0]
        self.assertEqual(model["steps"], published["step"])
        self.assertEqual(model["validation_cost"], published["validation_cost"])

    def test_ends_a_stopped_job_with_a_model_after_a_kill(self):
        job = self.submit(*ENDLESS)
        self.until_step(job, 12)
        self.daemon.json("jobs", "stop", job)
        self.kill_and_restart()
        events = self.until_state(job, "SUCCEEDED")
        self.assert_gap_free(events)
        self.assertTrue(self.weights_of(job))
        self.assertEqual(self.get(job)["end_reason"], "STOPPED")

    def test_stops_a_paused_job_before_others_run(self):
        job = self.submit(*ENDLESS)
        self.until_step(job, 12)
        self.pause(job)
        running = self.submit(*ENDLESS)
        self.until_step(running, 1)
        stopped = self.daemon.json("jobs", "stop", job)[0]
        self.assertEqual((stopped["state"], stopped["queue_position"]), ("QUEUED", 1))
        self.kill_and_restart()  # must keep the acknowledged stop
        self.until_state(job, "SUCCEEDED")
        self.assertEqual(self.get(job)["end_reason"], "STOPPED")

    def test_keeps_the_model_of_a_deleted_job(self):
        job = self.submit()
        self.until_state(job, "SUCCEEDED")
        model = self.get(job)["model"]
        curves = self.state / "tensorboard" / job.split("/")[1]
        self.assertTrue(curves.exists())
        self.daemon.json("jobs", "delete", job)
        self.kill_and_restart()
        self.assertEqual(self.daemon.json("jobs", "list"), [])
        self.assertFalse(curves.exists())
        self.assertEqual(self.daemon.json("models", "get", model)[0]["name"], model)

    def test_quarantines_a_crashing_job_and_runs_others(self):
        bad = self.submit("--set", "training.checkpoint_every_steps=1000000", *ENDLESS[:4])
        good = self.submit()
        for attempt in (1, 2, 3):
            self.until(bad, lambda event, n=attempt: event["attempt"] == n and event.get("state") == "RUNNING")
            self.kill_and_restart()
        job = self.get(bad)
        self.assertEqual(job["state"], "FAILED")
        self.assertIn("crashed 3 times in a row", job["error"]["message"])
        self.assertIn("submit the job again", job["error"]["message"])
        self.until_state(good, "SUCCEEDED")

    def test_publishes_weights_live_and_resumes_after_a_kill(self):
        job = self.submit(*ENDLESS)
        self.until_step(job, 12)
        published = self.daemon.json("jobs", "publish", job)[0]
        self.kill_and_restart()
        model = self.daemon.json("models", "get", published["model"])[0]
        self.assertEqual(model["training_job"], f"{job}/steps/{published['step']}")
        self.until(job, lambda event: event["type"] == "progress" and event["attempt"] == 2)
        self.assertEqual(self.get(job)["model"], published["model"])
        self.assertEqual(self.get(job)["state"], "RUNNING")
        name = model["model"]
        self.assertTrue(model["live"])
        self.assertEqual(self.daemon.json("models", "get", f"{name}@live")[0]["name"], published["model"])
        self.assertIn(f"{name}/aliases/live", self.daemon.call("models", "get", name).stderr)
        self.daemon.json("jobs", "stop", job)
        self.until_state(job, "SUCCEEDED")
        finished = self.daemon.json("models", "get", name)[0]
        self.assertEqual(finished["name"], self.get(job)["model"])
        self.assertFalse(finished["live"])

    def test_refuses_a_name_used_by_another_architecture(self):
        self.until_state(self.submit(), "SUCCEEDED")
        for flag in ("--detach", "--validate-only"):
            refused = self.daemon.call("train", "--config", self.config, "--model", "GT+RL", flag)
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn("choose another name", refused.stderr)

    def test_ends_jobs_at_their_limits_and_lists_and_compares_them(self):
        limited = self.submit("--time-limit", "2s", "--label", "kind=limited", *ENDLESS)
        one_epoch = self.submit("--epoch-limit", "1", "--priority", "5")
        self.until_state(limited, "SUCCEEDED")
        self.until_state(one_epoch, "SUCCEEDED")
        self.assertEqual(self.get(limited)["end_reason"], "TIME_LIMIT")
        self.assertEqual(self.get(one_epoch)["end_reason"], "EPOCH_LIMIT")
        self.assertTrue(self.get(limited)["model"])
        listed = self.daemon.json("jobs", "list", "--label", "kind=limited")
        self.assertEqual([job["name"] for job in listed], [limited])
        points = self.daemon.json("jobs", "history", limited, "--max-points", 7)
        self.assertTrue(1 <= len(points) <= 7)
        self.assertEqual(sorted(point["step"] for point in points), [point["step"] for point in points])
        compared = self.daemon.json("jobs", "compare", limited, one_epoch)[0]
        self.assertEqual(compared["differences"]["training.epochs"], {limited: "100000", one_epoch: "2"})
        self.assertEqual(len(compared["jobs"]), 2)

    def test_refuses_jobs_beyond_the_quota_and_says_what_to_delete(self):
        self.kill_and_restart("--state-quota-mb", "1")
        (self.state / "large").write_bytes(bytes(2_000_000))
        refused = self.daemon.call("train", "--config", self.config, "--detach")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("used of a quota of 1.0 MB", refused.stderr)
        self.assertIn("vrpctl jobs delete", refused.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)

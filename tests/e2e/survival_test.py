"""Tests that a killed daemon resumes without losing acknowledged jobs, events or training progress."""

import hashlib
import json
import pathlib
import tempfile
import unittest

from daemon import Daemon, first_gap, lost_events, tiny_config

LONG = ("--set", "training.epochs=1000", "--set", "training.batches_per_epoch=100",
        "--set", "training.checkpoint_every_steps=5")

# 20 steps of about 50 ms, slow enough to be watched, with checkpoints after steps 7 and 14.
STEPS = ("--set", "training.batches_per_epoch=10", "--set", "training.checkpoint_every_steps=7",
         "--set", "training.batch_size=128", "--set", "problem.customers=20")
# Maximum number of attempts, since a kill may come too late on a busy machine.
MAX_KILLS = 5
# For each network: the step after which the daemon is killed, and the network's sizes. Step 10 ends an epoch, in which the
# policy is compared with the baseline. The run that is killed later (ptrnet) learns against the better of the two.
NETWORKS = {
    "gt": (9, "--model", "gt", "--set", "graph_transformer.hidden=64", "--set", "graph_transformer.heads=4"),
    "ptrnet": (16, "--model", "ptrnet", "--set", "network.hidden=64"),
}


class SurvivalTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-survival-"))
        self.config = tiny_config(self.folder)
        self.daemon = Daemon(self.folder / "state")
        self.addCleanup(lambda: self.daemon.clean_up())

    def restart(self, *flags):
        self.daemon = Daemon(self.folder / "state", flags=flags)

    def submit(self, *arguments):
        return self.daemon.json("train", "--config", self.config, "--detach", *arguments)[0]["name"]

    def read_until(self, job, wanted, start=1):
        """Returns events of `job` from `start` on, up to the first for which wanted(event) is true."""
        return self.daemon.events_until(wanted, "jobs", "watch", job, "--from", start)

    def test_resumes_from_the_last_checkpoint_after_a_kill(self):
        job = self.submit(*LONG)
        before = self.read_until(job, lambda event: event["type"] == "checkpoint" and event["step"] >= 10)
        self.daemon.kill()
        self.restart()
        after = self.read_until(job, lambda event: event["type"] == "checkpoint" and event["attempt"] == 2)
        self.assertIsNone(first_gap(after))
        self.assertEqual(lost_events(before, after), [])
        resumed = [event for event in after if event["type"] == "resumed"]
        self.assertEqual(len(resumed), 1)
        saved = [event["step"] for event in after if event["type"] == "checkpoint" and event["attempt"] == 1]
        self.assertGreaterEqual(resumed[0]["resumed_from_step"], saved[-1])
        steps = [(event["attempt"], event["step"]) for event in after if event["type"] == "progress"]
        self.assertEqual(len(steps), len(set(steps)))
        self.assertTrue(all(step > resumed[0]["resumed_from_step"] for attempt, step in steps if attempt == 2))

    def weights_of(self, job):
        """Returns the digest of the weights, which fits into a message."""
        _, name, _, version = self.daemon.json("jobs", "get", job)[0]["model"].split("/")
        weights = self.folder / "state" / "models" / name / version / "weights.safetensors"
        return hashlib.sha256(weights.read_bytes()).hexdigest()

    def train_uninterrupted(self, *arguments):
        job = self.submit(*arguments)
        self.read_until(job, lambda event: event.get("state") == "SUCCEEDED")
        return self.weights_of(job)

    def kill_beyond(self, step, job):
        """Kills the daemon as soon as a watcher sees the step, and restarts it."""
        with self.daemon.follow("jobs", "watch", job) as watch:
            for line in watch.stdout:
                event = json.loads(line)
                if event["type"] == "progress" and event["step"] >= step:
                    break
            self.daemon.kill()
            watch.kill()  # it would wait for the daemon to restart
        self.restart()

    def train_killed(self, step, *arguments):
        """Returns the digest of the weights, and whether steps after the last checkpoint were lost."""
        job = self.submit(*arguments)
        self.kill_beyond(step, job)
        events = self.read_until(job, lambda event: event.get("state") == "SUCCEEDED")
        resumed = [event["resumed_from_step"] for event in events if event["type"] == "resumed"]
        reported = [event["step"] for event in events if event["type"] == "progress" and event["attempt"] == 1]
        lost = len(resumed) == 1 and 0 < resumed[0] < max(reported)
        return self.weights_of(job), lost

    def test_ends_with_the_same_weights_after_a_kill_between_checkpoints(self):
        for network, (step, *words) in NETWORKS.items():
            words += ("--set", f"name={network}")  # versions of one name have one architecture
            with self.subTest(network=network):
                expected = self.train_uninterrupted(*STEPS, *words)
                for _ in range(MAX_KILLS):
                    weights, lost = self.train_killed(step, *STEPS, *words)
                    self.assertEqual(weights, expected)
                    if lost:
                        break
                self.assertTrue(lost, "no kill came between two checkpoints")

    def test_all_running_jobs_resume_after_a_kill_and_end_as_without_one(self):
        flags = ("--training-jobs-at-once", "2")
        self.daemon.stop()
        self.restart(*flags)
        seeds = [(*STEPS, "--set", f"training.seed={seed}", "--set", f"name=seed{seed}") for seed in (1, 2)]
        expected = [self.train_uninterrupted(*words) for words in seeds]
        jobs = [self.submit(*words) for words in seeds]
        before = [self.read_until(job, lambda event: event["type"] == "checkpoint") for job in jobs]
        self.daemon.kill()
        self.restart(*flags)
        for job, seen, weights in zip(jobs, before, expected):
            events = self.read_until(job, lambda event: event.get("state") in ("SUCCEEDED", "FAILED"))
            self.assertEqual(events[-1]["state"], "SUCCEEDED")
            self.assertIsNone(first_gap(events))
            self.assertEqual(lost_events(seen, events), [])
            steps = [(event["attempt"], event["step"]) for event in events if event["type"] == "progress"]
            self.assertEqual(len(steps), len(set(steps)))
            self.assertEqual(self.weights_of(job), weights)
        starts = [self.read_until(job, lambda event: event.get("state") == "RUNNING")[-1]["time"] for job in jobs]
        ends = [seen[-1]["time"] for seen in before]
        self.assertLess(max(starts), min(ends), "both jobs ran at the same time")

    def test_keeps_queued_jobs_after_a_kill_and_cancels_them(self):
        running, queued = self.submit(*LONG), self.submit()
        self.read_until(running, lambda event: event["type"] == "progress")
        self.daemon.kill()
        self.restart()
        self.assertEqual({job["name"] for job in self.daemon.json("jobs", "list")}, {running, queued})
        for job in (queued, running):
            self.daemon.json("jobs", "cancel", job)
            ended = self.read_until(job, lambda event: event.get("state") == "CANCELLED")
            self.assertEqual(ended[-1]["state"], "CANCELLED")

    def test_checkpoints_at_sigterm_and_exits_cleanly(self):
        job = self.submit(*LONG)
        self.read_until(job, lambda event: event["type"] == "progress")
        self.assertEqual(self.daemon.stop(), 0)
        self.restart()
        events = self.read_until(job, lambda event: event["type"] == "resumed")
        self.assertGreaterEqual(events[-1]["resumed_from_step"], 1)

    def test_reconnects_a_watch_when_the_daemon_restarts(self):
        address = self.daemon.address
        job = self.submit(*LONG)
        watch = self.daemon.follow("jobs", "watch", job)
        with watch:
            seen = [json.loads(watch.stdout.readline()) for _ in range(5)]
            self.daemon.kill()
            self.daemon = Daemon(self.folder / "state", listen=address)
            for line in watch.stdout:
                seen.append(json.loads(line))
                if seen[-1]["attempt"] == 2 and seen[-1]["type"] == "progress":
                    break
            watch.terminate()
        self.assertIsNone(first_gap(seen))

    def test_refuses_a_second_daemon_on_the_same_state_folder(self):
        with self.assertRaisesRegex(RuntimeError, "another"):
            Daemon(self.folder / "state")


if __name__ == "__main__":
    unittest.main(verbosity=2)

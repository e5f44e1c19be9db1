"""A daemon that is killed goes on: no acknowledged job lost, no event missing or double, no training from the start."""

import json
import pathlib
import tempfile
import unittest

from daemon import Daemon, tiny_config

LONG = ("--set", "training.epochs=1000", "--set", "training.batches_per_epoch=100",
        "--set", "training.checkpoint_every_steps=5")


class SurvivalTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-survival-"))
        self.config = tiny_config(self.folder)
        self.daemon = Daemon(self.folder / "state")
        self.addCleanup(lambda: self.daemon.clean_up())

    def restart(self):
        self.daemon = Daemon(self.folder / "state")

    def submit(self, *words):
        return self.daemon.json("train", "--config", self.config, "--detach", *words)[0]["name"]

    def read_until(self, job, wanted, start=1):
        """Events of `job` from `start` on, up to the first for which wanted(event) is true."""
        return self.daemon.events_until(wanted, "jobs", "watch", job, "--from", start)

    def test_a_killed_daemon_resumes_its_job_from_the_last_checkpoint(self):
        job = self.submit(*LONG)
        before = self.read_until(job, lambda event: event["type"] == "checkpoint" and event["step"] >= 10)
        self.daemon.kill()
        self.restart()
        after = self.read_until(job, lambda event: event["type"] == "checkpoint" and event["attempt"] == 2)
        self.assertEqual([event["sequence"] for event in after], list(range(1, len(after) + 1)))
        self.assertEqual(after[:len(before)], before)
        resumed = [event for event in after if event["type"] == "resumed"]
        self.assertEqual(len(resumed), 1)
        saved = [event["step"] for event in after if event["type"] == "checkpoint" and event["attempt"] == 1]
        self.assertGreaterEqual(resumed[0]["resumed_from_step"], saved[-1])
        steps = [(event["attempt"], event["step"]) for event in after if event["type"] == "progress"]
        self.assertEqual(len(steps), len(set(steps)))
        self.assertTrue(all(step > resumed[0]["resumed_from_step"] for attempt, step in steps if attempt == 2))

    def test_a_queued_job_outlives_the_daemon_and_both_can_be_cancelled(self):
        running, queued = self.submit(*LONG), self.submit()
        self.read_until(running, lambda event: event["type"] == "progress")
        self.daemon.kill()
        self.restart()
        self.assertEqual({job["name"] for job in self.daemon.json("jobs", "list")}, {running, queued})
        for job in (queued, running):
            self.daemon.json("jobs", "cancel", job)
            ended = self.read_until(job, lambda event: event.get("state") == "CANCELLED")
            self.assertEqual(ended[-1]["state"], "CANCELLED")

    def test_sigterm_leaves_a_checkpoint_and_exits_cleanly(self):
        job = self.submit(*LONG)
        self.read_until(job, lambda event: event["type"] == "progress")
        self.assertEqual(self.daemon.stop(), 0)
        self.restart()
        events = self.read_until(job, lambda event: event["type"] == "resumed")
        self.assertGreaterEqual(events[-1]["resumed_from_step"], 1)

    def test_a_watch_goes_on_by_itself_when_the_daemon_comes_back(self):
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
        self.assertEqual([event["sequence"] for event in seen], list(range(1, len(seen) + 1)))

    def test_a_second_daemon_on_the_same_state_folder_is_refused(self):
        with self.assertRaisesRegex(RuntimeError, "another"):
            Daemon(self.folder / "state")


if __name__ == "__main__":
    unittest.main(verbosity=2)

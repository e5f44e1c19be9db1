"""Tests a daemon that loses its GPU for good, simulated by losing_trainer.cc.

The daemon answers by search, restarts within the same process and resumes its jobs."""

import os
import pathlib
import signal
import tempfile
import time
import unittest

from daemon import BINARIES, DATA, Daemon, first_gap, lost_events, tiny_config

LOSING_VRPD = BINARIES.parent / "tests" / "losing_vrpd"
LONG = ("--set", "training.epochs=1000", "--set", "training.batches_per_epoch=100",
        "--set", "training.checkpoint_every_steps=5")
TIMEOUT_S = 60


class LostDeviceTest(unittest.TestCase):
    def setUp(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-lost-"))
        self.trigger = folder / "lose"
        self.config = tiny_config(folder)
        self.daemon = Daemon(folder / "state", listen=f"unix:{folder}/socket", binary=LOSING_VRPD,
                             env=dict(os.environ, VRP_LOSE_DEVICE=str(self.trigger)))
        self.addCleanup(self.daemon.clean_up)

    def submit(self, *arguments):
        return self.daemon.json("train", "--config", self.config, "--detach", *LONG, *arguments)[0]["name"]

    def state_of(self, job):
        return self.daemon.json("jobs", "get", job)[0]["state"]

    def await_true(self, what, body):
        end = time.monotonic() + TIMEOUT_S
        while not body():
            self.assertLess(time.monotonic(), end, f"not within {TIMEOUT_S} s: {what}")
            time.sleep(0.05)

    def await_start(self):
        signal.alarm(TIMEOUT_S)
        line = self.daemon.process.stdout.readline()
        signal.alarm(0)
        self.assertTrue(line.startswith("listening on "), line)

    def test_falls_back_to_search_restarts_and_resumes_its_jobs(self):
        job = self.submit()
        before = self.daemon.events_until(lambda event: event["type"] == "checkpoint" and event["step"] >= 10,
                                          "jobs", "watch", job, "--from", 1)
        waiting = self.submit("--set", "name=other")
        process = self.daemon.process
        self.trigger.touch()

        loss = lambda: self.daemon.json("server", "info")[0]["device_loss"]
        self.await_true("server info reports the loss", loss)
        self.assertIn("an illegal memory access, made up", loss())
        self.assertFalse(self.trigger.exists())
        plan = self.daemon.json("solve", DATA / "E-n22-k4.vrp", "--strategy", "search", "--budget", "200ms")[-1]
        self.assertTrue(plan["feasible"], plan)
        self.assertEqual((self.state_of(job), self.state_of(waiting)), ("RUNNING", "QUEUED"))
        self.await_true("no longer ready", lambda: self.daemon.call("server", "health", "--ready").returncode == 1)
        self.assertEqual(self.daemon.call("server", "health").returncode, 0)

        self.await_start()
        self.assertIsNone(process.poll())  # the same process
        self.assertIsNone(loss())
        self.await_true("ready again", lambda: self.daemon.call("server", "health", "--ready").returncode == 0)
        after = self.daemon.events_until(lambda event: event["type"] == "checkpoint" and event["attempt"] == 2,
                                         "jobs", "watch", job, "--from", 1)
        self.assertIsNone(first_gap(after))
        self.assertEqual(lost_events(before, after), [])
        resumed = [event for event in after if event["type"] == "resumed"]
        self.assertEqual([event["attempt"] for event in resumed], [2])
        self.assertGreaterEqual(resumed[0]["resumed_from_step"], 10)
        self.assertIn("stopped, restarting", self.daemon.log_path.read_text())
        self.assertEqual(self.daemon.stop(), 0)


if __name__ == "__main__":
    unittest.main()

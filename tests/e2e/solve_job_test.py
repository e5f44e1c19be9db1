"""Tests that a solve job survives a killed daemon, with no worse plan than observed and no gap in its events."""

import json
import pathlib
import tempfile
import time
import unittest

from daemon import CALL_TIMEOUT_S, Daemon, first_gap, lost_events


class SolveJobTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-solve-job-"))
        self.instance = self.folder / "city.json"
        self.daemon = Daemon(self.folder / "state")
        self.addCleanup(lambda: self.daemon.clean_up())
        generated = self.daemon.call("generate", "--problem", "cvrp", "--customers", "150", "--seed", "3")
        self.assertEqual(generated.returncode, 0, generated.stderr)
        self.instance.write_text(generated.stdout)

    def restart(self):
        self.daemon = Daemon(self.folder / "state")

    def create(self, budget, *arguments):
        return self.daemon.json("solve", self.instance, "--job", "--detach", "--budget", budget, *arguments)[0]["name"]

    def read_until(self, job, wanted, start=1):
        """Returns events of `job` from `start` on, up to the first for which wanted(event) is true."""
        return self.daemon.events_until(wanted, "solve-jobs", "watch", job, "--from", start)

    def check(self, job):
        """Checks the ended job's solution file by `vrpctl check`. Returns the job's answer."""
        plan = self.folder / "city.sol"
        got = self.daemon.call("solve-jobs", "get", job, "--solution", plan)
        self.assertEqual(got.returncode, 0, got.stderr)
        checked = self.daemon.json("check", self.instance, plan)[0]
        self.assertTrue(checked["feasible"])
        answer = self.daemon.json("solve-jobs", "get", job)[0]["answer"]
        self.assertAlmostEqual(checked["cost"], answer["cost"], places=6)
        return answer

    def test_resumes_after_a_kill_and_ends_no_worse_than_observed(self):
        job = self.create("20s")
        before = self.read_until(job, lambda event: event["type"] == "improvement")
        time.sleep(2)  # lets the job search for a while before the crash
        before = self.read_until(job, lambda event: event["sequence"] == self.daemon.json("solve-jobs", "get", job)[0]["last_sequence"])
        seen = min(event["cost"] for event in before if event["type"] == "improvement")
        self.daemon.kill()
        self.restart()
        after = self.read_until(job, lambda event: event.get("state") in ("SUCCEEDED", "FAILED", "CANCELLED"))
        self.assertIsNone(first_gap(after))
        self.assertEqual(lost_events(before, after), [])
        self.assertEqual(after[-1]["state"], "SUCCEEDED")
        resumed = [event for event in after if event["type"] == "resumed"]
        self.assertEqual(len(resumed), 1)
        self.assertLessEqual(resumed[0]["cost"], seen)
        self.assertGreater(resumed[0]["search_time_ms"], 1000)
        answer = self.check(job)
        self.assertLessEqual(answer["cost"], seen)
        self.assertEqual(answer["end_reason"], "budget")
        costs = [event["cost"] for event in after if event["type"] == "improvement"]
        self.assertEqual(costs, sorted(costs, reverse=True))
        ended = self.daemon.json("solve-jobs", "get", job)[0]
        self.assertEqual(ended["attempt"], 2)
        self.assertGreater(ended["search_time_ms"], 17500)

    def test_ends_without_improvement_across_a_kill(self):
        job = self.create("1h", "--stop-after", "10s")
        self.read_until(job, lambda event: event["type"] == "improvement")
        time.sleep(1.5)  # lets the job search for a while before the crash
        self.daemon.kill()
        self.restart()
        self.read_until(job, lambda event: event.get("state") in ("SUCCEEDED", "FAILED", "CANCELLED"))
        answer = self.check(job)
        self.assertEqual(answer["end_reason"], "no_improvement")
        self.assertEqual(answer["no_improvement_ms"], 10000)
        ended = self.daemon.json("solve-jobs", "get", job)[0]
        self.assertEqual(ended["attempt"], 2)
        self.assertGreaterEqual(ended["search_time_ms"] - ended["time_to_best_ms"], 9900)

    def test_keeps_plan_and_time_at_sigterm_and_the_best_plan_at_a_stop(self):
        job = self.create("1h")
        before = self.read_until(job, lambda event: event["type"] == "improvement")
        self.assertEqual(self.daemon.stop(), 0)
        self.restart()
        events = self.read_until(job, lambda event: event["type"] == "resumed")
        self.assertLessEqual(events[-1]["cost"], before[-1]["cost"])
        self.daemon.json("solve-jobs", "stop", job)
        self.read_until(job, lambda event: event.get("state") == "SUCCEEDED")
        answer = self.check(job)
        self.assertEqual(answer["end_reason"], "stopped")
        self.assertLessEqual(answer["cost"], events[-1]["cost"])

    def test_queues_jobs_but_not_solves(self):
        running, waiting = self.create("1h"), self.create("1s")
        self.read_until(running, lambda event: event["type"] == "improvement")
        self.assertEqual(self.daemon.json("solve-jobs", "get", waiting)[0]["state"], "QUEUED")
        self.assertTrue(self.daemon.json("solve", self.instance, "--budget", "100ms")[0]["feasible"])
        self.daemon.json("solve-jobs", "stop", running)
        ended = self.read_until(waiting, lambda event: event.get("state") == "SUCCEEDED")
        self.assertEqual(ended[-1]["state"], "SUCCEEDED")
        self.daemon.json("solve-jobs", "delete", running)
        self.assertEqual([job["name"] for job in self.daemon.json("solve-jobs", "list")], [waiting])

    def test_creates_one_job_per_request_id(self):
        first = self.create("1h", "--request-id", "r1")
        self.assertEqual(self.create("1h", "--request-id", "r1"), first)
        other = self.daemon.call("solve", self.instance, "--job", "--detach", "--request-id", "r1")
        self.assertNotEqual(other.returncode, 0)
        self.assertIn("another specification", other.stderr)

    def test_reconnects_a_follower_and_prints_the_answer(self):
        address = self.daemon.address
        follow = self.daemon.follow("solve", self.instance, "--job", "--budget", "4s")
        with follow:
            seen = [json.loads(follow.stdout.readline()) for _ in range(4)]
            self.daemon.kill()
            self.daemon = Daemon(self.folder / "state", listen=address)
            seen += [json.loads(line) for line in follow.stdout]
            self.assertEqual(follow.wait(timeout=CALL_TIMEOUT_S), 0)
        self.assertIsNone(first_gap(seen))
        self.assertEqual([event["type"] for event in seen[-2:]], ["answer", "state"])
        self.assertTrue(seen[-2]["answer"]["feasible"])


if __name__ == "__main__":
    unittest.main(verbosity=2)

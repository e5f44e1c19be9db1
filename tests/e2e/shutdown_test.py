"""Tests that SIGTERM ends vrpd cleanly within 20 s, in long phases of jobs and calls, without losing work."""

import json
import pathlib
import subprocess
import tempfile
import time
import unittest

from daemon import BINARIES, Daemon

LIMIT_S = 60  # time limit of a call after the daemon has ended

# Each training job stays in the phase of its name for minutes.
IN_LABELS = """\
name: labels
model: ptrnet
problem: {kind: cvrp, customers: 50}
network: {hidden: 16, layers: 1, dropout: 0.0}
training: {method: supervised, epochs: 1, batch_size: 8}
supervised: {labels: heuristic, heuristic_iterations: 20000, samples: 100000}
validation: {instances: 10}
"""
IN_REFERENCE = """\
name: reference
model: ptrnet
problem: {kind: cvrp, customers: 100}
network: {hidden: 16, layers: 1, dropout: 0.0}
training: {method: reinforce, epochs: 1, batches_per_epoch: 1, batch_size: 8}
reinforce: {baseline_instances: 16}
validation: {instances: 10000, reference: search, reference_iterations: 20000}
"""
IN_VALIDATION = """\
name: validation
model: ptrnet
problem: {kind: cvrp, customers: 50}
network: {hidden: 64, layers: 1, dropout: 0.0}
training: {method: reinforce, epochs: 100, batches_per_epoch: 1, batch_size: 2, checkpoint_every_steps: 1000}
reinforce: {baseline_instances: 2}
validation: {instances: 2000, reference: nearest_neighbour}
"""


def in_flight(stats):
    """Returns the names of the RPCs with calls in progress."""
    return {rpc["rpc"] for rpc in stats["rpcs"] if rpc["in_flight"] > 0}


class ShutdownTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-shutdown-"))
        self.daemon = Daemon(self.folder / "state")
        self.addCleanup(lambda: self.daemon.clean_up())

    def train(self, text):
        path = self.folder / "job.yaml"
        path.write_text(text)
        return self.daemon.json("train", "--config", path, "--detach")[0]["name"]

    def wait_for(self, job, wanted):
        self.daemon.events_until(wanted, "jobs", "watch", job)

    def stop_in_time(self):
        """Stops the daemon. After 19 s, vrpd would end with another status than 0."""
        status = self.daemon.stop()
        self.assertEqual(status, 0, self.daemon.log_path.read_text())

    def check_resumes(self, job):
        """Checks that a new daemon resumes the job."""
        self.daemon = Daemon(self.folder / "state")
        self.wait_for(job, lambda event: event.get("state") == "RUNNING" and event["attempt"] == 2)
        self.assertEqual(self.daemon.json("jobs", "cancel", job)[0]["name"], job)

    def stop_in(self, text):
        job = self.train(text)
        self.wait_for(job, lambda event: event.get("state") == "RUNNING")
        time.sleep(2)  # until the job is in the phase
        self.assertEqual(self.daemon.json("jobs", "get", job)[0]["state"], "RUNNING")
        self.stop_in_time()
        self.check_resumes(job)

    def test_ends_while_labels_are_searched(self):
        self.stop_in(IN_LABELS)

    def test_ends_while_a_validation_computes_its_reference(self):
        self.stop_in(IN_REFERENCE)

    def test_ends_in_a_validation_with_a_checkpoint_of_the_last_step(self):
        job = self.train(IN_VALIDATION)
        self.wait_for(job, lambda event: event["type"] == "progress")
        self.stop_in_time()
        self.daemon = Daemon(self.folder / "state")
        events = self.daemon.events_until(lambda event: event["type"] == "resumed", "jobs", "watch", job)
        self.assertGreaterEqual(events[-1]["resumed_from_step"], 1)

    def start(self, *arguments):
        """Starts a vrpctl call that would last for minutes."""
        process = subprocess.Popen([BINARIES / "vrpctl", "--remote", self.daemon.address, *map(str, arguments)],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(process.kill)
        self.addCleanup(process.stdout.close)
        return process

    def await_stats(self, wanted):
        """Blocks until wanted(statistics of the daemon) is true. Only CTest's timeout limits the wait."""
        while not wanted(self.daemon.json("top", "--once")[0]):
            pass

    def test_ends_with_long_calls_jobs_and_streams(self):
        instance = self.folder / "city.json"
        instance.write_text(self.daemon.call("generate", "--problem", "cvrp", "--customers", "150").stdout)
        job = self.daemon.json("solve", instance, "--job", "--detach", "--budget", "2h")[0]["name"]
        solves = [self.start("solve", instance, "--budget", "10m", "--output", "json"),
                  self.start("solve", instance, "--budget", "10m", "--stream", "--output", "json")]
        self.await_stats(lambda stats: in_flight(stats) >= {"SolverService/Solve", "SolverService/StreamSolve"}
                         and not any(queue["waiting"] for queue in stats["queues"]))
        self.start("solve-jobs", "watch", job)
        self.start("top", "--follow", "--interval", "1s")
        self.start("models", "evaluate", "gt-mixed", "--generate", "cvrp50:10000", "--mode", "multi_start", "--reference", "search:10s")
        self.await_stats(lambda stats: in_flight(stats) >= {"SolverService/WatchSolveJob", "ModelService/EvaluateModel"})
        self.daemon.events_until(lambda event: event["type"] == "improvement", "solve-jobs", "watch", job)
        self.daemon.call("server", "log-level", "debug")
        self.stop_in_time()
        # Both solves were running. Each must return its best plan with the reason for its end.
        for call in solves:
            output, _ = call.communicate(timeout=LIMIT_S)
            self.assertEqual(call.returncode, 0, output[-300:])
            answer = json.loads(output.splitlines()[-1])
            self.assertEqual(answer["end_reason"], "shutdown")
            self.assertTrue(answer["feasible"])
        log = self.daemon.log_path.read_text()
        for rpc in ("Solve", "StreamSolve"):
            self.assertIn(f"rpc=vrp.v1.SolverService/{rpc} code=OK", log)
        self.daemon = Daemon(self.folder / "state")
        self.daemon.events_until(lambda event: event["type"] == "resumed", "solve-jobs", "watch", job)
        self.daemon.json("solve-jobs", "stop", job)


if __name__ == "__main__":
    unittest.main(verbosity=2)

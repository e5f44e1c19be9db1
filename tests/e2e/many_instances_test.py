"""Tests that `vrpctl solve --answers` answers every instance once though it and its daemons are killed."""

import json
import pathlib
import subprocess
import tempfile
import time
import unittest

from daemon import BINARIES, CALL_TIMEOUT_S, Daemon

INSTANCES = (120, 80)  # by file
CUSTOMERS = 15


class ManyInstancesTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-many-"))
        self.daemons = [self.start_daemon(0), self.start_daemon(1)]
        self.inputs = []
        for seed, count in enumerate(INSTANCES):
            path = self.folder / f"set{seed}.jsonl"
            done = self.daemons[0].call("generate", "--problem", "cvrp", "--customers", CUSTOMERS, "--count", count,
                                        "--seed", seed + 1, "--out", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.inputs.append(path)
        self.answers = self.folder / "answers"

    def start_daemon(self, number, listen="127.0.0.1:0"):
        daemon = Daemon(self.folder / f"state{number}", listen=listen, flags=("--threads", "1"))
        self.addCleanup(daemon.clean_up)
        return daemon

    def start_run(self):
        remotes = [word for daemon in self.daemons for word in ("--remote", daemon.address)]
        return subprocess.Popen([BINARIES / "vrpctl", *remotes, "solve", *self.inputs, "--answers", self.answers, "--budget", "20ms"],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def written(self):
        """Returns the number of answers so far."""
        return sum(path.read_bytes().count(b"\n") for path in self.answers.glob("set*"))

    def wait_for(self, count):
        deadline = time.monotonic() + CALL_TIMEOUT_S
        while self.written() < count:
            self.assertLess(time.monotonic(), deadline, "the run stands still")
            time.sleep(0.01)

    def finish(self, run):
        output, _ = run.communicate(timeout=CALL_TIMEOUT_S)
        self.assertEqual(run.returncode, 0, output)
        return output

    def check_answers(self):
        """Checks that each line has one answer, whose plan is feasible by the daemon's checker and visits each customer once."""
        for path, count in zip(self.inputs, INSTANCES):
            answers = [json.loads(line) for line in (self.answers / path.name).read_text().splitlines()]
            self.assertEqual([answer["line"] for answer in answers], list(range(1, count + 1)))
            for answer, line in zip(answers, path.read_text().splitlines()):
                instance = json.loads(line)
                self.assertEqual(answer["name"], instance["name"])
                self.assertTrue(answer["feasible"])
                stops = [stop["id"] for route in answer["routes"] for stop in route["stops"]]
                self.assertEqual(sorted(stops, key=int), [str(number + 1) for number in range(CUSTOMERS)])
            self.assertFalse((self.answers / f"{path.name}.part").exists())

    def test_survives_kills_of_the_program_and_of_a_daemon(self):
        run = self.start_run()
        self.wait_for(20)
        run.kill()
        run.communicate()
        kept = self.written()
        self.assertLess(kept, sum(INSTANCES))
        run = self.start_run()
        self.wait_for(kept + 20)
        self.daemons[1].kill()
        output = self.finish(run)
        self.check_answers()
        self.assertIn("lost:", output)
        self.assertIn(f"{sum(INSTANCES)} instances" if kept == 0 else "of earlier runs", output)

    def test_waits_for_a_daemon_that_restarts(self):
        self.daemons.pop().kill()
        run = self.start_run()
        self.wait_for(20)
        address = self.daemons[0].address
        self.daemons[0].kill()
        time.sleep(0.5)
        self.daemons[0] = self.start_daemon(0, listen=address)
        output = self.finish(run)
        self.check_answers()
        self.assertIn("answers again", output)


if __name__ == "__main__":
    unittest.main(verbosity=2)

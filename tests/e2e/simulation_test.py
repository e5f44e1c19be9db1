"""Tests that a simulation survives a killed daemon, with the results of one that nothing interrupts."""

import json
import pathlib
import tempfile
import unittest

from daemon import DATA, Daemon, first_gap, lost_events

END = ("SUCCEEDED", "FAILED", "CANCELLED")


class SimulationTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-simulation-"))
        self.daemon = Daemon(self.folder / "state")
        self.addCleanup(lambda: self.daemon.clean_up())

    def restart(self):
        self.daemon = Daemon(self.folder / "state")

    def create(self, *arguments):
        """Creates a simulation whose searches all end by iterations. Returns its name."""
        return self.daemon.json(
            "dispatch", "simulate", *arguments, "--policy", "greedy,horizon", "--epoch", 200, "--margin", 100,
            "--max-iterations", 60, "--decision", "10m", "--hindsight", "10m", "--seed", 7, "--detach")[0]["name"]

    def draw(self):
        return self.create(DATA / "RC208.vrp", "--days", 8, "--requests-per-epoch", 30)

    def read_until(self, name, wanted):
        return self.daemon.events_until(wanted, "dispatch", "simulations", "watch", name)

    def results(self, name):
        """Waits for the end. Returns the results without the times of decisions."""
        self.read_until(name, lambda event: event.get("state") in END)
        simulation = self.daemon.json("dispatch", "simulations", "get", name)[0]
        self.assertEqual(simulation["state"], "SUCCEEDED", simulation["error"])
        for day in simulation["results"]:
            for decision in day["decisions"]:
                del decision["time_ms"]
        return simulation["results"]

    def test_finishes_after_a_kill_with_the_results_of_an_undisturbed_one(self):
        expected = self.results(self.draw())
        self.assertEqual(len(expected), 16)
        name = self.draw()
        before = self.read_until(name, lambda event: event["type"] == "day")
        self.daemon.kill()
        self.restart()
        after = self.read_until(name, lambda event: event.get("state") in END)
        self.assertIsNone(first_gap(after))
        self.assertEqual(lost_events(before, after), [])
        resumed = [event for event in after if event["type"] == "resumed"]
        self.assertEqual(len(resumed), 1)
        self.assertIn(resumed[0]["finished_days"], range(1, 8))
        self.assertEqual(len([event for event in after if event["type"] == "day"]), 8, "no day is simulated twice")
        self.assertEqual(self.results(name), expected)

    def test_replays_a_request_log(self):
        log = self.folder / "log.jsonl"
        lines = [{"day": f"2026-11-0{day}", "id": f"r{i}", "at": 100 * (i % 4), "customer": str(10 * day + i), "service": 5}
                 for day in (2, 3) for i in range(8)]
        log.write_text("".join(json.dumps(line) + "\n" for line in lines))
        results = self.results(self.create(log, "--site", DATA / "RC208.vrp"))
        self.assertEqual([(day["day"], day["policy"], day["requests"]) for day in results],
                         [(f"2026-11-0{day}", policy, 8) for day in (2, 3) for policy in ("greedy", "horizon")])
        self.assertTrue(all(day["gap_percent"] >= -1e-9 for day in results))
        lines[3]["customer"] = "nowhere"
        log.write_text("".join(json.dumps(line) + "\n" for line in lines))
        refused = self.daemon.call("dispatch", "simulate", log, "--site", DATA / "RC208.vrp")
        self.assertEqual(refused.returncode, 2)
        self.assertIn('log.jsonl:4: customer: got "nowhere"', refused.stderr)

    def test_stopped_simulation_keeps_its_finished_days(self):
        name = self.create(DATA / "RC208.vrp", "--days", 10000)
        self.read_until(name, lambda event: event["type"] == "day")
        self.daemon.json("dispatch", "simulations", "stop", name)
        self.assertGreaterEqual(len(self.results(name)), 2)
        self.assertTrue(self.daemon.json("dispatch", "simulations", "get", name)[0]["summary"]["stopped"])
        self.assertEqual(self.daemon.call("dispatch", "simulations", "delete", name).returncode, 0)


if __name__ == "__main__":
    unittest.main()

"""Tests inputs rebuilt from public bug reports (../shared/cases). The wanted results come from each report's expected.txt.

The inputs are read in place and are not part of this repository. VRP_CASES names another folder."""

import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

from daemon import BINARIES, CALL_TIMEOUT_S, ROOT, Daemon

CASES = pathlib.Path(os.environ.get("VRP_CASES", ROOT.parent / "shared" / "cases"))
BUDGET = os.environ.get("VRP_CASES_BUDGET", "1s")
INCOMPLETE = 7  # vrpctl's exit status if customers without a prize are unserved
REFUSED = 2  # vrpctl's exit status for wrong usage or input
BUSY = 6  # vrpctl's exit status if the daemon is busy


def steps_of(route):
    """Returns (type, id) of a route's steps between its start and its end."""
    return [(step["type"], step["id"]) for step in route["steps"] if step["type"] not in ("start", "end")]


def fields(message):
    """Yields (number, value) of each field of a protobuf message. A value is an integer, or bytes (8 or 4 for floats)."""
    def varint(at):
        value = shift = 0
        while True:
            value |= (message[at] & 127) << shift
            shift, at = shift + 7, at + 1
            if message[at - 1] < 128:
                return value, at
    at = 0
    while at < len(message):
        key, at = varint(at)
        if key & 7 == 0:
            value, at = varint(at)
        else:
            size, at = varint(at) if key & 7 == 2 else ({1: 8, 5: 4}[key & 7], at)
            value, at = message[at:at + size], at + size
        yield key >> 3, value


def read_events(path):
    """Yields (whether a session starts, step, tags) of each event of a TensorBoard file (core/jobs/tensorboard_writer.h)."""
    content, at = path.read_bytes(), 0
    while at + 12 <= len(content):
        size = struct.unpack_from("<Q", content, at)[0]
        event = dict(fields(content[at + 12:at + 12 + size]))
        at += size + 16
        tags = [dict(fields(value))[1].decode() for number, value in fields(event.get(5, b"")) if number == 1]
        yield dict(fields(event.get(7, b""))).get(1) == 1, event.get(2, 0), tags


class CasesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-cases-"))
        cls.daemon = Daemon(cls.folder / "state")

    @classmethod
    def tearDownClass(cls):
        cls.daemon.clean_up()
        shutil.rmtree(cls.folder, ignore_errors=True)

    def file(self, number, name):
        found = sorted(CASES.glob(f"{number}-*"))
        self.assertEqual(len(found), 1, f"case {number}")
        return found[0] / name

    def call(self, number, name, *arguments, code=0):
        done = self.daemon.call("solve", self.file(number, name), "--budget", BUDGET, *arguments)
        self.assertEqual(done.returncode, code, f"{number} {name}: {done.stdout[-800:]}\n{done.stderr}")
        return done

    def vroom(self, number, name, cost, unserved=(), code=None):
        """Solves a VROOM file and checks the answer's cost and unassigned ids."""
        code = code if code is not None else INCOMPLETE if unserved else 0
        answer = json.loads(self.call(number, name, "--output", "vroom", code=code).stdout)
        self.assertEqual(answer["summary"]["cost"], cost, f"{number} {name}")
        self.assertEqual(sorted(task["id"] for task in answer["unassigned"]), sorted(unserved), f"{number} {name}")
        return answer

    def solve(self, number, name, cost, unserved=(), *arguments, code=None):
        """Solves a file of vrpctl's JSON like vroom(), with strings as ids."""
        code = code if code is not None else INCOMPLETE if unserved else 0
        answer = json.loads(self.call(number, name, *arguments, "--output", "json", code=code).stdout)
        if cost is not None:
            self.assertAlmostEqual(answer["cost"], cost, 6, f"{number} {name}")
        self.assertEqual(sorted(task["id"] for task in answer["unserved"]), sorted(unserved), f"{number} {name}")
        return answer

    def refused(self, number, name, *texts):
        error = self.call(number, name, code=REFUSED).stderr
        for text in texts:
            self.assertIn(text, error, f"{number} {name}")
        return error

    def reasons(self, answer):
        return {task["id"]: task["reason"] for task in answer.get("unserved", answer.get("unassigned"))}

    def test_serves_customers_only_reachable_with_others(self):
        self.solve("34", "limit.json", 11)
        self.solve("34", "round.vrp", 21)
        answer = self.solve("34", "window.json", 8, ["1"])
        self.assertEqual(self.reasons(answer)["1"], "time window cannot be reached")
        self.solve("34", "many.json", 24, ["1", "2", "3", "4"])
        self.solve("34", "dist.json", 8, ["1"])
        for name, cost in (("in.json", 397), ("home.json", 529), ("steps.json", 397)):
            answer = self.vroom("54", name, cost)
            self.assertEqual(steps_of(answer["routes"][0]), [("job", 1), ("break", 1), ("job", 2)])
        answer = self.vroom("54", "morning.json", 132)
        self.assertEqual(steps_of(answer["routes"][0]), [("job", 1), ("break", 1)])
        for name, tasks in (("openbreak.json", 1), ("openbreak2.json", 2), ("openbreak3.json", 2)):
            answer = json.loads(self.call("54", name, "--output", "vroom").stdout)
            self.assertEqual(len(steps_of(answer["routes"][0])), tasks + 1, name)
        self.solve("54", "own.json", 10 + 200 ** 0.5)
        done = self.daemon.call("check", self.file("54", "own.json"), self.file("54", "own.sol"))
        self.assertIn("checker: feasible", done.stdout)

    def test_leaves_few_customers_unserved_if_vehicles_are_idle(self):
        self.solve("55", "in.json", 100172, ["job:3"])
        self.solve("55", "cheaper.json", 5172, ["job:3"])
        for name, fixed in (("distance.json", 0), ("fewest.json", 0), ("cost.json", 1_800_000)):
            answer = json.loads(self.call("58", name, "--seed", "1", "--output", "json", code=INCOMPLETE).stdout)
            self.assertLessEqual(len(answer["unserved"]), 3, name)
            self.assertLessEqual(answer["cost"] - fixed, 9000, name)

    def test_assigns_vehicles_without_a_depot_to_any_depot(self):
        self.solve("44", "in.vrp", 68)
        self.solve("44", "novehicles.vrp", 68)

    def test_obeys_task_limits_and_accepts_many_jobs_at_few_locations(self):
        self.vroom("09", "in.json", 60, [1, 3])
        self.vroom("09", "zero.json", 90)
        answer = json.loads(self.call("51", "in.json", "--output", "vroom").stdout)
        self.assertEqual((answer["summary"]["unassigned"], answer["summary"]["delivery"]), (0, [5200]))
        answer = json.loads(self.call("51", "below.json", "--output", "vroom").stdout)
        self.assertEqual(answer["summary"]["unassigned"], 0)

    def test_schedules_breaks(self):
        answer = self.vroom("01", "in.json", 4800)
        self.assertEqual(steps_of(answer["routes"][0]), [("pickup", 21), ("delivery", 22), ("break", 3)])
        self.assertEqual(answer["routes"][0]["steps"][-1]["arrival"], 41400)
        answer = self.vroom("06", "in.json", 2200)
        pause = next(step for step in answer["routes"][0]["steps"] if step["type"] == "break")
        self.assertTrue(1000 <= pause["arrival"] + pause["waiting_time"] <= 1200)
        answer = self.vroom("07", "a.json", 0, [1])
        self.assertIn("breaks", answer["unassigned"][0]["reason"])
        for name in ("b.json", "c.json", "d.json"):
            self.assertIn("break", [kind for kind, _ in steps_of(self.vroom("07", name, 1000)["routes"][0])], name)
        answer = self.vroom("17", "in.json", 140)
        self.assertEqual([kind for kind, _ in steps_of(answer["routes"][0])][-1], "break")
        self.assertLessEqual(answer["routes"][0]["steps"][-1]["arrival"], 7200)

    def test_obeys_times(self):
        self.assertIn('did you mean "time_windows"?', self.refused("03", "in.json", 'jobs[0]."time_window"'))
        self.vroom("03", "fixed.json", 10800)
        answer = json.loads(self.call("04", "in.json", "--output", "vroom").stdout)
        steps = answer["routes"][0]["steps"]
        self.assertTrue(all(3907213200 <= step["arrival"] <= 3907220400 for step in steps))
        self.assertEqual(steps[-1]["arrival"] - steps[0]["arrival"], steps[-1]["duration"] + 300)
        reasons = self.reasons(self.vroom("18", "in.json", 0, [1, 2]))
        self.assertEqual(reasons, {1: "time window cannot be reached", 2: "outside the shift of every vehicle"})
        answer = self.solve("29", "in.json", 200)
        self.assertEqual(len(answer["routes"]), 3)
        self.refused("31", "in.json", "jobs[0].time_windows[0][0]", "1e+12", "in seconds, not in milliseconds")
        self.solve("32", "in.json", 342.81190177705326)
        self.assertIn("time window", self.reasons(self.solve("32", "below.json", 0, ["1"]))["1"])
        answer = json.loads(self.call("41", "in.json", "--output", "vroom").stdout)
        for route in answer["routes"]:
            for last, step in zip(route["steps"], route["steps"][1:]):
                spent = last["setup"] + last["service"] + last["waiting_time"]
                self.assertEqual(step["arrival"], last["arrival"] + spent + step["duration"] - last["duration"])
        for key in ("cost", "duration", "service", "waiting_time", "setup"):
            self.assertEqual(answer["summary"][key], sum(route[key] for route in answer["routes"]), key)

    def test_obeys_loads_and_limits(self):
        answer = json.loads(self.call("10", "in.json", "--output", "vroom", code=INCOMPLETE).stdout)
        self.assertEqual((answer["summary"]["cost"], len(answer["unassigned"])), (210, 1))
        self.assertIn(answer["unassigned"][0]["id"], (1, 2, 3))
        self.vroom("12", "in.json", 0, [1])
        self.vroom("12", "none.json", 0, [14, 15])
        self.vroom("12", "edge.json", 6144, [14])
        self.vroom("13", "in.json", 52)
        self.vroom("35", "in.json", 92)
        self.vroom("52", "in.json", 600, [2])

    def test_accepts_ids_and_locations(self):
        answer = self.vroom("14", "in.json", 570)
        self.assertEqual(sorted(number for _, number in steps_of(answer["routes"][0])), list(range(7)))
        answer = json.loads(self.call("19", "vehicles.json", "--output", "vroom").stdout)
        self.assertEqual(len(answer["routes"]), 3)
        self.assertEqual(sum(len(steps_of(route)) for route in answer["routes"]), 6)
        self.refused("19", "jobs.json", "jobs[1].id: 5 is also the id of jobs[0]")
        self.refused("19", "deliveries.json", "shipments[1].delivery.id: 5 is also the id of shipments[0].delivery")

    def test_weighs_priorities_and_prizes(self):
        answer = json.loads(self.call("16", "in.json", "--output", "vroom", code=INCOMPLETE).stdout)
        self.assertEqual(answer["summary"]["cost"], 570)
        self.assertEqual({task["type"] for task in answer["unassigned"]}, {"pickup", "delivery"})
        # The API weighs priorities by 1 + priority. VROOM would keep job 1 for 900 to 1000.
        self.vroom("42", "in.json", 300, [1])
        answer = json.loads(self.call("56", "in.json", "--output", "json", code=INCOMPLETE).stdout)
        self.assertNotIn("job:1", self.reasons(answer))
        self.assertEqual(len(answer["unserved"]), 10)
        answer = self.solve("38", "in.json", 25, ["1", "2", "3"], code=0)
        self.assertEqual(set(self.reasons(answer).values()), {"cheaper to skip"})
        self.assertTrue(answer["feasible"])

    def test_reads_vrplib_files(self):
        self.solve("05", "in.tsp", 2 * (2 ** 31 - 1) + 10)
        self.solve("21", "in.vrp", 65)
        for name in ("rows.vrp", "wrapped.vrp", "oneline.vrp"):
            self.solve("22", name, float(self.file("22", "brute.txt").read_text().split()[-1]))
        error = self.refused("23", "in.vrp", 'in.vrp:2: TYPE: got "m-PDTSP"')
        self.assertEqual(error.count("PDPTW"), 1)
        for name in ("in.vrp", "eof.vrp", "minus1.vrp", "nonl.vrp", "cr.vrp"):
            self.solve("24", name, 64.6)
        self.solve("25", "in.tsp", 42444)
        self.refused("26", "in.vrp", "got node 0, wanted 1 to")

    def test_checks_published_solutions(self):
        for name in ("plain.txt", "latin1.txt"):
            done = self.daemon.call("check", self.file("39", "in.vrp"), self.file("39", name))
            self.assertIn("cost: 74\nchecker: feasible", done.stdout, name)
        done = self.daemon.call("check", self.file("39", "in.vrp"), self.file("39", "utf16.txt"))
        self.assertEqual(done.returncode, REFUSED)
        self.assertIn("utf16.txt: is UTF-16 text, wanted UTF-8", done.stderr)

    def test_solves_without_any_demand(self):
        for name, cost in (("zero.vrp", 381), ("cap0.json", 380.6161054447245), ("tiny.json", 380.6161054447245)):
            self.solve("37", name, cost)
        self.assertEqual(len(self.solve("37", "same.json", 0)["routes"]), 2)
        for name in ("zero.vrp", "cap0.json", "tiny.json", "same.json"):
            for model in ("gt-mixed", "ptrnet-cvrp20"):
                for strategy in ("greedy", "sample", "beam"):
                    answer = self.solve("37", name, None, (), "--model", model, "--strategy", strategy)
                    self.assertTrue(answer["feasible"], (name, model, strategy))
                    self.assertLess(answer["cost"], 500, (name, model, strategy))

    def test_survives_vanishing_clients_with_budgets_of_a_millisecond(self):
        load = ["bench", "--generate", "cvrp100:64", "--clients", "64", "--budget", "1ms", "--warm-up", "50ms"]
        with self.daemon.follow(*load, "--duration", "1m") as vanishing:
            done = self.daemon.call(*load, "--duration", "3s")
            vanishing.kill()
        self.assertIn(done.returncode, (0, BUSY), done.stderr)
        self.solve("34", "limit.json", 11)

    def train(self, number, name, *arguments):
        shutil.copytree(self.file(number, "."), self.folder / number, dirs_exist_ok=True)
        return subprocess.run([BINARIES / "vrpctl", "--remote", self.daemon.address, "train", "--config", name, *arguments],
                              cwd=self.folder / number, capture_output=True, text=True, timeout=CALL_TIMEOUT_S,
                              check=False)

    def test_shows_each_step_once_in_tensorboard_after_a_crash(self):
        state = self.folder / "crash"
        daemon = Daemon(state)
        try:
            daemon.events_until(lambda event: event["type"] == "progress" and event["step"] >= 60,
                                "train", "--config", self.file("46", "c.yaml"))
            daemon.kill()
            daemon = Daemon(state)
            job = daemon.json("jobs", "list")[0]["name"]
            last = daemon.events_until(lambda event: event.get("state") in ("SUCCEEDED", "FAILED"), "jobs", "watch", job)
            self.assertEqual(last[-1]["state"], "SUCCEEDED")
        finally:
            daemon.clean_up()
        shown = set()
        for path in sorted(state.glob("tensorboard/**/*tfevents*")):
            for started, step, tags in read_events(path):
                if started:
                    shown = {(tag, at) for tag, at in shown if at < step}
                for tag in tags:
                    self.assertNotIn((tag, step), shown, path.name)
                    shown.add((tag, step))
        self.assertIn(360, {step for _, step in shown})

    def test_refuses_initial_weights_of_another_size_at_submission(self):
        done = self.train("48", "small.yaml", "--set", "name=lr-a", "--set", "training.epochs=1")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.train("48", "other.yaml", "--detach")
        self.assertEqual(done.returncode, REFUSED, done.stdout)
        for text in ("training.initial_model", "hidden", "32", "64"):
            self.assertIn(text, done.stderr)

    def test_names_a_wrong_setting_and_trains_other_configurations_without_nan(self):
        done = self.train("47", "own.yaml")
        self.assertEqual(done.returncode, REFUSED)
        self.assertIn("own.yaml:7: validation.seed: got", done.stderr)
        own = f"problem.instances={self.folder / '47' / 'own.jsonl'}"  # relative paths start at the daemon's folder
        for number, name, *settings in (("47", "own2.yaml", "--set", own), ("49", "nan.yaml")):
            done = self.train(number, name, *settings)
            self.assertEqual(done.returncode, 0, f"{number}: {done.stdout[-500:]}\n{done.stderr}")
            self.assertNotRegex(done.stdout.lower(), r"(?<!lr-)\bnan\b", number)


if __name__ == "__main__":
    if not CASES.is_dir():
        print(f"skipped: the inputs are not here: {CASES} is not a folder (set VRP_CASES to another one)")
        sys.exit(77)
    unittest.main()

"""Tests a history of routes by the built programs: a habit model learns from it, and it is deleted with its traces."""

import base64
import json
import pathlib
import random
import shutil
import tempfile
import unittest

from daemon import Daemon, first_gap, lost_events
from http_test import Http

SECRET = "driver-of-a-van"  # begins the name of each driver
ORDERS = {f"{SECRET}-ann": "acb", f"{SECRET}-bob": "bca"}  # the order of streets


def history(first, last):
    """Returns the routes of days of March 2026; some houses of each street are absent each day."""
    lines = []
    for day in range(first, last + 1):
        drawn = random.Random(day)
        for driver, streets in ORDERS.items():
            stops = [{"id": f"{street}{house}", "x": house, "y": 10 * "abc".index(street)}
                     for street in streets for house in range(1, 5) if drawn.random() < 0.8]
            lines.append({"day": f"2026-03-{day:02}", "driver": driver, "depot": {"x": 0, "y": -9}, "stops": stops})
    return "".join(json.dumps(line) + "\n" for line in lines)


class HabitsTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-habits-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.daemon = Daemon(flags=["--http-listen", "127.0.0.1:0"])
        self.addCleanup(self.daemon.clean_up)

    def upload(self, name, text):
        path = self.folder / f"{name}.jsonl"
        path.write_text(text)
        return self.daemon.json("datasets", "upload", path, "--name", name)[0]

    def train(self, *settings):
        words = ("name=drivers", "habits.history=datasets/past", "habits.zones=3", "validation.days=4", *settings)
        return self.daemon.call("train", "--preset", "habits", *(word for one in words for word in ("--set", one)))

    def files_with(self, text):
        """Returns the files of the state folder, without published models, that contain `text`."""
        return [str(path) for path in self.daemon.state.rglob("*")
                if path.is_file() and "models" not in path.relative_to(self.daemon.state).parts and text.encode() in path.read_bytes()]

    def test_a_history_is_learned_from_exported_and_deleted(self):
        dataset = self.upload("past", history(1, 16))
        self.assertEqual((dataset["kind"], dataset["days"], dataset["routes"]), ("route_history", 16, 32))
        trained = self.train()
        self.assertEqual(trained.returncode, 0, trained.stderr)
        self.assertIn("solve as your drivers drive: vrpctl solve FILE --model models/drivers/versions/1", trained.stdout)
        card = self.daemon.json("models", "get", "drivers")[0]
        self.assertEqual(card["architecture"], "habits")
        self.assertLess(card["validation_cost"], card["validation_reference_cost"])
        evaluated = self.daemon.json("models", "evaluate", "drivers", "--history", "past")[0]
        self.assertEqual((evaluated["routes"], evaluated["days"]), (8, 4))
        self.assertGreater(evaluated["next_stop_accuracy"], 0.7)
        self.assertGreater(evaluated["route_similarity"], 0.5)
        planned = self.daemon.json("models", "evaluate", "drivers", "--history", "past", "--search-days", 2,
                                   "--max-iterations", 500)[0]["search"]
        self.assertEqual((planned["days"], planned["skipped_days"], planned["late_plans"]), (2, 0, 0))
        self.assertEqual([row["weight"] for row in planned["rows"]], [0, 0.1, 0.3])
        self.assertGreater(planned["rows"][2]["directed_leg_share"], planned["rows"][0]["directed_leg_share"])
        self.assertGreaterEqual(planned["driven"]["extra_distance"], planned["rows"][2]["extra_distance"])
        listed = self.daemon.json("datasets", "list")
        self.assertEqual([(one["name"], one["kind"], one["stops"]) for one in listed],
                         [("datasets/past", "route_history", dataset["stops"])])
        self.assertRegex(self.daemon.call("datasets", "list").stdout, r"datasets/past +route_history|past +route")
        exported = self.daemon.call("datasets", "export", "past")
        self.assertEqual(exported.stdout, history(1, 16))
        self.assertTrue(self.files_with(SECRET))
        deleted = self.daemon.json("datasets", "delete", "past")[0]
        self.assertEqual(len(deleted["training_jobs"]), 1)
        self.assertEqual(deleted["kept_models"], ["models/drivers/versions/1"])
        self.assertEqual(self.files_with(SECRET), [])
        self.assertEqual(self.daemon.json("jobs", "list"), [])
        self.upload("later", history(12, 20))
        self.assertEqual(self.daemon.json("models", "evaluate", "drivers", "--history", "later")[0]["days"], 8)

    def test_a_solve_starts_from_the_most_similar_day(self):
        self.upload("past", history(1, 16))
        day = json.loads(history(9, 9).splitlines()[0])
        today = self.folder / "today.json"
        today.write_text(json.dumps({
            "kind": "cvrp", "name": "today", "capacity": 99, "ids": ["depot", *(stop["id"] for stop in day["stops"]), "new"],
            "coords": [[0, -9], *([stop["x"], stop["y"]] for stop in day["stops"]), [5, 5]],
            "demands": [0] + [1] * (len(day["stops"]) + 1)}))
        solved = self.daemon.json("solve", today, "--start", "similar", "--history", "past", "--budget", "50ms")[0]
        similar = solved["similar_day"]
        self.assertTrue(0 < similar["common_stops"] <= len(day["stops"]))
        self.assertRegex(similar["day"], "^2026-03-")
        self.assertEqual(solved["initial_solution"]["missing_customers"], len(day["stops"]) + 1 - similar["common_stops"])
        self.assertTrue(solved["feasible"])
        self.assertIn("--history: requires --start similar", self.daemon.call("solve", today, "--history", "past").stderr)
        none = self.daemon.call("solve", today, "--start", "similar", "--history", "none")
        self.assertIn('similar_day.history: got "datasets/none", which this daemon does not have', none.stderr)
        self.daemon.json("datasets", "delete", "past")
        self.assertNotEqual(self.daemon.call("solve", today, "--start", "similar", "--history", "past").returncode, 0)

    def test_a_transformer_is_used_like_a_model_that_counts(self):
        self.upload("past", history(1, 16))
        settings = ("name=net", "habits.history=datasets/past", "habits.layers=1", "habits.width=32", "training.epochs=3",
                    "validation.days=4")
        trained = self.daemon.call("train", "--preset", "habits_transformer", *(word for one in settings for word in ("--set", one)))
        self.assertEqual(trained.returncode, 0, trained.stderr)
        evaluated = self.daemon.json("models", "evaluate", "net", "--history", "past")[0]
        self.assertEqual((evaluated["routes"], evaluated["days"], evaluated["new_stops"]), (8, 4, 0))
        self.assertLess(evaluated["mean_log_probability"], 0)
        today = self.folder / "today.json"
        today.write_text(json.dumps({"kind": "cvrp", "name": "today", "capacity": 99, "ids": ["depot", "a1", "b2", "c3"],
                                     "coords": [[0, -9], [1, 0], [2, 10], [3, 20]], "demands": [0, 1, 1, 1]}))
        solved = self.daemon.json("solve", today, "--model", "net", "--habit-weight", "0.3", "--budget", "50ms")[0]
        self.assertTrue(solved["feasible"])
        deleted = self.daemon.call("datasets", "delete", "past")
        self.assertEqual(deleted.returncode, 0, deleted.stderr)
        self.assertIn("removed: 1 training job", deleted.stdout)
        self.assertIn("models/net/versions/1", deleted.stdout)
        self.assertEqual(self.files_with(SECRET), [])

    def test_a_history_is_not_deleted_while_a_job_reads_it(self):
        self.upload("past", history(1, 16))
        settings = ("name=net", "habits.history=datasets/past", "habits.layers=1", "habits.width=32", "training.epochs=100000",
                    "training.patience=0", "validation.days=4")
        job = self.daemon.json("train", "--preset", "habits_transformer", "--detach",
                               *(word for one in settings for word in ("--set", one)))[0]["name"]
        self.daemon.events_until(lambda event: event.get("step", 0) > 0, "jobs", "watch", job)
        refused = self.daemon.call("datasets", "delete", "past")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn(f"datasets/past is read by {job}", refused.stderr)
        self.assertEqual(self.daemon.call("datasets", "export", "past").stdout, history(1, 16))
        self.daemon.json("jobs", "cancel", job)
        self.daemon.events_until(lambda event: event.get("state") == "CANCELLED", "jobs", "watch", job)
        self.assertEqual(self.daemon.json("datasets", "delete", "past")[0]["training_jobs"], [job])
        self.assertEqual(self.files_with(SECRET), [])
        self.assertEqual(self.daemon.json("datasets", "list"), [])

    def test_http_solves_with_habits_from_a_similar_day(self):
        self.upload("past", history(1, 16))
        self.assertEqual(self.train().returncode, 0)
        today = {"kind": "cvrp", "name": "today", "capacity": 99, "ids": ["depot", "a1", "b2", "new"],
                 "coords": [[0, -9], [1, 0], [2, 10], [3, 20]], "demands": [0, 1, 1, 1]}
        body = {"file": {"content": base64.b64encode(json.dumps(today).encode()).decode()}, "budget": "0.05s",
                "similarDay": {"history": "datasets/past"}, "model": "models/drivers", "habitWeight": 0.3}
        http = Http(self.daemon)
        status, _, answer = http.call("POST", "/v1/solve", body)
        self.assertEqual(status, 200, answer)
        self.assertEqual(answer["similarDay"]["commonStops"], 2)
        self.assertEqual(answer["habits"]["weight"], 0.3)
        self.assertTrue(answer["feasible"])
        status, _, answer = http.call("POST", "/v1/solve", {**body, "similarDay": {"history": "datasets/none"}})
        self.assertNotEqual(status, 200)
        self.assertIn("similar_day.history", json.dumps(answer))

    def start_job(self, *options):
        """Starts a long solve job for houses of all streets, of which the history knows most. Returns its name."""
        places = [(f"{street}{house}", house, 10 * "abc".index(street)) for street in "abc" for house in range(1, 31)]
        today = self.folder / "today.json"
        today.write_text(json.dumps({
            "kind": "cvrp", "name": "today", "vehicles": [{"id": driver, "capacity": 50} for driver in ORDERS],
            "ids": ["depot", *(stop for stop, _, _ in places)], "coords": [[0, -9], *([x, y] for _, x, y in places)],
            "demands": [0] + [1] * len(places)}))
        return self.daemon.json("solve", today, "--job", "--detach", *options)[0]["name"]

    def interrupt(self, job):
        """Kills the daemon once the job has a plan, and starts it again. Returns the events up to the kill."""
        before = self.daemon.events_until(lambda event: event["type"] == "improvement", "solve-jobs", "watch", job)
        self.daemon.kill()
        self.daemon = Daemon(self.daemon.state)
        self.addCleanup(self.daemon.clean_up)
        return before

    def answer_of(self, job, before, attempts=2):
        """Stops the resumed job, and returns its answer."""
        events = self.daemon.events_until(lambda event: event["type"] == "resumed", "solve-jobs", "watch", job)
        self.assertEqual(lost_events(before, events), [])
        self.daemon.json("solve-jobs", "stop", job)
        after = self.daemon.events_until(lambda event: event.get("state") in ("SUCCEEDED", "FAILED"), "solve-jobs", "watch", job)
        self.assertEqual(after[-1]["state"], "SUCCEEDED", after[-1])
        self.assertIsNone(first_gap(after))
        ended = self.daemon.json("solve-jobs", "get", job)[0]
        self.assertEqual(ended["attempt"], attempts)
        self.assertTrue(ended["answer"]["feasible"])
        return ended["answer"]

    def test_a_killed_job_resumes_with_its_habits(self):
        self.upload("past", history(1, 16))
        self.assertEqual(self.train().returncode, 0)
        job = self.start_job("--model", "drivers", "--habit-weight", "0.7", "--budget", "1h")
        before = self.interrupt(job)
        # A model that is published meanwhile does not change the habits of a job.
        self.assertEqual(self.train().returncode, 0)
        self.assertEqual(self.daemon.json("models", "get", "drivers")[0]["version"], 2)
        self.daemon.kill()
        self.daemon = Daemon(self.daemon.state)
        self.addCleanup(self.daemon.clean_up)
        self.daemon.events_until(lambda event: event["type"] == "resumed" and event["attempt"] == 3, "solve-jobs", "watch", job)
        answer = self.answer_of(job, before, attempts=3)
        self.assertEqual((answer["model"], answer["version"]), ("drivers", 1))
        self.assertEqual(answer["habits"]["weight"], 0.7)
        self.assertGreater(answer["habits"]["cost"], 0)
        self.assertNotIn("policy_note", answer)

    def test_a_killed_job_resumes_from_its_similar_day(self):
        self.upload("past", history(1, 16))
        job = self.start_job("--start", "similar", "--history", "past", "--budget", "1h")
        before = self.interrupt(job)
        answer = self.answer_of(job, before)
        self.assertEqual(answer["similar_day"]["history"], "datasets/past")
        self.assertRegex(answer["similar_day"]["day"], "^2026-03-")
        self.assertGreater(answer["similar_day"]["common_stops"], 0)

    def test_a_killed_job_goes_on_without_a_deleted_history(self):
        self.upload("past", history(1, 16))
        job = self.start_job("--start", "similar", "--history", "past", "--budget", "1h")
        before = self.daemon.events_until(lambda event: event["type"] == "improvement", "solve-jobs", "watch", job)
        self.daemon.json("datasets", "delete", "past")
        self.daemon.kill()
        self.daemon = Daemon(self.daemon.state)
        self.addCleanup(self.daemon.clean_up)
        answer = self.answer_of(job, before)
        self.assertNotIn("similar_day", answer)

    def test_nothing_is_published_from_a_bad_history(self):
        bad = self.folder / "bad.jsonl"
        bad.write_text(history(1, 3) + '{"day": "2026-03-02", "stops": [{"demand": 1}]}\n')
        refused = self.daemon.call("datasets", "upload", bad, "--name", "past")
        self.assertIn("bad.jsonl:7: stops[0].id: absent", refused.stderr)
        self.assertIn('habits.history: got "datasets/past", which this daemon does not have', self.train().stderr)
        self.upload("past", history(1, 3))
        self.assertIn("habits.history: datasets/past: has 3 days with routes, wanted at least 5", self.train().stderr)
        self.assertIn("validation.days: got", self.train("validation.days=0").stderr)
        self.assertEqual(self.daemon.json("jobs", "list"), [])
        self.assertNotEqual(self.daemon.call("models", "get", "drivers").returncode, 0)

    def test_habit_models_plan_no_routes(self):
        self.upload("past", history(1, 6))
        self.assertEqual(self.train().returncode, 0)
        generated = self.daemon.call("models", "evaluate", "drivers", "--generate", "cvrp10:5")
        self.assertIn("a habit model is evaluated on a history alone", generated.stderr)
        again = self.daemon.call("models", "evaluate", "drivers", "--history", "past")
        self.assertEqual(again.returncode, 0, again.stderr)


if __name__ == "__main__":
    unittest.main()

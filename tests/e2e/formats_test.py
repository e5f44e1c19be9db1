"""Tests file formats: conversions, plans as VROOM output and GeoJSON, and stored matrices."""

import json
import pathlib
import tempfile
import unittest

from daemon import DATA, Daemon

VANS = {
    "vehicles": [{"id": 40, "start": [7.0, 46.0], "end": [7.0, 46.0], "capacity": [3], "description": "blue"},
                 {"id": 41, "start": [7.0, 46.0], "end": [7.0, 46.0], "capacity": [3]}],
    "jobs": [{"id": 100 + i, "location": [7.0 + i / 50, 46.0 + i % 3 / 50], "delivery": [1], "service": 60} for i in range(5)],
}
OFFICE_HOURS = {
    "vehicles": [{"id": 1, "start": [8.54, 47.37], "end": [8.54, 47.37], "capacity": [4], "time_window": [28800, 43200]}],
    "jobs": [{"id": 11, "location": [8.55, 47.36], "service": 300, "delivery": [1], "time_windows": [[32400, 36000]]},
             {"id": 12, "location": [8.51, 47.40], "service": 300, "delivery": [1]}],
}


class FormatsTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-formats-"))
        self.daemon = Daemon(self.folder / "state")
        self.addCleanup(lambda: self.daemon.clean_up())

    def path(self, name, content=None):
        path = self.folder / name
        if content is not None:
            path.write_text(json.dumps(content))
        return path

    def run_vrpctl(self, *arguments):
        finished = self.daemon.call(*arguments)
        self.assertEqual(finished.returncode, 0, f"{arguments}: {finished.stdout}\n{finished.stderr}")
        return finished.stdout

    def refused(self, *arguments, code):
        finished = self.daemon.call(*arguments)
        self.assertEqual(finished.returncode, code, f"{arguments}: {finished.stdout}\n{finished.stderr}")
        return finished.stderr

    def test_answers_vroom_input_with_vroom_output_and_a_plot(self):
        vans, plot = self.path("vans.json", VANS), self.path("vans.geojson")
        answer = json.loads(self.run_vrpctl("solve", vans, "--budget", "200ms", "--output", "vroom", "--plot", plot))
        self.assertEqual(answer["code"], 0)
        self.assertEqual(answer["summary"]["unassigned"], 0)
        self.assertEqual({route["vehicle"] for route in answer["routes"]}, {40, 41})
        jobs = [step["id"] for route in answer["routes"] for step in route["steps"] if step["type"] == "job"]
        self.assertEqual(sorted(jobs), [100, 101, 102, 103, 104])
        self.assertEqual(answer["summary"]["service"], 300)
        features = json.loads(plot.read_text())["features"]
        self.assertEqual([feature["geometry"]["type"] for feature in features].count("LineString"), 2)
        self.assertEqual([feature["geometry"]["type"] for feature in features].count("Point"), 6)
        # A conversion to .sol, to JSON and back keeps the summary of the plan.
        given = self.path("given.json")
        given.write_text(json.dumps(answer))
        self.run_vrpctl("convert", "--instance", vans, given, self.path("plan.sol"))
        self.run_vrpctl("convert", "--instance", vans, self.path("plan.sol"), self.path("plan.json"))
        again = json.loads(self.run_vrpctl("convert", "--instance", vans, self.path("plan.json"), "-", "--to", "vroom"))
        self.assertEqual(again["summary"], answer["summary"])
        self.assertIn("coordinates: planar", self.refused(
            "solve", DATA / "E-n22-k4.vrp", "--plot", plot, code=2))
        error = json.loads(self.daemon.call("solve", self.path("bad.json", {"jobs": []}), "--output", "vroom").stdout)
        self.assertEqual(error["code"], 2)
        self.assertIn("vehicles", error["error"])

    def test_evaluates_the_steps_of_vroom_input(self):
        steps = [{"type": "start"}] + [{"type": "job", "id": job["id"]} for job in VANS["jobs"]]
        steps[2]["service_at"] = 90000
        planned = self.path("planned.json", {**VANS, "options": {"c": True}, "vehicles": [{**VANS["vehicles"][1], "steps": steps}]})
        checked = self.daemon.call("check", planned)
        self.assertEqual(checked.returncode, 7, checked.stderr)
        self.assertIn("load 5 exceeds vehicle capacity 3", checked.stdout)
        answer = json.loads(self.run_vrpctl("check", planned, "--output", "vroom"))
        self.assertEqual(answer["summary"]["violations"], [{"cause": "load"}])
        second = answer["routes"][0]["steps"][2]
        self.assertEqual((answer["routes"][0]["vehicle"], second["id"], second["arrival"]), (41, 101, 90000))
        self.assertIn(f"vrpctl check {planned.name}", self.refused("solve", planned, code=2))
        self.assertIn("valid", self.run_vrpctl("validate", planned))
        self.assertIn("--output vroom", self.refused("check", planned, planned, "--output", "vroom", code=2))

    def test_prints_kilometres_hours_and_times_of_day(self):
        text = self.run_vrpctl("solve", self.path("vans.json", OFFICE_HOURS), "--budget", "100ms")
        self.assertRegex(text, r"Route 1: .*  distance \d+\.\d\d km  load 2  duration \d:\d\d h  from \d+:\d\d to \d+:\d\d\n")
        answer = json.loads(self.run_vrpctl("solve", self.path("vans.json"), "--budget", "100ms", "--output", "json"))
        self.assertGreater(answer["routes"][0]["distance"], 1000, "JSON must state metres")

    def test_lists_the_formats_for_a_file_in_no_known_format(self):
        readme = self.folder / "README.md"
        readme.write_text("# Customers\n\nVehicle routing.\n\ncustomer 1 is near.\n")
        for command in ("solve", "validate"):
            result = self.daemon.call(command, readme)
            self.assertEqual(result.returncode, 2)
            self.assertIn("README.md: no known format: wanted one of CVRPLIB", result.stdout + result.stderr)

    def test_minimises_vehicles_of_a_solomon_file(self):
        file = self.folder / "two.txt"
        rows = [(0, 0, 0, 0, 0, 99, 0), (1, 9, 0, 1, 0, 99, 0), (2, -9, 0, 1, 0, 99, 0)]
        file.write_text("TWO\n\nVEHICLE\nNUMBER CAPACITY\n 2 9\n\nCUSTOMER\nCUST NO. XCOORD. YCOORD. DEMAND READY DUE SERVICE\n\n" +
                        "\n".join(" ".join(map(str, row)) for row in rows) + "\n")
        answer = json.loads(self.run_vrpctl("solve", file, "--objective", "vehicles_then_distance", "--budget", "50ms", "--output", "json"))
        self.assertEqual((len(answer["routes"]), answer["objective"]), (1, "vehicles_then_distance"))
        converted = json.loads(self.run_vrpctl("convert", file, "-", "--to", "json", "--objective", "vehicles_then_distance"))
        self.assertEqual(converted["objective"], "vehicles_then_distance")

    def test_keeps_the_optimum_of_a_benchmark_through_all_formats(self):
        city, vroom, back = self.path("city.json"), self.path("city.vroom.json"), self.path("city.vrp")
        self.run_vrpctl("convert", DATA / "E-n22-k4.vrp", city)
        self.run_vrpctl("convert", city, vroom, "--to", "vroom")
        self.run_vrpctl("convert", city, back)
        for file in (city, vroom, back):
            self.assertEqual(self.daemon.json("solve", file, "--budget", "1s")[0]["cost"], 375, file)
        solomon = self.path("rc208.txt")
        self.run_vrpctl("convert", DATA / "RC208.vrp", solomon)
        self.assertIn("feasible", self.run_vrpctl("check", solomon, DATA / "RC208.sol"))
        self.assertIn("kind: cvrp", self.refused("convert", city, self.path("city.txt"), code=2))
        self.assertFalse(self.path("city.txt").exists())

    def test_keeps_uploaded_matrices_after_the_daemon_is_killed(self):
        distances = [[0, 5, 9], [4, 0, 2], [8, 3, 0]]
        file = self.path("m.json", {"distance_matrix": distances, "duration_matrix": distances})
        name = self.daemon.json("matrices", "upload", file)[0]["name"]
        self.assertEqual(self.daemon.json("matrices", "upload", file)[0]["name"], name)
        self.daemon.kill()
        self.daemon = Daemon(self.folder / "state")
        self.assertEqual([kept["name"] for kept in self.daemon.json("matrices", "list")], [name])
        city = self.path("city.json", {"kind": "cvrp", "demands": [0, 1, 1], "capacity": 2, "matrices": name})
        self.assertEqual(self.daemon.json("solve", city, "--budget", "50ms")[0]["cost"], 5 + 2 + 8)
        kept = next((self.folder / "state" / "matrices").iterdir())
        kept.write_bytes(kept.read_bytes()[:-1])
        self.daemon.kill()
        self.daemon = Daemon(self.folder / "state")
        self.assertIn("matrices: got", self.refused("solve", city, code=2))
        self.daemon.json("matrices", "upload", file)
        self.assertEqual(self.daemon.json("solve", city, "--budget", "50ms")[0]["cost"], 15)
        self.run_vrpctl("matrices", "delete", name)
        self.assertIn("does not have", self.refused("solve", city, code=2))


if __name__ == "__main__":
    unittest.main()

"""Files in and out as users have them: conversions, VROOM's and GeoJSON's forms of a plan, matrices that outlive vrpd."""

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

    def done(self, *words):
        finished = self.daemon.call(*words)
        self.assertEqual(finished.returncode, 0, f"{words}: {finished.stdout}\n{finished.stderr}")
        return finished.stdout

    def refused(self, *words, code):
        finished = self.daemon.call(*words)
        self.assertEqual(finished.returncode, code, f"{words}: {finished.stdout}\n{finished.stderr}")
        return finished.stderr

    def test_vrooms_input_is_answered_in_vrooms_output_and_drawn(self):
        vans, picture = self.path("vans.json", VANS), self.path("vans.geojson")
        answer = json.loads(self.done("solve", vans, "--budget", "200ms", "--output", "vroom", "--plot", picture))
        self.assertEqual(answer["code"], 0)
        self.assertEqual(answer["summary"]["unassigned"], 0)
        self.assertEqual({route["vehicle"] for route in answer["routes"]}, {40, 41})
        jobs = [step["id"] for route in answer["routes"] for step in route["steps"] if step["type"] == "job"]
        self.assertEqual(sorted(jobs), [100, 101, 102, 103, 104])
        self.assertEqual(answer["summary"]["service"], 300)
        features = json.loads(picture.read_text())["features"]
        self.assertEqual([feature["geometry"]["type"] for feature in features].count("LineString"), 2)
        self.assertEqual([feature["geometry"]["type"] for feature in features].count("Point"), 6)
        # The plan goes through all its forms and stays what it was.
        given = self.path("given.json")
        given.write_text(json.dumps(answer))
        self.done("convert", "--instance", vans, given, self.path("plan.sol"))
        self.done("convert", "--instance", vans, self.path("plan.sol"), self.path("plan.json"))
        again = json.loads(self.done("convert", "--instance", vans, self.path("plan.json"), "-", "--to", "vroom"))
        self.assertEqual(again["summary"], answer["summary"])
        self.assertIn("coordinates: planar", self.refused(
            "solve", DATA / "E-n22-k4.vrp", "--plot", picture, code=2))
        error = json.loads(self.daemon.call("solve", self.path("bad.json", {"jobs": []}), "--output", "vroom").stdout)
        self.assertEqual(error["code"], 2)
        self.assertIn("vehicles", error["error"])

    def test_a_benchmark_goes_through_the_formats_and_keeps_its_optimum(self):
        city, vroom, back = self.path("city.json"), self.path("city.vroom.json"), self.path("city.vrp")
        self.done("convert", DATA / "E-n22-k4.vrp", city)
        self.done("convert", city, vroom, "--to", "vroom")
        self.done("convert", city, back)
        for file in (city, vroom, back):
            self.assertEqual(self.daemon.json("solve", file, "--budget", "1s")[0]["cost"], 375, file)
        solomon = self.path("rc208.txt")
        self.done("convert", DATA / "RC208.vrp", solomon)
        self.assertIn("feasible", self.done("check", solomon, DATA / "RC208.sol"))
        self.assertIn("kind: cvrp", self.refused("convert", city, self.path("city.txt"), code=2))
        self.assertFalse(self.path("city.txt").exists())

    def test_matrices_are_uploaded_once_and_outlive_a_killed_daemon(self):
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
        self.done("matrices", "delete", name)
        self.assertIn("not kept here", self.refused("solve", city, code=2))


if __name__ == "__main__":
    unittest.main()

"""Tests a daemon as its users call it: a developer by curl, and a planner in a browser. Also solves on real roads.

Prints the results of each test. Screenshots are in build/*/tests/page. Skips the road test if OSRM is not available.
"""

import base64
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import road_engines
from daemon import DATA
from page_fixture import PageTest

INSTANCE = DATA / "E-n22-k4.vrp"
OPTIMUM = 375
# Longitudes and latitudes in the centre of Helsinki; the first is the depot.
PLACES = [[24.9384, 60.1699], [24.9478, 60.1688], [24.9440, 60.1675], [24.9369, 60.1679],
          [24.9452, 60.1703], [24.9404, 60.1668]]


def curl(url, message, *flags):
    """Posts the message as JSON and returns the text of the answer."""
    done = subprocess.run(["curl", "--silent", "--show-error", "--fail-with-body", *flags, "--header", "Content-Type: application/json",
                           "--data", json.dumps(message), url], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        raise AssertionError(f"curl {url}: {done.stdout}{done.stderr}")
    return done.stdout


class WebStoryTest(PageTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-story-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.missing = None
        try:
            cls.engine = road_engines.osrm(road_engines.helsinki(), cls.folder)
            cls.addClassCleanup(cls.engine.stop)
        except road_engines.Unavailable as reason:
            cls.missing = str(reason)
        super().setUpClass()

    @classmethod
    def flags(cls):
        if cls.missing is not None:
            return ()
        return ("--road-networks", json.dumps({"car": {"kind": "osrm", "url": cls.engine.url}}))

    def test_a_developer_solves_and_streams_with_curl(self):
        content = base64.b64encode(INSTANCE.read_bytes()).decode()
        request = {"file": {"name": INSTANCE.name, "content": content}, "budget": "0.5s"}
        answer = json.loads(curl(f"{self.url}/v1/solve", request))
        print(f"curl /v1/solve: cost {answer['solution']['cost']}, {len(answer['solution']['routes'])} routes, gap {answer['gap']}")
        self.assertEqual((answer["solution"]["cost"], answer["feasible"]), (OPTIMUM, True))
        lines = curl(f"{self.url}/v1/solve:stream", request, "--no-buffer").splitlines()
        messages = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
        costs = [message["improvement"]["solution"]["cost"] for message in messages if "improvement" in message]
        print(f"curl /v1/solve:stream: improvements {costs}")
        self.assertGreaterEqual(len(costs), 1)
        self.assertEqual(costs, sorted(costs, reverse=True))
        answers = [message["response"] for message in messages if "response" in message]
        self.assertEqual([answer["solution"]["cost"] for answer in answers], [OPTIMUM])

    def test_a_planner_drops_a_file_and_moves_a_stop(self):
        for width, dark in ((1280, False), (1280, True), (390, False), (390, True)):
            browser = self.open(width=width, height=900, dark=dark)
            browser.drop_file(INSTANCE.name, INSTANCE.read_text())
            self.solve()
            self.assertEqual(self.figure("cost"), str(OPTIMUM))
            browser.picture(f"story-{width}-{'dark' if dark else 'light'}")
            if width < 1280:
                continue
            self.select_route(1)
            note = self.drag_first_stop(0)
            difference = float(browser.one("[data-difference]").get_attribute("data-difference"))
            browser.picture(f"story-moved-{'dark' if dark else 'light'}")
            browser.click(".menu summary")
            browser.click('[data-export="sol"]')
            checked = self.daemon.call("check", INSTANCE, browser.downloaded(".sol"), "--output", "json")
            self.assertEqual(json.loads(checked.stdout)["cost"], OPTIMUM + difference)
            print(f"page: {note}, cost {difference:+g}; vrpctl check states {OPTIMUM + difference:g}")
            self.assert_no_complaints()

    def test_routes_follow_roads(self):
        if self.missing is not None:
            self.skipTest(f"no OSRM: {self.missing}")
        instance = {"name": "helsinki", "kind": "cvrp", "coordinates": "lon_lat", "coords": PLACES,
                    "demands": [0] + [1] * (len(PLACES) - 1), "capacity": 3}
        path, plot = self.folder / "helsinki.json", self.folder / "helsinki.geojson"
        path.write_text(json.dumps(instance))
        straight = self.daemon.json("solve", path, "--budget", "0.5s")[0]
        roads = self.daemon.json("solve", path, "--roads", "car", "--budget", "0.5s", "--geometry", "--plot", plot)[0]
        legs = sum(len(route["leg_polylines"]) for route in roads["routes"])
        print(f"roads: {roads['cost']} m on roads, {straight['cost']} m in straight lines, {legs} legs")
        self.assertGreater(roads["cost"], straight["cost"])
        self.assertEqual(legs, sum(len(route["stops"]) + 1 for route in roads["routes"]))
        lines = [feature["geometry"]["coordinates"] for feature in json.loads(plot.read_text())["features"]
                 if feature["geometry"]["type"] == "LineString"]
        self.assertGreater(sum(map(len, lines)), 3 * legs)


if __name__ == "__main__":
    unittest.main(verbosity=2)

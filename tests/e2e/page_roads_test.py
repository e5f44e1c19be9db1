"""Tests the web page on a road network: choosing it, streets on the map, and moves along them."""

import json
import os
import re
import unittest

from fake_osrm import FakeOsrm, metres
from page_fixture import PageTest


class RoadsTest(PageTest):
    """Streets along meridians and parallels: two customers east of the depot, two west of it, and two fit in a vehicle."""

    TOWN = {"name": "town", "kind": "cvrp", "coordinates": "lon_lat", "capacity": 2, "demands": [0, 1, 1, 1, 1], "ids": ["0", "1", "2", "3", "4"],
            "coords": [[13, 52], [13.02, 52.01], [13.03, 52.03], [12.98, 52.01], [12.97, 52.03]]}
    BEST = ((0, 1, 2, 0), (0, 3, 4, 0))

    @classmethod
    def flags(cls):
        cls.osrm = FakeOsrm()
        cls.addClassCleanup(cls.osrm.close)
        return cls.osrm.flags()

    def metres(self, routes):
        """Returns the metres of street of `routes`, each a sequence of nodes."""
        return sum(metres(self.TOWN["coords"][a], self.TOWN["coords"][b]) for route in routes for a, b in zip(route, route[1:]))

    def open_town(self, **changes):
        browser = self.open()
        browser.drop_file("town.json", json.dumps({**self.TOWN, **changes}))
        browser.one('[name="road_network"]')
        return browser

    def choose(self, network):
        self.browser.click(f'[name="road_network"] option[value="{network}"]')
        self.browser.wait(lambda: self.browser.one('[name="road_network"]').is_enabled(), "the roads")

    def segments(self, paths):
        """Returns the ends of all lines of SVG paths."""
        subpaths = [re.findall(r"(-?[\d.]+) (-?[\d.]+)", part) for path in paths for part in path.split("M")]
        return [tuple(map(float, a + b)) for points in subpaths for a, b in zip(points, points[1:])]

    def drawn(self):
        return self.segments(path.get_attribute("d") for path in self.browser.all(".plot-edges path, .plot-legs path"))

    def assert_along_streets(self, segments, tolerance=1.0):
        self.assertGreaterEqual(len(segments), 10, "six edges, with a bend in most")
        for ax, ay, bx, by in segments:
            self.assertLess(min(abs(ax - bx), abs(ay - by)), tolerance, "an edge crosses a block")

    def export(self, ending):
        self.browser.click(".menu summary")
        self.browser.click(f'[data-export="{ending}"]')
        return self.browser.downloaded(f".{ending}")

    def test_plans_and_draws_on_roads(self):
        browser = self.open_town()
        self.solve("0.3")
        self.assertEqual(len(self.drawn()), 6)
        self.choose("car")
        self.assert_along_streets(self.drawn())
        self.solve("0.3")
        browser.picture("roads-light-1280")
        self.assert_along_streets(self.drawn())
        plan = json.loads(self.export("plan.json").read_text())
        self.assertAlmostEqual(plan["cost"], self.metres(self.BEST), delta=6)
        self.assertEqual([len(route["leg_polylines"]) for route in plan["routes"]], [3, 3])
        self.assert_along_streets(self.segments(re.findall(r' d="([^"]+)"', self.export("svg").read_text())))
        lines = [feature["geometry"]["coordinates"] for feature in json.loads(self.export("geojson").read_text())["features"]
                 if feature["geometry"]["type"] == "LineString"]
        self.assert_along_streets([(*a, *b) for line in lines for a, b in zip(line, line[1:])], 1e-5)
        self.choose("")
        self.assertEqual(len(self.drawn()), 6)
        self.assert_no_complaints()

    def test_moves_stops_onto_bent_edges(self):
        browser = self.open_town(road_network="car")
        self.solve("0.3")
        cost = self.figure("cost")
        self.select_route(1)
        self.drag_first_stop(0)
        self.assert_along_streets(self.drawn())
        plan = json.loads(self.export("plan.json").read_text())
        routes = [(0, *(int(stop["id"]) for stop in route["stops"]), 0) for route in plan["routes"]]
        self.assertEqual(sorted(map(len, routes)), [3, 5])
        self.assertAlmostEqual(plan["cost"], self.metres(routes), delta=6)
        self.assertAlmostEqual(float(browser.one("[data-difference]").get_attribute("data-difference")),
                               self.metres(routes) - self.metres(self.BEST), delta=12)
        moved = self.drawn()
        browser.button("Undo").click()
        browser.wait(lambda: self.drawn() != moved, "the former plan")
        self.assert_along_streets(self.drawn())
        self.assertEqual(self.figure("cost"), cost)
        self.assert_no_complaints()

    def test_says_beside_the_setting_which_places_no_road_joins(self):
        browser = self.open_town(coords=[*self.TOWN["coords"][:4], [12.97, 76]])
        self.choose("car")
        self.assertRegex(browser.text(".field-error"), r"^no road joins customers\[3\] .*on road_network car")
        self.assertEqual(browser.one('[name="road_network"]').get_attribute("value"), "")

    def test_draws_thin_straight_lines_if_the_streets_are_missing(self):
        self.osrm.set_streets(False)
        self.addCleanup(self.osrm.set_streets, True)
        browser = self.open_town(road_network="car")
        self.solve("0.3")
        self.assertIn("the streets are closed", browser.text(".summary .hint"))
        self.assertEqual(len(self.drawn()), 6)
        self.assertTrue(browser.all(".plot-svg.sketched"))
        self.assert_no_complaints()


if __name__ == "__main__":
    os.environ.pop("VRP_TOKEN", None)
    unittest.main(verbosity=2)

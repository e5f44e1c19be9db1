"""Tests the web page as a user sees it: clicks through it in a headless Chromium, and checks what it exports by vrpctl."""

import base64
import http.server
import json
import os
import pathlib
import re
import subprocess
import tempfile
import threading
import unittest

from page_browser import Browser, By
from daemon import BINARIES, DATA, ROOT, Daemon
from fake_osrm import FakeOsrm, metres

INSTANCE = DATA / "E-n22-k4.vrp"
CITY = ROOT / "server/http/page/web/samples/city.json"
WRONG = json.dumps({"kind": "cvrp", "capacity": 5, "coords": [[0, 0], [1, 1], [2, 2]], "demands": [0, 3, -1]})
# A pixel, as a map tile.
TILE = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


class PageTest(unittest.TestCase):
    """A daemon, and a browser for each test. Every test ends with an empty console."""

    FLAGS = ()

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(flags=["--http-listen", "127.0.0.1:0", *cls.flags()])
        cls.addClassCleanup(cls.daemon.clean_up)
        cls.url = cls.daemon.log_path.read_text().split("serving HTTP url=")[1].split()[0].strip('"')

    @classmethod
    def flags(cls):
        return cls.FLAGS

    def open(self, **options):
        self.browser = Browser(**options)
        self.addCleanup(self.browser.close)
        self.browser.driver.get(self.url)
        self.browser.one("#main *")
        return self.browser

    def assert_no_complaints(self):
        self.assertEqual(self.browser.console(), [])

    def solve(self, budget="1"):
        browser = self.browser
        settings = browser.one(".settings-panel")
        if settings.get_attribute("open") is None:
            settings.find_element(By.TAG_NAME, "summary").click()
        browser.type('[name="budget"]', budget)
        browser.one('[data-action="solve"]').click()
        browser.wait(lambda: "checked" in browser.text(".badge"), "the checked plan")

    def figure(self, name):
        return self.browser.text(f'[data-figure="{name}"]')

    def select_route(self, index):
        self.browser.one(f'[data-route="{index}"]').click()
        self.browser.one(".route-detail table")

    def drag_first_stop(self, target):
        """Drags the first stop of the selected route onto the longest edge of another one. Returns its id."""
        stop = self.browser.one(".visit circle")
        box = self.browser.driver.execute_script("const b = arguments[0].getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]", stop)
        self.browser.drag(box, self.browser.middle_of_edge(target))
        return self.browser.wait(lambda: self.browser.all(".edit-note strong"), "the note on the move")[0].text


class SolveViewTest(PageTest):
    def test_plans_a_dropped_file_and_exports_what_was_moved(self):
        browser = self.open()
        browser.drop_file(INSTANCE.name, INSTANCE.read_text())
        self.assertEqual(browser.text(".instance-name"), "E-n22-k4")
        self.solve()
        self.assertEqual((self.figure("cost"), self.figure("routes"), self.figure("gap")), ("375", "4", "0 %"))
        self.assertEqual(len(browser.all(".route-row")), 4)
        self.assertGreaterEqual(len(browser.all(".plot-edges path")), 4)
        browser.picture("solved-light-1280")
        self.select_route(1)
        self.assertRegex(self.drag_first_stop(0), r"^Moved \d+ to route 1$")
        moved = float(browser.one("[data-difference]").get_attribute("data-difference"))
        self.assertGreater(moved, 0)
        self.assertEqual(float(self.figure("cost")), 375 + moved)
        browser.picture("moved-light-1280")
        costs = {}
        for ending, name in (("sol", ".sol"), ("plan.json", ".plan.json"), ("vroom.json", ".vroom.json"), ("svg", ".svg")):
            browser.one(".menu summary").click()
            browser.one(f'[data-export="{ending}"]').click()
            file = browser.downloaded(name)
            if ending == "svg":
                self.assertIn("<title>E-n22-k4</title>", file.read_text())
                continue
            checked = self.daemon.call("check", INSTANCE, file, "--output", "json")
            costs[ending] = json.loads(checked.stdout)["cost"]
        self.assertEqual(costs, {"sol": 375 + moved, "plan.json": 375 + moved, "vroom.json": 375 + moved})
        browser.button("Undo").click()
        browser.wait(lambda: self.figure("cost") == "375", "the former cost")
        self.assert_no_complaints()

    def test_keeps_a_frozen_route_and_improves_the_rest(self):
        browser = self.open()
        browser.one('[data-sample="E-n22-k4.vrp"]').click()
        self.solve()
        self.select_route(1)
        self.drag_first_stop(0)
        browser.wait(lambda: browser.all('[data-action="freeze"]'), "the route")
        browser.one('[data-action="freeze"]').click()
        frozen = [row.get_attribute("data-stop") for row in browser.all("tr[data-stop]")]
        worse = float(self.figure("cost"))
        browser.one('[data-action="solve"]').click()
        browser.wait(lambda: "checked ·" in browser.text(".badge") or browser.text(".badge").endswith("checked"), "the checked plan")
        route = browser.wait(lambda: next((row for row in browser.all(".route-row") if "frozen" in row.text), None), "the frozen route")
        if route.get_attribute("aria-expanded") != "true":
            route.click()
        self.assertEqual([row.get_attribute("data-stop") for row in browser.all("tr[data-stop]")], frozen)
        self.assertLessEqual(float(self.figure("cost")), worse)
        self.assertGreater(float(self.figure("cost")), 375)
        self.assert_no_complaints()

    def test_corrects_errors_beside_their_fields(self):
        browser = self.open()
        browser.button("Paste text").click()
        browser.one("textarea").send_keys(WRONG)
        browser.button("Read it").click()
        fault = browser.one(".fault")
        self.assertIn("got -1, wanted at least 0", fault.text)
        browser.picture("errors-light-1280")
        field = fault.find_element(By.TAG_NAME, "input")
        self.assertEqual(field.get_attribute("value"), "-1")
        field.clear()
        field.send_keys("2")
        browser.button("Check again").click()
        self.solve("0.2")
        self.assertEqual(self.figure("unserved"), "0")
        self.assert_no_complaints()

    def test_shows_errors_of_settings_beside_them(self):
        browser = self.open()
        browser.one('[data-sample="E-n22-k4.vrp"]').click()
        browser.type('[name="budget"]', "99999")
        browser.one('[data-action="solve"]').click()
        self.assertIn("wanted 1ms to 1h", browser.text(".field-error"))
        self.assertEqual(browser.one('[name="budget"]').get_attribute("aria-invalid"), "true")

    def test_lists_unserved_customers_when_vehicles_are_taken_away(self):
        browser = self.open()
        browser.one('[data-sample="E-n22-k4.vrp"]').click()
        browser.type('[name="vehicles[0].count"]', "3\t")
        browser.type('[name="budget"]', "0.5")
        browser.one('[data-action="solve"]').click()
        browser.wait(lambda: "unserved" in browser.text(".badge"), "the plan")
        browser.one('[data-tab="unserved"]').click()
        self.assertIn("fleet exhausted", browser.text('[role="tabpanel"]'))
        self.assert_no_complaints()

    def test_stops_a_search_and_keeps_its_plan(self):
        browser = self.open()
        browser.one('[data-sample="RC208.vrp"]').click()
        browser.type('[name="budget"]', "60")
        browser.one('[data-action="solve"]').click()
        browser.wait(lambda: browser.all(".route-row"), "the first plan")
        browser.one('[data-action="stop"]').click()
        browser.wait(lambda: "checked" in browser.text(".badge"), "the checked plan")
        self.select_route(0)
        browser.one('[data-tab="timeline"]').click()
        self.assertTrue(browser.all(".t-stop .t-window"))
        browser.picture("windows-light-1280")
        self.assert_no_complaints()

    def test_draws_maps_without_asking_other_hosts(self):
        browser = self.open()
        browser.drop_file("city.json", CITY.read_text())
        self.solve()
        browser.one(".leaflet-container")
        browser.one(".menu summary").click()
        browser.one('[data-export="geojson"]').click()
        features = json.loads(browser.downloaded(".geojson").read_text())["features"]
        self.assertEqual(sum(feature["geometry"]["type"] == "LineString" for feature in features), len(browser.all(".route-row")))
        browser.picture("map-light-1280")
        self.assertEqual([url for url in browser.requested_urls() if not url.startswith((self.url, "blob:", "data:"))], [])
        self.assert_no_complaints()

    def test_fits_small_and_dark_screens(self):
        for width, dark in ((390, False), (390, True), (1280, True)):
            browser = self.open(width=width, height=844, dark=dark)
            name = f"{'dark' if dark else 'light'}-{width}"
            browser.picture(f"start-{name}")
            browser.one('[data-sample="RC208.vrp"]').click()
            self.solve("0.5")
            self.select_route(0)
            browser.picture(f"solved-{name}")
            self.assertLessEqual(browser.scroll_width(), width)
            self.assert_no_complaints()

    def test_keeps_the_plan_while_another_address_is_open(self):
        browser = self.open()
        browser.one('[data-sample="E-n22-k4.vrp"]').click()
        self.solve("0.5")
        cost = self.figure("cost")
        browser.driver.execute_script("location.hash = '#solve/elsewhere'")
        browser.wait(lambda: self.figure("cost") == cost, "the plan")
        self.assertEqual(len(browser.all(".route-row")), 4)
        self.assert_no_complaints()

    def test_works_by_keyboard(self):
        browser = self.open()
        sample = browser.one('[data-sample="E-n22-k4.vrp"]')
        browser.driver.execute_script("arguments[0].focus()", sample)
        sample.send_keys("\n")
        self.solve("0.3")
        tab = browser.one('[data-tab="timeline"]')
        tab.send_keys("\ue014")  # the right arrow
        self.assertEqual(browser.one('[data-tab="curve"]').get_attribute("aria-selected"), "true")
        browser.one('[data-route="0"]').send_keys("\n")
        browser.one("tr[data-stop] button").send_keys("\n")
        browser.button("Move").send_keys("\n")
        self.assertIn("Moved", browser.text(".edit-note"))
        self.assert_no_complaints()


class TileTest(PageTest):
    @classmethod
    def flags(cls):
        cls.asked = []

        class Tiles(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                cls.asked.append(self.path)
                self.send_response(200)
                self.send_header("Content-Type", "image/png")
                self.end_headers()
                self.wfile.write(TILE)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Tiles)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cls.addClassCleanup(server.server_close)
        cls.addClassCleanup(server.shutdown)
        return ("--map-tiles", f"http://127.0.0.1:{server.server_port}/{{z}}/{{x}}/{{y}}.png", "--map-attribution", "<b>Tiles</b> & Co")

    def test_shows_the_administrators_tiles_with_their_credit(self):
        browser = self.open()
        browser.one('[data-sample="city.json"]').click()
        browser.wait(lambda: self.asked, "a tile")
        self.assertIn("<b>Tiles</b> & Co", browser.text(".leaflet-control-attribution"))
        self.assert_no_complaints()


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
        """Returns the cost of routes on the streets, by their nodes."""
        return sum(metres(self.TOWN["coords"][a], self.TOWN["coords"][b]) for route in routes for a, b in zip(route, route[1:]))

    def open_town(self, **changes):
        browser = self.open()
        browser.drop_file("town.json", json.dumps({**self.TOWN, **changes}))
        browser.one('[name="road_network"]')
        return browser

    def choose(self, network):
        self.browser.one(f'[name="road_network"] option[value="{network}"]').click()
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
        self.browser.one(".menu summary").click()
        self.browser.one(f'[data-export="{ending}"]').click()
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


class TokenTest(PageTest):
    @classmethod
    def flags(cls):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-page-"))
        cls.addClassCleanup(lambda: [file.unlink() for file in folder.iterdir()] and folder.rmdir())
        cls.tokens, lines = {}, []
        for role in ("read", "solve"):
            said = subprocess.run([BINARIES / "vrpd", "--new-token", role], capture_output=True, text=True, check=True).stdout.splitlines()
            cls.tokens[role] = said[1]
            lines.append(f"{said[3]} {role}\n")
        (folder / "tokens").write_text("".join(lines))
        (folder / "tokens").chmod(0o600)
        return ("--tokens", folder / "tokens")

    def give(self, token):
        self.browser.type("#token-dialog input", token)
        self.browser.button("Use the token").click()

    def test_asks_for_a_token_and_forgets_it_with_the_tab(self):
        browser = self.open()
        self.give("wrong")
        self.assertIn("does not know this token", browser.text("#token-dialog .field-error"))
        browser.wait(lambda: browser.one("#token-dialog input").get_attribute("aria-invalid") == "true", "the refused token")
        self.give(self.tokens["solve"])
        browser.wait(lambda: browser.text("#session").startswith("Version"), "the session")
        browser.one('[data-sample="E-n22-k4.vrp"]').click()
        self.solve("0.3")
        self.assertEqual(browser.driver.execute_script("return localStorage.length + document.cookie.length"), 0)
        browser.driver.switch_to.new_window("tab")
        browser.driver.get(self.url)
        browser.one("#token-dialog input")

    def test_tells_readers_what_they_may_not_do(self):
        browser = self.open()
        self.give(self.tokens["read"])
        self.assertIn("This token may only read", browser.text(".notice.static"))
        self.assertEqual([button.is_enabled() and not button.find_elements(By.XPATH, "ancestor::*[@inert]")
                          for button in browser.all("#main button")], [False] * 5)
        browser.picture("reader-light-1280")


if __name__ == "__main__":
    os.environ.pop("VRP_TOKEN", None)
    unittest.main(verbosity=2)

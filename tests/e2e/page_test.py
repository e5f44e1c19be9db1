"""Tests the web page as a user sees it: clicks through it in a headless Chromium, and checks what it exports by vrpctl."""

import base64
import http.server
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import unittest

from daemon import BINARIES, DATA, ROOT
from page_browser import By
from page_fixture import PageTest

INSTANCE = DATA / "E-n22-k4.vrp"
CITY = ROOT / "server/http/page/web/samples/city.json"
WRONG = json.dumps({"kind": "cvrp", "capacity": 5, "coords": [[0, 0], [1, 1], [2, 2]], "demands": [0, 3, -1]})
# Two vans, each with a part for chilled goods, for two customers who must not meet.
VAN = {"kind": "cvrp", "coords": [[0, 0], [10, 0], [0, 10]], "demands": [[0, 0], [2, 1], [1, 2]],
       "vehicles": [{"capacity": [4, 4], "count": 2, "compartments": [{"capacity": 3}, {"capacity": 2}]}],
       "customer_rules": [{"kind": "different_routes", "customers": [1, 2]}],
       "balance": {"measure": "stops", "cost": 1}}
# A pixel, as a map tile.
TILE = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


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
            browser.click(".menu summary")
            browser.click(f'[data-export="{ending}"]')
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

    def move_that_fits(self):
        """Returns a route and another one that has room for its first stop."""
        lines = INSTANCE.read_text().split("DEMAND_SECTION")[1].split("DEPOT_SECTION")[0].split()
        demands = {str(int(node) - 1): int(demand) for node, demand in zip(lines[::2], lines[1::2])}
        routes = []
        for index in range(4):
            self.select_route(index)
            routes.append([demands[stop] for stop in self.stops_of_selected()])
        return next((a, b) for a in range(4) for b in range(4) if a != b and sum(routes[b]) + routes[a][0] <= 6000)

    def test_keeps_a_frozen_route_and_improves_the_rest(self):
        browser = self.open()
        browser.click('[data-sample="E-n22-k4.vrp"]')
        self.solve()
        source, target = self.move_that_fits()
        self.select_route(source)
        self.drag_first_stop(target)
        browser.wait(lambda: browser.all('[data-action="freeze"]'), "the route")
        browser.click('[data-action="freeze"]')
        frozen = self.stops_of_selected()
        worse = float(self.figure("cost"))
        browser.click('[data-action="solve"]')
        browser.wait(lambda: "checked ·" in browser.text(".badge") or browser.text(".badge").endswith("checked"), "the checked plan")
        route = browser.wait(lambda: next((row for row in browser.all(".route-row") if "frozen" in row.text), None), "the frozen route")
        if route.get_attribute("aria-expanded") != "true":
            route.click()
        self.assertEqual(self.stops_of_selected(), frozen)
        self.assertLessEqual(float(self.figure("cost")), worse)
        self.assertGreater(float(self.figure("cost")), 375)
        self.assert_no_complaints()

    def test_shows_compartments_rules_and_the_spread(self):
        browser = self.open()
        browser.drop_file("van.json", json.dumps(VAN))
        self.solve("0.3")
        self.assertEqual(self.figure("spread"), "0")
        self.select_route(0)
        self.assertRegex(browser.text(".detail-head"), r"compartment 0: \d+ of dimension [01], compartment 1: \d+ of dimension [01]")
        stop = self.stops_of_selected()[0]
        browser.click(f'tr[data-stop="{stop}"] button')
        browser.wait(lambda: f"Not on a route with {3 - int(stop)}" in browser.text(".stop-detail"), "the rule")
        browser.click(".menu summary")
        browser.click('[data-export="plan.json"]')
        plan = browser.downloaded(".plan.json")
        self.assertEqual(len(json.loads(plan.read_text())["routes"][0]["compartments"]), 2)
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
        browser.click('[data-sample="E-n22-k4.vrp"]')
        browser.type('[name="budget"]', "99999")
        browser.click('[data-action="solve"]')
        self.assertIn("wanted 1ms to 1h", browser.text(".field-error"))
        self.assertEqual(browser.one('[name="budget"]').get_attribute("aria-invalid"), "true")

    def test_lists_unserved_customers_when_vehicles_are_taken_away(self):
        browser = self.open()
        browser.click('[data-sample="E-n22-k4.vrp"]')
        browser.type('[name="vehicles[0].count"]', "3\t")
        browser.type('[name="budget"]', "0.5")
        browser.click('[data-action="solve"]')
        browser.wait(lambda: "unserved" in browser.text(".badge"), "the plan")
        browser.click('[data-tab="unserved"]')
        self.assertIn("fleet exhausted", browser.text('[role="tabpanel"]'))
        self.assert_no_complaints()

    def test_stops_a_search_and_keeps_its_plan(self):
        browser = self.open()
        browser.click('[data-sample="RC208.vrp"]')
        browser.type('[name="budget"]', "60")
        browser.click('[data-action="solve"]')
        browser.wait(lambda: browser.all(".route-row"), "the first plan")
        browser.click('[data-action="stop"]')
        browser.wait(lambda: "checked" in browser.text(".badge"), "the checked plan")
        self.select_route(0)
        browser.click('[data-tab="timeline"]')
        self.assertTrue(browser.all(".t-stop .t-window"))
        browser.picture("windows-light-1280")
        self.assert_no_complaints()

    def test_draws_maps_without_asking_other_hosts(self):
        browser = self.open()
        browser.drop_file("city.json", CITY.read_text())
        self.solve()
        browser.one(".leaflet-container")
        browser.click(".menu summary")
        browser.click('[data-export="geojson"]')
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
            browser.click('[data-sample="RC208.vrp"]')
            self.solve("0.5")
            self.select_route(0)
            browser.picture(f"solved-{name}")
            self.assertLessEqual(browser.scroll_width(), width)
            self.assert_no_complaints()

    def test_keeps_the_plan_while_another_address_is_open(self):
        browser = self.open()
        browser.click('[data-sample="E-n22-k4.vrp"]')
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
        browser.click('[data-sample="city.json"]')
        browser.wait(lambda: self.asked, "a tile")
        self.assertIn("<b>Tiles</b> & Co", browser.text(".leaflet-control-attribution"))
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
        browser.click('[data-sample="E-n22-k4.vrp"]')
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

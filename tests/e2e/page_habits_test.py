"""Tests that the web page plans with the habits of drivers, and from a similar day of a history."""

import json
import os
import pathlib
import shutil
import tempfile
import unittest

from page_browser import By
from page_fixture import PageTest

# Ann drives up and down a street, mostly in this order; to its end and back would cost less.
ORDER = ["a4", "a1", "a3", "a2"]
PLACES = {f"a{house}": (house, 0) for house in range(1, 5)}
TODAY = {"kind": "cvrp", "name": "today", "vehicles": [{"id": "ann", "capacity": 10}], "ids": ["depot", "a1", "a2", "a3", "a4"],
         "coords": [[0, -5], *([*PLACES[stop]] for stop in sorted(PLACES))], "demands": [0, 1, 1, 1, 1]}


def route(day, stops):
    return json.dumps({"day": f"2026-03-{day:02}", "driver": "ann", "depot": {"x": 0, "y": -5},
                       "stops": [{"id": stop, "x": PLACES[stop][0], "y": PLACES[stop][1]} for stop in stops]}) + "\n"


class HabitsTest(PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-page-habits-"))
        cls.addClassCleanup(shutil.rmtree, folder)
        path = folder / "past.jsonl"
        days = [route(day, ORDER if day % 3 else ORDER[::-1]) for day in range(1, 20)]
        path.write_text("".join(days) + route(20, ["a1", "a2"]))
        cls.daemon.json("datasets", "upload", path, "--name", "past")
        settings = ("name=drivers", "habits.history=datasets/past", "habits.zones=2")
        trained = cls.daemon.call("train", "--preset", "habits", *(word for one in settings for word in ("--set", one)))
        assert trained.returncode == 0, trained.stderr

    def open_today(self):
        browser = self.open()
        browser.drop_file("today.json", json.dumps(TODAY))
        browser.wait(lambda: browser.all('[name="model"] option[value="models/drivers/versions/1"]'), "the habit model")
        return browser

    def choose(self, name, value):
        self.browser.click(f'[name="{name}"] option[value="{value}"]')

    def solve_again(self, css, shown):
        """Solves, and waits until an element is shown or no longer."""
        self.solve("0.2")
        self.browser.wait(lambda: self.browser.shown(css) == shown, f"{css}, shown: {shown}")

    def test_plans_as_the_driver_drives(self):
        browser = self.open_today()
        self.assertFalse(browser.shown('[name="habit_weight"]'))
        self.solve("0.2")
        cheapest = float(self.figure("cost"))
        self.assertFalse(browser.shown('[data-figure="habits"]'))
        self.choose("model", "models/drivers/versions/1")
        self.assertEqual(browser.one('[name="habit_weight"]').get_attribute("value"), "0.1")
        browser.picture("habits-form-light-1280")
        browser.type('[name="habit_weight"]', "5")
        self.solve_again('[data-figure="habits"]', True)
        self.assertRegex(self.figure("habits"), r"^[\d.]+ % a leg$")
        self.assertGreater(float(self.figure("added-cost")), 0)
        self.assertGreater(float(self.figure("cost")), cheapest)
        browser.picture("habits-light-1280")
        self.select_route(0)
        self.assertEqual(self.stops_of_selected(), [str(TODAY["ids"].index(stop)) for stop in ORDER])
        self.assert_no_complaints()

    def test_solves_without_a_weight_once_no_habit_model_is_chosen(self):
        browser = self.open_today()
        self.choose("model", "models/drivers/versions/1")
        browser.type('[name="habit_weight"]', "5")
        browser.click('[name="model"] option[value=""]')
        self.assertFalse(browser.shown('[name="habit_weight"]'))
        self.solve("0.2")
        self.assertFalse(browser.shown('[data-figure="habits"]'))
        self.assert_no_complaints()

    def test_shows_a_wrong_weight_beside_it(self):
        browser = self.open_today()
        self.choose("model", "models/drivers/versions/1")
        browser.type('[name="habit_weight"]', "11")
        browser.click('[data-action="solve"]')
        browser.wait(lambda: browser.one('[name="habit_weight"]').get_attribute("aria-invalid") == "true", "the refused weight")
        self.assertIn("wanted 0 to 10", browser.text(".field-error"))

    def test_starts_from_a_similar_day(self):
        browser = self.open_today()
        browser.wait(lambda: browser.shown('[name="similar_day.history"]'), "the histories")
        self.choose("similar_day.history", "datasets/past")
        self.solve("0.2")
        self.assertIn("Started from 2026-03-19 of past, which had 4 stops of this instance and 0 others.", browser.text(".summary .hint"))
        browser.driver.find_element(By.XPATH, "//label[contains(., 'Start from the current plan')]").click()
        self.assertFalse(browser.one('[name="similar_day.history"]').is_enabled())
        self.solve_again(".summary .hint", False)
        self.assert_no_complaints()


class NoHistoryTest(PageTest):
    def test_offers_no_histories_where_there_are_none(self):
        browser = self.open()
        browser.drop_file("today.json", json.dumps(TODAY))
        self.solve("0.2")
        self.assertFalse(browser.shown('[name="similar_day.history"]'))
        self.assert_no_complaints()


if __name__ == "__main__":
    os.environ.pop("VRP_TOKEN", None)
    unittest.main(verbosity=2)

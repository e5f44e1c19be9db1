"""The fixture of the tests of the web page: a daemon that serves it, and a browser for each test."""

import unittest

from daemon import Daemon
from page_browser import Browser, By


class PageTest(unittest.TestCase):
    """A daemon, and a browser for each test that calls open(). assert_no_complaints() checks the browser's console."""

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
        browser.click('[data-action="solve"]')
        browser.wait(lambda: "checked" in browser.text(".badge"), "the checked plan")

    def figure(self, name):
        return self.browser.text(f'[data-figure="{name}"]')

    def select_route(self, index):
        self.browser.click(f'[data-route="{index}"]')
        self.browser.one(".route-detail table")

    def stops_of_selected(self):
        """Returns the ids of the selected route's stops."""
        return self.browser.wait(lambda: [row.get_attribute("data-stop") for row in self.browser.all("tr[data-stop]")], "the stops")

    def drag_first_stop(self, target):
        """Drags the first stop of the selected route onto the longest edge of the route `target`. Returns the stop's id."""
        stop = self.browser.one(".visit circle")
        box = self.browser.driver.execute_script("const b = arguments[0].getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]", stop)
        self.browser.drag(box, self.browser.middle_of_edge(target))
        return self.browser.wait(lambda: self.browser.all(".edit-note strong"), "the note on the move")[0].text

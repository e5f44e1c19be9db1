"""Drives Debian's Chromium without a display, for the tests of the web page."""

import base64
import contextlib
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time

from daemon import BINARIES
from python_environment import require_modules

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
if CHROMIUM is None or DRIVER is None:
    print("skipped: no chromium or no chromedriver; ./dev test installs chromium and chromium-driver")
    sys.exit(77)
require_modules("selenium")

from selenium import webdriver  # noqa: E402
from selenium.common.exceptions import StaleElementReferenceException  # noqa: E402
from selenium.webdriver.chrome.options import Options  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402

PICTURES = BINARIES.parent / "tests" / "page"
WAIT_S = 60  # timeout of Browser.wait

# Drops a file on the page as a user does, since WebDriver has no such action.
DROP = """
const [name, text] = arguments;
const data = new DataTransfer();
data.items.add(new File([text], name));
const target = document.querySelector("main");
for (const type of ["dragenter", "dragover", "drop"]) {
  target.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
}
"""
# Returns the middle of the longest edge of a route on the screen.
MIDDLE_OF_EDGE = """
const path = document.querySelectorAll(".plot-edges path")[arguments[0]];
const points = [...path.getAttribute("d").matchAll(/[ML](-?[\\d.]+) (-?[\\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
let best = [0, 0, -1];
for (let at = 1; at < points.length; at += 1) {
  const [a, b] = [points[at - 1], points[at]];
  const length = Math.hypot(a[0] - b[0], a[1] - b[1]);
  if (length > best[2]) best = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, length];
}
const box = path.ownerSVGElement.getBoundingClientRect();
return [best[0] + box.left, best[1] + box.top];
"""


class Browser:
    """A Chromium with a window of this size. `dark` is whether the user's system asks for dark colours."""

    def __init__(self, width=1280, height=900, dark=False):
        options = Options()
        options.binary_location = CHROMIUM
        for flag in ("--headless=new", "--disable-gpu", "--hide-scrollbars", f"--window-size={width},{height}"):
            options.add_argument(flag)
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(DRIVER))
        self.downloads = pathlib.Path(tempfile.mkdtemp(prefix="vrp-downloads-"))
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.command("Emulation.setEmulatedMedia", features=[scheme])
        self.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.downloads))

    def command(self, name, **fields):
        return self.driver.execute_cdp_cmd(name, fields)

    def close(self):
        self.driver.quit()
        shutil.rmtree(self.downloads, ignore_errors=True)

    def wait(self, condition, what="the page"):
        """Returns the first true value of condition(). Retries if the page replaces an element. Raises AssertionError after WAIT_S."""
        end = time.monotonic() + WAIT_S
        while time.monotonic() < end:
            with contextlib.suppress(StaleElementReferenceException):
                value = condition()
                if value:
                    return value
            time.sleep(0.05)
        self.picture("failure")
        raise AssertionError(f"waited {WAIT_S} s for {what}; console: {self.console()}")

    def all(self, css):
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def one(self, css):
        """Returns the first visible element, as soon as there is one."""
        return self.wait(lambda: next((element for element in self.all(css) if element.is_displayed()), None), css)

    def shown(self, css):
        """Whether an element is visible now."""
        return any(element.is_displayed() for element in self.all(css))

    def click(self, css):
        """Clicks the first visible element, again if the page replaces it just then."""
        def clicked():
            element = next((element for element in self.all(css) if element.is_displayed()), None)
            if element is not None:
                element.click()
            return element is not None
        self.wait(clicked, css)

    def button(self, text):
        return self.wait(lambda: next((element for element in self.all("button") if element.is_displayed()
                                       and element.text.strip().startswith(text)), None), f"the button {text!r}")

    def text(self, css):
        """Returns the text of the first visible element that has one."""
        return self.wait(lambda: next((element.text for element in self.all(css) if element.is_displayed() and element.text), None), css)

    def type(self, css, text):
        element = self.one(css)
        element.clear()
        element.send_keys(text)

    def drop_file(self, name, text):
        self.driver.execute_script(DROP, name, text)

    def middle_of_edge(self, route):
        return self.driver.execute_script(MIDDLE_OF_EDGE, route)

    def drag(self, start, end):
        """Drags the mouse between two points of the window."""
        viewport = ActionChains(self.driver, duration=80)
        move = viewport.w3c_actions.pointer_action
        move.move_to_location(*map(round, start))
        move.pointer_down()
        move.move_to_location(*(round((a + b) / 2) for a, b in zip(start, end)))
        move.move_to_location(*map(round, end))
        move.pointer_up()
        viewport.perform()

    def console(self):
        """Returns the errors and warnings since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def requested_urls(self):
        """Returns the URLs that were requested since the last call."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]

    def downloaded(self, ending):
        """Returns the downloaded file as soon as it is complete: Chromium first makes an empty file of that name."""
        def complete():
            return next((path for path in self.downloads.glob(f"*{ending}") if path.stat().st_size > 0), None)
        return self.wait(complete, f"the download of a file *{ending}")

    def picture(self, name):
        """Saves a screenshot of the whole page in build/*/tests/page."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        size = self.command("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        data = self.command("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)["data"]
        (PICTURES / f"{name}.png").write_bytes(base64.b64decode(data))

    def scroll_width(self):
        return self.driver.execute_script("return document.documentElement.scrollWidth")

#!/usr/bin/env python3
"""Measures how long the web page takes to draw a better plan, in a headless Chromium without a GPU.

Starts a daemon with one thread, opens its page, drops a generated instance and solves it. Prints one JSON line with the
median, 95th percentile and maximum of the times of all frames that draw a better plan. Some frames draw the
plot with the figures and the list. Others draw the timeline, which follows a few times a second. A time runs from the
start of the frame to the end of its layout and painting.

Examples:
  page_update.py
  page_update.py --customers 5000 --budget 20
"""

import argparse
import json
import os
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

from page_browser import Browser  # noqa: E402
from daemon import Daemon  # noqa: E402

# Times each animation frame that changes the routes or the timeline. A message posted in a frame arrives after its painting.
WATCH = """
window.updates = [];
const original = window.requestAnimationFrame.bind(window);
window.requestAnimationFrame = (callback) => original((time) => {
  const shape = () => [".plot-edges path", ".t-row .t-service"].map((css) => document.querySelector(css)?.getAttribute("d")).join();
  const before = shape();
  const begun = performance.now();
  callback(time);
  const drawn = performance.now() - begun;
  if (shape() === before) return;
  const channel = new MessageChannel();
  channel.port1.onmessage = () => window.updates.push([drawn, performance.now() - begun]);
  channel.port2.postMessage(0);
});
"""


def measure(arguments):
    daemon = Daemon(flags=["--http-listen", "127.0.0.1:0", "--threads", "1"])
    browser = Browser()
    try:
        url = daemon.log_path.read_text().split("serving HTTP url=")[1].split()[0].strip('"')
        instance = daemon.call("generate", "--problem", arguments.problem, "--customers", arguments.customers, "--count", 1, "--seed", 7).stdout
        browser.command("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        browser.driver.get(url)
        browser.one("[data-sample]")
        browser.drop_file("generated.json", instance)
        browser.type('[name="budget"]', str(arguments.budget))
        browser.one('[data-action="solve"]').click()
        time.sleep(arguments.budget)
        browser.wait(lambda: "checked" in browser.text(".badge"), "the checked plan")
        return browser.driver.execute_script("return window.updates"), len(browser.all(".route-row")), browser.driver.capabilities["browserVersion"]
    finally:
        browser.close()
        daemon.clean_up()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--customers", type=int, default=1000)
    parser.add_argument("--problem", default="cvrp")
    parser.add_argument("--budget", type=float, default=10, help="seconds")
    arguments = parser.parse_args()
    updates, routes, version = measure(arguments)
    totals, scripts = sorted(total for _, total in updates), sorted(script for script, _ in updates)
    print(json.dumps({"what": "page_update", "problem": arguments.problem, "customers": arguments.customers, "routes": routes,
                      "updates": len(totals), "median_ms": round(statistics.median(totals), 1),
                      "p95_ms": round(totals[int(0.95 * (len(totals) - 1))], 1), "most_ms": round(totals[-1], 1),
                      "script_median_ms": round(statistics.median(scripts), 1), "chromium": version,
                      "load1": round(os.getloadavg()[0], 2)}))


if __name__ == "__main__":
    main()

"""Tests the pure modules of the web page (page_modules.js) in Node.js, or in Chromium if there is no Node.js."""

import functools
import http.server
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

from daemon import ROOT

RUN = """
import { tests } from "./page_modules.js";
const failures = {};
for (const [name, test] of Object.entries(tests)) {
  try { test(); } catch (error) { failures[name] = String(error.stack ?? error); }
}
const result = JSON.stringify({ count: Object.keys(tests).length, failures });
"""
IN_NODE = RUN + "console.log(result);\n"
IN_PAGE = RUN + "document.title = result;\n"


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """A handler that serves files and logs nothing."""

    def log_message(self, *_):
        pass


def run_in_node(folder):
    (folder / "run.js").write_text(IN_NODE)
    done = subprocess.run(["node", folder / "run.js"], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def run_in_chromium(folder):
    import page_browser
    (folder / "run.js").write_text(IN_PAGE)
    (folder / "index.html").write_text('<!doctype html><title></title><script type="module" src="run.js"></script>')
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietHandler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser = page_browser.Browser()
    try:
        browser.driver.get(f"http://127.0.0.1:{server.server_port}/")
        browser.wait(lambda: browser.driver.title)
        return json.loads(browser.driver.title)
    finally:
        browser.close()
        server.shutdown()


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-page-"))
    try:
        shutil.copytree(ROOT / "server" / "http" / "page" / "web", folder / "web")
        shutil.copy(ROOT / "tests" / "e2e" / "page_modules.js", folder)
        (folder / "package.json").write_text('{"type": "module"}')
        result = run_in_node(folder) if shutil.which("node") else run_in_chromium(folder)
    finally:
        shutil.rmtree(folder)
    for name, error in result["failures"].items():
        print(f"FAILED {name}: {error}")
    print(f"{result['count'] - len(result['failures'])} of {result['count']} tests passed")
    return 1 if result["failures"] or result["count"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

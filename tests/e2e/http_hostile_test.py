"""Opens hostile web pages in Chromium: whatever they send to the HTTP address, no RPC is called."""

import os
import re
import select
import socket
import socketserver
import threading
import time
import unittest
import urllib.request

from daemon import Daemon
from http_test import Http
from page_browser import CHROMIUM, DRIVER

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

WAIT_S = 60
# Requests that a page can send to another origin without a CORS preflight, and requests that need one. `attempt` records
# what the page can read of the answer: a status or text means that the attack succeeded.
PAGE = """<!doctype html><title>hostile</title><body><script>
const target = "%(target)s", results = {};
const solve = JSON.stringify({ file: { content: "e30=" }, budget: "0.1s" });
async function attempt(name, action) {
  try { results[name] = await action(); } catch (error) { results[name] = "refused"; }
}
const read = (response) => (response.type === "opaque" ? "opaque" : response.status + " " + response.headers.get("content-type"));
const post = (path, mode, type, method = "POST") => fetch(target + path,
  { method, mode, body: method === "DELETE" ? undefined : new Blob([solve], { type }), headers: type ? { "Content-Type": type } : {} }).then(read);
const load = (tag, attribute, path) => new Promise((resolve, reject) => {
  const element = document.createElement(tag);
  element.onload = () => resolve(tag === "iframe" ? "opaque" : "loaded");
  element.onerror = reject;
  element[attribute] = target + path;
  if (tag === "link") element.rel = "stylesheet";
  document.body.append(element);
});
const submit = (enctype, method, path) => new Promise((resolve) => {
  const frame = document.createElement("iframe"), form = document.createElement("form"), field = document.createElement("input");
  frame.name = "frame" + Math.random();
  frame.onload = () => resolve("opaque");
  Object.assign(form, { action: target + path, method, enctype, target: frame.name });
  Object.assign(field, { name: '{"file":{"content":"', value: '"}}' });
  form.append(field);
  document.body.append(frame, form);
  form.submit();
});
const listen = (path) => new Promise((resolve, reject) => {
  const source = new EventSource(target + path);
  source.onmessage = () => { source.close(); resolve("read"); };
  source.onerror = () => { source.close(); reject(); };
});
const speak = () => new Promise((resolve, reject) => {
  const channel = new WebSocket(target.replace("http", "ws") + "/v1/server");
  channel.onopen = () => resolve("open");
  channel.onerror = reject;
});
(async () => {
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
    await attempt("form " + type, () => submit(type, "post", "/v1/solve"));
    await attempt("no-cors " + type, () => post("/v1/solve", "no-cors", type));
    await attempt("vroom " + type, () => post("/", "no-cors", type));
  }
  await attempt("form get", () => submit("text/plain", "get", "/v1/server"));
  await attempt("no-cors json", () => post("/v1/solve", "no-cors", "application/json"));
  await attempt("no-cors lines", () => post("/v1/solve:batch", "no-cors", "application/x-ndjson"));
  await attempt("no-cors raw", () => post("/v1/datasets?name=a&fileName=a.jsonl", "no-cors", "application/octet-stream"));
  await attempt("no-cors untyped", () => post("/v1/solve", "no-cors", ""));
  await attempt("no-cors get", () => fetch(target + "/v1/server", { mode: "no-cors" }).then(read));
  await attempt("cors json", () => post("/v1/solve", "cors", "application/json"));
  await attempt("cors text", () => post("/v1/solve", "cors", "text/plain"));
  await attempt("cors get", () => fetch(target + "/v1/models").then(read));
  await attempt("cors put", () => post("/v1/server/logLevel", "cors", "application/json", "PUT"));
  await attempt("cors delete", () => post("/v1/models/cvrp/versions/1", "cors", "", "DELETE"));
  await attempt("beacon", () => navigator.sendBeacon(target + "/v1/solve", new Blob([solve], { type: "text/plain" })) && "opaque");
  await attempt("beacon json", () => navigator.sendBeacon(target + "/v1/solve", new Blob([solve], { type: "application/json" })) && "opaque");
  await attempt("image", () => load("img", "src", "/v1/server"));
  await attempt("script", () => load("script", "src", "/v1/server"));
  await attempt("style", () => load("link", "href", "/v1/server"));
  await attempt("frame", () => load("iframe", "src", "/v1/server"));
  await attempt("events", () => listen("/v1/trainingJobs/none:watch"));
  await attempt("socket", speak);
  window.results = results;
})();
</script>"""


class RebindingServer(socketserver.ThreadingTCPServer):
    """A server of PAGE. Once `rebound` is set, it passes all bytes on to the daemon, as if the name had another address."""

    allow_reuse_address = daemon_threads = True

    def __init__(self, address, page, daemon_address):
        super().__init__(address, RebindingHandler)
        self.page, self.daemon_address, self.rebound, self.passed = page.encode(), daemon_address, False, 0
        threading.Thread(target=self.serve_forever, daemon=True).start()


class RebindingHandler(socketserver.BaseRequestHandler):
    def handle(self):
        if self.server.rebound:
            return self.pass_on()
        self.request.recv(65536)
        self.request.sendall(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s"
                             % (len(self.server.page), self.server.page))

    def pass_on(self):
        self.server.passed += 1
        with socket.create_connection(self.server.daemon_address) as daemon:
            pairs = {self.request: daemon, daemon: self.request}
            while True:
                for ready in select.select(list(pairs), [], [])[0]:
                    data = ready.recv(65536)
                    if not data:
                        return
                    pairs[ready].sendall(data)


class HostileTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(flags=["--http-listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0"])
        cls.addClassCleanup(cls.daemon.clean_up)
        cls.http = Http(cls.daemon)
        options = Options()
        options.binary_location = CHROMIUM
        options.page_load_strategy = "eager"  # the frames of hostile pages may never load
        for flag in ("--headless=new", "--disable-gpu", "--host-resolver-rules=MAP evil.test 127.0.0.2"):
            options.add_argument(flag)
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")
        cls.driver = webdriver.Chrome(options=options, service=Service(DRIVER))
        cls.addClassCleanup(cls.driver.quit)
        cls.driver.set_script_timeout(WAIT_S)

    def calls(self):
        """Returns the number of calls of all RPCs, of whatever outcome."""
        address = re.search(r'serving metrics.*url="?(http://[^\s"]+)', self.daemon.log_path.read_text())[1]
        text = urllib.request.urlopen(address, timeout=WAIT_S).read().decode()
        return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith("vrp_requests_total{"))

    def serve(self, port=0, target=None):
        page = PAGE % {"target": f"http://{self.http.address}" if target is None else target}
        server = RebindingServer(("127.0.0.2", port), page, (self.http.host, self.http.port))
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def results(self, url):
        self.driver.get(url)
        end = time.monotonic() + WAIT_S
        while (found := self.driver.execute_script("return window.results || null")) is None:
            partly = self.driver.execute_script("return results")
            self.assertLess(time.monotonic(), end, f"the page did not finish: {partly}")
            time.sleep(0.05)
        return found

    def fetch(self, path, method="GET", body=None):
        """Returns the status of a fetch by the page that is open, or its error."""
        return self.driver.execute_async_script("""
            const [path, method, body, done] = arguments;
            const headers = body === null ? {} : { "Content-Type": "application/json" };
            fetch(path, { method, body, headers }).then((response) => done(response.status), (error) => done(String(error)));
            """, path, method, body)

    def assert_no_call(self, before):
        time.sleep(0.5)  # for beacons, which a page does not wait for
        self.assertEqual(self.calls(), before, self.driver.get_log("browser"))

    def test_lets_its_own_page_call(self):
        before = self.calls()
        self.driver.get(f"http://{self.http.address}/")
        self.assertEqual(self.fetch("/v1/models"), 200)
        self.assertEqual(self.fetch("/v1/solve", "POST", "{}"), 400)
        self.assertGreaterEqual(self.calls(), before + 2)

    def test_refuses_pages_of_other_sites(self):
        before = self.calls()
        server = self.serve()
        results = self.results(f"http://evil.test:{server.server_address[1]}/")
        self.assertEqual(len(results), 28, results)
        self.assertEqual(set(results.values()) - {"refused", "opaque"}, set(), results)
        self.assert_no_call(before)

    def test_refuses_pages_of_another_port(self):
        before = self.calls()
        server = self.serve()
        results = self.results(f"http://127.0.0.2:{server.server_address[1]}/")
        self.assertEqual(set(results.values()) - {"refused", "opaque"}, set(), results)
        self.assert_no_call(before)

    def test_refuses_names_that_are_rebound(self):
        before = self.calls()
        server = self.serve(port=self.http.port, target="")
        self.driver.get(f"http://evil.test:{self.http.port}/")
        self.assertEqual(self.driver.title, "hostile")
        server.rebound = True
        for path, method, body in (("/v1/models", "GET", None), ("/v1/solve", "POST", "{}"), ("/", "POST", "{}"), ("/", "GET", None),
                                   ("/v1/models/cvrp/versions/1", "DELETE", None), ("/v1/openapi.json", "GET", None),
                                   ("/v1/server/logLevel", "PUT", '{"level": "LOG_LEVEL_ERROR"}')):
            self.assertEqual(self.fetch(path, method, body), 403, path)
        self.assertGreater(server.passed, 0)
        self.assert_no_call(before)

    def test_refuses_links_of_other_sites_to_rpcs(self):
        before = self.calls()
        server = self.serve()
        self.driver.get(f"http://evil.test:{server.server_address[1]}/")
        self.driver.execute_script("location.href = arguments[0]", f"http://{self.http.address}/v1/server")
        end = time.monotonic() + WAIT_S
        while "Sec-Fetch-Site" not in self.driver.page_source:
            self.assertLess(time.monotonic(), end, self.driver.page_source)
            time.sleep(0.05)
        self.assert_no_call(before)


if __name__ == "__main__":
    unittest.main(verbosity=2)

"""Tests how vrpd serves the files of the web page: content, types, caching, and the policy for browsers."""

import http.client
import os
import re
import unittest

from daemon import ROOT, Daemon

WEB = ROOT / "server" / "http" / "page" / "web"
MAX_LINES = 300  # limit of a JavaScript module
TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
         ".json": "application/json", ".html": "text/html; charset=utf-8"}


class PageFilesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(flags=["--http-listen", "127.0.0.1:0", "--map-tiles", "https://tiles.example:8443/{z}/{x}/{y}.png",
                                   "--map-attribution", "Tiles & \"Co\""])
        cls.addClassCleanup(cls.daemon.clean_up)
        cls.address = re.search(r"serving HTTP.*url=\"?http://([^\s\"]+)", cls.daemon.log_path.read_text()).group(1)

    def get(self, path, verb="GET", **headers):
        connection = http.client.HTTPConnection(self.address, timeout=30)
        try:
            connection.request(verb, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def test_serves_every_file_unchanged_with_its_type(self):
        files = [file for file in WEB.rglob("*") if file.is_file() and file.suffix != ".md"]
        self.assertGreater(len(files), 30)
        for file in files:
            path = "/" if file.name == "index.html" else f"/page/{file.relative_to(WEB).as_posix()}"
            status, headers, body = self.get(path)
            self.assertEqual((status, headers["Content-Type"]), (200, TYPES[file.suffix]), path)
            self.assertEqual(body, file.read_bytes(), path)

    def test_serves_the_libraries_of_debian(self):
        status, _, body = self.get("/page/lib/leaflet.js")
        self.assertEqual(status, 200)
        with open("/usr/share/javascript/leaflet/leaflet.esm.min.js", "rb") as file:
            self.assertEqual(body, file.read())

    def test_answers_304_to_caches_that_have_the_file(self):
        _, headers, _ = self.get("/")
        self.assertEqual(headers["Cache-Control"], "no-cache")
        status, _, body = self.get("/", If_None_Match=headers["ETag"])
        self.assertEqual((status, body), (304, b""))
        self.assertEqual(self.get("/", If_None_Match='"other"')[0], 200)
        self.assertNotEqual(self.get("/page/main.js")[1]["ETag"], headers["ETag"])

    def test_allows_only_its_own_scripts_and_the_administrators_tiles(self):
        policy = dict(part.strip().split(" ", 1) for part in self.get("/")[1]["Content-Security-Policy"].split(";"))
        self.assertEqual(policy, {
            "default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "connect-src": "'self'",
            "img-src": "'self' data: blob: https://tiles.example:8443", "base-uri": "'none'", "form-action": "'none'",
            "frame-ancestors": "'none'"})

    def test_keeps_the_api_strict(self):
        _, headers, _ = self.get("/v1/server")
        self.assertEqual((headers["Content-Security-Policy"], headers["Cache-Control"]),
                         ("default-src 'none'; frame-ancestors 'none'", "no-store"))

    def test_states_the_settings_of_maps(self):
        status, headers, body = self.get("/page/settings.json")
        self.assertEqual((status, headers["Cache-Control"]), (200, "no-store"))
        self.assertEqual(body, b'{"mapAttribution":"Tiles & \\"Co\\"","mapTiles":"https://tiles.example:8443/{z}/{x}/{y}.png"}')

    def test_may_be_linked_from_other_sites_but_not_under_other_names(self):
        self.assertEqual(self.get("/", Sec_Fetch_Site="cross-site")[0], 200)
        self.assertEqual(self.get("/v1/models", Sec_Fetch_Site="cross-site")[0], 403)
        self.assertEqual(self.get("/", Host="evil.example")[0], 403)

    def test_knows_no_other_files(self):
        for path in ("/page/", "/page/none.js", "/page/../etc/passwd", "/page/index.html", "/page/lib/leaflet.js/"):
            self.assertEqual(self.get(path)[0], 404, path)
        self.assertEqual(self.get("/", verb="DELETE")[0], 405)

    def test_loads_nothing_from_elsewhere(self):
        for file in WEB.rglob("*"):
            if file.suffix in (".js", ".css", ".html"):
                text = re.sub(r'"http://www\.w3\.org/2000/svg"|xmlns="http://www\.w3\.org/2000/svg"', "", file.read_text())
                self.assertNotRegex(text, r"https?://|innerHTML\s*=|eval\(|localStorage|\sstyle=\"", file)

    def test_modules_are_short(self):
        self.assertEqual([file.name for file in WEB.rglob("*.js") if len(file.read_text().splitlines()) > MAX_LINES], [])


if __name__ == "__main__":
    os.environ.pop("VRP_TOKEN", None)
    unittest.main(verbosity=2)

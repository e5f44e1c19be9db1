"""Solves on road networks: OSRM and Valhalla on loopback, and a service over TLS.

Skips the engines, and says why, if their programs cannot be downloaded.
"""

import http.server
import json
import os
import pathlib
import random
import shutil
import ssl
import subprocess
import tempfile
import threading
import unittest
import urllib.request
import xml.sax.saxutils

import road_engines
from daemon import Daemon, vrpctl

# A town of two parts that no road joins: crossings STEP degrees apart, streets between neighbours.
WEST, EAST, SOUTH, STEP = 24.0, 24.1, 60.0, 0.002
SIDE = 6
# An area and a place in the extract: west, east, south and north, and longitude and latitude, in degrees.
HELSINKI = (24.935, 24.95, 60.166, 60.172)
CENTRE = (24.9465, 60.1695)


def town(path):
    """Writes two grids of streets as OpenStreetMap XML."""
    nodes, ways = [], []
    def number(part, x, y):
        return 1 + part * 1000 + x * SIDE + y
    for part, west in enumerate((WEST, EAST)):
        for x in range(SIDE):
            for y in range(SIDE):
                nodes.append(f'<node id="{number(part, x, y)}" version="1" lon="{west + x * STEP:.6f}" lat="{SOUTH + y * STEP:.6f}"/>')
        lines = [[(x, y) for y in range(SIDE)] for x in range(SIDE)] + [[(x, y) for x in range(SIDE)] for y in range(SIDE)]
        for line in lines:
            refs = "".join(f'<nd ref="{number(part, x, y)}"/>' for x, y in line)
            ways.append(f'<way id="{5000 + len(ways)}" version="1">{refs}<tag k="highway" v="residential"/></way>')
    path.write_text(f'<osm version="0.6" generator={xml.sax.saxutils.quoteattr("test")}>{"".join(nodes + ways)}</osm>')


def instance(places, **more):
    """Returns an instance in this project's JSON, with the depot at the first place."""
    return {"name": "town", "kind": "cvrp", "coordinates": "lon_lat", "coords": places,
            "demands": [0] + [1] * (len(places) - 1), "capacity": 5, **more}


def decoded(text):
    """Returns the longitudes and latitudes of an encoded polyline."""
    places, totals, bits, shift, axis = [], [0, 0], 0, 0, 0
    for character in text:
        group = ord(character) - 63
        bits |= (group & 31) << shift
        shift += 5
        if group < 32:
            totals[axis] += ~(bits >> 1) if bits & 1 else bits >> 1
            if axis:
                places.append((totals[1] / 1e6, totals[0] / 1e6))
            bits, shift, axis = 0, 0, 1 - axis
    return places


class RoadsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-roads-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        try:
            cls.start()
        except road_engines.Unavailable as reason:
            raise unittest.SkipTest(f"no engine: {reason}")
        cls.addClassCleanup(cls.engine.stop)
        cls.daemon = Daemon(flags=["--road-networks", json.dumps({"car": cls.network()})])
        cls.addClassCleanup(cls.daemon.clean_up)

    def write(self, name, content):
        path = self.folder / name
        path.write_text(json.dumps(content))
        return path


class OsrmTest(RoadsTest):
    @classmethod
    def start(cls):
        town(cls.folder / "grid.osm")
        cls.engine = road_engines.osrm(cls.folder / "grid.osm", cls.folder)

    @classmethod
    def network(cls):
        return {"kind": "osrm", "url": cls.engine.url, "block_size": 4, "tries": 1}

    @staticmethod
    def west(count):
        crossings = [(WEST + x * STEP, SOUTH + y * STEP) for x in range(SIDE) for y in range(SIDE)]
        return random.Random(7).sample(crossings, count)

    def test_distances_are_those_of_the_streets(self):
        path = self.write("grid.json", instance(self.west(10)))
        answer = self.daemon.json("solve", path, "--roads", "car", "--budget", "1s", "--geometry")[0]
        self.assertTrue(answer["feasible"])
        straight = self.daemon.json("solve", path, "--budget", "1s")[0]
        self.assertGreater(answer["cost"], 1.05 * straight["cost"], "streets run along a grid, so they must be longer than straight lines")
        self.assertIn("roads", answer["time_ms"])
        for route in answer["routes"]:
            self.assertEqual(len(route["leg_polylines"]), len(route["stops"]) + 1)
            for leg in route["leg_polylines"]:
                for place, following in zip(decoded(leg), decoded(leg)[1:]):
                    along = [abs(a - b) < 2e-6 for a, b in zip(place, following)]
                    self.assertTrue(any(along), f"{place} to {following} crosses a block")

    def test_plots_follow_the_streets(self):
        path = self.write("grid.json", instance(self.west(8)))
        for ending in ("svg", "geojson"):
            drawn = self.folder / f"plan.{ending}"
            done = self.daemon.call("solve", path, "--roads", "car", "--budget", "200ms", "--plot", drawn)
            self.assertEqual(done.returncode, 0, done.stderr)
        lines = [feature["geometry"]["coordinates"] for feature in json.loads(drawn.read_text())["features"]
                 if feature["geometry"]["type"] == "LineString"]
        self.assertGreater(sum(map(len, lines)), 12, "the lines must have more points than stops")
        svg = (self.folder / "plan.svg").read_text()
        points = max(len(line.split('points="')[1].split()) for line in svg.splitlines() if "<polyline" in line)
        self.assertGreater(points, 15)

    def test_names_locations_that_no_road_joins(self):
        places = [*self.west(4), (EAST + STEP, SOUTH + STEP), (EAST + 2 * STEP, SOUTH)]
        path = self.write("parts.json", instance(places))
        done = self.daemon.call("solve", path, "--roads", "car")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no road joins depots[0] and customers[3] on road_network car", done.stderr)
        checked = self.daemon.call("validate", path, "--roads", "car")
        self.assertEqual(checked.returncode, 2)
        self.assertIn("no road joins", checked.stdout)

    def test_names_a_location_far_from_any_road(self):
        path = self.write("swapped.json", instance([*self.west(3), (SOUTH, WEST)]))
        done = self.daemon.call("solve", path, "--roads", "car")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"customers\[2\] is \d+ km from the nearest road")

    def test_vroom_gets_the_times_of_its_profiles(self):
        home, *jobs = self.west(6)
        path = self.write("vroom.json", {
            "vehicles": [{"id": 1, "profile": "car", "start": home, "end": home, "capacity": [9]}],
            "jobs": [{"id": number, "location": place, "delivery": [1]} for number, place in enumerate(jobs)]})
        answer = json.loads(self.daemon.call("solve", path, "--roads", "car", "--budget", "200ms", "--output", "vroom").stdout)
        self.assertGreater(answer["summary"]["distance"], 0)
        self.assertEqual(answer["summary"]["cost"], answer["summary"]["duration"])

    def test_converts_to_matrices(self):
        path = self.write("own.json", instance(self.west(5), road_network="car"))
        out = self.folder / "frozen.json"
        self.assertEqual(self.daemon.call("convert", path, out).returncode, 0)
        frozen = json.loads(out.read_text())
        self.assertNotIn("road_network", frozen)
        self.assertEqual(len(frozen["distance_matrix"]), 5)
        both = [self.daemon.json("solve", file, "--max-iterations", "2000")[0]["cost"] for file in (path, out)]
        self.assertEqual(both[0], both[1])

    def test_a_job_survives_a_restart_without_the_service(self):
        path = self.write("job.json", instance(self.west(20)))
        state = pathlib.Path(tempfile.mkdtemp(prefix="vrp-roads-job-", dir=self.folder))
        engine = road_engines.osrm(self.folder / "grid.osm", self.folder)
        flags = ["--road-networks", json.dumps({"car": {**self.network(), "url": engine.url}})]
        daemon = Daemon(state, flags=flags)
        try:
            job = daemon.json("solve", path, "--roads", "car", "--budget", "1h", "--job", "--detach")[0]["name"]
            daemon.events_until(lambda event: event["type"] == "improvement", "solve-jobs", "watch", job)
            daemon.kill()
            engine.stop()
            daemon = Daemon(state, flags=flags)
            daemon.events_until(lambda event: event["type"] == "resumed", "solve-jobs", "watch", job)
            self.assertEqual(daemon.call("solve-jobs", "stop", job).returncode, 0)
            events = daemon.events_until(lambda event: event["type"] == "answer", "solve-jobs", "watch", job)
            self.assertTrue(events[-1]["answer"]["feasible"], events[-1])
            refused = daemon.call("solve", path, "--roads", "car")
            self.assertEqual(refused.returncode, 3, refused.stderr)
            self.assertIn(f"road_network car (osrm at {engine.url})", refused.stderr)
        finally:
            daemon.clean_up()
            engine.stop()

    def test_advises_a_lower_block_size_if_the_service_refuses_a_table(self):
        network = {**self.network(), "block_size": 200}
        places = [(WEST + STEP * x / 9, SOUTH) for x in range(150)]
        daemon = Daemon(flags=["--road-networks", json.dumps({"car": network})])
        try:
            done = daemon.call("solve", self.write("many.json", instance(places)), "--roads", "car")
        finally:
            daemon.clean_up()
        self.assertIn("TooBig", done.stderr)
        self.assertIn("lower block_size", done.stderr)

    def test_lists_its_networks_and_refuses_others(self):
        info = self.daemon.json("server", "info")[0]
        self.assertEqual(info["road_networks"], ["car"])
        self.assertNotIn(self.engine.url, json.dumps(info))
        done = self.daemon.call("solve", self.write("grid.json", instance(self.west(3))), "--roads", "bike")
        self.assertEqual(done.returncode, 2)
        self.assertIn('file.road_network: got "bike", wanted a road network of this daemon: car', done.stderr)


class ValhallaTest(RoadsTest):
    @classmethod
    def start(cls):
        cls.engine = road_engines.valhalla(road_engines.helsinki(), cls.folder)

    @classmethod
    def network(cls):
        return {"kind": "valhalla", "url": cls.engine.url, "tries": 1}

    def distances(self, sources, targets):
        """Returns the kilometres that Valhalla itself states."""
        body = {"sources": [{"lon": x, "lat": y} for x, y in sources], "targets": [{"lon": x, "lat": y} for x, y in targets],
                "costing": "auto", "verbose": False}
        request = urllib.request.Request(self.engine.url + "/sources_to_targets", json.dumps(body).encode())
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["sources_to_targets"]["distances"]

    def joined_places(self, count):
        """Returns CENTRE and random places from which roads lead to CENTRE and back.

        Not all places have such roads, because the extract ends within one-way streets."""
        west, east, south, north = HELSINKI
        drawn = random.Random(3)
        found = [CENTRE]
        while len(found) < count:
            some = [(round(drawn.uniform(west, east), 6), round(drawn.uniform(south, north), 6)) for _ in range(40)]
            there, back = self.distances([CENTRE], some)[0], self.distances(some, [CENTRE])
            found += [place for place, to, fro in zip(some, there, back) if to is not None and fro[0] is not None]
        return found[:count]

    def test_solves_in_a_city_with_its_streets(self):
        places = self.joined_places(60)
        direct = self.distances(places[:1], places)[0]
        path = self.write("city.json", instance(places, road_network="car"))
        done = self.daemon.call("convert", path, self.folder / "city.frozen.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        frozen = json.loads((self.folder / "city.frozen.json").read_text())["distance_matrix"]
        for ours, theirs in zip(frozen[0], direct):
            self.assertAlmostEqual(ours, 1000 * theirs, delta=1)
        answer = self.daemon.json("solve", path, "--budget", "1s", "--geometry")[0]
        self.assertTrue(answer["feasible"])
        self.assertNotIn("geometry_note", answer)
        legs = [leg for route in answer["routes"] for leg in route["leg_polylines"]]
        self.assertGreater(sum(len(decoded(leg)) for leg in legs), 5 * len(legs))


class FakeOsrm(http.server.BaseHTTPRequestHandler):
    """A handler that answers every table with 1 s and 1 m."""

    def do_GET(self):
        rows = len(self.path.split("sources=")[1].split("&")[0].split(";"))
        columns = len(self.path.split("destinations=")[1].split("&")[0].split(";"))
        table = [[1] * columns for _ in range(rows)]
        body = json.dumps({"code": "Ok", "durations": table, "distances": table}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class TlsTest(unittest.TestCase):
    """A service over https, whose certificate must be trusted and name the host."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-roads-tls-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.certificate, key = cls.folder / "service.pem", cls.folder / "service.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
                        "-subj", "/CN=roads", "-addext", "subjectAltName=DNS:localhost",
                        "-keyout", key, "-out", cls.certificate], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cls.certificate, key)
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), FakeOsrm)
        cls.server.socket = context.wrap_socket(cls.server.socket, server_side=True)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.server.server_close)
        cls.addClassCleanup(cls.server.shutdown)
        cls.instance = cls.folder / "a.json"
        cls.instance.write_text(json.dumps(instance([(24, 60), (24.01, 60), (24.02, 60)])))

    def solve(self, host, trusted):
        network = {"kind": "osrm", "url": f"https://{host}:{self.server.server_address[1]}", "tries": 1, "max_road_distance_m": 5000}
        env = {**os.environ, "SSL_CERT_FILE": str(self.certificate)} if trusted else {**os.environ}
        daemon = Daemon(flags=["--road-networks", json.dumps({"car": network})], env=env)
        try:
            return vrpctl("--remote", daemon.address, "solve", self.instance, "--roads", "car", "--budget", "50ms")
        finally:
            daemon.clean_up()

    def test_calls_a_trusted_service_by_its_name(self):
        done = self.solve("localhost", trusted=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("cost: 3", done.stdout)

    def test_refuses_an_untrusted_certificate(self):
        done = self.solve("localhost", trusted=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("certificate verify failed", done.stderr)

    def test_refuses_a_certificate_for_another_name(self):
        done = self.solve("127.0.0.1", trusted=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("certificate verify failed", done.stderr)


del RoadsTest

if __name__ == "__main__":
    unittest.main()

"""A road service for tests: answers like OSRM, on streets that run first east or west, then north or south."""

import contextlib
import http.server
import json
import math
import re
import threading
import urllib.parse

METRES_PER_DEGREE = 111_195.0
METRES_PER_SECOND = 10.0
NORTHERN_SHORE = 75  # degrees; no street joins places north of it to those south of it


def metres(a, b):
    """Returns the metres of street from `a` to `b`, each longitude and latitude, or None if no street joins them."""
    if (a[1] > NORTHERN_SHORE) != (b[1] > NORTHERN_SHORE):
        return None
    east = abs(b[0] - a[0]) * math.cos(math.radians((a[1] + b[1]) / 2))
    return METRES_PER_DEGREE * (east + abs(b[1] - a[1]))


def corner(a, b):
    return [b[0], a[1]]


def polyline6(places):
    """Encodes longitudes and latitudes by Google's algorithm, latitude first, with six decimals."""
    text, before = "", [0, 0]
    for place in places:
        for axis, degrees in enumerate((place[1], place[0])):
            value = round(degrees * 1e6)
            difference, before[axis] = value - before[axis], value
            bits = ~(difference << 1) if difference < 0 else difference << 1
            while bits >= 32:
                text += chr((bits & 31 | 32) + 63)
                bits >>= 5
            text += chr(bits + 63)
    return text


def table(places, query):
    sources, destinations = ([int(index) for index in query[key][0].split(";")] for key in ("sources", "destinations"))
    lengths = [[metres(places[a], places[b]) for b in destinations] for a in sources]
    return {"code": "Ok", "distances": lengths, "durations": [[length and length / METRES_PER_SECOND for length in row] for row in lengths],
            "sources": [{"distance": 0.0} for _ in sources]}


def route(places):
    legs = [{"steps": [{"geometry": polyline6([a, corner(a, b), b])}]} for a, b in zip(places, places[1:])]
    return {"code": "Ok", "routes": [{"legs": legs}]}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle(self):
        with contextlib.suppress(ConnectionError):  # the daemon drops its other calls after a failure
            super().handle()

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        service, places = re.fullmatch(r"/(table|route)/v1/\w+/([-\d.,;]+)", url.path).groups()
        places = [[float(degrees) for degrees in place.split(",")] for place in places.split(";")]
        fails = service == "route" and not self.server.has_streets
        if fails:
            answer = {"code": "NoRoute", "message": "the streets are closed"}
        else:
            answer = table(places, urllib.parse.parse_qs(url.query)) if service == "table" else route(places)
        body = json.dumps(answer).encode()
        self.send_response(400 if fails else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class FakeOsrm:
    """A service on a free port, with the URL `url`. close() ends the service."""

    def __init__(self):
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.set_streets(True)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def flags(self, name="car"):
        """Returns the flags by which vrpd uses the service as the road network `name`."""
        return ["--road-networks", json.dumps({name: {"kind": "osrm", "url": self.url}})]

    def set_streets(self, has_streets):
        """Sets whether requests for routes succeed. Requests for tables always do."""
        self._server.has_streets = has_streets

    def close(self):
        self._server.shutdown()
        self._server.server_close()

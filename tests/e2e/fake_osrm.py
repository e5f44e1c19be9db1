"""A road service with the interface of OSRM, whose roads run along meridians and parallels."""

import http.server
import json
import re
import threading
import urllib.parse

METRES_PER_DEGREE = 100_000
METRES_PER_SECOND = 10
NORTHERN_SHORE = 53  # no road leads from here to the places south of it


def metres(a, b):
    """Returns the length of the road, or None if no road joins the places."""
    if (a[1] >= NORTHERN_SHORE) != (b[1] >= NORTHERN_SHORE):
        return None
    return round(METRES_PER_DEGREE * (abs(a[0] - b[0]) + abs(a[1] - b[1])))


def encode(places):
    """Returns longitudes and latitudes as an encoded polyline with six decimals."""
    text, last = "", [0, 0]
    for x, y in places:
        for axis, value in enumerate((round(y * 1e6), round(x * 1e6))):
            step, last[axis] = value - last[axis], value
            bits = ~(step << 1) if step < 0 else step << 1
            while bits >= 32:
                text += chr((bits & 31 | 32) + 63)
                bits >>= 5
            text += chr(bits + 63)
    return text


class FakeOsrm:
    """The service on a free port of loopback. With `has_streets` off, it refuses routes, but not tables."""

    def __init__(self):
        self.has_streets = True
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                status, answer = fake.answer(urllib.parse.unquote(self.path))
                body = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self):
        self._server.shutdown()
        self._server.server_close()

    def answer(self, target):
        """Returns status and answer for a path with its query."""
        kind, places, query = re.fullmatch(r"/(table|route)/v1/driving/([^?]+)\?(.+)", target).groups()
        places = [tuple(map(float, place.split(","))) for place in places.split(";")]
        if kind == "table":
            return 200, self._table(places, dict(part.split("=") for part in query.split("&")))
        if not self.has_streets:
            return 400, {"code": "NoRoute", "message": "the streets are being painted"}
        legs = [{"steps": [{"geometry": encode([a, (b[0], a[1]), b])}]} for a, b in zip(places, places[1:])]
        return 200, {"code": "Ok", "routes": [{"legs": legs}]}

    @staticmethod
    def _table(places, query):
        rows, columns = ([places[int(index)] for index in query[name].split(";")] for name in ("sources", "destinations"))
        distances = [[metres(a, b) for b in columns] for a in rows]
        durations = [[None if length is None else length / METRES_PER_SECOND for length in row] for row in distances]
        return {"code": "Ok", "distances": distances, "durations": durations, "sources": [{"distance": 0}] * len(rows)}

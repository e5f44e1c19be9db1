"""Installs a wheel of this build's programs into a new virtual environment of the host and solves with it.

The dependencies come from the tests' environment (cmake/setup_python.sh), so no network is needed."""

import os
import pathlib
import subprocess
import sys
import tempfile

import wheel_steps
from paths import BUILD, ROOT
from steps import INSTANCE, Steps

# The tests' environment takes grpcio from PyPI and protobuf from Debian.
DEPENDENCY_FOLDERS_SCRIPT = """
import google.protobuf, grpc, pathlib
print(pathlib.Path(grpc.__file__).parents[1], pathlib.Path(google.protobuf.__file__).parents[2], sep=":")
"""


def run_without_host_programs(folder, dependencies):
    """Returns a function that runs a shell script with the dependencies and a private folder for the daemon."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": folder, "XDG_RUNTIME_DIR": folder, "LANG": "C.UTF-8", "TMPDIR": folder,
                   "PYTHONPATH": dependencies, "PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "VRPD_IDLE_S": "5"}

    def run(script):
        done = subprocess.run(["sh", "-euc", script], env=environment, cwd=folder, capture_output=True, text=True, timeout=200,
                              check=False)
        if done.returncode != 0:
            raise AssertionError(f"exit code {done.returncode} of:\n{script}\n{done.stdout}{done.stderr}")
        return done.stdout
    return run


def make_prefix(folder):
    """Creates an installation of links to this build's programs, which load LibTorch from its usual folder."""
    (folder / "bin").mkdir(parents=True)
    for program in ("vrpd", "vrpctl"):
        os.symlink(BUILD / "bin" / program, folder / "bin" / program)
    return folder


def main():
    python = os.environ.get("VRP_PYTHON", "")
    if not os.path.exists(python):
        print(f"skipped: no tests' environment at {python!r}; ./dev test makes it")
        return 77
    dependencies = subprocess.run([python, "-c", DEPENDENCY_FOLDERS_SCRIPT], capture_output=True, text=True, check=True).stdout.strip()
    with tempfile.TemporaryDirectory(prefix="vrp-wheel-") as temp:
        folder = pathlib.Path(temp)
        prefix = make_prefix(folder / "prefix")
        wheel = subprocess.run(
            [python, ROOT / "client/python/build_wheel.py", "--binaries", prefix, "--output", folder, "--platform-tag", "linux_x86_64"],
            capture_output=True, text=True, check=True).stdout.strip()
        wheel_steps.run_steps(Steps("wheel of this build"), run_without_host_programs(temp, dependencies), wheel,
                              ROOT / "tests/data" / INSTANCE, folder / "environment")
    return 0


if __name__ == "__main__":
    sys.exit(main())

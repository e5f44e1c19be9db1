"""Finds the programs vrpd and vrpctl, and runs them for the console scripts."""

from __future__ import annotations

import os
import pathlib
import shutil
import sys

from . import _cpu

_BUNDLED = pathlib.Path(__file__).parent / "_bin"


def _is_program(path: pathlib.Path) -> bool:
    """Whether the file is an executable binary, not a console script of this package."""
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF" and os.access(path, os.X_OK)
    except OSError:
        return False


def candidates(name: str) -> list[pathlib.Path]:
    """Returns the paths at which the program may be, in order: VRP_BINARY_DIR, this package, PATH."""
    build = os.environ.get("VRP_BINARY_DIR")
    found = [pathlib.Path(build) / "bin" / name] if build else []
    found.append(_BUNDLED / name)
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        path = shutil.which(name, path=folder)
        if path is not None:
            found.append(pathlib.Path(path))
    return found


def find(name: str) -> pathlib.Path | None:
    """Returns the path of the program, or None if there is none."""
    return next((path for path in candidates(name) if _is_program(path)), None)


def why_missing(name: str) -> str:
    return (
        f"{name}: this installation of the Python package has no programs "
        f"(looked at VRP_BINARY_DIR, {_BUNDLED} and PATH). Install the wheel for Linux on x86_64, or the Debian package"
    )


def _run(name: str) -> int:
    problem = _cpu.why_unusable()
    path = find(name)
    if not problem and path is None:
        problem = why_missing(name)
    if problem or path is None:
        print(f"{name}: {problem}" if not problem.startswith(name) else problem, file=sys.stderr)
        return 1
    os.execv(path, [str(path), *sys.argv[1:]])


def run_vrpd() -> int:
    return _run("vrpd")


def run_vrpctl() -> int:
    return _run("vrpctl")

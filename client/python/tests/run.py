#!/usr/bin/env python3
"""Runs the tests of the Python package with the interpreter that cmake/setup_python.sh makes.

Usage: client/python/tests/run.py [PYTEST ARGUMENTS]

Takes the programs from VRP_BINARY_DIR, by default build/dev. Exits with 77 if that interpreter does not exist yet.
"""

import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS.parents[2] / "tests" / "e2e"))

from python_environment import require_modules  # noqa: E402

require_modules("pytest", "grpc", "google.protobuf")

import pytest  # noqa: E402

if __name__ == "__main__":
    settings = ["-c", str(TESTS.parent / "pyproject.toml"), "--rootdir", str(TESTS.parent), "-q", "-rs"]
    sys.exit(pytest.main([*settings, *(sys.argv[1:] or [str(TESTS)])]))

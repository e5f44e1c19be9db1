"""Gives the tests a private runtime folder, so that they start an embedded daemon of their own."""

from __future__ import annotations

import os
import pathlib
import shutil
import sys
import tempfile
from collections.abc import Iterator

import pytest

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
PROJECT = PACKAGE.parents[1]
DATA = PROJECT / "tests" / "data"
sys.path[:0] = [str(PACKAGE), str(PACKAGE / "tests")]
os.environ.setdefault("VRP_BINARY_DIR", str(PROJECT / "build" / "dev"))
os.environ.setdefault("MPLBACKEND", "agg")

import generate  # noqa: E402

generate.generate(PACKAGE / "vrpd")

import vrpd  # noqa: E402
from vrpd import _daemon, _programs  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def runtime_folder() -> Iterator[pathlib.Path]:
    if _programs.find("vrpd") is None:
        pytest.exit(f"no program vrpd in {os.environ['VRP_BINARY_DIR']}/bin; build it: ./dev build", 1)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="vrpd-py-"))
    os.environ.update(XDG_RUNTIME_DIR=str(folder), VRPD_IDLE_S="120")
    os.environ["PYTHONPATH"] = str(PACKAGE)
    yield folder
    vrpd.set_default_client(None)
    for process in _daemon._started:
        process.terminate()
    for process in _daemon._started:
        process.wait(20)
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def client() -> vrpd.Client:
    return vrpd.default_client()


@pytest.fixture
def data() -> pathlib.Path:
    return DATA

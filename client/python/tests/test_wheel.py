"""Builds the wheels with and without programs, and runs their code."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import zipfile

import pytest

import vrpd
from vrpd import _programs

pytest.importorskip("setuptools")
PACKAGE = pathlib.Path(__file__).resolve().parents[1]


def build(output: pathlib.Path, *arguments: object) -> pathlib.Path:
    done = subprocess.run(
        [sys.executable, PACKAGE / "build_wheel.py", "--output", output, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return pathlib.Path(done.stdout.strip())


def test_client_wheel_is_reproducible_and_imports_alone(tmp_path: pathlib.Path) -> None:
    first, second = (build(tmp_path / name, "--no-binaries") for name in ("a", "b"))
    assert first.name == f"vrpd-{vrpd.__version__}-py3-none-any.whl"
    assert first.read_bytes() == second.read_bytes()
    with zipfile.ZipFile(first) as wheel:
        names = wheel.namelist()
        wheel.extractall(tmp_path / "installed")
    assert {"vrpd/py.typed", "vrpd/_generated/api.binpb", "vrpd/_generated/presets/ptrnet_tiny.yaml"} <= set(names)
    assert {name.split("/")[0] for name in names} == {"vrpd", f"vrpd-{vrpd.__version__}.dist-info"}
    code = "import vrpd; from vrpd._proto import message; print(vrpd.__version__, message('Stop', node=3).node, vrpd.__file__)"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "installed")}
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, cwd=tmp_path, check=True
    )
    assert out.stdout.startswith(f"{vrpd.__version__} 3 {tmp_path}")


def test_wheel_with_programs_runs_them(tmp_path: pathlib.Path) -> None:
    prefix = tmp_path / "prefix"
    licences, model = prefix / "share" / "doc" / "vrpd" / "licences", prefix / "share" / "vrp" / "models" / "mine"
    for folder in (prefix / "bin", licences, model):
        folder.mkdir(parents=True)
    for name in ("vrpd", "vrpctl"):
        program = _programs.find(name)
        assert program is not None
        (prefix / "bin" / name).symlink_to(program)
    (licences / "libx").write_text("free")
    (model / "card.json").write_text("{}")
    wheel = build(tmp_path, "--binaries", prefix, "--platform-tag", "manylinux_2_36_x86_64")
    assert wheel.name.endswith("-py3-none-manylinux_2_36_x86_64.whl")
    with zipfile.ZipFile(wheel) as archive:
        modes = {
            name: archive.getinfo(name).external_attr >> 16 & 0o777 for name in ("vrpd/_bin/vrpd", "vrpd/_bin/vrpctl")
        }
        assert set(modes.values()) == {0o755}
        info = f"vrpd-{vrpd.__version__}.dist-info"
        assert "Root-Is-Purelib: false\nTag: py3-none-manylinux_2_36_x86_64" in archive.read(f"{info}/WHEEL").decode()
        assert archive.read(f"{info}/licenses/libx") == b"free"
        assert archive.read("vrpd/share/vrp/models/mine/card.json") == b"{}"
        assert "vrpctl = vrpd._programs:run_vrpctl" in archive.read(f"{info}/entry_points.txt").decode()
    installed = tmp_path / "installed"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--disable-pip-version-check"]
    subprocess.run([*pip, "--target", installed, wheel], check=True)
    environment = {key: value for key, value in os.environ.items() if key != "VRP_BINARY_DIR"} | {
        "PYTHONPATH": str(installed)
    }
    environment["PATH"] = "/nowhere"
    run = "from vrpd._programs import run_vrpctl; run_vrpctl()"
    out = subprocess.run(
        [sys.executable, "-c", run, "--version"], capture_output=True, text=True, env=environment, cwd=tmp_path
    )
    assert out.returncode == 0 and vrpd.__version__ in out.stdout


def test_missing_programs_are_named(tmp_path: pathlib.Path) -> None:
    command = [sys.executable, PACKAGE / "build_wheel.py", "--binaries", tmp_path, "--output", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and f"{tmp_path}/bin/vrpd is missing" in done.stderr

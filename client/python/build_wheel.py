#!/usr/bin/env python3
"""Builds a wheel of the package, with the same bytes for the same sources.

Usage:
  client/python/build_wheel.py --binaries PREFIX --output DIR [--platform-tag manylinux_2_34_x86_64]
  client/python/build_wheel.py --no-binaries --output DIR

PREFIX is an installation with bin/vrpd and bin/vrpctl. It may also have lib/ (shared libraries, found by
$ORIGIN/../lib), share/vrp/models/ and share/doc/vrpd/licences/ (licences of the libraries). Prints the path of the
wheel. Needs setuptools, and protoc or grpcio-tools.
"""

import argparse
import base64
import contextlib
import hashlib
import os
import pathlib
import shutil
import sys
import tempfile
import time
import zipfile

import generate

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = ("vrpd", "vrpctl")
EARLIEST_TIME = 315532800  # seconds since 1970: 1980-01-01, the earliest time that a zip file can store


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], allow_abbrev=False)
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument(
        "--binaries", type=pathlib.Path, metavar="PREFIX", help="include the programs of this installation"
    )
    kind.add_argument("--no-binaries", action="store_true", help="build the wheel of the client alone")
    parser.add_argument(
        "--output", type=pathlib.Path, metavar="DIR", required=True, help="write the wheel to this folder"
    )
    parser.add_argument(
        "--platform-tag", metavar="TAG", default="manylinux_2_34_x86_64", help="give the wheel with binaries this tag"
    )
    arguments = parser.parse_args()
    if arguments.binaries is not None:
        for name in PROGRAMS:
            if not (arguments.binaries / "bin" / name).is_file():
                parser.error(
                    f"--binaries: {arguments.binaries / 'bin' / name} is missing; wanted an installation of vrpd"
                )
    return arguments


def build_pure_wheel(folder: pathlib.Path) -> pathlib.Path:
    """Builds the wheel of the Python files with setuptools, from a copy of them."""
    project = generate.find_project()
    source = folder / "source" / "client" / "python"
    source.mkdir(parents=True)
    for name in ("pyproject.toml", "setup.py", "GUIDE.md", "generate.py"):
        shutil.copy(HERE / name, source)
    shutil.copytree(HERE / "vrpd", source / "vrpd", ignore=shutil.ignore_patterns("__pycache__", "_bin", "_generated"))
    for name in ("proto", "configs", "third_party", "CMakeLists.txt"):
        (folder / "source" / name).symlink_to(project / name)
    shutil.copy(project / "LICENSE", source)
    from setuptools import build_meta

    with contextlib.chdir(source), contextlib.redirect_stdout(sys.stderr):
        name = build_meta.build_wheel(str(folder), {"--global-option": ["--quiet"]})
    return folder / name


def time_of_files() -> tuple[int, ...]:
    """Returns the time of all files in UTC: SOURCE_DATE_EPOCH, but at least 1980-01-01."""
    seconds = max(EARLIEST_TIME, int(os.environ.get("SOURCE_DATE_EPOCH", EARLIEST_TIME)))
    return time.gmtime(seconds)[:6]


def read_entries(wheel: pathlib.Path) -> dict[str, tuple[bytes, int]]:
    """Returns content and mode of each file in a wheel except RECORD, the list of files."""
    with zipfile.ZipFile(wheel) as archive:
        return {
            name: (archive.read(name), 0o644)
            for name in archive.namelist()
            if not name.endswith(("/", ".dist-info/RECORD"))
        }


def add_folder(entries: dict[str, tuple[bytes, int]], folder: pathlib.Path, target: str) -> None:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            mode = 0o755 if os.access(path, os.X_OK) else 0o644
            entries[f"{target}/{path.relative_to(folder).as_posix()}"] = (path.read_bytes(), mode)


def add_installation(entries: dict[str, tuple[bytes, int]], info: str, prefix: pathlib.Path) -> None:
    """Adds programs, libraries and models at their places relative to the programs, and licences to the metadata."""
    for name in PROGRAMS:
        entries[f"vrpd/_bin/{name}"] = ((prefix / "bin" / name).read_bytes(), 0o755)
    add_folder(entries, prefix / "lib", "vrpd/lib")
    add_folder(entries, prefix / "share" / "vrp" / "models", "vrpd/share/vrp/models")
    add_folder(entries, prefix / "share" / "doc" / "vrpd" / "licences", f"{info}/licenses")


def set_tag(entries: dict[str, tuple[bytes, int]], info: str, tag: str) -> None:
    """Changes the metadata of a pure wheel to that of a wheel for one platform."""
    lines = [
        line
        for line in entries[f"{info}/WHEEL"][0].decode().splitlines()
        if not line.startswith(("Tag:", "Root-Is-Purelib:"))
    ]
    lines += ["Root-Is-Purelib: false", f"Tag: {tag}"]
    entries[f"{info}/WHEEL"] = ("\n".join(filter(None, lines)).encode() + b"\n", 0o644)


def record_line(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def write_wheel(path: pathlib.Path, entries: dict[str, tuple[bytes, int]], info: str) -> None:
    record = "".join(record_line(name, content) for name, (content, _) in sorted(entries.items()))
    entries[f"{info}/RECORD"] = ((record + f"{info}/RECORD,,\n").encode(), 0o644)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, (content, mode) in sorted(entries.items(), key=lambda entry: (".dist-info/" in entry[0], entry[0])):
            zip_info = zipfile.ZipInfo(name, time_of_files())
            zip_info.external_attr = (0o100000 | mode) << 16
            zip_info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(zip_info, content)


def build(arguments: argparse.Namespace) -> pathlib.Path:
    arguments.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        pure = build_pure_wheel(pathlib.Path(folder))
        entries = read_entries(pure)
    info = next(name.split("/")[0] for name in entries if ".dist-info/" in name)
    tag = "py3-none-any"
    if arguments.binaries is not None:
        tag = f"py3-none-{arguments.platform_tag}"
        add_installation(entries, info, arguments.binaries)
        set_tag(entries, info, tag)
    path = arguments.output / f"{info.removesuffix('.dist-info')}-{tag}.whl"
    write_wheel(path, entries, info)
    return path


if __name__ == "__main__":
    print(build(parse_arguments()))

#!/usr/bin/env python3
"""Writes vrpd/_generated: the descriptors of the API, the version and the training presets.

Usage: client/python/generate.py [PACKAGE_FOLDER]

The package reads the descriptors at run time into its own pool. It therefore works with every protobuf
runtime, and no module `vrp` or `google` of ours can clash with another package.
Needs protoc from grpcio-tools or in PATH.
"""

import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def find_project() -> pathlib.Path:
    """Returns the folder of the project: the nearest one above that has proto/vrp/v1."""
    for folder in HERE.parents:
        if (folder / "proto" / "vrp" / "v1").is_dir():
            return folder
    raise SystemExit(
        f"generate.py: {HERE}: no folder above has proto/vrp/v1; run this inside a checkout of the project"
    )


def read_version(project: pathlib.Path) -> str:
    """Returns the version that CMakeLists.txt states."""
    path = project / "CMakeLists.txt"
    match = re.search(r"^project\(\w+ VERSION ([0-9.]+)", path.read_text(), re.MULTILINE)
    if match is None:
        raise SystemExit(f"generate.py: {path}: got no `project(... VERSION ...)`, wanted one")
    return match[1]


def find_protoc() -> list[str]:
    """Returns the command of protoc."""
    if importlib.util.find_spec("grpc_tools") is not None:
        return [sys.executable, "-m", "grpc_tools.protoc"]
    protoc = shutil.which("protoc")
    if protoc is None:
        raise SystemExit("generate.py: found no protoc; install grpcio-tools (pip) or protobuf-compiler (Debian)")
    return [protoc]


def google_includes() -> list[pathlib.Path]:
    """Returns the folders with google/protobuf/*.proto that protoc may not know by itself."""
    spec = importlib.util.find_spec("grpc_tools")
    if spec is None or spec.origin is None:
        return []
    return [pathlib.Path(spec.origin).parent / "_proto"]


def write_descriptors(project: pathlib.Path, output: pathlib.Path) -> None:
    protos = sorted((project / "proto" / "vrp" / "v1").glob("*.proto"))
    includes = [project / "proto", project / "third_party" / "proto", *google_includes()]
    subprocess.run(
        [
            *find_protoc(),
            *(f"-I{folder}" for folder in includes),
            "--include_imports",
            f"--descriptor_set_out={output}",
            *map(str, protos),
            "google/rpc/error_details.proto",
            "grpc/health/v1/health.proto",
        ],
        check=True,
    )


def write_files(project: pathlib.Path, folder: pathlib.Path) -> None:
    """Writes all generated files to a new folder."""
    (folder / "presets").mkdir(parents=True)
    write_descriptors(project, folder / "api.binpb")
    (folder / "__init__.py").write_text("")
    (folder / "version.py").write_text(f'VERSION = "{read_version(project)}"\n')
    for config in sorted((project / "configs").glob("*.yaml")):
        if config.name != "vrpd.yaml":
            shutil.copyfile(config, folder / "presets" / config.name)


def read_files(folder: pathlib.Path) -> dict[str, bytes]:
    """Returns the contents of all files except .pyc files, by their relative paths."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }


def generate(package: pathlib.Path) -> pathlib.Path:
    """Updates the folder _generated of `package` and returns it. Does not touch a folder that is up to date."""
    folder = package / "_generated"
    with tempfile.TemporaryDirectory(dir=package) as temporary:
        made = pathlib.Path(temporary) / "_generated"
        write_files(find_project(), made)
        if read_files(made) != read_files(folder):
            shutil.rmtree(folder, ignore_errors=True)
            made.rename(folder)
    return folder


if __name__ == "__main__":
    print(generate(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "vrpd"))

"""Generates the package's data files when it is built; everything else is in pyproject.toml."""

import pathlib
import sys

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import generate  # noqa: E402


class GenerateAndBuild(build_py):
    def run(self) -> None:
        generate.generate(HERE / "vrpd")
        super().run()


setup(version=generate.read_version(generate.find_project()), cmdclass={"build_py": GenerateAndBuild})

#!/usr/bin/env python3
"""Tests a bundle's `run`: the choice and checks of LibTorch, and a program's environment."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
FACTS = '{{\n  "commit": "0123456789ab",\n  "torch": "2.11.0+cu130",\n  "glibc": "{glibc}",\n  "glibcxx": "{glibcxx}"\n}}\n'
HEADER = "#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION_MINOR {}\n#define TORCH_VERSION_PATCH 0\n"


class RunTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.site = pathlib.Path(folder.name, "site")
        self.torch = self.site / "torch"
        (self.torch / "lib").mkdir(parents=True)
        (self.torch / "__init__.py").write_text("raise SystemExit('torch must be found, not imported')")
        self.set_version("2.11.0+cu130")
        (self.site / "nvidia" / "cu13" / "lib").mkdir(parents=True)
        self.bundle = pathlib.Path(folder.name, "bundle")
        self.bundle.mkdir()
        shutil.copy(HERE / "run", self.bundle / "run")
        self.write_facts()

    def set_version(self, version):
        (self.torch / "version.py").write_text(f"from typing import Optional\n__version__ = '{version}'\ndebug = False\n")

    def write_facts(self, glibc="2.17", glibcxx="3.4"):
        (self.bundle / "bundle.json").write_text(FACTS.format(glibc=glibc, glibcxx=glibcxx))

    def run_script(self, *arguments, **variables):
        environment = {key: value for key, value in os.environ.items() if key not in ("VRP_TORCH_ROOT", "LD_LIBRARY_PATH")}
        environment |= {"PYTHONPATH": str(self.site), **variables}
        return subprocess.run([self.bundle / "run", *arguments], capture_output=True, text=True, env=environment, timeout=60,
                              check=False)

    def assert_refused(self, done, words):
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn(words, done.stderr)

    def test_finds_the_libraries_of_nvidia_and_of_the_torch_that_python_imports(self):
        done = self.run_script("sh", "-c", 'echo "$LD_LIBRARY_PATH"; echo "$VRP_SOURCE_DIR"')
        self.assertEqual(done.returncode, 0, done.stderr)
        path, source = done.stdout.splitlines()
        self.assertEqual(path, f"{self.bundle}/lib:{self.torch}/lib:{self.site}/nvidia/cu13/lib")
        self.assertEqual(source, str(self.bundle))

    def test_prints_the_environment(self):
        lines = self.run_script("--environment").stdout.splitlines()
        self.assertEqual([line.split("=")[0] for line in lines], ["LD_LIBRARY_PATH", "VRP_SOURCE_DIR", "VRP_DATA_DIR"])

    def test_names_the_found_and_the_wanted_version(self):
        self.set_version("2.10.0+cu128")
        self.assert_refused(self.run_script("true"), "got torch 2.10.0+cu128, wanted 2.11.0+cu130")

    def test_refuses_a_cpu_build_of_torch(self):
        self.set_version("2.11.0+cpu")
        self.assert_refused(self.run_script("true"), "got torch 2.11.0+cpu, wanted 2.11.0+cu130")

    def test_reports_a_missing_torch(self):
        shutil.rmtree(self.torch)
        self.assert_refused(self.run_script("true", PYTHONPATH="/nowhere", PYTHONNOUSERSITE="1", PATH="/usr/bin:/bin"),
                            "wanted torch 2.11.0+cu130")

    def test_reads_the_version_from_headers_and_libraries(self):
        folder = self.site / "libtorch"
        (folder / "include" / "torch" / "headeronly").mkdir(parents=True)
        (folder / "lib").mkdir()
        header = folder / "include" / "torch" / "headeronly" / "version.h"
        header.write_text(HEADER.format(11))
        self.assert_refused(self.run_script("true", VRP_TORCH_ROOT=str(folder)), "got torch 2.11.0, wanted 2.11.0+cu130")
        for name in ("libtorch_cuda.so", "libcudart.so.13"):
            (folder / "lib" / name).touch()
        self.assertEqual(self.run_script("true", VRP_TORCH_ROOT=str(folder)).returncode, 0)
        header.write_text(HEADER.format(12))
        self.assert_refused(self.run_script("true", VRP_TORCH_ROOT=str(folder)), "got torch 2.12.0+cu130, wanted 2.11.0+cu130")

    def test_refuses_a_glibc_that_is_too_old(self):
        self.write_facts(glibc="2.99")
        self.assert_refused(self.run_script("true"), "wanted 2.99 or newer")

    def test_refuses_a_libstdcxx_that_is_too_old(self):
        self.write_facts(glibcxx="3.4.99")
        self.assert_refused(self.run_script("true"), "has no GLIBCXX_3.4.99")

    def test_returns_the_programs_exit_code(self):
        self.assertEqual(self.run_script("sh", "-c", "exit 42").returncode, 42)


if __name__ == "__main__":
    unittest.main()

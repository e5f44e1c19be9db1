#!/usr/bin/env python3
"""Tests that vrpd names the required driver if the driver is too old (fake_old_driver.cc). Needs no GPU."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

from daemon import BINARIES, Daemon  # noqa: E402

WHY = "the NVIDIA driver is too old: it supports CUDA 12.8, this program is built with 13.0; wanted driver 580 or newer"


class OldDriverTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.state = pathlib.Path(folder.name, "state")
        self.environment = dict(os.environ, LD_LIBRARY_PATH=str(BINARIES.parent / "tests" / "old_driver"))

    def test_refuses_a_requested_gpu_and_names_the_required_driver(self):
        done = subprocess.run([BINARIES / "vrpd", "--device", "cuda", "--listen", "127.0.0.1:0", "--state-dir", self.state],
                              capture_output=True, text=True, env=self.environment, timeout=60, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"device: cuda:0 does not exist; this machine has cpu; {WHY}", done.stderr)

    def test_auto_falls_back_to_the_cpu_and_logs_the_reason(self):
        daemon = Daemon(self.state, flags=("--device", "auto"), env=self.environment)
        self.addCleanup(daemon.clean_up)
        devices = daemon.json("server", "info")[0]["devices"]
        self.assertEqual([device["id"] for device in devices], ["cpu"])
        self.assertIn(f'GPU not used reason="{WHY}"', daemon.log_path.read_text())


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Runs mpi_ranks with several numbers of ranks, and with a rank that hangs."""

import os
import subprocess
import sys
import time
import unittest

PROGRAM = sys.argv.pop()
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(ranks, *arguments):
    return subprocess.run(["mpirun", "-n", str(ranks), "--oversubscribe", "--bind-to", "none", PROGRAM, *arguments],
                          capture_output=True, text=True, timeout=100, env=ENVIRONMENT, check=False)


class MpiExchangeTest(unittest.TestCase):
    def test_sums_gathers_and_broadcasts_between_ranks(self):
        for ranks in (1, 2, 3, 5):
            done = run(ranks)
            self.assertEqual((done.returncode, done.stdout), (0, "ok\n"), f"{ranks} ranks: {done.stderr}")

    def test_names_a_rank_that_hangs(self):
        begun = time.monotonic()
        done = run(2, "--hang")
        self.assertIn("UNAVAILABLE: rank 1 has not answered for 1s", done.stdout, done.stderr)
        self.assertNotEqual(done.returncode, 0)
        self.assertLess(time.monotonic() - begun, 90)


unittest.main()

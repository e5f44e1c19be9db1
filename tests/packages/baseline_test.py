"""Tests that the programs end with a message on a CPU below x86-64-v3.

Also tests that vrpctl runs on the first CPUs that have x86-64-v3. qemu-x86_64 (cmake/apt_packages) emulates these CPUs.
"""

import shutil
import subprocess
import sys
import unittest

from paths import BUILD

QEMU = shutil.which("qemu-x86_64")
CANNOT_EXECUTE = 126  # exit code


def run_on(cpu, program):
    return subprocess.run([QEMU, "-cpu", cpu, BUILD / "bin" / program, "--version"], capture_output=True, text=True,
                          timeout=100, check=False)


class BaselineTest(unittest.TestCase):
    def test_names_the_missing_instructions_on_older_cpus(self):
        for program in ("vrpd", "vrpctl"):
            for cpu in ("Nehalem", "IvyBridge", "Opteron_G5"):
                with self.subTest(program=program, cpu=cpu):
                    done = run_on(cpu, program)
                    self.assertEqual(done.returncode, CANNOT_EXECUTE, done.stderr)
                    self.assertIn(f"{program}: error: this CPU lacks the instructions of x86-64-v3", done.stderr)

    def test_runs_on_the_first_cpus_of_the_baseline(self):
        for cpu in ("Haswell", "EPYC"):
            with self.subTest(cpu=cpu):
                done = run_on(cpu, "vrpctl")
                self.assertEqual((done.returncode, done.stdout.split()[0]), (0, "vrpctl"), done.stderr)


if __name__ == "__main__":
    if QEMU is None:
        print("skipped: qemu-x86_64 is not installed; ./dev test installs cmake/apt_packages")
        sys.exit(77)
    unittest.main(verbosity=2)

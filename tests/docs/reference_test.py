"""Tests that the generated pages of docs/reference match the programs and the protos."""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

ROOT = pathlib.Path(os.environ.get("VRP_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))


class ReferenceTest(unittest.TestCase):
    @unittest.skipUnless(shutil.which("protoc"), "protoc is not installed")
    def test_is_up_to_date(self):
        done = subprocess.run([sys.executable, ROOT / "docs" / "tools" / "write_reference.py", "--check"], capture_output=True,
                              text=True, check=False, timeout=280)
        self.assertEqual(done.returncode, 0,
                         f"{done.stdout}{done.stderr}\nto write the pages again, run ./dev docs --reference")


if __name__ == "__main__":
    unittest.main(verbosity=2)

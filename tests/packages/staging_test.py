"""Stages this build as all packages do, moves the folder and runs the programs from there."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from paths import BUILD, ROOT
from solving import by_vrpctl, with_daemon
from steps import INSTANCE, check_answer

DATE = 1_700_000_000  # date of all staged files, in seconds since 1970
# Libraries of glibc and GCC, which the programs may load from the system.
SYSTEM = re.compile(r"(ld-linux-x86-64|lib(c|m|dl|rt|pthread|resolv|util|stdc\+\+|gcc_s))\.so")


class StagingTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temp = tempfile.TemporaryDirectory(prefix="vrp-staging-", dir=BUILD)
        cls.addClassCleanup(cls.temp.cleanup)
        made, cls.stage = pathlib.Path(cls.temp.name) / "made", pathlib.Path(cls.temp.name) / "moved"
        subprocess.run([ROOT / "cmake/package/stage.sh", BUILD, made], check=True,
                       env={**os.environ, "SOURCE_DATE_EPOCH": str(DATE)})
        made.rename(cls.stage)

    def test_loads_all_libraries_except_the_systems_from_its_own_folder(self):
        files = [*(self.stage / "bin").iterdir(), *(self.stage / "lib").glob("*.so*")]
        for file in files:
            loaded = subprocess.run(["ldd", file], capture_output=True, text=True, check=True).stdout
            for name, path in re.findall(r"(\S+) => (not found|/\S+)", loaded):
                if not SYSTEM.match(name):
                    self.assertTrue(path.startswith(f"{self.stage}/"), f"{file.name} loads {name} from {path}")

    def test_solves_with_a_shipped_network_from_the_new_place(self):
        solve = by_vrpctl(ROOT / "tests/data" / INSTANCE, f"unix:{self.temp.name}/s") + " --model gt-mixed --strategy multi_start"
        script = with_daemon(solve, f"{self.temp.name}/state", f"unix:{self.temp.name}/s")
        done = subprocess.run(["sh", "-euc", script], env={"PATH": f"{self.stage}/bin:/usr/bin:/bin", "HOME": self.temp.name},
                              capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        check_answer(done.stdout)

    def test_gives_every_file_the_date_of_the_sources_and_open_permissions(self):
        for path in self.stage.rglob("*"):
            status = path.lstat()
            self.assertEqual(int(status.st_mtime), DATE, path)
            self.assertIn(status.st_mode & 0o777, (0o755, 0o644) if not path.is_symlink() else (0o777,), path)

    def test_has_licences_of_linked_libraries(self):
        licences = self.stage / "share/doc/vrpd/licences"
        for name in ("abseil.txt", "grpc.txt", "openssl.txt", "common-licenses/GPL-3"):
            self.assertTrue((licences / name).is_file(), name)


if __name__ == "__main__":
    unittest.main(verbosity=2)

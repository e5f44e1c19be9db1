"""Tests the wheel of build/packages as a file: size, licences, and which systems its programs need."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

from newest import newest_package

WHEEL = newest_package("wheel")
MAX_BYTES = 25_000_000  # bound on the wheel's size
NEWEST_GLIBC = (2, 34)  # the largest that the wheel may need; RHEL 9 and Amazon Linux 2023 have it
SYSTEM_LIBRARIES = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"}
LICENCES = {"abseil.txt", "c-ares.txt", "gcc-12.txt", "grpc.txt", "openssl.txt", "protobuf.txt", "re2.txt", "sqlite3.txt",
            "yaml-cpp.txt", "zlib.txt"}


def output_of(*arguments):
    return subprocess.run([str(argument) for argument in arguments], capture_output=True, text=True, check=True).stdout


class PortableTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="vrp-portable-")
        cls.addClassCleanup(cls.folder.cleanup)
        with zipfile.ZipFile(WHEEL) as archive:
            archive.extractall(cls.folder.name)
        cls.programs = [pathlib.Path(cls.folder.name) / "vrpd/_bin" / name for name in ("vrpd", "vrpctl")]
        for program in cls.programs:
            program.chmod(0o755)

    def test_needs_no_newer_glibc_than_its_tag_says(self):
        tag = tuple(map(int, re.search(r"manylinux_(\d+)_(\d+)_x86_64", WHEEL.name).groups()))
        for program in self.programs:
            versions = re.findall(r"GLIBC_(\d+)\.(\d+)", output_of("objdump", "-T", program))
            newest = max((int(major), int(minor)) for major, minor in versions)
            self.assertLessEqual(newest, tag, program.name)
        self.assertLessEqual(tag, NEWEST_GLIBC)

    def test_needs_no_shared_library_except_glibcs(self):
        for program in self.programs:
            needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "--dynamic", program)))
            self.assertLessEqual(needed, SYSTEM_LIBRARIES, program.name)

    def test_names_no_folder_of_the_machine_that_built_it(self):
        home = pathlib.Path.home().as_posix()
        for program in self.programs:
            for text in output_of("strings", "-a", program).splitlines():
                self.assertNotRegex(text, rf"^(/work|/build|/src|{re.escape(home)})/", program.name)

    def test_holds_the_licences_of_linked_libraries(self):
        names = {path.name for path in pathlib.Path(self.folder.name).glob("*.dist-info/licenses/**/*")}
        self.assertLessEqual(LICENCES | {"LICENSE", "GPL-3"}, names)

    def test_catches_exceptions_with_its_own_unwinder(self):
        done = subprocess.run([self.programs[1], "--no-such-flag"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("--no-such-flag", done.stderr)

    def test_is_small(self):
        self.assertLessEqual(WHEEL.stat().st_size, MAX_BYTES)


if __name__ == "__main__":
    if WHEEL is None:
        print("skipped: no wheel in build/packages; ./dev package wheel makes it")
        sys.exit(77)
    unittest.main(verbosity=2)

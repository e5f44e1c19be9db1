"""Tests the Debian package in a bare Debian 12 system: installation, service, upgrade, removal, purge.

    tests/packages/deb_test.py [PACKAGE]     default: the newest of build/packages, which ./dev package deb makes
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import deb_steps
from bare_root import BareRoot, Unavailable
from steps import INSTANCE, Steps

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = ROOT / "build" / "packages"


def tool(name):
    """Returns the path of a tool in PATH, /usr/sbin or /sbin, or None."""
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")


def needs(name):
    return unittest.skipUnless(tool(name), f"skipped: {name} is not installed")


def newest_package():
    """Returns the package that the command line names, else the newest of build/packages, or None."""
    if len(sys.argv) > 1 and sys.argv[1].endswith(".deb"):
        return pathlib.Path(sys.argv.pop(1)).resolve()
    return max(PACKAGES.glob("vrpd_*_amd64.deb"), key=os.path.getmtime, default=None)


PACKAGE = newest_package()


def check(*arguments):
    """Runs a command. Returns its exit code and all output."""
    done = subprocess.run([*map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def reaches_mirror(root):
    """Returns whether the bare system can read the package lists of its apt mirror."""
    try:
        root.run("apt-get -qq -o APT::Update::Error-Mode=any update && rm -rf /var/lib/apt/lists/*")
    except AssertionError:
        return False
    return True


@unittest.skipUnless(PACKAGE, f"skipped: no package in {PACKAGES}: ./dev package deb makes one")
class DebTest(unittest.TestCase):
    def test_installs_serves_upgrades_and_purges_in_a_bare_system(self):
        steps = Steps("deb")
        try:
            with BareRoot() as root:
                if not reaches_mirror(root):
                    self.skipTest("skipped: the bare system does not reach its apt mirror")
                instance = root.copy(ROOT / "tests" / "data" / INSTANCE)
                deb_steps.check_first_install(root, steps, PACKAGE, instance)
                deb_steps.check_purge(root, steps)
                deb_steps.check_upgrade(root, steps, PACKAGE, instance)
                deb_steps.check_purge(root, steps)
        except Unavailable as missing:
            self.skipTest(f"skipped: {missing}")

    @needs("lintian")
    def test_passes_lintian(self):
        status, output = check("lintian", "--allow-root", "--fail-on", "error,warning", PACKAGE)
        self.assertEqual((status, output), (0, ""))

    @needs("mandoc")
    def test_passes_mandocs_check_of_the_man_pages(self):
        with tempfile.TemporaryDirectory(prefix="vrp-deb-") as folder:
            deb_steps.unpack(PACKAGE, f"{folder}/files")
            pages = sorted(pathlib.Path(folder, "files/usr/share/man/man1").iterdir())
            self.assertEqual([page.name for page in pages], ["vrpctl.1.gz", "vrpd.1.gz"])
            for page in pages:
                status, output = check("mandoc", "-Tlint", page)
                self.assertEqual((status, output), (0, ""), page.name)


if __name__ == "__main__":
    unittest.main(verbosity=2)

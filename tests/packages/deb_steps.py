"""Checks the Debian package in a bare system: first installation, upgrade, removal, purge."""

import pathlib
import re
import subprocess
import tempfile

SCRIPT = pathlib.Path(__file__).with_name("deb_test.sh")
OLDER_VERSION = "0.0.1"


def unpack(package, folder):
    """Unpacks a package with its control files (DEBIAN/) into a new folder."""
    subprocess.run(["dpkg-deb", "-R", package, folder], check=True)


def pack_older(package, folder):
    """Packs the files of a package again under an older version. Returns the new package."""
    files, older = pathlib.Path(folder) / "files", pathlib.Path(folder) / f"vrpd_{OLDER_VERSION}_amd64.deb"
    unpack(package, files)
    control = files / "DEBIAN" / "control"
    control.write_text(re.sub(r"(?m)^Version: .*$", f"Version: {OLDER_VERSION}", control.read_text()))
    subprocess.run(["dpkg-deb", "--root-owner-group", "-b", files, older], check=True, stdout=subprocess.DEVNULL)
    return older


def run_part(root, part, *arguments):
    """Runs a part of the script in the system and prints its output."""
    print(root.run(f"bash {root.copy(SCRIPT)} {part} {' '.join(arguments)}"), flush=True)


def check_first_install(root, steps, package, instance):
    """Checks the first installation and the package's content. Prints the seconds from apt-get to the last check."""
    steps.take("install and solve", run_part, root, "install", root.copy(package), instance)
    steps.report_total("install and solve", "install and solve")


def check_upgrade(root, steps, package, instance):
    """Checks that state and configuration survive an upgrade and a removal."""
    with tempfile.TemporaryDirectory(prefix="vrp-deb-") as folder:
        older = root.copy(pack_older(package, folder))
    steps.take("upgrade and remove", run_part, root, "upgrade", older, root.copy(package), instance)


def check_purge(root, steps):
    """Checks that a purge leaves nothing of the package."""
    steps.take("purge", run_part, root, "purge")

"""Provides a bare Debian 12 system in a folder for tests of packages.

It has no compiler. Its settings of name servers, apt, pip and certificates are the host's. debootstrap creates the system
once, from the host's apt mirror, in $XDG_CACHE_HOME/vrp or ~/.cache/vrp. Each test gets a copy.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

SUITE = "bookworm"
PACKAGES = ["ca-certificates", "python3-venv"]
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "vrp"
# Enters the system and runs a command. unshare runs it in separate mount and process namespaces, so that no mount and
# no daemon outlives it.
ENTER = 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"'


class Unavailable(Exception):
    """An error that says why this machine cannot create or enter a bare system."""


class BareRoot:
    """A fresh copy of the bare system, removed at the end of `with`."""

    def __enter__(self):
        base = _cached_system()
        self._folder = tempfile.TemporaryDirectory(prefix="vrp-root-", dir=CACHE)
        self.path = pathlib.Path(self._folder.name) / "root"
        subprocess.run(["cp", "-a", "--reflink=auto", base, self.path], check=True)
        _copy_network_settings(self.path)
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def copy(self, file, folder="/root"):
        """Copies a file of the host into a folder of the system. Returns its path there."""
        shutil.copy(file, self.path / folder.lstrip("/"))
        return f"{folder}/{pathlib.Path(file).name}"

    def unpack(self, archive, folder):
        """Unpacks a tar of the host into a folder of the system."""
        subprocess.run(["tar", "-xf", archive, "-C", self.path / folder.lstrip("/")], check=True)

    def run(self, script, timeout=600):
        """Runs a shell script in the system. Returns its standard output.

        Raises AssertionError with the script and all output if the script fails.
        """
        done = subprocess.run(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, self.path, "sh", "-euc", script],
            env=_environment(), capture_output=True, text=True, timeout=timeout, check=False)
        if done.returncode != 0:
            raise AssertionError(f"exit code {done.returncode} of:\n{script}\n{done.stdout}{done.stderr}")
        return done.stdout


def _environment():
    """Returns the variables of a login of root, and the host's settings of pip and of proxies."""
    kept = {name: value for name, value in os.environ.items()
            if name.startswith("PIP_") or name.lower().endswith("_proxy")}
    return {**kept, "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root",
            "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}


def _sources():
    """Returns the host's files of apt sources that name the suite."""
    folder = pathlib.Path("/etc/apt")
    files = [folder / "sources.list", *sorted((folder / "sources.list.d").glob("*.list")),
             *sorted((folder / "sources.list.d").glob("*.sources"))]
    return [file for file in files if file.is_file() and re.search(rf"\b{SUITE}\b", file.read_text())]


def _mirror():
    """Returns the URL from which the host gets the suite's packages."""
    for file in _sources():
        for line in file.read_text().splitlines():
            found = re.match(r"(?:deb\s+(?:\[[^]]*\]\s+)?|URIs:\s*)(\S+)", line)
            if found and not found[1].rstrip("/").endswith("-security"):
                return found[1]
    raise Unavailable(f"/etc/apt: got no mirror of {SUITE}, wanted one in sources.list or sources.list.d")


def _cached_system():
    """Returns the folder of the bare system. Creates it if needed."""
    for tool in ("debootstrap", "unshare", "chroot"):
        if shutil.which(tool, path=f"{os.environ['PATH']}:/usr/sbin:/sbin") is None:
            raise Unavailable(f"{tool} is not installed: ./dev test installs cmake/apt_packages")
    if os.geteuid() != 0:
        raise Unavailable(f"debootstrap and chroot need root, got user id {os.geteuid()}: run the test as root")
    if subprocess.run(["unshare", "--mount", "--pid", "--fork", "true"], capture_output=True, check=False).returncode != 0:
        raise Unavailable("`unshare --mount --pid` fails: run the test where mount and PID namespaces are permitted")
    system = CACHE / f"bare-{SUITE}-{'-'.join(PACKAGES)}"
    if not system.is_dir():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".bare-", dir=CACHE) as temp:
            _debootstrap(pathlib.Path(temp) / "root")
            os.rename(pathlib.Path(temp) / "root", system)
    return system


def _debootstrap(target):
    done = subprocess.run(["debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", SUITE, target, _mirror()],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise Unavailable(f"debootstrap, which needs the apt mirror, failed: {done.stdout[-1000:]}")
    shutil.rmtree(target / "var/cache/apt/archives", ignore_errors=True)
    (target / "var/cache/apt/archives/partial").mkdir(parents=True)


def _copy_network_settings(root):
    """Gives the system the host's name servers, apt sources and Acquire settings, pip.conf and CA certificates."""
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    (root / "etc/apt/sources.list").unlink(missing_ok=True)
    for file in _sources():
        shutil.copy(file, root / file.relative_to("/"))
    settings = subprocess.run(["apt-config", "dump", "--no-empty", "Acquire"], capture_output=True, text=True, check=True).stdout
    (root / "etc/apt/apt.conf.d/90host").write_text(settings)
    for file in ("/etc/pip.conf", "/etc/ssl/certs/ca-certificates.crt"):
        if os.path.isfile(file):
            shutil.copy(file, root / file.lstrip("/"))


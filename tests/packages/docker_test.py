"""Tests the container images of docker/Dockerfile with the built packages.

    tests/packages/docker_test.py     uses the newest packages of build/packages, which ./dev package makes

Builds the images with Debian's buildah and without a container engine. The base image is the bare Debian 12 system of
the other tests, because registries may be out of reach.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from bare_root import CACHE, BareRoot, Unavailable

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = ROOT / "build" / "packages"
INSTANCE = ROOT / "tests" / "data" / "E-n22-k4.vrp"
START_TIMEOUT_S = 60


def newest(pattern):
    """Returns the newest package whose name matches, or None."""
    return max(PACKAGES.glob(pattern), key=os.path.getmtime, default=None)


class Buildah:
    """A buildah with its images and containers in a separate folder. Chroot isolation needs no container engine."""

    def __init__(self, folder):
        self.command = ["buildah", "--root", f"{folder}/storage", "--runroot", f"{folder}/run"]

    def call(self, *arguments):
        """Runs buildah. Returns its standard output; raises AssertionError with all output if it fails."""
        done = subprocess.run([*self.command, *map(str, arguments)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            command = " ".join(map(str, arguments))
            raise AssertionError(f"exit code {done.returncode} of buildah {command}\n{done.stdout}{done.stderr}")
        return done.stdout.strip()

    def run_command(self, container, *arguments):
        return [*self.command, "run", "--isolation", "chroot", "--network", "host", container, "--", *arguments]

    def run(self, container, *arguments):
        """Runs a command in a container as the image's user. Returns its exit code and all output."""
        command = self.run_command(container, *arguments)
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        return done.returncode, done.stdout

    def make_base(self, root):
        """Creates the image localhost/bare from the files of a root folder."""
        container = self.call("from", "scratch")
        self.call("add", "--quiet", container, root, "/")
        self.call("commit", "--quiet", "--rm", container, "localhost/bare")

    def build(self, target, context, *arguments):
        """Builds a target of our Dockerfile. Returns a new container of it."""
        chosen = [word for argument in ("BASE_IMAGE=localhost/bare", *arguments) for word in ("--build-arg", argument)]
        self.call("bud", "--isolation", "chroot", "--network", "host", "--format", "docker", *chosen, "--target", target,
                  "--file", ROOT / "docker/Dockerfile", "--tag", f"localhost/vrpd:{target}", context)
        return self.call("from", f"localhost/vrpd:{target}")

    def settings(self, target):
        """Returns the settings of an image: User, Entrypoint, Cmd, Healthcheck and so on."""
        return json.loads(self.call("inspect", "--type", "image", f"localhost/vrpd:{target}"))["Docker"]["config"]


def stop(daemon):
    """Ends buildah and the daemon that it runs. Waits for buildah."""
    if daemon.poll() is None:
        os.killpg(daemon.pid, signal.SIGTERM)
    daemon.wait()


@unittest.skipUnless(shutil.which("buildah"), "skipped: buildah is not installed")
class DockerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        CACHE.mkdir(parents=True, exist_ok=True)
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-docker-", dir=CACHE))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.buildah = Buildah(cls.folder)
        cls.addClassCleanup(cls.buildah.call, "rm", "--all")
        try:
            with BareRoot() as root:
                cls.buildah.make_base(root.path)
        except Unavailable as missing:
            raise unittest.SkipTest(f"skipped: {missing}")

    def context(self, package):
        """Returns a folder with this package alone, as `docker build` gets it."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        shutil.copy(package, folder)
        return folder

    def serve(self, target, container):
        """Starts the image's own command, on free ports of loopback. Returns the daemon's address."""
        settings = self.buildah.settings(target)
        flags = [re.sub(r"^0\.0\.0\.0:\d+$", "127.0.0.1:0", word) for word in settings["Cmd"]]
        log = self.folder / f"{target}.log"
        with open(log, "wb") as out:
            daemon = subprocess.Popen(self.buildah.run_command(container, *settings["Entrypoint"], *flags), stdout=out,
                                      stderr=subprocess.STDOUT, start_new_session=True)
        self.addCleanup(stop, daemon)
        until = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < until and daemon.poll() is None:
            listening = re.search(r"^listening on (\S+)$", log.read_text(), re.MULTILINE)
            if listening:
                return listening[1]
            time.sleep(0.1)
        raise AssertionError(f"the daemon of {target} ended, or did not print 'listening on' within "
                             f"{START_TIMEOUT_S} s; its log:\n{log.read_text()}")

    def check_image(self, target, container):
        """Checks that the image runs without root, serves, solves with an included model and reports its health."""
        self.buildah.call("copy", container, INSTANCE, "/tmp/")
        code, identity = self.buildah.run(container, "id")
        self.assertEqual(code, 0, identity)
        self.assertIn("uid=10001(vrpd)", identity)
        address = self.serve(target, container)
        code, answer = self.buildah.run(container, "vrpctl", "--remote", address, "solve", "/tmp/E-n22-k4.vrp", "--budget", "1s",
                                        "--model", "gt-mixed", "--strategy", "seeded")
        self.assertEqual(code, 0, answer)
        self.assertIn("cost: 375 ", answer)
        self.assertIn("checker: feasible", answer)
        check = self.buildah.settings(target)["Healthcheck"]["Test"][1:]
        check[check.index("--remote") + 1] = address
        self.assertEqual(self.buildah.run(container, *check)[0], 0)

    def test_image_of_the_deb_solves(self):
        package = newest("vrpd_*_amd64.deb")
        if package is None:
            self.skipTest(f"skipped: no deb in {PACKAGES}: ./dev package deb makes one")
        self.check_image("cpu", self.buildah.build("cpu", self.context(package)))

    def test_image_of_a_tar_solves(self):
        package = newest("vrpd-*-linux-x86_64-cuda.tar.xz") or newest("vrpd-*-linux-x86_64*.tar.xz")
        if package is None:
            self.skipTest(f"skipped: no tar in {PACKAGES}: ./dev package tar makes one")
        self.check_image("cuda", self.buildah.build("cuda", self.context(package), f"CUDA_TAR={package.name}"))


if __name__ == "__main__":
    unittest.main(verbosity=2)

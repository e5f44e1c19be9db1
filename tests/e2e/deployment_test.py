"""Tests the systemd unit, the proxy's configuration and the container files by each tool's check, and runs vrpd with them.

Tests whose tool is not installed are skipped with the reason."""

import contextlib
import json
import pathlib
import re
import shlex
import shutil
import socket
import subprocess
import tempfile
import time
import unittest

try:
    import yaml
except ImportError:
    yaml = None

from daemon import BINARIES, CALL_TIMEOUT_S, ROOT, Daemon, vrpctl
from security_test import Authority

UNIT = ROOT / "configs" / "vrpd.service"
NGINX = ROOT / "configs" / "nginx.conf"
DOCKERFILE = ROOT / "docker" / "Dockerfile"
COMPOSE = ROOT / "docker" / "compose.yaml"
MAX_EXPOSURE = 2.0  # out of 10, by systemd-analyze; the unit has 1.7
INSTRUCTIONS = {"ARG", "FROM", "WORKDIR", "ADD", "RUN", "ENV", "USER", "VOLUME", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT", "CMD"}


def tool(name):
    """Returns the path of a tool in PATH or in the program folders of root, or None."""
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")


def needs(name):
    return unittest.skipUnless(tool(name), f"skipped: {name} is not installed")


def run(*arguments):
    """Runs a command. Returns its exit status and all output."""
    done = subprocess.run([str(argument) for argument in arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=CALL_TIMEOUT_S, check=False)
    return done.returncode, done.stdout


class FolderTestCase(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-deployment-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def start(self, *flags):
        """Starts vrpd with its own address and state folder, whatever `flags` name."""
        flags = list(flags)
        for own in ("--listen", "--state-dir"):
            if own in flags:
                at = flags.index(own)
                del flags[at:at + 2]
        daemon = Daemon(self.folder / "state", flags=flags)
        self.addCleanup(daemon.clean_up)
        return daemon


class SystemdUnitTest(FolderTestCase):
    def unit(self):
        """Returns the path of a copy of the unit that names an existing program."""
        path = self.folder / "vrpd.service"
        path.write_text(UNIT.read_text().replace("/usr/bin/vrpd", str(BINARIES / "vrpd")))
        return path

    @needs("systemd-analyze")
    def test_passes_systemds_check_of_the_unit(self):
        status, output = run("systemd-analyze", "verify", "--man=no", self.unit())
        self.assertEqual((status, output.strip()), (0, ""))

    @needs("systemd-analyze")
    def test_would_fail_the_check_with_words_unknown_to_systemd(self):
        path = self.unit()
        path.write_text(path.read_text().replace("RemoveIPC=yes", "RemoveIPCs=yes"))
        _, output = run("systemd-analyze", "verify", "--man=no", path)
        self.assertIn("RemoveIPCs", output)

    @needs("systemd-analyze")
    def test_limits_the_exposure_of_the_service(self):
        status, output = run("systemd-analyze", "security", "--offline=true", f"--threshold={round(10 * MAX_EXPOSURE)}",
                             self.unit())
        self.assertEqual(status, 0, output[-300:])

    def test_has_flags_that_vrpd_accepts(self):
        command = re.search(r"^ExecStart=(.+)$", UNIT.read_text(), re.MULTILINE).group(1)
        words = shlex.split(command.replace("/etc/vrpd/vrpd.yaml", str(ROOT / "configs" / "vrpd.yaml")))
        self.assertEqual(words[0], "/usr/bin/vrpd")
        daemon = self.start(*words[1:], "--models-dir", self.folder / "models")
        self.assertEqual(daemon.call("server", "health").returncode, 0)
        self.assertEqual(daemon.stop(), 0)


class NginxConfigurationTest(FolderTestCase):
    def setUp(self):
        super().setUp()
        self.authority = Authority(self.folder, "authority")
        self.certificate, self.key = self.authority.issue("server")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def configuration(self, address):
        """Returns a complete configuration around ours, with this machine's names and files."""
        ours = NGINX.read_text()
        for old, new in (("listen 443 ", f"listen 127.0.0.1:{self.port} "), ("/etc/nginx/vrpd/server.pem", self.certificate),
                         ("/etc/nginx/vrpd/server.key", self.key), ("/etc/nginx/vrpd/clients.pem", self.authority.pem),
                         ("127.0.0.1:50051;", f"{address};")):
            self.assertIn(old, ours)
            ours = ours.replace(old, str(new))
        folders = "".join(f"  {what}_temp_path {self.folder}/{what};\n" for what in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        path = self.folder / "nginx.conf"
        path.write_text(f"pid {self.folder}/nginx.pid;\nerror_log stderr;\ndaemon off;\nevents {{}}\n"
                        f"http {{\n  access_log off;\n{folders}{ours}\n}}\n")
        return path

    def command(self, address):
        return [tool("nginx"), "-e", "stderr", "-p", self.folder, "-c", self.configuration(address)]

    @needs("nginx")
    def test_passes_nginxs_check_of_the_configuration(self):
        status, output = run(*self.command("127.0.0.1:50051"), "-t")
        self.assertEqual(status, 0, output)
        self.assertNotIn("[warn]", output.replace('the "user" directive', ""))

    @needs("nginx")
    def test_admits_only_callers_with_a_certificate(self):
        daemon = self.start()
        with self.proxy(daemon.address):
            certificate, key = self.authority.issue("me")
            remote = ("--remote", f"localhost:{self.port}", "--tls-ca", self.authority.pem)
            known = (*remote, "--tls-certificate", certificate, "--tls-key", key)
            self.assertEqual(vrpctl(*known, "server", "info").returncode, 0)
            solved = vrpctl(*known, "solve", ROOT / "tests" / "data" / "E-n22-k4.vrp", "--budget", "50ms", "--stream")
            self.assertEqual(solved.returncode, 0, solved.stderr)
            self.assertNotEqual(vrpctl(*remote, "server", "info").returncode, 0)

    def listens(self):
        with socket.socket() as caller:
            return caller.connect_ex(("127.0.0.1", self.port)) == 0

    @contextlib.contextmanager
    def proxy(self, address):
        with subprocess.Popen([str(word) for word in self.command(address)], stderr=subprocess.DEVNULL) as nginx:
            try:
                until = time.monotonic() + CALL_TIMEOUT_S
                while not self.listens() and nginx.poll() is None and time.monotonic() < until:
                    time.sleep(0.05)
                yield
            finally:
                nginx.terminate()


class ContainerTest(FolderTestCase):
    """These tests read the container files; tests/packages/docker_test.py builds the images and runs them."""

    def setUp(self):
        super().setUp()
        joined = re.sub(r"\\\n\s*", " ", re.sub(r"^\s*#.*\n", "", DOCKERFILE.read_text(), flags=re.MULTILINE))
        self.lines = [line.strip().split(None, 1) for line in joined.splitlines() if line.strip()]
        self.stages = [rest.split()[-1] for word, rest in self.lines if word == "FROM"]

    def only(self, instruction):
        return [rest for word, rest in self.lines if word == instruction][-1]

    def test_has_only_known_instructions_and_a_default_stage(self):
        self.assertLessEqual({word for word, _ in self.lines}, INSTRUCTIONS)
        self.assertEqual(self.stages[-1], "cpu", "the last stage is the default")

    def test_ends_each_image_as_a_user_without_root(self):
        starts = [at for at, (word, _) in enumerate(self.lines) if word == "FROM"]
        for name, end in zip(self.stages, [*starts[1:], len(self.lines)]):
            if name != "base":
                self.assertEqual(self.lines[end - 1], ["USER", "vrpd"], name)

    def test_has_flags_that_vrpd_accepts_and_a_working_health_check(self):
        self.assertEqual(json.loads(self.only("ENTRYPOINT")), ["vrpd"])
        flags = [re.sub(r"^0\.0\.0\.0:\d+$", "127.0.0.1:0", word) for word in json.loads(self.only("CMD"))]
        daemon = self.start(*flags)
        check = json.loads(self.only("HEALTHCHECK").partition("CMD ")[2])
        self.assertEqual(check[0], "vrpctl")
        check[check.index("--remote") + 1] = daemon.address
        self.assertEqual(vrpctl(*check[1:]).returncode, 0)
        daemon.stop()
        self.assertEqual(vrpctl(*check[1:]).returncode, 1, "must fail with 1 if the daemon is gone, since Docker knows only 0 and 1")

    @unittest.skipUnless(yaml, "skipped: PyYAML is not installed")
    def test_builds_existing_stages_and_listens_on_loopback(self):
        composed = yaml.safe_load(COMPOSE.read_text())
        for service in composed["services"].values():
            build = service["build"]
            self.assertIn(build["target"], self.stages)
            self.assertEqual((COMPOSE.parent / build["context"] / build["dockerfile"]).resolve(), DOCKERFILE.resolve())
            self.assertTrue(all(port.startswith("127.0.0.1:") for port in service["ports"]))
            self.assertTrue(service["read_only"] and service["cap_drop"] == ["ALL"])
            for volume in service["volumes"]:
                self.assertIn(volume.split(":")[0], composed["volumes"])


if __name__ == "__main__":
    unittest.main(verbosity=2)

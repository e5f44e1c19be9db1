"""Tests TLS, client certificates, tokens and unix sockets of the built programs. openssl makes the certificates."""

import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import ssl
import stat
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request

from daemon import BINARIES, CALL_TIMEOUT_S, DATA, ROOT, Daemon, tiny_config, vrpctl

# Leaves out VRP_TOKEN and VRP_TLS_*, which the tests must not inherit.
ENVIRONMENT = {key: value for key, value in os.environ.items() if not key.startswith("VRP_T")}


def openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, timeout=CALL_TIMEOUT_S)


class Authority:
    """A certificate authority in `folder`."""

    def __init__(self, folder, name):
        self.folder, self.pem, self.key = folder, folder / f"{name}.pem", folder / f"{name}.key"
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", 2,
                "-subj", f"/CN={name}", "-keyout", self.key, "-out", self.pem)

    def issue(self, name, alternatives="DNS:localhost,IP:127.0.0.1", days=2):
        """Returns the paths of a new certificate and its key."""
        pem, key, request, extensions = (self.folder / f"{name}.{end}" for end in ("pem", "key", "csr", "ext"))
        extensions.write_text(f"subjectAltName={alternatives}\n")
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}",
                "-keyout", key, "-out", request)
        openssl("x509", "-req", "-in", request, "-CA", self.pem, "-CAkey", self.key, "-set_serial", "7", "-days", days,
                "-extfile", extensions, "-out", pem)
        return pem, key


class SecurityTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-security-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.authority = Authority(cls.folder, "authority")
        cls.certificate, cls.key = cls.authority.issue("server")

    def start(self, *flags, listen="127.0.0.1:0", state=None):
        daemon = Daemon(state, listen=listen, flags=[str(flag) for flag in flags])
        self.addCleanup(daemon.clean_up)
        return daemon

    def start_tls(self, *flags):
        return self.start("--tls-certificate", self.certificate, "--tls-key", self.key, *flags)

    def ask(self, daemon, *flags, env=None):
        return vrpctl("--remote", daemon.address, "server", "info", *flags, env={**ENVIRONMENT, **(env or {})})

    def assert_refused_to_start(self, text, *flags, listen="127.0.0.1:0"):
        done = subprocess.run([BINARIES / "vrpd", "--state-dir", self.folder / "never", "--listen", listen, *map(str, flags)],
                              capture_output=True, text=True, timeout=CALL_TIMEOUT_S, check=False)
        self.assertIn(done.returncode, (1, 2), done.stderr)
        self.assertIn(text, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertFalse((self.folder / "never").exists())

    def token(self, role):
        """Returns a fresh token and the line that grants it the role."""
        lines = subprocess.run([BINARIES / "vrpd", "--new-token", role], capture_output=True, text=True, check=True,
                               timeout=CALL_TIMEOUT_S).stdout.splitlines()
        return lines[1], lines[3]

    def write(self, name, text, mode=0o600):
        path = self.folder / name
        path.write_text(text)
        path.chmod(mode)
        return path

    def test_serves_tls_to_clients_that_trust_the_certificate(self):
        daemon = self.start_tls()
        self.assertEqual(self.ask(daemon, "--tls-ca", self.authority.pem).returncode, 0)
        self.assertEqual(self.ask(daemon, env={"VRP_TLS_CA": str(self.authority.pem)}).returncode, 0)
        by_another_name = self.ask(daemon, "--tls-ca", self.authority.pem, "--tls-server-name", "example.org")
        self.assertEqual(by_another_name.returncode, 3, by_another_name.stderr)
        self.assertEqual(self.ask(daemon, "--tls-ca", self.authority.pem, "--tls-server-name", "localhost").returncode, 0)
        stranger = self.ask(daemon, "--tls-ca", Authority(self.folder, "stranger").pem)
        self.assertEqual(stranger.returncode, 3)
        self.assertIn("--tls-ca", stranger.stderr)
        plain = self.ask(daemon)
        self.assertEqual(plain.returncode, 3)
        self.assertIn("--tls-ca", plain.stderr)

    def test_explains_that_the_daemon_does_not_use_tls(self):
        done = self.ask(self.start(), "--tls-ca", self.authority.pem)
        self.assertEqual(done.returncode, 3)
        self.assertIn("does not use TLS", done.stderr)

    def test_admits_client_certificates_of_its_authority(self):
        clients = Authority(self.folder, "clients")
        daemon = self.start_tls("--tls-client-ca", clients.pem)
        certificate, key = clients.issue("planner")
        trust = ("--tls-ca", self.authority.pem)
        self.assertEqual(self.ask(daemon, *trust, "--tls-certificate", certificate, "--tls-key", key).returncode, 0)
        self.assertEqual(self.ask(daemon, *trust).returncode, 3)
        foreign = self.ask(daemon, *trust, "--tls-certificate", self.certificate, "--tls-key", self.key)
        self.assertEqual(foreign.returncode, 3)
        for refused in (foreign, self.ask(daemon, *trust)):
            self.assertIn("issued by a certificate authority that the daemon trusts", refused.stderr)
        expired = clients.issue("expired planner", days=-1)
        wrong = {"expired at": expired, "is not the key of the certificate in": (certificate, self.key),
                 "holds no certificate": (self.write("no.pem", "no"), key)}
        for message, (pem, its_key) in wrong.items():
            done = self.ask(daemon, *trust, "--tls-certificate", pem, "--tls-key", its_key)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)
        no_authority = self.ask(daemon, "--tls-ca", self.folder / "no.pem")
        self.assertIn("--tls-ca: ", no_authority.stderr)
        self.assertIn("holds no certificate", no_authority.stderr)

    def test_refuses_clients_beyond_max_connections(self):
        daemon = self.start_tls("--max-connections", 2)
        context = ssl.create_default_context(cafile=self.authority.pem)
        context.set_alpn_protocols(["h2"])
        host, port = daemon.address.rsplit(":", 1)
        inside = [context.wrap_socket(socket.create_connection((host, int(port))), server_hostname="localhost") for _ in range(2)]
        for connection in inside:
            connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0)))
            self.assertTrue(connection.recv(9))
        refused = self.ask(daemon, "--tls-ca", self.authority.pem)
        self.assertEqual(refused.returncode, 3, refused.stderr)
        self.wait_for_log(daemon, "connection refused peer=127.0.0.1:")
        inside.pop().close()
        end = time.monotonic() + CALL_TIMEOUT_S
        while self.ask(daemon, "--tls-ca", self.authority.pem).returncode != 0:
            self.assertLess(time.monotonic(), end, "no connection was admitted after one was closed")
        inside[0].close()

    def test_names_bad_tls_files_and_does_not_start(self):
        other_key = self.authority.issue("other")[1]
        pair = ("--tls-certificate", self.certificate, "--tls-key")
        self.assert_refused_to_start(f"{other_key}: is not the key of the certificate in {self.certificate}", *pair, other_key)
        self.assert_refused_to_start("/nowhere.key", *pair, "/nowhere.key")
        self.assert_refused_to_start("holds no unencrypted private key", *pair, self.write("not.key", "no key"))
        open_key = self.write("open.key", self.key.read_text(), 0o644)
        self.assert_refused_to_start(f"chmod o-rwx {open_key}", *pair, open_key)
        encrypted = self.folder / "encrypted.key"
        openssl("ec", "-in", self.key, "-aes128", "-passout", "pass:x", "-out", encrypted)
        self.assert_refused_to_start("holds no unencrypted private key", *pair, encrypted)
        self.assert_refused_to_start("/nowhere.pem", *pair, self.key, "--tls-client-ca", "/nowhere.pem")
        expired, expired_key = self.authority.issue("expired", days=-1)
        self.assert_refused_to_start("renew the file", "--tls-certificate", expired, "--tls-key", expired_key)
        self.assert_refused_to_start("--tls-key: absent", "--tls-certificate", self.certificate)

    def test_refuses_to_listen_beyond_loopback_unprotected(self):
        pair = ("--tls-certificate", self.certificate, "--tls-key", self.key)
        self.assert_refused_to_start("Give --tls-certificate", listen="0.0.0.0:0")
        self.assert_refused_to_start("--tls-client-ca or tokens with --tokens", *pair, listen="0.0.0.0:0")
        self.start("--insecure", listen="0.0.0.0:0")

    def test_keeps_state_private_even_in_a_shared_folder(self):
        state = self.folder / "entered"
        state.mkdir()
        state.chmod(0o755)
        before = os.umask(0o022)
        self.addCleanup(os.umask, before)
        daemon = self.start(state=state)
        matrices = self.write("matrices.json", json.dumps({"distance_matrix": [[0, 1], [1, 0]]}))
        daemon.json("matrices", "upload", matrices)
        daemon.json("models", "import", ROOT / "models" / "ptrnet-cvrp20" / "1", "--name", "brought")
        daemon.json("models", "alias", "brought@production", "1")
        trained = daemon.call("train", "--config", tiny_config(self.folder))
        self.assertEqual(trained.returncode, 0, trained.stderr)
        daemon.json("solve", DATA / "E-n22-k4.vrp", "--job", "--budget", "50ms")
        kept = [path for path in state.rglob("*") if stat.S_ISREG(path.lstat().st_mode) or path.is_dir()]
        names = {path.name for path in kept}
        self.assertLessEqual({"jobs.db", "lock", "matrices", "card.json", "weights.safetensors", "production"}, names)
        self.assertEqual([f"{path}: {path.lstat().st_mode & 0o777:o}" for path in kept if path.lstat().st_mode & 0o077], [])

    def test_reloads_the_certificate_at_sighup(self):
        certificate, key = self.authority.issue("renewed")
        daemon = self.start("--tls-certificate", certificate, "--tls-key", key)
        self.authority = Authority(self.folder, "new-authority")
        self.assertEqual(self.ask(daemon, "--tls-ca", self.authority.pem).returncode, 3)
        self.authority.issue("renewed")
        daemon.process.send_signal(signal.SIGHUP)
        self.wait_for_log(daemon, "files reloaded files=\"TLS files\"")
        self.assertEqual(self.ask(daemon, "--tls-ca", self.authority.pem).returncode, 0)

    def wait_for_log(self, daemon, text):
        """Blocks until the log contains the text. Only CTest's timeout limits the wait."""
        with subprocess.Popen(["tail", "-n", "+1", "-f", str(daemon.log_path)], stdout=subprocess.PIPE, text=True) as tail:
            found = any(text in line for line in tail.stdout)
            tail.terminate()
        self.assertTrue(found)

    def test_grants_tokens_their_role_and_never_shows_them(self):
        reader, reader_line = self.token("read")
        solver, solver_line = self.token("solve")
        tokens = self.write("tokens", f"# who\n{reader_line} the screen\n{solver_line} the planner\n")
        daemon = self.start("--tokens", tokens, "--log-level", "debug")
        solve = ("--remote", daemon.address, "solve", DATA / "E-n22-k4.vrp", "--budget", "50ms")
        none = vrpctl(*solve, env=ENVIRONMENT)
        self.assertEqual(none.returncode, 4)
        self.assertIn("role solve", none.stderr)
        self.assertIn("--token-file", none.stderr)
        low = vrpctl(*solve, env={**ENVIRONMENT, "VRP_TOKEN": reader})
        self.assertEqual(low.returncode, 4)
        self.assertIn("the token's role is read", low.stderr)
        self.assertEqual(vrpctl(*solve, env={**ENVIRONMENT, "VRP_TOKEN": solver}).returncode, 0)
        self.assertEqual(vrpctl(*solve, "--token-file", self.write("token", solver + "\n"), env=ENVIRONMENT).returncode, 0)
        open_token = vrpctl(*solve, "--token-file", self.write("open", solver, 0o644), env=ENVIRONMENT)
        self.assertEqual(open_token.returncode, 2)
        self.assertEqual(vrpctl("--remote", daemon.address, "server", "health", env=ENVIRONMENT).returncode, 0)
        tokens.write_text(reader_line)
        daemon.process.send_signal(signal.SIGHUP)
        self.wait_for_log(daemon, "files reloaded files=tokens")
        self.assertEqual(vrpctl(*solve, env={**ENVIRONMENT, "VRP_TOKEN": solver}).returncode, 4)
        output = daemon.log_path.read_text() + none.stderr + low.stderr + open_token.stderr
        for secret in (reader, solver, reader_line.split()[1], solver_line.split()[1]):
            self.assertNotIn(secret, output)

    def test_never_sends_a_token_in_the_clear_to_another_machine(self):
        done = vrpctl("--remote", "192.0.2.1:50051", "server", "info", env={**ENVIRONMENT, "VRP_TOKEN": "secret"})
        self.assertEqual(done.returncode, 2)
        self.assertIn("unencrypted", done.stderr)
        self.assertNotIn("secret", done.stderr)

    def test_accepts_tokens_over_tls(self):
        token, line = self.token("admin")
        daemon = self.start_tls("--tokens", self.write("tls-tokens", line))
        trust = ("--tls-ca", self.authority.pem)
        self.assertEqual(self.ask(daemon, *trust, env={"VRP_TOKEN": token}).returncode, 0)
        self.assertEqual(self.ask(daemon, *trust).returncode, 4)

    def test_serves_metrics_over_tls_with_a_token(self):
        token, line = self.token("read")
        daemon = self.start_tls("--tokens", self.write("metrics-tokens", line), "--metrics-listen", "127.0.0.1:0")
        info = self.ask(daemon, "--tls-ca", self.authority.pem, "--output", "json", env={"VRP_TOKEN": token})
        address = json.loads(info.stdout)["metrics_address"]
        self.assertEqual(json.loads(info.stdout)["metrics_url"], f"https://{address}/metrics")
        trusting = ssl.create_default_context(cafile=self.authority.pem)

        def get(path, scheme="https", **headers):
            request = urllib.request.Request(f"{scheme}://{address}{path}", headers=headers)
            context = trusting if scheme == "https" else None
            try:
                with urllib.request.urlopen(request, timeout=CALL_TIMEOUT_S, context=context) as reply:
                    return reply.status, reply.read().decode()
            except urllib.error.HTTPError as error:
                return error.code, error.read().decode()

        status, text = get("/metrics", Authorization=f"Bearer {token}")
        self.assertEqual(status, 200)
        self.assertIn("vrp_build_info{", text)
        self.assertEqual(get("/metrics")[0], 401)
        self.assertEqual(get("/metrics", Authorization="Bearer vrp_wrong")[0], 401)
        self.assertEqual(get("/healthz")[0], 200)
        with self.assertRaises((OSError, http.client.HTTPException)):
            get("/healthz", scheme="http")
        start = time.monotonic()
        idle = socket.create_connection(address.split(":"))
        self.addCleanup(idle.close)
        self.assertEqual(daemon.stop(), 0)
        print(f"stopped in {1000 * (time.monotonic() - start):.0f} ms, with a silent client connected")
        self.assertNotIn("vrp_wrong", daemon.log_path.read_text())

    def test_owns_a_private_unix_socket_and_replaces_it_after_a_kill(self):
        path = self.folder / "vrpd.sock"
        first = self.start(listen=f"unix:{path}")
        self.assertEqual(self.ask(first).returncode, 0)
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        with self.assertRaisesRegex(RuntimeError, "another process listens on unix:"):
            Daemon(self.folder / "second", listen=f"unix:{path}")
        self.assertEqual(self.ask(first, env={"VRP_TOKEN": "any"}).returncode, 0)
        first.kill()
        self.assertTrue(path.is_socket())
        second = self.start(listen=f"unix:{path}")
        self.assertEqual(self.ask(second).returncode, 0)
        self.assertEqual(second.stop(), 0)
        self.assertEqual(self.ask(second).returncode, 3)

    def test_denies_other_users_the_state(self):
        state = self.folder / "state"
        self.assertEqual(self.start(state=state).stop(), 0)
        self.assertEqual(stat.S_IMODE(state.stat().st_mode), 0o700)
        state.chmod(0o755)
        self.wait_for_log(self.start(state=state), f"chmod 700 {state}")

    def test_survives_garbage_on_the_port(self):
        daemon = self.start_tls()
        host, port = daemon.address.rsplit(":", 1)
        for garbage in (b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01" + bytes(500), bytes(range(256)) * 8):
            with socket.create_connection((host, int(port)), timeout=CALL_TIMEOUT_S) as connection:
                connection.sendall(garbage)
        self.assertEqual(self.ask(daemon, "--tls-ca", self.authority.pem).returncode, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)

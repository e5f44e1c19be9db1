"""Tests remote daemons with tokens and TLS."""

from __future__ import annotations

import contextlib
import pathlib
import subprocess
import sys
from collections.abc import Iterator

import pytest
from models import small_model

import vrpd
from vrpd import _programs


@contextlib.contextmanager
def daemon(folder: pathlib.Path, listen: str, *flags: object) -> Iterator[str]:
    """Runs a daemon during the context and gives its address."""
    command = [_programs.find("vrpd"), "--listen", listen, "--state-dir", folder / "state", *flags]
    words = [str(word) for word in command]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().removeprefix("listening on ").strip()
        finally:
            process.kill()


def test_token_permits_only_the_calls_of_its_role(tmp_path: pathlib.Path) -> None:
    program = str(_programs.find("vrpd"))
    made = subprocess.run([program, "--new-token", "solve"], capture_output=True, text=True, check=True).stdout
    _, token, _, line = made.splitlines()[:4]
    tokens = tmp_path / "tokens"
    tokens.write_text(line + "\n")
    tokens.chmod(0o600)
    with daemon(tmp_path, "127.0.0.1:0", "--tokens", tokens) as address:
        with vrpd.Client(address, token=token) as client:
            assert client.solve(small_model(), budget=0.05).feasible
            with pytest.raises(vrpd.PermissionDeniedError):
                client.train(preset="ptrnet_tiny")
        with pytest.raises(vrpd.UnauthenticatedError):
            vrpd.Client(address).server_info()


def test_tls_refuses_a_wrong_server_name_and_calls_without_tls(tmp_path: pathlib.Path) -> None:
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=vrpd".split()
    names = ["-addext", "subjectAltName=DNS:routes.example"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(["openssl", *words, *names, *files], check=True, capture_output=True)
    key.chmod(0o600)
    with daemon(tmp_path, "127.0.0.1:0", "--tls-certificate", certificate, "--tls-key", key) as address:
        tls = vrpd.Tls(ca=certificate, server_name="routes.example")
        with vrpd.Client(address, tls=tls) as client:
            assert client.solve(small_model(), budget=0.05).feasible
        with pytest.raises(vrpd.UnavailableError):
            vrpd.Client(address, tls=certificate).server_info()  # the certificate is for another name
        with pytest.raises(vrpd.UnavailableError):
            vrpd.Client(address).server_info()


_SOLVE_AND_END = """
import sys, vrpd
client = vrpd.Client(sys.argv[1])
for text in client.datasets.generate("cvrp", 100, 1, seed=1):
    pass
stream = client.improvements(vrpd.from_json(text, client=client), budget="30ms")
for improvement in stream:
    pass
"""


def test_process_ends_right_after_a_stream(tmp_path: pathlib.Path) -> None:
    with daemon(tmp_path, "127.0.0.1:0") as address:
        words = [sys.executable, "-c", _SOLVE_AND_END, address]
        for _ in range(10):  # whether an end hangs depends on when the interpreter's threads run
            with contextlib.ExitStack() as running:
                pair = [running.enter_context(subprocess.Popen(words)) for _ in range(2)]
                for process in pair:
                    running.callback(process.kill)
                assert [process.wait(timeout=60) for process in pair] == [0, 0]

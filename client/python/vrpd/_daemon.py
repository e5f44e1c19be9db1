"""Starts the embedded daemon, which all processes of a user with the same version, program and settings share.

Its folder holds the socket, a lock, the log and, without VRPD_STATE_DIR, the state. The daemon ends by itself after a
time without calls and jobs, even if every process that used it was killed.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import pathlib
import stat
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from . import _cpu, _programs
from ._generated.version import VERSION
from .errors import EmbeddedDaemonError

if TYPE_CHECKING:
    import subprocess

DEFAULT_IDLE_S = 300
_START_TIMEOUT_S = 60.0
_MAX_SOCKET_PATH = 100  # bytes; the kernel's limit is 107
_started: list[subprocess.Popen[bytes]] = []


@atexit.register
def _leave_running() -> None:
    """Prevents Python's warning about running subprocesses, since daemons should outlive this process."""
    for process in _started:
        process.returncode = 0


def ensure_running() -> str:
    """Returns the address of the embedded daemon after starting it if needed."""
    program = _usable_program()
    folder = _folder(program)
    path = folder / "vrpd.sock"
    if _accepts(path):
        return f"unix:{path}"
    with _locked(folder / "start.lock"):
        if not _accepts(path):  # another process may have started it meanwhile
            _start(program, folder, path)
    return f"unix:{path}"


def _usable_program() -> pathlib.Path:
    problem = _cpu.why_unusable()
    if problem:
        raise EmbeddedDaemonError(problem)
    program = _programs.find("vrpd")
    if program is None:
        raise EmbeddedDaemonError(_programs.why_missing("vrpd") + ', or use a remote daemon: vrpd.Client("HOST:50051")')
    return program


def _folder(program: pathlib.Path) -> pathlib.Path:
    """Returns the daemon's private folder, which depends on version, program and settings."""
    import hashlib
    import tempfile

    key = "\0".join([str(program.resolve()), str(program.stat().st_mtime_ns), str(_idle_s()), _state_dir() or ""])
    name = f"vrpd-{VERSION}-{hashlib.sha256(key.encode()).hexdigest()[:8]}"
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    problems = []
    for base in filter(None, [runtime, tempfile.gettempdir(), "/tmp"]):
        folder = pathlib.Path(base) / (name if base == runtime else f"{name}-{os.getuid()}")
        if len(os.fsencode(folder / "vrpd.sock")) > _MAX_SOCKET_PATH:
            problems.append(f"{folder}: the socket's path would have more than {_MAX_SOCKET_PATH} bytes")
            continue
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            problems.append(f"{folder}: {error.strerror}")
            continue
        status = folder.lstat()
        if stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and stat.S_IMODE(status.st_mode) & 0o077 == 0:
            return folder
        problems.append(f"{folder}: is not a private folder of this user")
    raise EmbeddedDaemonError(
        "no folder for the embedded daemon: " + "; ".join(problems) + ". Set XDG_RUNTIME_DIR to a private folder"
    )


def _idle_s() -> int:
    """Returns the seconds without calls and jobs after which the daemon ends."""
    text = os.environ.get("VRPD_IDLE_S", str(DEFAULT_IDLE_S))
    if not text.isdigit() or not 1 <= int(text) <= 1_000_000:
        raise EmbeddedDaemonError(f"VRPD_IDLE_S: got {text!r}, wanted a number of seconds from 1 to 1000000")
    return int(text)


def _state_dir() -> str | None:
    return os.environ.get("VRPD_STATE_DIR")


def _accepts(path: pathlib.Path) -> bool:
    """Whether a process listens on the socket."""
    import socket

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(5)
        try:
            probe.connect(str(path))
        except OSError:
            return False
    return True


@contextlib.contextmanager
def _locked(path: pathlib.Path) -> Iterator[None]:
    import fcntl

    with open(path, "w") as file:  # closing the file releases the lock
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _start(program: pathlib.Path, folder: pathlib.Path, path: pathlib.Path) -> None:
    """Starts the daemon and waits until it listens. The caller holds the lock."""
    _started[:] = [process for process in _started if process.poll() is None]  # reaps daemons that have ended
    log = folder / "vrpd.log"
    state = _state_dir() or str(folder / "state")
    command = [str(program), "--listen", f"unix:{path}", "--state-dir", state, "--exit-when-idle-s", str(_idle_s())]
    deadline = time.monotonic() + _START_TIMEOUT_S
    while True:
        process = _spawn(command, log)
        if _wait_until_listening(process, path, deadline):
            _started.append(process)
            return
        # A daemon that is ending may still hold the state folder.
        if not _is_busy(_tail(log)) or time.monotonic() > deadline:
            raise EmbeddedDaemonError(
                f"the embedded daemon did not start ({' '.join(command)}); its log {log} ends:\n{_tail(log)}"
            )
        time.sleep(0.1)


def _spawn(command: list[str], log: pathlib.Path) -> subprocess.Popen[bytes]:
    """Starts the daemon in a session of its own, so that Ctrl-C in the terminal does not reach it."""
    import subprocess

    with open(log, "wb") as output:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd="/", start_new_session=True
        )


def _wait_until_listening(process: subprocess.Popen[bytes], path: pathlib.Path, deadline: float) -> bool:
    """Returns whether the daemon listens, after waiting until it does or ends. Kills the daemon at the deadline."""
    while process.poll() is None:
        if _accepts(path):
            return True
        if time.monotonic() > deadline:
            process.kill()
            process.wait()
            return False
        time.sleep(0.005)
    return False


def _tail(log: pathlib.Path, size: int = 2000) -> str:
    try:
        return log.read_bytes()[-size:].decode(errors="replace").strip()
    except OSError as error:
        return str(error)


def _is_busy(log: str) -> bool:
    """Whether the daemon did not start because another one still has its state folder or socket."""
    return "another vrpd uses this state folder" in log or "another process listens" in log

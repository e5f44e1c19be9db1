"""Tests how the embedded daemon is started, shared, kept private, started again and ended when idle."""

from __future__ import annotations

import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from models import large_model, small_model

import vrpd
from vrpd import _cpu, _daemon, _programs

PACKAGE = pathlib.Path(__file__).parents[1]
SOLVE = (
    "import vrpd; m = vrpd.Model(); m.add_depot(x=0, y=0); m.add_vehicle_type(); m.add_client(x=1, y=1); "
    "m.solve(budget=0.01); "
)
# Starts a solve that keeps the daemon from being idle while this process runs.
STREAM = (
    "import sys; sys.path.insert(0, 'tests'); from models import large_model; import vrpd; "
    "stream = vrpd.default_client().improvements(large_model(), budget='600s'); next(stream); "
)
LIMIT_S = 50  # time limit of wait_until, less than the budgets of solves that must be cancelled
START = "started = vrpd.default_client().server_info().start_time; print(started.timestamp(), flush=True)"


@pytest.fixture
def runtime(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[pathlib.Path]:
    """Gives a runtime folder in which no daemon has started yet. A daemon that the test leaves behind ends when idle."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("VRPD_IDLE_S", "30")
    before = list(_daemon._started)
    yield tmp_path
    for process in [one for one in _daemon._started if one not in before]:
        process.kill()
        process.wait()
        _daemon._started.remove(process)


def start_python(code: str) -> subprocess.Popen[str]:
    """Starts Python in the folder of the package."""
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", code], stdout=pipe, stderr=pipe, text=True, cwd=PACKAGE)


def wait_for_output(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return out


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not holds():
        assert time.monotonic() < deadline, f"the condition still fails after {LIMIT_S} s"
        time.sleep(0.05)


def socket_path() -> pathlib.Path:
    """Returns the path of the embedded daemon's socket, whether it exists or not."""
    return pathlib.Path(_daemon._folder(_daemon._usable_program())) / "vrpd.sock"


def test_processes_that_start_together_share_one_daemon(runtime: pathlib.Path) -> None:
    answers = {wait_for_output(process) for process in [start_python(SOLVE + START) for _ in range(4)]}
    assert len(answers) == 1
    assert len(list(runtime.glob("vrpd-*"))) == 1


def test_daemon_outlives_its_starter_and_ends_when_idle(
    runtime: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VRPD_IDLE_S", "2")
    starter = start_python(STREAM + START + "; import time; time.sleep(60)")
    assert starter.stdout is not None
    started = float(starter.stdout.readline())
    path = socket_path()
    client = vrpd.Client()
    stream = client.improvements(large_model(), budget="600s")
    next(stream)
    starter.send_signal(signal.SIGKILL)
    starter.communicate()
    assert client.server_info().start_time.timestamp() == started
    client.close()
    wait_until(lambda: not path.exists())
    assert "idle, stopping" in (path.parent / "vrpd.log").read_text()


def test_process_that_started_the_daemon_exits_without_a_warning(runtime: pathlib.Path) -> None:
    done = subprocess.run([sys.executable, "-X", "dev", "-c", SOLVE], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert _daemon._accepts(socket_path())


def test_killed_daemon_is_started_again(runtime: pathlib.Path) -> None:
    client = vrpd.Client()
    first = client.server_info().start_time
    _daemon._started[-1].kill()
    _daemon._started[-1].wait()
    assert client.solve(small_model(), budget=0.05).feasible
    assert client.server_info().start_time != first
    client.close()


def test_daemon_that_ended_when_idle_is_started_again(
    runtime: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VRPD_IDLE_S", "2")
    client = vrpd.Client()
    client.server_info()
    path = socket_path()
    wait_until(lambda: not path.exists())
    assert client.improvements(small_model(), budget=0.05).result.feasible
    client.close()


def test_stale_socket_is_replaced(runtime: pathlib.Path) -> None:
    path = socket_path()
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    client = vrpd.Client()
    assert client.is_healthy()
    client.close()


def test_folder_and_socket_are_private(runtime: pathlib.Path) -> None:
    client = vrpd.Client()
    client.server_info()
    path = socket_path()
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    client.close()


def test_folder_that_others_can_enter_is_not_used(runtime: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(runtime))
    folder = _daemon._folder(_daemon._usable_program())
    folder.chmod(0o777)
    assert _daemon._folder(_daemon._usable_program()) != folder


def test_failed_start_shows_the_log(runtime: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = runtime / "file"
    state.write_text("")
    monkeypatch.setenv("VRPD_STATE_DIR", str(state))
    with pytest.raises(vrpd.EmbeddedDaemonError, match=str(state)):
        vrpd.Client().server_info()


def test_forked_process_solves_too(client: vrpd.Client) -> None:
    code = (
        SOLVE + "import os, sys\n"
        "pid = os.fork()\n"
        "m.solve(budget=0.01)\n"
        "if pid == 0: os._exit(7)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))"
    )
    assert wait_for_output(start_python(code)).strip() == "7"


@pytest.mark.parametrize("call", ["m.solve(budget='60s')", "list(m.improvements(budget='60s'))"])
def test_ctrl_c_cancels_a_solve(call: str, client: vrpd.Client) -> None:
    code = (
        "import sys; sys.path.insert(0, 'tests'); from models import large_model; import vrpd\n"
        "m = large_model(); vrpd.default_client().server_info(); print('ready', flush=True)\n"
        f"try: {call}\nexcept KeyboardInterrupt: print('interrupted', flush=True)\n"
        "sys.stdin.read()"  # keeps the process alive, since its end would cancel its calls too
    )
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe, text=True, cwd=PACKAGE) as process:
        assert process.stdin is not None and process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        wait_until(lambda: count_running_solves(client) == 1)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
        wait_until(lambda: count_running_solves(client) == 0)
        assert process.poll() is None
        process.stdin.close()


def test_interrupts_at_many_moments_leave_no_solve_behind(client: vrpd.Client) -> None:
    mine = vrpd.Client(client._connection.address)
    model = large_model()
    for number in range(40):
        interrupt = threading.Timer(0.001 + 0.0005 * number, os.kill, (os.getpid(), signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            interrupt.start()
            mine.solve(model, budget="60s")
        wait_until(lambda: count_running_solves(client) == 0)
    mine.close()


def count_running_solves(client: vrpd.Client) -> int:
    """Returns the number of running calls of Solve, StreamSolve and BatchSolve."""
    return sum(rpc.in_flight for rpc in client.server_stats().rpcs if rpc.rpc.endswith("Solve"))


def test_cpu_without_avx2_is_refused_with_a_remedy(tmp_path: pathlib.Path) -> None:
    info = tmp_path / "cpuinfo"
    info.write_text("processor : 0\nflags : fpu sse2 avx bmi1 bmi2 f16c fma abm movbe xsave\n")
    reason = _cpu.why_unusable(info)
    assert "this one lacks avx2" in reason and "vrpd.Client" in reason
    assert _cpu.why_unusable() == ""


def test_package_without_programs_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VRP_BINARY_DIR", "/nowhere")
    monkeypatch.setenv("PATH", "/nowhere")
    assert _programs.find("vrpd") is None
    with pytest.raises(vrpd.EmbeddedDaemonError, match="has no programs"):
        vrpd.Client().server_info()
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from vrpd._programs import run_vrpctl; sys.exit(run_vrpctl())"],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, "has no programs" in done.stderr) == (1, True)


def test_console_script_runs_the_program() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from vrpd._programs import run_vrpctl; run_vrpctl()", "--help"],
        capture_output=True,
        text=True,
        env=dict(os.environ),
    )
    assert done.returncode == 0 and "solve" in done.stdout

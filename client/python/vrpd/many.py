"""Solves files of many instances, by the program vrpctl, into a folder of answers."""

from __future__ import annotations

import json
import pathlib
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _cpu, _daemon, _parquet, _programs
from ._progress import Progress
from ._values import Duration, Path, seconds
from .errors import (
    EmbeddedDaemonError,
    InvalidArgumentError,
    NotFoundError,
    PermissionDeniedError,
    ResourceExhaustedError,
    UnavailableError,
    VrpdError,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

# Exit codes of vrpctl. After the first three, every instance has an answer.
_DONE, _FAILED, _NO_PLAN = 0, 1, 7
_ERRORS: dict[int, type[VrpdError]] = {
    2: InvalidArgumentError,
    3: UnavailableError,
    4: PermissionDeniedError,
    5: NotFoundError,
    6: ResourceExhaustedError,
}


@dataclass(frozen=True)
class FilesSummary:
    """What a run of solve_files did. Answers of earlier runs are not counted."""

    instances: int
    feasible: int
    failed: int
    """Number of instances whose answer is an error."""
    mean_cost: float | None
    """Over the instances with a plan; None without any."""
    seconds: float
    answers: tuple[pathlib.Path, ...]
    """The files of answers, in the order of the inputs."""


def solve_files(
    inputs: Iterable[Path],
    answers: Path,
    *,
    remotes: Sequence[str] = (),
    budget: Duration | None = None,
    stop_after: Duration | None = None,
    max_iterations: int | None = None,
    strategy: str | None = None,
    model: str | None = None,
    habit_weight: float | None = None,
    threads: int | None = None,
    seed: int | None = None,
    in_flight: int | None = None,
    column: str = "instance",
    display: bool = False,
) -> FilesSummary:
    """Solves every instance of the files, and writes an answer for each into a folder. Blocks until all have one.

    `inputs` are files of JSON lines (.jsonl), an instance a line, or Parquet files (.parquet; needs pyarrow) whose column
    `column` has instances as JSON texts. A file of answers has the name of its input, and its order. Answers to JSON lines
    are objects with the number of the `line` and the keys of `vrpctl solve --output json`, or with `error`. Parquet files of
    answers have the columns `row` (from 0), `name`, `cost`, `feasible`, `error` and `answer` (the JSON text).

    The same call continues after any end of the process, and writes no answer twice. `remotes` are addresses of daemons;
    each instance goes to the one that is free first. Without any, the embedded daemon solves. TLS and the token come from
    the environment variables of vrpctl (VRP_TLS_CA, VRP_TOKEN, ...). `threads` is the number of threads for each instance
    (1), `in_flight` the number of instances that a daemon has at a time. `display` shows the progress.

    Raises the error of the class that fits if the run ends before all instances have answers, and ValueError for files of
    both kinds or of none.
    """
    paths = [pathlib.Path(path) for path in inputs]
    folder = pathlib.Path(answers)
    kinds = {path.suffix for path in paths}
    if kinds not in ({".jsonl"}, {".parquet"}):
        raise ValueError(f"inputs: got {sorted(kinds)}, wanted files that all end with .jsonl or all with .parquet")
    flags: list[str] = []
    for name, value in (
        ("--budget", None if budget is None else _time_text(budget, "budget")),
        ("--stop-after", None if stop_after is None else _time_text(stop_after, "stop_after")),
        ("--max-iterations", max_iterations),
        ("--strategy", strategy),
        ("--model", model),
        ("--habit-weight", habit_weight),
        ("--threads", threads),
        ("--seed", seed),
        ("--in-flight", in_flight),
    ):
        if value is not None:
            flags += [name, str(value)]
    run = _Run(_vrpctl(), _remotes(remotes), flags, display)
    if kinds == {".jsonl"}:
        return run.solve(paths, folder)
    return _solve_parquet(run, paths, folder, column)


def _time_text(value: Duration, what: str) -> str:
    return f"{1000 * seconds(value, what):.9g}ms"


def _vrpctl() -> pathlib.Path:
    problem = _cpu.why_unusable()
    program = _programs.find("vrpctl")
    if problem or program is None:
        raise EmbeddedDaemonError(problem or _programs.why_missing("vrpctl"))
    return program


def _remotes(remotes: Sequence[str]) -> list[str]:
    addresses = list(remotes) or [_daemon.ensure_running()]
    return [word for address in addresses for word in ("--remote", address)]


class _Run:
    """Calls of vrpctl with the same options."""

    def __init__(self, program: pathlib.Path, remotes: list[str], flags: list[str], display: bool) -> None:
        self._start = [str(program), *remotes, "--output", "json", "solve"]
        self._flags = flags
        self._display = display

    def solve(self, paths: Sequence[pathlib.Path], folder: pathlib.Path) -> FilesSummary:
        command = [*self._start, *map(str, paths), "--answers", str(folder), *self._flags]
        with tempfile.TemporaryFile("w+") as errors, subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process:
            summary = self._follow(process)
            code = process.wait()
            errors.seek(0)
            message = errors.read().strip()
        if code not in (_DONE, _FAILED, _NO_PLAN) or summary is None:
            raise _ERRORS.get(code, VrpdError)(message or f"vrpctl ended with code {code}")
        return FilesSummary(
            instances=summary["instances"],
            feasible=summary["feasible"],
            failed=summary["failed"],
            mean_cost=summary["mean_cost"],
            seconds=summary["total_time_ms"] / 1000,
            answers=tuple(folder / path.name for path in paths),
        )

    def _follow(self, process: subprocess.Popen[str]) -> dict[str, Any] | None:
        """Shows the progress of the process, and returns its summary."""
        summary = None
        bar: Progress | None = None
        assert process.stdout is not None
        for line in process.stdout:
            report = json.loads(line)
            if report.get("summary"):
                summary = report
            elif self._display:
                bar = bar or Progress("solve_files", report["total_bytes"])
                bar.update(report["bytes"], f"{report['answers']} answers")
        if bar is not None:
            bar.__exit__()
        return summary


def _solve_parquet(run: _Run, paths: Sequence[pathlib.Path], folder: pathlib.Path, column: str) -> FilesSummary:
    """Solves one file after the other as JSON lines, which take place on the disk only until their answers are written."""
    total = FilesSummary(0, 0, 0, None, 0.0, tuple(folder / path.name for path in paths))
    cost = 0.0
    for path, target in zip(paths, total.answers):
        if target.exists():
            continue
        lines = folder / ".lines"
        given = lines / "in" / f"{path.stem}.jsonl"
        _parquet.write_lines(path, given, column)
        part = run.solve([given], lines / "out")
        _parquet.write_answers(part.answers[0], target)
        given.unlink()
        part.answers[0].unlink()
        cost += (part.mean_cost or 0.0) * (part.instances - part.failed)
        total = FilesSummary(
            total.instances + part.instances,
            total.feasible + part.feasible,
            total.failed + part.failed,
            None,
            total.seconds + part.seconds,
            total.answers,
        )
    shutil.rmtree(folder / ".lines", ignore_errors=True)
    solved = total.instances - total.failed
    mean = cost / solved if solved else None
    return FilesSummary(total.instances, total.feasible, total.failed, mean, total.seconds, total.answers)

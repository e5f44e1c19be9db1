"""Checks how jobs ended and shows their progress on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._progress import Progress
from .errors import JobFailedError

if TYPE_CHECKING:
    from .simulation_records import SimulationInfo
    from .solve_job_records import SolveJobInfo, SolveProgress
    from .sweep_records import SweepInfo
    from .training_records import TrainingJobInfo, TrainingProgress

ENDED = frozenset({"succeeded", "failed", "cancelled"})


def check_end(info: TrainingJobInfo | SolveJobInfo | SimulationInfo | SweepInfo, check: bool) -> None:
    """Raises JobFailedError if an ended job did not succeed, unless `check` is False."""
    if not check or info.state == "succeeded":
        return
    text = info.error.message if info.error is not None else "it has no result"
    raise JobFailedError(f"{info.name} {info.state}: {text}")


class JobProgress:
    """A display of a job's progress, if `shown`."""

    def __init__(self, name: str, shown: bool, budget: float | None = None) -> None:
        self._name = name
        self._shown = shown
        self._budget = budget
        self._bar: Progress | None = None

    def _open(self, total: float | None) -> Progress:
        if self._bar is None:
            self._bar = Progress(self._name, total)
        return self._bar

    def training(self, now: TrainingProgress) -> None:
        if not self._shown:
            return
        text = f"epoch {now.epoch}/{now.total_epochs} loss {now.loss:.4g}"
        if now.validation_gap is not None:
            text += f" gap {now.validation_gap:+.2%} vs {now.validation_reference}"
        self._open(now.total_steps or None).update(now.step, text)

    def search(self, now: SolveProgress) -> None:
        if self._shown:
            text = f"cost {now.cost:g}, {now.route_count} routes"
            self._open(self._budget).update(now.search_time or 0, text)

    def __enter__(self) -> JobProgress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.__exit__()

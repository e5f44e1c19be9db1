"""Sweeps of training jobs, which outlive this process and the daemon."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from . import _rpc
from ._handles import Handle
from ._job_text import check_end
from ._progress import Progress
from ._values import Duration, seconds
from .jobs import follow
from .sweep_records import SweepEvent, SweepInfo, SweepTrial

if TYPE_CHECKING:
    from ._connection import Connection


class Sweep(Handle["Connection", SweepInfo]):
    """A sweep. Its attributes show the daemon's last answer; `refresh` asks again."""

    @property
    def trials(self) -> list[SweepTrial]:
        """The trials, the best one first and those without a validation last."""
        return ranked(self.info.trials)

    @property
    def best(self) -> SweepTrial | None:
        """The published trial of an ended sweep, otherwise the best one so far."""
        return next((trial for trial in self.info.trials if trial.best), None)

    @property
    def model(self) -> str:
        """The published model, such as `models/mine/versions/1`; empty if there is none yet."""
        return self.info.model

    def refresh(self) -> Sweep:
        """Asks the daemon for the sweep's state and its trials."""
        return self._do("GetSweep")

    def _do(self, method: str) -> Sweep:
        self.info = self._connection.unary(_rpc.sweep(method, self.name))
        return self

    def events(self, from_sequence: int = 1, *, timeout: Duration | None = None) -> Iterator[SweepEvent]:
        """Iterates over the events from a sequence number on, until the sweep ends."""
        limit = None if timeout is None else seconds(timeout, "timeout")
        for event in follow(self._connection, lambda first: _rpc.watch_sweep(self.name, first), from_sequence, limit):
            if event is not None:
                yield SweepEvent(event)

    def wait(self, timeout: Duration | None = None, *, progress: bool = False, check: bool = True) -> Sweep:
        """Blocks until the sweep has ended, and returns it.

        Ctrl-C and a timeout end the wait but not the sweep; see `stop`. Raises JobFailedError if the sweep failed or
        was cancelled, unless `check` is False, and DeadlineExceededError after the timeout.
        """
        bar = Progress(self.name, self.info.trial_count) if progress else None
        ended: set[int] = set()
        for event in self.events(timeout=timeout):
            if event.trial is not None and event.trial.state in ("succeeded", "failed", "cancelled"):
                ended.add(event.trial.number)
            if bar is not None and event.trial is not None:
                bar.update(len(ended), f"trial {event.trial.number}")
        if bar is not None:
            bar.__exit__()
        self.refresh()
        check_end(self.info, check)
        return self

    def stop(self) -> Sweep:
        """Ends the sweep now and publishes its best trial; `wait` blocks until then."""
        return self._do("StopSweep")

    def pause(self) -> Sweep:
        """Pauses the sweep and its running trial."""
        return self._do("PauseSweep")

    def resume(self) -> Sweep:
        """Queues a paused sweep again."""
        return self._do("ResumeSweep")

    def delete(self) -> None:
        """Deletes an ended sweep and the jobs of its trials. The published model stays."""
        self._connection.unary(_rpc.delete_sweep(self.name))


def ranked(trials: tuple[SweepTrial, ...]) -> list[SweepTrial]:
    """Returns the trials, the best one first and those without a validation last."""

    def key(trial: SweepTrial) -> tuple[bool, bool, float]:
        return not trial.best, trial.validation_cost is None, trial.validation_cost or 0.0

    return sorted(trials, key=key)


class Sweeps:
    """The sweeps of a daemon."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(self) -> list[Sweep]:
        """Returns all sweeps, newest first, without their trials; `get` has the trials."""
        from .resources import _pages

        return [Sweep(self._connection, info) for info in _pages(self._connection, _rpc.list_sweeps)]

    def get(self, name: str) -> Sweep:
        return Sweep(self._connection, self._connection.unary(_rpc.sweep("GetSweep", name)))

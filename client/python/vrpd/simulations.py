"""Simulations of dispatch, which outlive this process and the daemon."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from . import _rpc
from ._handles import Handle
from ._job_text import check_end
from ._progress import Progress
from ._values import Duration, seconds
from .jobs import follow
from .simulation_records import SimulatedDay, SimulationEvent, SimulationInfo, SimulationProgress, SimulationSummary

if TYPE_CHECKING:
    from ._connection import Connection


class Simulation(Handle["Connection", SimulationInfo]):
    """A simulation. Its attributes show the daemon's last answer; `refresh` asks again."""

    @property
    def progress(self) -> SimulationProgress | None:
        return self.info.progress

    @property
    def days(self) -> list[SimulatedDay]:
        """The finished days, once for each policy."""
        return [result for day in self.info.days for result in day.results]

    @property
    def summary(self) -> SimulationSummary | None:
        """The means of each policy, of a simulation that has succeeded, else None."""
        return self.info.summary

    def refresh(self) -> Simulation:
        """Asks the daemon for the simulation's state and its finished days."""
        return self._do("GetSimulation")

    def _do(self, method: str) -> Simulation:
        self.info = self._connection.unary(_rpc.simulation(method, self.name))
        return self

    def events(self, from_sequence: int = 1, *, timeout: Duration | None = None) -> Iterator[SimulationEvent]:
        """Iterates over the events from a sequence number on, until the simulation ends."""
        limit = None if timeout is None else seconds(timeout, "timeout")
        for event in follow(
            self._connection, lambda first: _rpc.watch_simulation(self.name, first), from_sequence, limit
        ):
            if event is not None:
                yield SimulationEvent(event)

    def wait(self, timeout: Duration | None = None, *, progress: bool = False) -> SimulationSummary:
        """Blocks until the simulation has ended, and returns the means of each policy.

        Ctrl-C and a timeout end the wait but not the simulation; see `stop`. Raises JobFailedError if the simulation
        failed or was cancelled, and DeadlineExceededError after the timeout.
        """
        total = self.info.progress.day_count if self.info.progress is not None else None
        bar = Progress(self.name, total) if progress else None
        finished = 0
        for event in self.events(timeout=timeout):
            finished += event.day is not None
            if bar is not None and event.day is not None:
                bar.update(finished, event.day.results[0].day)
        if bar is not None:
            bar.__exit__()
        self.refresh()
        check_end(self.info, True)
        assert self.summary is not None
        return self.summary

    def stop(self) -> Simulation:
        """Ends the simulation now. It succeeds with its finished days."""
        return self._do("StopSimulation")

    def delete(self) -> None:
        """Deletes an ended simulation with its sites, its log and its results."""
        self._connection.unary(_rpc.delete_simulation(self.name))


class Simulations:
    """The simulations of a daemon."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(self) -> list[Simulation]:
        """Returns all simulations, newest first, without their days; `get` has the days."""
        from .resources import _pages

        return [Simulation(self._connection, info) for info in _pages(self._connection, _rpc.list_simulations)]

    def get(self, name: str) -> Simulation:
        return Simulation(self._connection, self._connection.unary(_rpc.simulation("GetSimulation", name)))

"""Simulations of dispatch with asyncio."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from . import _rpc
from ._handles import Handle
from ._job_text import check_end
from ._values import Duration, seconds
from .aio_jobs import follow
from .aio_resources import _pages
from .simulation_records import SimulatedDay, SimulationEvent, SimulationInfo, SimulationSummary

if TYPE_CHECKING:
    from ._aio_connection import AsyncConnection


class AsyncSimulation(Handle["AsyncConnection", SimulationInfo]):
    """A simulation; see `vrpd.Simulation`. Has neither the attribute nor the argument `progress`."""

    @property
    def days(self) -> list[SimulatedDay]:
        return [result for day in self.info.days for result in day.results]

    @property
    def summary(self) -> SimulationSummary | None:
        return self.info.summary

    async def _do(self, method: str) -> AsyncSimulation:
        self.info = await self._connection.unary(_rpc.simulation(method, self.name))
        return self

    async def refresh(self) -> AsyncSimulation:
        return await self._do("GetSimulation")

    async def events(
        self, from_sequence: int = 1, *, timeout: Duration | None = None
    ) -> AsyncIterator[SimulationEvent]:
        limit = None if timeout is None else seconds(timeout, "timeout")
        async for event in follow(
            self._connection, lambda first: _rpc.watch_simulation(self.name, first), from_sequence, limit
        ):
            yield SimulationEvent(event)

    async def wait(self, timeout: Duration | None = None) -> SimulationSummary:
        async for _ in self.events(timeout=timeout):
            pass
        await self.refresh()
        check_end(self.info, True)
        assert self.summary is not None
        return self.summary

    async def stop(self) -> AsyncSimulation:
        return await self._do("StopSimulation")

    async def delete(self) -> None:
        await self._connection.unary(_rpc.delete_simulation(self.name))


class AsyncSimulations:
    """The simulations of a daemon."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def list(self) -> list[AsyncSimulation]:
        infos = await _pages(self._connection, _rpc.list_simulations)
        return [AsyncSimulation(self._connection, info) for info in infos]

    async def get(self, name: str) -> AsyncSimulation:
        return AsyncSimulation(
            self._connection, await self._connection.unary(_rpc.simulation("GetSimulation", name))
        )

"""Sweeps of training jobs with asyncio."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from . import _rpc
from ._handles import Handle
from ._job_text import check_end
from ._values import Duration, seconds
from .aio_jobs import follow
from .aio_resources import _pages
from .sweep_records import SweepEvent, SweepInfo, SweepTrial
from .sweeps import ranked

if TYPE_CHECKING:
    from ._aio_connection import AsyncConnection


class AsyncSweep(Handle["AsyncConnection", SweepInfo]):
    """A sweep; see `vrpd.Sweep`. Has no argument `progress`."""

    @property
    def trials(self) -> list[SweepTrial]:
        return ranked(self.info.trials)

    @property
    def best(self) -> SweepTrial | None:
        return next((trial for trial in self.info.trials if trial.best), None)

    @property
    def model(self) -> str:
        return self.info.model

    async def _do(self, method: str) -> AsyncSweep:
        self.info = await self._connection.unary(_rpc.sweep(method, self.name))
        return self

    async def refresh(self) -> AsyncSweep:
        return await self._do("GetSweep")

    async def events(self, from_sequence: int = 1, *, timeout: Duration | None = None) -> AsyncIterator[SweepEvent]:
        limit = None if timeout is None else seconds(timeout, "timeout")
        async for event in follow(
            self._connection, lambda first: _rpc.watch_sweep(self.name, first), from_sequence, limit
        ):
            yield SweepEvent(event)

    async def wait(self, timeout: Duration | None = None, *, check: bool = True) -> AsyncSweep:
        async for _ in self.events(timeout=timeout):
            pass
        await self.refresh()
        check_end(self.info, check)
        return self

    async def stop(self) -> AsyncSweep:
        return await self._do("StopSweep")

    async def pause(self) -> AsyncSweep:
        return await self._do("PauseSweep")

    async def resume(self) -> AsyncSweep:
        return await self._do("ResumeSweep")

    async def delete(self) -> None:
        await self._connection.unary(_rpc.delete_sweep(self.name))


class AsyncSweeps:
    """The sweeps of a daemon."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def list(self) -> list[AsyncSweep]:
        return [AsyncSweep(self._connection, info) for info in await _pages(self._connection, _rpc.list_sweeps)]

    async def get(self, name: str) -> AsyncSweep:
        return AsyncSweep(self._connection, await self._connection.unary(_rpc.sweep("GetSweep", name)))

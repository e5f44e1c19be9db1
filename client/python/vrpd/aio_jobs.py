"""Training jobs and solve jobs with asyncio."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any

from . import _rpc
from ._handles import Handle
from ._job_text import check_end
from ._values import Duration, seconds
from .errors import UnavailableError
from .history import History
from .jobs import PAUSE_S, RECONNECT_S
from .model_records import Publication
from .result import Result
from .solve_job_records import SolveJobEvent, SolveJobInfo
from .training_records import TrainingEvent, TrainingJobInfo, TrainingProgress

if TYPE_CHECKING:
    from ._aio_connection import AsyncConnection
    from ._calls import Call


async def follow(
    connection: AsyncConnection, watch: Callable[[int], Call[Any]], first: int, timeout: float | None
) -> AsyncIterator[Any]:
    """Yields the events of a job from number `first` on, even across restarts of the daemon."""
    lost_since: float | None = None
    while True:
        try:
            async for event in connection.messages(watch(first), timeout):
                lost_since = None
                if event.sequence > 0:
                    first = event.sequence + 1
                    yield event
            return
        except UnavailableError:
            lost_since = lost_since or time.monotonic()
            if time.monotonic() - lost_since > RECONNECT_S:
                raise
            await asyncio.sleep(PAUSE_S)


class AsyncTrainingJob(Handle["AsyncConnection", TrainingJobInfo]):
    """A training job; see `vrpd.TrainingJob`. Has neither the attribute nor the argument `progress`."""

    @property
    def model(self) -> str:
        return self.info.model

    async def _do(self, method: str) -> AsyncTrainingJob:
        self.info = await self._connection.unary(_rpc.training_job(method, self.name))
        return self

    async def refresh(self) -> AsyncTrainingJob:
        return await self._do("GetTrainingJob")

    async def events(self, from_sequence: int = 1, *, timeout: Duration | None = None) -> AsyncIterator[TrainingEvent]:
        limit = None if timeout is None else seconds(timeout, "timeout")
        async for event in follow(
            self._connection, lambda first: _rpc.watch_training_job(self.name, first), from_sequence, limit
        ):
            yield TrainingEvent(event)

    async def wait(
        self,
        timeout: Duration | None = None,
        *,
        on_progress: Callable[[TrainingProgress], object] | None = None,
        check: bool = True,
    ) -> AsyncTrainingJob:
        async for event in self.events(timeout=timeout):
            if event.progress is not None and on_progress is not None:
                on_progress(event.progress)
        await self.refresh()
        check_end(self.info, check)
        return self

    async def history(
        self, *, from_step: int = 0, to_step: int = 0, max_points: int = 0, epochs_only: bool = False
    ) -> History:
        call = _rpc.history(self.name, from_step, to_step, max_points, epochs_only)
        return History(await self._connection.unary(call))

    async def stop(self) -> AsyncTrainingJob:
        return await self._do("StopTrainingJob")

    async def cancel(self) -> AsyncTrainingJob:
        return await self._do("CancelTrainingJob")

    async def pause(self) -> AsyncTrainingJob:
        return await self._do("PauseTrainingJob")

    async def resume(self) -> AsyncTrainingJob:
        return await self._do("ResumeTrainingJob")

    async def publish(self) -> Publication:
        return await self._connection.unary(_rpc.publish(self.name))

    async def delete(self) -> None:
        await self._connection.unary(_rpc.delete_training_job(self.name))


class AsyncSolveJob(Handle["AsyncConnection", SolveJobInfo]):
    """A solve job; see `vrpd.SolveJob`. Has neither the attribute nor the argument `progress`."""

    @property
    def result(self) -> Result | None:
        return self.info.response

    async def _do(self, method: str) -> AsyncSolveJob:
        self.info = await self._connection.unary(_rpc.solve_job(method, self.name))
        return self

    async def refresh(self) -> AsyncSolveJob:
        return await self._do("GetSolveJob")

    async def events(self, from_sequence: int = 1, *, timeout: Duration | None = None) -> AsyncIterator[SolveJobEvent]:
        limit = None if timeout is None else seconds(timeout, "timeout")
        async for event in follow(
            self._connection, lambda first: _rpc.watch_solve_job(self.name, first), from_sequence, limit
        ):
            yield SolveJobEvent(event)

    async def wait(self, timeout: Duration | None = None) -> Result:
        async for _ in self.events(timeout=timeout):
            pass
        await self.refresh()
        check_end(self.info, True)
        assert self.result is not None
        return self.result

    async def stop(self) -> AsyncSolveJob:
        return await self._do("StopSolveJob")

    async def delete(self) -> None:
        await self._connection.unary(_rpc.delete_solve_job(self.name))

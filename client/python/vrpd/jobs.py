"""Training jobs and solve jobs, which outlive this process and the daemon."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from . import _rpc
from ._handles import Handle
from ._job_text import JobProgress, check_end
from ._values import Duration, seconds
from .errors import UnavailableError
from .history import History
from .model_records import Publication
from .result import Result
from .solve_job_records import SolveJobEvent, SolveJobInfo, SolveProgress
from .training_records import TrainingEvent, TrainingJobInfo, TrainingProgress

if TYPE_CHECKING:
    from ._calls import Call
    from ._connection import Connection

RECONNECT_S = 60.0  # longest time of reconnecting to a lost daemon
PAUSE_S = 0.5  # time between two attempts to reconnect


def follow(
    connection: Connection, watch: Callable[[int], Call[Any]], first: int, timeout: float | None
) -> Iterator[Any]:
    """Yields the events of a job from number `first` on, even across restarts of the daemon; None for a heartbeat."""
    lost_since: float | None = None
    while True:
        try:
            for event in connection.messages(watch(first), timeout):
                lost_since = None
                if event.sequence == 0:
                    yield None
                    continue
                first = event.sequence + 1
                yield event
            return
        except UnavailableError:
            lost_since = lost_since or time.monotonic()
            if time.monotonic() - lost_since > RECONNECT_S:
                raise
            time.sleep(PAUSE_S)


class TrainingJob(Handle["Connection", TrainingJobInfo]):
    """A training job. Its attributes show the daemon's last answer; `refresh` asks again."""

    @property
    def progress(self) -> TrainingProgress | None:
        return self.info.progress

    @property
    def model(self) -> str:
        """The newest model that the job published, such as `models/mine/versions/1`; empty if there is none yet."""
        return self.info.model

    def refresh(self) -> TrainingJob:
        """Asks the daemon for the job's state."""
        return self._do("GetTrainingJob")

    def _do(self, method: str) -> TrainingJob:
        self.info = self._connection.unary(_rpc.training_job(method, self.name))
        return self

    def events(self, from_sequence: int = 1, *, timeout: Duration | None = None) -> Iterator[TrainingEvent]:
        """Iterates over the job's events from a sequence number on, until the job ends."""
        limit = None if timeout is None else seconds(timeout, "timeout")
        for event in follow(
            self._connection, lambda first: _rpc.watch_training_job(self.name, first), from_sequence, limit
        ):
            if event is not None:
                yield TrainingEvent(event)

    def wait(
        self,
        timeout: Duration | None = None,
        *,
        progress: bool = False,
        on_progress: Callable[[TrainingProgress], object] | None = None,
        check: bool = True,
    ) -> TrainingJob:
        """Blocks until the job has ended, and returns it.

        Ctrl-C and a timeout end the wait but not the job; see `stop` and `cancel`. Raises JobFailedError if the job
        failed or was cancelled, unless `check` is False, and DeadlineExceededError after the timeout.
        """
        with JobProgress(self.name, progress) as bar:
            for event in self.events(timeout=timeout):
                if event.progress is not None:
                    bar.training(event.progress)
                    if on_progress is not None:
                        on_progress(event.progress)
        self.refresh()
        check_end(self.info, check)
        return self

    def history(
        self, *, from_step: int = 0, to_step: int = 0, max_points: int = 0, epochs_only: bool = False
    ) -> History:
        """Returns the metrics of the job over its steps."""
        call = _rpc.history(self.name, from_step, to_step, max_points, epochs_only)
        return History(self._connection.unary(call))

    def stop(self) -> TrainingJob:
        """Ends the job early with a model. The job validates once more before it ends; `wait` blocks until then."""
        return self._do("StopTrainingJob")

    def cancel(self) -> TrainingJob:
        """Ends the job without a model."""
        return self._do("CancelTrainingJob")

    def pause(self) -> TrainingJob:
        """Pauses the job with a checkpoint."""
        return self._do("PauseTrainingJob")

    def resume(self) -> TrainingJob:
        """Queues a paused job again."""
        return self._do("ResumeTrainingJob")

    def publish(self) -> Publication:
        """Publishes the current weights of the running job as a live version of its model."""
        return self._connection.unary(_rpc.publish(self.name))

    def delete(self) -> None:
        """Deletes an ended job. The models that it published stay."""
        self._connection.unary(_rpc.delete_training_job(self.name))


class SolveJob(Handle["Connection", SolveJobInfo]):
    """A solve job. Its attributes show the daemon's last answer; `refresh` asks again."""

    @property
    def progress(self) -> SolveProgress | None:
        return self.info.progress

    @property
    def result(self) -> Result | None:
        """The result of a job that has succeeded, else None."""
        return self.info.response

    def refresh(self) -> SolveJob:
        """Asks the daemon for the job's state."""
        return self._do("GetSolveJob")

    def _do(self, method: str) -> SolveJob:
        self.info = self._connection.unary(_rpc.solve_job(method, self.name))
        return self

    def events(self, from_sequence: int = 1, *, timeout: Duration | None = None) -> Iterator[SolveJobEvent]:
        """Iterates over the job's events from a sequence number on, until the job ends."""
        limit = None if timeout is None else seconds(timeout, "timeout")
        for event in follow(
            self._connection, lambda first: _rpc.watch_solve_job(self.name, first), from_sequence, limit
        ):
            if event is not None:
                yield SolveJobEvent(event)

    def wait(self, timeout: Duration | None = None, *, progress: bool = False) -> Result:
        """Blocks until the job has ended, and returns its result.

        Ctrl-C and a timeout end the wait but not the job; see `stop`. Raises JobFailedError if the job failed or was
        cancelled, and DeadlineExceededError after the timeout.
        """
        with JobProgress(self.name, progress, self.info.budget) as bar:
            for event in self.events(timeout=timeout):
                if event.improvement is not None:
                    bar.search(event.improvement)
        self.refresh()
        check_end(self.info, True)
        assert self.result is not None
        return self.result

    def stop(self) -> SolveJob:
        """Ends the search now. The job succeeds with its best plan, which `wait` returns."""
        return self._do("StopSolveJob")

    def delete(self) -> None:
        """Deletes an ended job with its result."""
        self._connection.unary(_rpc.delete_solve_job(self.name))

"""Answers about solve jobs."""

from __future__ import annotations

from datetime import datetime

from .records import Record
from .result import Result
from .solution import Units
from .training_records import LogEvent, StateEvent, Status


class SolveProgress(Record):
    """Progress of a search."""

    MESSAGE = "SolveProgress"
    search_time: float | None
    improvement_count: int
    cost: float
    route_count: int
    unserved_count: int
    time_to_best: float | None


class SolveJobInfo(Record):
    """A solve job as it was when the daemon answered."""

    MESSAGE = "SolveJob"
    name: str
    state: str
    solve: Record | None
    instance_name: str
    attempt: int
    create_time: datetime | None
    start_time: datetime | None
    end_time: datetime | None
    budget: float | None
    progress: SolveProgress | None
    error: Status | None
    last_sequence: int
    request_id: str
    response: Result | None
    queue_position: int
    units: Units | None


class SolveJobEvent(Record):
    """An event of a solve job."""

    MESSAGE = "WatchSolveJobResponse"
    sequence: int
    attempt: int
    time: datetime | None
    state: StateEvent | None
    log: LogEvent | None
    improvement: SolveProgress | None
    resumed: SolveProgress | None
    response: Result | None
    queue_position: int

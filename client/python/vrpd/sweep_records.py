"""Answers about sweeps of training jobs."""

from __future__ import annotations

from datetime import datetime

from .records import Record
from .training_records import CompactedEvent, LogEvent, StateEvent, Status, TrainingProgress, TrainingSpec


class SweepSpec(Record):
    """A sweep as its user submitted it."""

    MESSAGE = "SweepSpec"
    sweep_yaml: str
    sweep_name: str
    base: TrainingSpec | None


class SweepTrial(Record):
    """A trial of a sweep. Without a `job`, it waits for its turn."""

    MESSAGE = "SweepTrial"
    number: int
    settings: dict[str, str]
    job: str
    state: str
    dropped: bool
    epoch: int
    total_epochs: int
    validation_cost: float | None
    validation_gap: float | None
    validation_reference: str
    run_time: float | None
    error: str
    best: bool


class SweepInfo(Record):
    """A sweep as it was when the daemon answered."""

    MESSAGE = "Sweep"
    name: str
    state: str
    spec: SweepSpec | None
    model_name: str
    method: str
    seed: int
    keys: tuple[str, ...]
    trial_count: int
    selection_epochs: tuple[int, ...]
    factor: int
    trials: tuple[SweepTrial, ...]
    attempt: int
    create_time: datetime | None
    start_time: datetime | None
    end_time: datetime | None
    run_time: float | None
    error: Status | None
    model: str
    last_sequence: int
    request_id: str
    queue_position: int
    finished_count: int


class TrialProgressEvent(Record):
    """The end of an epoch of a running trial."""

    MESSAGE = "TrialProgressEvent"
    trial: int
    progress: TrainingProgress | None


class SweepResultEvent(Record):
    """The model that a sweep published."""

    MESSAGE = "SweepResultEvent"
    best_trial: int
    model: str


class SweepEvent(Record):
    """An event of a sweep."""

    MESSAGE = "WatchSweepResponse"
    sequence: int
    attempt: int
    time: datetime | None
    state: StateEvent | None
    log: LogEvent | None
    progress: TrialProgressEvent | None
    trial: SweepTrial | None
    resumed_after: int | None
    result: SweepResultEvent | None
    compacted: CompactedEvent | None
    queue_position: int

"""Answers about training jobs."""

from __future__ import annotations

from datetime import datetime

from .records import Record


class Status(Record):
    """A status, which says why a job failed."""

    MESSAGE = "google.rpc.Status"
    code: int
    message: str
    details: tuple[Record, ...]


class PhaseTime(Record):
    """Time that a job spent in a phase."""

    MESSAGE = "PhaseTime"
    phase: str
    thread_seconds: float
    wall_seconds: float


class TrainingTotals(Record):
    """Sums since a job began or was resumed."""

    MESSAGE = "TrainingTotals"
    steps: int
    skipped_steps: int
    instances: int
    step_seconds: float
    phases: tuple[PhaseTime, ...]
    copies: int
    copied_bytes: int
    matrix_bytes: int
    wall_seconds: float
    wall_phases: tuple[PhaseTime, ...]


class TrainingProgress(Record):
    """Progress of a training job."""

    MESSAGE = "TrainingProgress"
    epoch: int
    total_epochs: int
    step: int
    total_steps: int
    loss: float
    train_cost: float
    validation_cost: float | None
    validation_reference_cost: float | None
    learning_rate: float
    gradient_norm: float
    instances_per_second: float
    end_of_epoch: bool
    validation_gap: float | None
    accuracy: float | None
    validation_accuracy: float | None
    max_log_prob_difference: float
    instances_seen: int
    totals: TrainingTotals | None
    matrix_bytes_per_step: float
    device_utilization: float | None
    device_memory_used_bytes: int | None
    validation_reference: str
    seconds_per_step: float | None
    seconds_per_epoch: float | None


class TrainingSpec(Record):
    """The specification of a training job."""

    MESSAGE = "TrainingSpec"
    config_yaml: str
    config_name: str
    overrides: tuple[str, ...]
    device: str
    priority: int
    labels: dict[str, str]
    time_limit: float | None
    epoch_limit: int
    threads: int


class PublishedWeights(Record):
    """The weights that a training job published at its end."""

    MESSAGE = "PublishedWeights"
    epoch: int
    step: int
    reason: str
    validation_cost: float | None


class TrainingJobInfo(Record):
    """A training job as it was when the daemon answered."""

    MESSAGE = "TrainingJob"
    name: str
    state: str
    spec: TrainingSpec | None
    attempt: int
    create_time: datetime | None
    start_time: datetime | None
    end_time: datetime | None
    progress: TrainingProgress | None
    error: Status | None
    model: str
    last_sequence: int
    request_id: str
    tensorboard_folder: str
    queue_position: int
    end_reason: str
    run_time: float | None
    best: TrainingProgress | None
    settings: dict[str, str]
    published_weights: PublishedWeights | None
    stop_requested: bool
    resolved_config_yaml: str
    resolved_settings: dict[str, str]
    resolved_device: str
    sweep: str
    trial: int
    device: str
    threads: int


class LogEvent(Record):
    """A line of a job's log."""

    MESSAGE = "LogEvent"
    line: str


class StateEvent(Record):
    """A new state of a job."""

    MESSAGE = "StateEvent"
    state: str
    error: str


class CheckpointEvent(Record):
    """A checkpoint."""

    MESSAGE = "CheckpointEvent"
    step: int


class ResumedEvent(Record):
    """The point from which a job continues after an interruption."""

    MESSAGE = "ResumedEvent"
    resumed_from_step: int


class ModelEvent(Record):
    """A published model."""

    MESSAGE = "ModelEvent"
    model: str
    live_step: int
    published_weights: PublishedWeights | None


class CompactedEvent(Record):
    """A placeholder for removed events."""

    MESSAGE = "CompactedEvent"
    first_sequence: int


class TrainingEvent(Record):
    """An event of a training job."""

    MESSAGE = "WatchTrainingJobResponse"
    sequence: int
    attempt: int
    time: datetime | None
    state: StateEvent | None
    log: LogEvent | None
    progress: TrainingProgress | None
    checkpoint: CheckpointEvent | None
    resumed: ResumedEvent | None
    model: ModelEvent | None
    compacted: CompactedEvent | None
    queue_position: int


class TrainingHistoryPoint(Record):
    """The metrics of a step."""

    MESSAGE = "TrainingHistoryPoint"
    time: datetime | None
    attempt: int
    progress: TrainingProgress | None

"""Answers about the daemon itself."""

from __future__ import annotations

from datetime import datetime

from .records import Record
from .simulation_records import SimulationProgress
from .solution import Units
from .solve_job_records import SolveProgress
from .training_records import TrainingProgress


class Device(Record):
    """A device of the daemon."""

    MESSAGE = "Device"
    id: str
    name: str
    memory_bytes: int
    amp_supported: bool
    bf16_supported: bool


class Limits(Record):
    """Limits of the daemon."""

    MESSAGE = "Limits"
    max_message_bytes: int
    max_nodes: int
    max_matrix_nodes: int
    max_threads: int
    max_budget_ms: int
    max_solve_job_budget_ms: int
    max_open_streams: int
    max_calls_per_connection: int
    max_queued_solves: int
    max_queued_jobs: int
    max_connections: int
    max_request_memory_bytes: int


class ServerSetting(Record):
    """A setting of the daemon that differs from its default."""

    MESSAGE = "ServerSetting"
    key: str
    value: str
    default_value: str


class ServerInfo(Record):
    """Version, devices and limits of the daemon."""

    MESSAGE = "ServerInfo"
    version: str
    git_commit: str
    torch_version: str
    grpc_version: str
    devices: tuple[Device, ...]
    default_device: str
    threads: int
    limits: Limits | None
    start_time: datetime | None
    log_level: str
    metrics_address: str
    device_loss: str
    metrics_url: str
    road_networks: tuple[str, ...]
    settings: tuple[ServerSetting, ...]


class DurationHistogram(Record):
    """A histogram of durations."""

    MESSAGE = "DurationHistogram"
    buckets: tuple[Record, ...]
    count: int
    sum_seconds: float


class RpcStats(Record):
    """Ended and running requests of an RPC."""

    MESSAGE = "RpcStats"
    rpc: str
    outcomes: tuple[Record, ...]
    in_flight: int
    duration: DurationHistogram | None


class QueueStats(Record):
    """A queue of the daemon."""

    MESSAGE = "QueueStats"
    queue: str
    waiting: int
    capacity: int
    threads: int
    wait: DurationHistogram | None


class SolveStats(Record):
    """Durations of solves with a strategy."""

    MESSAGE = "SolveStats"
    strategy: str
    duration: DurationHistogram | None


class JobCount(Record):
    """Number of jobs in a state."""

    MESSAGE = "JobCount"
    kind: str
    state: str
    count: int


class ActiveJob(Record):
    """A job that neither waits nor has ended."""

    MESSAGE = "ActiveJob"
    name: str
    state: str
    start_time: datetime | None
    training: TrainingProgress | None
    solve: SolveProgress | None
    simulation: SimulationProgress | None
    budget: float | None
    units: Units | None
    device: str
    threads: int


class ProcessStats(Record):
    """Resources that the daemon's process uses."""

    MESSAGE = "ProcessStats"
    resident_bytes: int
    cpu_seconds: float
    threads: int
    open_files: int


class DeviceStats(Record):
    """The state of the CPU or of a GPU."""

    MESSAGE = "DeviceStats"
    id: str
    name: str
    uuid: str
    driver_version: str
    utilization: float | None
    memory_total_bytes: int | None
    memory_used_bytes: int | None
    memory_allocated_bytes: int | None
    memory_reserved_bytes: int | None
    temperature_celsius: int | None
    power_watts: float | None
    power_limit_watts: float | None
    sm_clock_mhz: int | None
    error: str
    memory_utilization: float | None
    training_jobs: tuple[str, ...]


class ServerStats(Record):
    """The daemon's current activity, and totals since its start."""

    MESSAGE = "ServerStats"
    time: datetime | None
    start_time: datetime | None
    rpcs: tuple[RpcStats, ...]
    queues: tuple[QueueStats, ...]
    solves: tuple[SolveStats, ...]
    jobs: tuple[JobCount, ...]
    active_jobs: tuple[ActiveJob, ...]
    models_available: int
    models_loaded: int
    open_streams: int
    process: ProcessStats | None
    not_ready: tuple[str, ...]
    devices: tuple[DeviceStats, ...]
    driver_error: str


class BackupSummary(Record):
    """Totals of a backup."""

    MESSAGE = "BackupSummary"
    sha256: str
    file_count: int
    job_count: int
    model_count: int
    skipped_link_count: int

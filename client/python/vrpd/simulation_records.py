"""Answers about simulations of dispatch."""

from __future__ import annotations

from datetime import datetime

from .records import Record
from .training_records import LogEvent, StateEvent, Status


class SimulatedDecision(Record):
    """One decision of a simulated day."""

    MESSAGE = "SimulatedDecision"
    departure: float
    known_count: int
    must_go_count: int
    dispatched_count: int
    missed_count: int
    route_count: int
    scenarios: int
    cost: float
    time: float | None


class SimulatedDay(Record):
    """A day under a policy."""

    MESSAGE = "SimulatedDay"
    day: str
    site: str
    seed: int
    policy: str
    request_count: int
    cost: float
    hindsight_cost: float | None
    hindsight_unserved_count: int
    gap_percent: float | None
    missed_count: int
    decisions: tuple[SimulatedDecision, ...]


class SimulatedDayResults(Record):
    """A day under all policies of the simulation."""

    MESSAGE = "SimulatedDayResults"
    results: tuple[SimulatedDay, ...]


class PolicySummary(Record):
    """The days of one policy."""

    MESSAGE = "PolicySummary"
    policy: str
    day_count: int
    mean_cost: float
    mean_gap_percent: float | None
    missed_count: int


class SimulationSummary(Record):
    """The result of a simulation."""

    MESSAGE = "SimulationSummary"
    policies: tuple[PolicySummary, ...]
    stopped: bool


class SimulationProgress(Record):
    """Progress of a simulation."""

    MESSAGE = "SimulationProgress"
    finished_day_count: int
    day_count: int
    run_time: float | None


class SimulationInfo(Record):
    """A simulation as it was when the daemon answered."""

    MESSAGE = "Simulation"
    name: str
    state: str
    spec: Record | None
    site_names: tuple[str, ...]
    attempt: int
    create_time: datetime | None
    start_time: datetime | None
    end_time: datetime | None
    progress: SimulationProgress | None
    error: Status | None
    last_sequence: int
    request_id: str
    queue_position: int
    days: tuple[SimulatedDayResults, ...]
    summary: SimulationSummary | None


class SimulationEvent(Record):
    """An event of a simulation."""

    MESSAGE = "WatchSimulationResponse"
    sequence: int
    attempt: int
    time: datetime | None
    state: StateEvent | None
    log: LogEvent | None
    day: SimulatedDayResults | None
    resumed: SimulationProgress | None
    summary: SimulationSummary | None
    queue_position: int

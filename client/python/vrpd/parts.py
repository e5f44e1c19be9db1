"""The parts of a model: locations, depots, customers, vehicle types, shipments and groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Union

if TYPE_CHECKING:
    import numpy

MatrixLike = Union["numpy.ndarray[Any, Any]", Sequence[Sequence[float]]]
"""A square matrix: a numpy array or nested lists."""


@dataclass(frozen=True)
class Location:
    """Coordinates that depots and customers may share. Two locations are equal only if they are the same object."""

    x: float
    y: float
    name: str = ""

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


@dataclass(frozen=True)
class TimeWindow:
    """The times at which service may start."""

    early: float = 0.0
    late: float | None = None
    """None means no end."""
    late_cost: float | None = None
    """Cost per unit of time after `late`, which makes the window soft."""


WindowLike = Union[TimeWindow, Sequence[Union[float, None]]]
"""A TimeWindow, or a tuple (early, late) or (early, late, late_cost)."""


def to_window(value: WindowLike, what: str) -> TimeWindow:
    """Returns the value as a TimeWindow. `what` names the argument in errors."""
    if isinstance(value, TimeWindow):
        return value
    numbers = list(value)
    if not 2 <= len(numbers) <= 3 or numbers[0] is None:
        raise ValueError(f"{what}: got {value!r}, wanted (early, late) or (early, late, late_cost)")
    return TimeWindow(numbers[0], *numbers[1:])


def single_window(early: float | None, late: float | None, late_cost: float | None = None) -> tuple[TimeWindow, ...]:
    """Returns the window of the arguments tw_early, tw_late and tw_late_cost; none if all are absent."""
    if early is None and late is None and late_cost is None:
        return ()
    return (TimeWindow(early or 0.0, late, late_cost),)


@dataclass(frozen=True, eq=False)
class Depot:
    """A depot, where vehicles start and end."""

    location: Location | None
    window: TimeWindow | None = None
    name: str = ""


@dataclass(frozen=True, eq=False)
class Customer:
    """A client that vehicles visit."""

    location: Location | None
    delivery: tuple[float, ...] = ()
    pickup: tuple[float, ...] = ()
    backhaul: tuple[float, ...] = ()
    windows: tuple[TimeWindow, ...] = ()
    service_duration: float = 0.0
    setup_duration: float = 0.0
    release_time: float = 0.0
    skills: tuple[str, ...] = ()
    prize: float | None = None
    """None means that the client must be served."""
    priority: int = 0
    name: str = ""


@dataclass(frozen=True, eq=False)
class Matrices:
    """Distances and durations between all nodes, depots first, or the name of uploaded matrices."""

    distances: MatrixLike | None = None
    durations: MatrixLike | None = None
    uploaded: str = ""


@dataclass(eq=False)
class Profile:
    """Distances and durations of some vehicle types."""

    name: str = ""
    matrices: Matrices | None = None
    edges: list[Edge] = field(default_factory=list)
    road_network: str = ""
    """Name of a road network of the daemon; empty: the model's."""


@dataclass(frozen=True, eq=False)
class Edge:
    """The distance and duration from one location to another."""

    frm: Location | Depot | Customer
    to: Location | Depot | Customer
    distance: float
    duration: float = 0.0


@dataclass(frozen=True)
class Break:
    """A pause that starts within the window."""

    window: TimeWindow
    duration: float


@dataclass(frozen=True)
class DrivingRules:
    """Rules of drivers' hours. Numbers beside a preset replace the preset's."""

    preset: str = ""
    """"eu_561_daily", or empty. It needs the model's `time_unit` "s", "min" or "h"."""
    max_driving_before_break: float | None = None
    """Maximum driving before a break. None means no breaks."""
    break_duration: float | None = None
    first_part: float | None = None
    """Minimum duration of the first of the two parts of a break. None means that it may not be split."""
    second_part: float | None = None
    max_driving: float | None = None
    """Maximum driving of a route."""
    max_work: float | None = None
    """Maximum driving, setup and service of a route."""


@dataclass(frozen=True, eq=False)
class VehicleType:
    """A number of equal vehicles."""

    num_available: int | None
    """None means unlimited."""
    capacity: tuple[float, ...] = ()
    start_depot: int = 0
    end_depot: int | None = None
    open_end: bool = False
    shift: TimeWindow | None = None
    fixed_cost: float | None = None
    unit_distance_cost: float | None = None
    unit_duration_cost: float | None = None
    max_duration: float | None = None
    max_overtime: float | None = None
    unit_overtime_cost: float | None = None
    max_distance: float | None = None
    max_waiting: float | None = None
    max_stops: int | None = None
    max_reloads: int | None = None
    skills: tuple[str, ...] = ()
    breaks: tuple[Break, ...] = ()
    driving_rules: DrivingRules | None = None
    profile: Profile | None = None
    name: str = ""


VEHICLE_NUMBERS = {
    "fixed_cost": "fixed_cost",
    "unit_distance_cost": "cost_per_distance",
    "unit_duration_cost": "cost_per_time",
    "max_duration": "max_duration",
    "max_overtime": "max_overtime",
    "unit_overtime_cost": "overtime_cost",
    "max_distance": "max_distance",
    "max_waiting": "max_waiting",
    "max_stops": "max_stops",
    "max_reloads": "max_reloads",
}
"""Costs and limits: the fields of VehicleType, and their names in vrp.v1.Vehicle and in our JSON."""


@dataclass(frozen=True, eq=False)
class Shipment:
    """Goods that one vehicle brings from one client to another."""

    pickup: Customer
    delivery: Customer
    amount: tuple[float, ...]
    name: str = ""


@dataclass(eq=False)
class ClientGroup:
    """Clients of which exactly one is served, or at most one if `required` is False."""

    required: bool = True
    name: str = ""
    clients: list[Customer] = field(default_factory=list)

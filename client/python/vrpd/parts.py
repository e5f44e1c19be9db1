"""The parts of a model: locations, depots, customers, vehicle types, shipments, groups and rules."""

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
    service_duration: float = 0.0
    """Time to load a vehicle before each departure."""


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
    durations_at: tuple[tuple[float, MatrixLike], ...] = ()
    """Durations by the time of departure, in order of time, instead of `durations`."""
    lengths: MatrixLike | None = None
    """Lengths that `max_distance` limits, instead of `distances`."""


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
    """A pause that starts within one of its windows."""

    window: TimeWindow
    duration: float
    further_windows: tuple[TimeWindow, ...] = ()
    """Windows after the first, in order."""
    max_load: tuple[float, ...] = ()
    """Largest load, per load dimension, with which the vehicle may take the break. Empty means no limit."""


@dataclass(frozen=True, eq=False)
class ClientTimes:
    """Times that vehicles of one type need at a client; None means the client's own."""

    client: Customer
    service_duration: float | None = None
    setup_duration: float | None = None


@dataclass(frozen=True)
class Compartment:
    """A part of a vehicle's space that holds goods of at most one load dimension at a time."""

    capacity: float
    load_dimensions: tuple[int, ...] = ()
    """The load dimensions that it may hold; none means any."""


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
    reload_depots: tuple[int, ...] = ()
    """Indices of depots; empty means the start depot."""
    start_late: float | None = None
    initial_load: tuple[float, ...] = ()
    skills: tuple[str, ...] = ()
    breaks: tuple[Break, ...] = ()
    driving_rules: DrivingRules | None = None
    lifo: bool = False
    compartments: tuple[Compartment, ...] = ()
    client_times: tuple[ClientTimes, ...] = ()
    unit_service_cost: float | None = None
    unit_travel_cost: float | None = None
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
    "start_late": "latest_start",
    "unit_service_cost": "cost_per_service_time",
    "unit_travel_cost": "cost_per_travel_time",
}
"""Costs and limits: the fields of VehicleType, and their names in vrp.v1.Vehicle and in our JSON."""


@dataclass(frozen=True)
class Balance:
    """A limit or a price on the spread: the largest measure of a route minus the smallest one."""

    measure: str
    max_spread: float | None = None
    cost: float = 0.0
    all_vehicles: bool = False


@dataclass(frozen=True, eq=False)
class Shipment:
    """Goods that one vehicle brings from one client to another."""

    pickup: Customer
    delivery: Customer
    amount: tuple[float, ...]
    name: str = ""


@dataclass(frozen=True, eq=False)
class CustomerRule:
    """A rule between clients."""

    kind: str
    """"same_route", "different_routes", "max_per_route" or "in_order"."""
    clients: tuple[Customer, ...]
    max: int | None = None


@dataclass(eq=False)
class ClientGroup:
    """Clients of which exactly one is served, or at most one if `required` is False."""

    required: bool = True
    name: str = ""
    clients: list[Customer] = field(default_factory=list)

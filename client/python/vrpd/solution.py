"""Plans: routes with their stops, times and loads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ._polyline import decode_polyline
from .records import Record

if TYPE_CHECKING:
    import pandas


class Location(Record):
    """A location in an answer."""

    MESSAGE = "Location"
    x: float
    y: float


class Stop(Record):
    """A visit of a route, or its start, its end or a reload at a depot."""

    MESSAGE = "Stop"
    node: int
    id: str
    location: Location | None
    arrival: float
    start: float
    departure: float
    load: tuple[float, ...]
    depot: bool


class RouteBreak(Record):
    """A break that a vehicle takes."""

    MESSAGE = "RouteBreak"
    index: int
    after_stop: int
    start: float
    end: float
    driving_break: bool


class CompartmentUse(Record):
    """A compartment that a route uses on a trip, and its part of the load."""

    MESSAGE = "CompartmentUse"
    trip: int
    compartment: int
    load_dimension: int
    load: float


class Route(Record):
    """A route. Iterates over the node numbers of its customers; `len` is their number."""

    MESSAGE = "Route"
    vehicle: int
    vehicle_id: str
    stops: tuple[Stop, ...]
    distance: float
    duration: float
    load: tuple[float, ...]
    breaks: tuple[RouteBreak, ...]
    frozen_stops: int
    leg_polylines: tuple[str, ...]
    compartments: tuple[CompartmentUse, ...]

    @property
    def streets(self) -> tuple[tuple[tuple[float, float], ...], ...]:
        """Longitudes and latitudes of the streets of each leg between two stops; empty without geometry."""
        return tuple(decode_polyline(text) for text in self.leg_polylines)

    @property
    def visits(self) -> tuple[int, ...]:
        """Node numbers of the customers in order."""
        return tuple(stop.node for stop in self.stops if not stop.depot)

    def __iter__(self) -> Iterator[int]:
        return iter(self.visits)

    def __len__(self) -> int:
        return len(self.visits)

    def __str__(self) -> str:
        return " ".join("|" if stop.depot else stop.id or str(stop.node) for stop in self.stops[1:]).rstrip(" |")


class UnservedCustomer(Record):
    """A customer that no route serves, with the reason."""

    MESSAGE = "UnservedCustomer"
    node: int
    id: str
    reason: str


class CostBreakdown(Record):
    """The parts of a cost."""

    MESSAGE = "CostBreakdown"
    distance: float
    duration: float
    fixed: float
    overtime: float
    lateness: float
    prizes: float
    balance: float


class Units(Record):
    """The units of a plan's numbers, as far as they are known."""

    MESSAGE = "Units"
    metres_per_distance_unit: float
    seconds_per_time_unit: float
    times_of_day: bool
    cost: str


class Violation(Record):
    """A constraint that a plan breaks."""

    MESSAGE = "Violation"
    kind: str
    route: int | None
    node: int | None
    amount: float
    message: str


class Solution(Record):
    """A plan."""

    MESSAGE = "Solution"
    routes: tuple[Route, ...]
    cost: float
    cost_breakdown: CostBreakdown | None
    distance: float
    duration: float
    unserved: tuple[UnservedCustomer, ...]
    units: Units | None
    spread: float | None

    def to_dataframe(self) -> pandas.DataFrame:
        """Returns a row for each stop. Needs pandas."""
        import pandas

        return pandas.DataFrame(_stop_rows(self), columns=_columns(self))


_FIXED_COLUMNS = ["route", "vehicle", "position", "node", "id", "depot", "x", "y", "arrival", "start", "departure"]


def _dimensions(solution: Solution) -> int:
    return max((len(stop.load) for route in solution.routes for stop in route.stops), default=0)


def _columns(solution: Solution) -> list[str]:
    count = _dimensions(solution)
    return _FIXED_COLUMNS + (["load"] if count == 1 else [f"load_{index}" for index in range(count)])


def _stop_rows(solution: Solution) -> list[list[Any]]:
    count = _dimensions(solution)
    rows = []
    for number, route in enumerate(solution.routes):
        for position, stop in enumerate(route.stops):
            location = stop.location
            x, y = (None, None) if location is None else (location.x, location.y)
            load = [*stop.load, *[0.0] * (count - len(stop.load))]
            head = [number, route.vehicle_id or route.vehicle, position, stop.node, stop.id, stop.depot, x, y]
            rows.append([*head, stop.arrival, stop.start, stop.departure, *load])
    return rows

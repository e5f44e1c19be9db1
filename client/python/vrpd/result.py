"""The answer of a solve."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from . import _plots
from ._proto import enum_number
from .errors import UnimplementedError
from .records import Record
from .solution import (
    CostBreakdown,
    Route,
    Solution,
    Units,
    UnservedCustomer,
    Violation,
)

if TYPE_CHECKING:
    import pandas

    from .client import Client


class SolutionFile(Record):
    """A plan as a file in some format."""

    MESSAGE = "SolutionFile"
    name: str
    content: bytes
    format: str


class TimeBreakdown(Record):
    """Seconds of each part of a solve; None for a part that did not run. `decode` is the whole time of the network."""

    MESSAGE = "TimeBreakdown"
    queue: float | None
    decode: float | None
    search: float | None
    total: float | None
    roads: float | None


class DroppedVisit(Record):
    """A visit of the initial solution that broke a constraint."""

    MESSAGE = "DroppedVisit"
    route: int
    node: int
    id: str
    reason: str


class InitialSolutionReport(Record):
    """A report on how the daemon used the initial solution."""

    MESSAGE = "InitialSolutionReport"
    kept_customers: int
    cost: float
    dropped_visits: tuple[DroppedVisit, ...]
    missing_customers: int
    frozen_stops: int


class SimilarDayReport(Record):
    """The past day from which the search started."""

    MESSAGE = "SimilarDayReport"
    history: str
    day: str
    """Such as "2026-11-27"; empty if no past day has a stop of the problem."""
    common_stops: int
    """Clients that the day had too."""
    past_stops: int
    """Stops with an id of the day."""


class PlanHabits(Record):
    """How usual the legs of a plan are, by a habit model."""

    MESSAGE = "PlanHabits"
    weight: float
    leg_cost: float
    """The cost of a usual leg, by which the search multiplies the weight."""
    legs: int
    log_probability: float
    """Sum of the natural logarithms of the probabilities of the legs."""
    cost: float
    """What the search added to the cost of the plan."""
    moved_routes: int
    """Routes that another driver got in the end."""
    turned_routes: int
    """Routes that were turned in the end."""


class Plan(Record):
    """A message with a plan. The fields of the plan are also attributes of the message."""

    solution: Solution | None

    @property
    def plan(self) -> Solution:
        """The plan, or an empty plan if there is none."""
        return self.solution or Solution._empty()

    @property
    def routes(self) -> tuple[Route, ...]:
        return self.plan.routes

    @property
    def cost(self) -> float:
        return self.plan.cost

    @property
    def distance(self) -> float:
        return self.plan.distance

    @property
    def duration(self) -> float:
        return self.plan.duration

    @property
    def cost_breakdown(self) -> CostBreakdown | None:
        return self.plan.cost_breakdown

    @property
    def unserved(self) -> tuple[UnservedCustomer, ...]:
        """Customers that no route serves, with reasons."""
        return self.plan.unserved

    @property
    def units(self) -> Units | None:
        return self.plan.units

    def __iter__(self) -> Iterator[Route]:
        return iter(self.routes)

    def to_dataframe(self) -> pandas.DataFrame:
        """Returns a row for each stop. Needs pandas."""
        return self.plan.to_dataframe()


class Improvement(Plan):
    """A plan that is better than all earlier ones."""

    MESSAGE = "Improvement"
    solution: Solution | None
    gap: float | None
    elapsed: float | None


class RenderedPlan(Plan):
    """A plan with its instance, which can be drawn and written in other formats."""

    _instance: Any = None  # the vrp.v1.Instance or InstanceFile that was solved or checked
    _client: Client | None = None
    _is_of_steps: bool = False  # whether the plan is that of the `steps` in VROOM's input, with their times

    def _attach(self, request: Any, client: Client | None) -> None:
        self._instance = getattr(request, request.WhichOneof("input"))
        self._client = client

    def __getstate__(self) -> dict[str, Any]:
        instance = self._instance
        packed = None if instance is None else (instance.DESCRIPTOR.full_name, instance.SerializeToString())
        return {**super().__getstate__(), "instance": packed, "is_of_steps": self._is_of_steps}

    def __setstate__(self, state: dict[str, Any]) -> None:
        from ._proto import message_class

        super().__setstate__(state)
        self._is_of_steps = state["is_of_steps"]
        if state["instance"] is not None:
            name, content = state["instance"]
            self._instance = message_class(name).FromString(content)

    def _render(self, format: str) -> bytes:
        from .client import default_client

        if self._instance is None:
            raise ValueError(
                f"to_{format}: the instance of this plan is unknown; use a plan that solve() or check() returned"
            )
        return (self._client or default_client())._render(self._instance, self.plan, format, self._is_of_steps)

    def to_vrplib(self) -> str:
        """Returns the plan as text of CVRPLIB's .sol format."""
        return self._render("vrplib").decode()

    def to_vroom(self) -> dict[str, Any]:
        """Returns the plan as VROOM's output."""
        result: dict[str, Any] = json.loads(self._render("vroom"))
        return result

    def to_geojson(self) -> dict[str, Any]:
        """Returns a GeoJSON FeatureCollection, for instances with longitudes and latitudes."""
        result: dict[str, Any] = json.loads(self._render("geojson"))
        return result

    def plot(self, ax: Any = None) -> Any:
        """Draws the routes.

        Returns a folium map for longitudes and latitudes if folium is installed and no `ax` is given, else
        matplotlib's Axes.
        """
        if ax is None and _plots.has_folium() and self._may_be_on_map():
            try:
                return _plots.draw_map(self.plan, self.to_geojson())
            except UnimplementedError:  # a file whose coordinates turned out to be planar
                pass
        return _plots.draw_routes(self.plan, ax)

    def _may_be_on_map(self) -> bool:
        if self._instance is None or not any(self.routes):
            return False
        system = getattr(self._instance, "coordinate_system", None)
        return system is None or system == enum_number("CoordinateSystem", "lon_lat", "coordinate_system")


class Result(RenderedPlan):
    """The answer of a solve: a plan, its violations and how it was found. Iterates over the routes."""

    MESSAGE = "SolveResponse"
    name: str
    solution: Solution | None
    feasible: bool
    violations: tuple[Violation, ...]
    strategy: str
    model: str
    seed: int
    budget: float | None
    times: TimeBreakdown | None
    end_reason: str
    iterations: int
    metric: str
    objective: str
    reference_cost: float | None
    gap: float | None
    solution_file: bytes
    policy_note: str
    initial_solution: InitialSolutionReport | None
    rendered: tuple[SolutionFile, ...]
    threads: int
    no_improvement: float | None
    geometry_note: str
    habits: PlanHabits | None
    similar_day: SimilarDayReport | None

    def is_feasible(self) -> bool:
        """Whether the plan breaks no constraint and serves all customers that must be served."""
        return self.feasible

    def summary(self) -> str:
        """Returns a short text about the plan and the search."""
        lines = [f"# routes:     {len(self.routes)}", f"# unserved:   {len(self.unserved)}"]
        lines.append(f"cost:         {self.cost:g}" + ("" if self.gap is None else f" (gap {self.gap:+.2%})"))
        lines.append(f"feasible:     {'yes' if self.feasible else 'no'}")
        total = None if self.times is None else self.times.total
        lines.append(
            f"run-time:     {0 if total is None else total:.2f} seconds ({self.strategy}, ended by {self.end_reason})"
        )
        return "\n".join(lines)

    def __str__(self) -> str:
        text = "Solution results\n================\n" + self.summary() + "\n\nRoutes\n------"
        for number, route in enumerate(self.routes, 1):
            text += f"\nRoute #{number}: {route}"
        for customer in self.unserved:
            text += f"\nUnserved {customer.id or customer.node}: {customer.reason}"
        return text

"""The options of a solve, and their conversion to a message."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict, Union

from . import _proto
from ._values import Duration, Path, model_name, resource_name, set_duration
from .parts import Customer
from .result import Improvement, Plan
from .solution import Solution

if TYPE_CHECKING:
    from .model import Model


@dataclass(frozen=True)
class PlannedRoute:
    """A route to start from or to check."""

    visits: Sequence[int | str | Customer]
    """Node numbers, names of clients, or clients. A first depot is the start; before a first reload, give the start."""
    vehicle: int = 0
    """Index of the vehicle type."""
    frozen_stops: int = 0
    """Number of leading visits that must not change."""


StartPlan = Union[Plan, Solution, Path, Iterable[Union[PlannedRoute, Sequence[Union[int, str, Customer]]]]]
"""A result, a list of routes, or the path of a file with a plan, such as a .sol file."""


class SolveOptions(TypedDict, total=False):
    """Options of solve(). `vrpd.Client.solve` explains them."""

    budget: Duration
    stop_after: Duration
    stop_after_share: float
    target_cost: float
    target_gap: float
    max_iterations: int
    stop_automatically: bool
    strategy: str
    model: str
    habit_weight: float
    threads: int
    idle_threads: bool
    seed: int
    width: int
    rounds: int
    network_only: bool
    initial_solution: StartPlan
    similar_day: str
    frozen_stops: int
    render: Sequence[str]
    render_solution_file: bool
    include_geometry: bool


class HabitSearch(TypedDict, total=False):
    """How `client.models.evaluate` plans past days. The API reference has the defaults."""

    max_days: int
    weights: Sequence[float]
    max_iterations: int
    budget: Duration


class CallOptions(SolveOptions, total=False):
    """Options of solve(), with those of the call itself."""

    timeout: Duration
    progress: bool
    on_improvement: Callable[[Improvement], object]


def solve_request(
    instance: Any,
    problem: Model | None = None,
    *,
    budget: Duration | None = None,
    stop_after: Duration | None = None,
    stop_after_share: float | None = None,
    target_cost: float | None = None,
    target_gap: float | None = None,
    max_iterations: int | None = None,
    stop_automatically: bool = False,
    strategy: str | None = None,
    model: str = "",
    habit_weight: float | None = None,
    threads: int = 0,
    idle_threads: bool = False,
    seed: int = 0,
    width: int = 0,
    rounds: int = 0,
    network_only: bool = False,
    initial_solution: StartPlan | None = None,
    similar_day: str | None = None,
    frozen_stops: int = 0,
    render: Sequence[str] = (),
    render_solution_file: bool = False,
    include_geometry: bool = False,
) -> Any:
    """Returns a SolveRequest for a message of an instance or a file."""
    request = _proto.message(
        "SolveRequest",
        model=model_name(model),
        threads=threads,
        idle_threads=idle_threads,
        seed=seed,
        width=width,
        rounds=rounds,
        network_only=network_only,
        frozen_stops=frozen_stops,
        render=[_proto.enum_number("SolutionFormat", format, "render") for format in render],
        render_solution_file=render_solution_file,
        include_geometry=include_geometry,
    )
    set_input(request, instance)
    if habit_weight is not None:
        request.habit_weight = habit_weight
    if strategy is not None:
        request.strategy = _proto.enum_number("Strategy", strategy, "strategy")
    if budget is not None:
        set_duration(request.budget, budget, "budget")
    if stop_after is not None:
        set_duration(request.stop.no_improvement, stop_after, "stop_after")
    for field, value in (
        ("no_improvement_share", stop_after_share),
        ("target_cost", target_cost),
        ("target_gap", target_gap),
        ("max_iterations", max_iterations),
        ("automatic", stop_automatically or None),
    ):
        if value is not None:
            setattr(request.stop, field, value)
    if initial_solution is not None:
        if similar_day is not None:
            raise TypeError("solve: similar_day: given together with initial_solution, wanted one of them")
        set_plan(request, "initial_solution", "initial_solution_file", initial_solution, problem)
    if similar_day is not None:
        request.similar_day.history = resource_name("datasets", similar_day)
    return request


def set_input(request: Any, instance: Any) -> None:
    """Stores an Instance or an InstanceFile in a request."""
    field = "file" if instance.DESCRIPTOR.name == "InstanceFile" else "instance"
    getattr(request, field).CopyFrom(instance)


def set_plan(request: Any, field: str, file_field: str, plan: StartPlan, problem: Model | None) -> None:
    """Stores a plan in a request: a path in `file_field`, any other plan in `field`."""
    if isinstance(plan, (str, os.PathLike)):
        with open(plan, "rb") as file:
            target = getattr(request, file_field)
            target.name, target.content = os.path.basename(plan), file.read()
        return
    target = getattr(request, field)
    target.SetInParent()
    if isinstance(plan, Plan):
        plan = plan.plan
    if isinstance(plan, Solution):
        target.CopyFrom(plan.proto)
        return
    numbers = _Numbers(problem)
    routes: Iterable[Any] = plan
    for route in routes:
        given = route if isinstance(route, PlannedRoute) else PlannedRoute(route, vehicle=numbers.next_vehicle())
        message = target.routes.add(vehicle=given.vehicle, frozen_stops=given.frozen_stops)
        for visit in given.visits:
            message.stops.add(**numbers.stop(visit))


class _Numbers:
    """The numbers of the clients and vehicle types in a model."""

    def __init__(self, problem: Model | None) -> None:
        self._nodes: dict[int, int] = {}
        self._names: dict[str, int] = {}
        self._vehicles: list[int] = []
        if problem is None or problem._source is not None:
            return
        first = len(problem.depots)
        self._nodes = {id(client): first + index for index, client in enumerate(problem.clients)}
        self._names = {client.name: first + index for index, client in enumerate(problem.clients) if client.name}
        for index, kind in enumerate(problem.vehicle_types):
            self._vehicles += [index] * (kind.num_available or len(problem.clients))

    def next_vehicle(self) -> int:
        """Returns the type of the next free vehicle."""
        return self._vehicles.pop(0) if self._vehicles else 0

    def stop(self, visit: int | str | Customer) -> dict[str, Any]:
        if isinstance(visit, str):
            return {"id": visit, "node": self._names.get(visit, 0)}
        if not isinstance(visit, Customer):
            return {"node": int(visit)}
        node = self._nodes.get(id(visit))
        if node is None:
            raise ValueError(
                f"routes: got the client {visit.name!r}, wanted one that add_client of this model returned; "
                "for a problem from a file, give node numbers or names"
            )
        return {"node": node}

"""Dispatch decisions: what requests leave now and what requests wait."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from . import _proto
from ._values import Duration, Load, loads, model_name, resource_name, set_duration
from .options import set_input
from .parts import WindowLike, to_window
from .records import Record
from .result import Plan, TimeBreakdown
from .solution import Solution, Violation


@dataclass(frozen=True)
class DispatchRequest:
    """A request for delivery from the depot that has not left yet. What is None is that of the customer."""

    customer: str
    """The name of a client of the problem: the address."""
    id: str = ""
    """Unique among the requests. Empty: the name of the customer."""
    delivery: Load | None = None
    window: WindowLike | None = None
    service_duration: float | None = None
    must_go: bool = False
    """Whether the request must leave now. The daemon adds those that would be late later."""


class DispatchOptions(TypedDict, total=False):
    """Options of dispatch_decide(). `vrpd.Client.dispatch_decide` explains them."""

    departure: float
    later_departures: Sequence[float]
    requests: Iterable[DispatchRequest]
    available_vehicles: Sequence[int]
    policy: str
    model: str
    requests_per_departure: int
    request_log: str
    margin: float
    rounds: int
    scenarios: int
    lookahead: int
    dispatch_share: float
    postpone_share: float
    scenario_share: float
    budget: Duration
    max_iterations: int
    seed: int


class WaitingRequest(Record):
    """A request that stays at the depot."""

    MESSAGE = "WaitingRequest"
    id: str
    reason: str
    missed: bool


class Decision(Plan):
    """A dispatch decision: the routes that leave now, and the requests that wait. Iterates over the routes."""

    MESSAGE = "DecideResponse"
    name: str
    solution: Solution | None
    feasible: bool
    violations: tuple[Violation, ...]
    waiting: tuple[WaitingRequest, ...]
    policy: str
    scenarios: int
    seed: int
    budget: float | None
    times: TimeBreakdown | None
    metric: str
    objective: str
    model: str


def decide_request(
    instance: Any,
    *,
    departure: float = 0.0,
    later_departures: Sequence[float] = (),
    requests: Iterable[DispatchRequest] = (),
    available_vehicles: Sequence[int] = (),
    policy: str | None = None,
    model: str = "",
    requests_per_departure: int | None = None,
    request_log: str = "",
    margin: float | None = None,
    rounds: int | None = None,
    scenarios: int | None = None,
    lookahead: int | None = None,
    dispatch_share: float | None = None,
    postpone_share: float | None = None,
    scenario_share: float | None = None,
    budget: Duration | None = None,
    max_iterations: int = 0,
    seed: int = 0,
) -> Any:
    """Returns a DecideRequest for a message of an instance or a file."""
    message = _proto.message(
        "DecideRequest",
        requests=[_request_message(request, index) for index, request in enumerate(requests)],
        departure=departure,
        later_departures=later_departures,
        available_vehicles=available_vehicles,
        model=model_name(model),
        max_iterations=max_iterations,
        seed=seed,
    )
    set_input(message, instance)
    if policy is not None:
        message.policy = _proto.enum_number("DispatchPolicy", policy, "policy")
    if requests_per_departure is not None:
        message.requests_per_departure = requests_per_departure
    if request_log:
        message.request_log = resource_name("datasets", request_log)
    if margin is not None:
        message.margin = margin
    for field, value in (
        ("rounds", rounds),
        ("scenarios", scenarios),
        ("lookahead", lookahead),
        ("dispatch_share", dispatch_share),
        ("postpone_share", postpone_share),
        ("scenario_share", scenario_share),
    ):
        if value is not None:
            setattr(message.sampling, field, value)
    if budget is not None:
        set_duration(message.budget, budget, "budget")
    return message


def _request_message(request: DispatchRequest, index: int) -> Any:
    message = _proto.message(
        "DispatchRequest",
        id=request.id,
        customer=request.customer,
        demand=loads(request.delivery),
        must_go=request.must_go,
    )
    if request.window is not None:
        window = to_window(request.window, f"requests[{index}].window")
        message.time_window.open = window.early
        if window.late is not None:
            message.time_window.close = window.late
        if window.late_cost is not None:
            message.time_window.late_cost = window.late_cost
    if request.service_duration is not None:
        message.service_time = request.service_duration
    return message

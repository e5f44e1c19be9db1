"""Estimates of what plans would cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from . import _proto
from ._values import model_name
from .options import set_input
from .records import Record


class CostEstimate(Record):
    """An estimate of the cost and the number of routes of a plan, with intervals."""

    MESSAGE = "CostEstimate"
    customers: int
    cost: float
    cost_low: float
    cost_high: float
    routes: float
    routes_low: int
    routes_high: int
    outside: tuple[str, ...]
    """Why the estimate may be wrong: "size", "windows", "layout", "fleet". Empty: the model knows such problems."""
    layout_distance: float


class CostEstimates(Record):
    """Estimates in the order of the subsets or problems."""

    MESSAGE = "EstimateCostsResponse"
    estimates: tuple[CostEstimate, ...]
    model: str
    coverage: float
    time: float | None


def estimate_request(
    instances: Iterable[Any], subsets: Iterable[Sequence[str]] | None = None, model: str = ""
) -> Any:
    """Returns an EstimateCostsRequest for messages of instances or files."""
    request = _proto.message("EstimateCostsRequest", model=model_name(model))
    for instance in instances:
        set_input(request.inputs.add(), instance)
    for subset in subsets or ():
        request.subsets.add().customers.extend(str(customer) for customer in subset)
    return request

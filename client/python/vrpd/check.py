"""The result of checking a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .result import RenderedPlan, SolutionFile
from .solution import Solution, Violation

if TYPE_CHECKING:
    from .client import Client


class CheckResult(RenderedPlan):
    """Cost, times, loads and violations of a plan."""

    MESSAGE = "CheckSolutionResponse"
    feasible: bool
    violations: tuple[Violation, ...]
    solution: Solution | None
    reference_cost: float | None
    gap: float | None
    name: str
    rendered: tuple[SolutionFile, ...]
    geometry_note: str

    def _attach(self, request: Any, client: Client | None) -> None:
        super()._attach(request, client)
        self._is_of_steps = request.WhichOneof("plan") is None

    @property
    def cost(self) -> float:
        """The cost that the checker computed."""
        return float(self.proto.cost)

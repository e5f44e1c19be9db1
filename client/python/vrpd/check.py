"""The result of checking a plan."""

from __future__ import annotations

from .result import RenderedPlan, SolutionFile
from .solution import Solution, Violation


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

    @property
    def cost(self) -> float:
        """The cost that the checker computed."""
        return float(self.proto.cost)

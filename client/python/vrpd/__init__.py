"""Vehicle routing: solve and train from Python.

    import vrpd

    m = vrpd.Model()
    m.add_depot(x=0, y=0)
    m.add_vehicle_type(num_available=3, capacity=15)
    for x, y in [(2, 3), (5, 1), (-4, 2), (-1, -5)]:
        m.add_client(x=x, y=y, delivery=5)
    result = m.solve(budget="1s", stop_after="200ms")
    print(result)

Without a `vrpd.Client`, the first call starts the embedded daemon unless it runs already. All processes of the user
with the same version and settings share this daemon, which ends when it is idle.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ._channel import Tls
from ._generated.version import VERSION as __version__
from ._training import preset_text, presets
from .client import Client, default_client, set_default_client
from .conversions import from_json, from_pyvrp, from_vroom, read
from .dispatch import Decision, DispatchRequest
from .estimates import CostEstimate, CostEstimates
from .errors import (
    AbortedError,
    AlreadyExistsError,
    CancelledError,
    ConversionError,
    DataLossError,
    DeadlineExceededError,
    EmbeddedDaemonError,
    FailedPreconditionError,
    FieldViolation,
    InternalError,
    InvalidArgumentError,
    JobFailedError,
    NotFoundError,
    OutOfRangeError,
    PermissionDeniedError,
    ResourceExhaustedError,
    UnauthenticatedError,
    UnavailableError,
    UnimplementedError,
    VrpdError,
)
from .jobs import SolveJob, TrainingJob
from .many import FilesSummary, solve_files
from .model import MISSING_EDGE, Model
from .options import PlannedRoute
from .parts import (
    Break,
    ClientGroup,
    ClientTimes,
    Compartment,
    Customer,
    CustomerRule,
    Depot,
    DrivingRules,
    Location,
    Profile,
    TimeWindow,
    VehicleType,
)
from .result import Improvement, Result
from .simulation_options import SimulatedPolicy
from .simulations import Simulation
from .solution import Route, Solution, Stop
from .sweeps import Sweep

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._problems import Problem
    from ._training import Config, TrainOptions
    from .aio import AsyncClient
    from .options import CallOptions, SolveOptions

__all__ = [
    "AbortedError",
    "AlreadyExistsError",
    "AsyncClient",
    "Break",
    "CancelledError",
    "Client",
    "ClientGroup",
    "ClientTimes",
    "Compartment",
    "ConversionError",
    "Customer",
    "CustomerRule",
    "DataLossError",
    "DeadlineExceededError",
    "CostEstimate",
    "CostEstimates",
    "Decision",
    "Depot",
    "DispatchRequest",
    "DrivingRules",
    "EmbeddedDaemonError",
    "FailedPreconditionError",
    "FieldViolation",
    "FilesSummary",
    "Improvement",
    "InternalError",
    "InvalidArgumentError",
    "JobFailedError",
    "Location",
    "MISSING_EDGE",
    "Model",
    "NotFoundError",
    "OutOfRangeError",
    "PermissionDeniedError",
    "PlannedRoute",
    "Profile",
    "ResourceExhaustedError",
    "Result",
    "Route",
    "SimulatedPolicy",
    "Simulation",
    "Solution",
    "SolveJob",
    "Stop",
    "Sweep",
    "TimeWindow",
    "Tls",
    "TrainingJob",
    "UnauthenticatedError",
    "UnavailableError",
    "UnimplementedError",
    "VehicleType",
    "VrpdError",
    "__version__",
    "default_client",
    "from_json",
    "from_pyvrp",
    "from_vroom",
    "generated",
    "preset_text",
    "presets",
    "read",
    "set_default_client",
    "solve",
    "solve_files",
    "solve_many",
    "train",
]


def __getattr__(name: str) -> Any:
    """Imports asyncio only for programs that use it."""
    if name == "AsyncClient":
        from .aio import AsyncClient

        return AsyncClient
    raise AttributeError(f"module 'vrpd' has no attribute {name!r}")


def solve(problem: Problem, **options: Unpack[CallOptions]) -> Result:
    """Solves a problem; see `vrpd.Client.solve`."""
    return default_client().solve(problem, **options)


def solve_many(problems: Iterable[Problem], **options: Unpack[SolveOptions]) -> list[Result]:
    """Solves many problems at once, and returns their results in order. Raises the first error."""
    answers = sorted(default_client().batch(problems, **options), key=lambda answer: answer.index)
    return [answer.get() for answer in answers]


def train(config: Config | None = None, **options: Unpack[TrainOptions]) -> TrainingJob:
    """Queues a training job; see `vrpd.Client.train`."""
    return default_client().train(config, **options)


def generated(problem_type: str, customers: int, count: int, *, seed: int = 0, capacity: float = 0) -> Any:
    """Returns the description of a generated set, for `client.models.evaluate(generate=...)`."""
    from ._rpc import generate_request

    return generate_request(problem_type, customers, count, seed, capacity)

"""An asyncio client of a daemon."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from . import _rpc, _training
from ._aio_connection import AsyncConnection
from ._calls import sending
from ._channel import Tls, to_tls
from ._files import BackupWriter
from ._problems import Problem, fill, is_small, model_of, names_lost_matrices, to_message
from ._retry import DEFAULT_RETRY_S
from ._values import Duration, Path, seconds
from .aio_jobs import AsyncSolveJob, AsyncTrainingJob
from .aio_resources import AsyncDatasets, AsyncMatrixStore, AsyncModels, AsyncSolveJobs, AsyncTrainingJobs
from .aio_simulations import AsyncSimulation, AsyncSimulations
from .aio_sweeps import AsyncSweep, AsyncSweeps
from .check import CheckResult
from .dispatch import Decision, decide_request
from .errors import ResourceExhaustedError, VrpdError
from .estimates import CostEstimates, estimate_request
from .model_records import Validation
from .options import StartPlan, solve_request
from .result import Improvement, Result
from .server_records import BackupSummary, ServerInfo, ServerStats
from .simulation_options import simulation_spec
from .streams import BatchAnswer, read_batch_answer
from .training_records import TrainingJobInfo

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._matrices import Packed
    from .dispatch import DispatchOptions
    from .options import SolveOptions
    from .simulation_options import SimulationOptions, Sites

_T = TypeVar("_T")


class AsyncClient:
    """A client for asyncio with the methods of `vrpd.Client`. Use it in one event loop.

    solve() has neither `progress` nor `on_improvement`. improvements() yields the Result last.

    async with vrpd.AsyncClient() as client:
        result = await client.solve(model, budget="1s")
    """

    def __init__(
        self,
        target: str | None = None,
        *,
        token: str = "",
        tls: bool | Tls | Path | None = None,
        timeout: Duration | None = None,
        retry_for: Duration = DEFAULT_RETRY_S,
    ) -> None:
        limit = None if timeout is None else seconds(timeout, "timeout")
        retry_s = seconds(retry_for, "retry_for")
        self._connection = AsyncConnection(target, token, to_tls(tls), limit, retry_s)
        self.models = AsyncModels(self._connection)
        self.datasets = AsyncDatasets(self._connection)
        self.matrices = AsyncMatrixStore(self._connection)
        self.training_jobs = AsyncTrainingJobs(self._connection)
        self.solve_jobs = AsyncSolveJobs(self._connection)
        self.simulations = AsyncSimulations(self._connection)
        self.sweeps = AsyncSweeps(self._connection)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connection. A later call opens it again."""
        await self._connection.close()

    async def solve(
        self, problem: Problem, *, timeout: Duration | None = None, **options: Unpack[SolveOptions]
    ) -> Result:
        """Returns the best plan found within the budget. Cancelling the task cancels the call."""
        limit = None if timeout is None else seconds(timeout, "timeout")

        async def call(instance: Any) -> Result:
            request = solve_request(instance, model_of(problem), **options)
            result = await self._connection.unary(_rpc.solve(request), limit)
            result._attach(request, None)
            return result

        return await self._with_matrices(problem, call)

    async def improvements(
        self, problem: Problem, *, timeout: Duration | None = None, **options: Unpack[SolveOptions]
    ) -> AsyncIterator[Improvement | Result]:
        """Solves like solve() and iterates over the improvements; the last item is the Result."""
        limit = None if timeout is None else seconds(timeout, "timeout")
        request = solve_request(await self._prepare(problem), model_of(problem), **options)
        async for message in self._connection.stream(_rpc.stream_solve(request), limit):
            if isinstance(message, Result):
                message._attach(request, None)
            yield message

    async def batch(
        self, problems: Iterable[Problem], *, timeout: Duration | None = None, **options: Unpack[SolveOptions]
    ) -> AsyncIterator[BatchAnswer]:
        """Solves many problems in one call, and iterates over the answers as they are ready, in any order."""
        from . import _proto

        limit = None if timeout is None else seconds(timeout, "timeout")
        sent: dict[int, Any] = {}

        async def requests() -> AsyncIterator[Any]:
            for index, problem in enumerate(problems):
                sent[index] = solve_request(await self._prepare(problem), model_of(problem), **options)
                yield _proto.message("BatchSolveRequest", id=str(index), solve=sent[index])

        call = sending("SolverService/BatchSolve", lambda answer: answer, requests, problems)
        async for message in self._connection.messages(call, limit):
            answer = read_batch_answer(message)
            request = sent.pop(answer.index)
            if answer.result is not None:
                answer.result._attach(request, None)
            yield answer

    async def solve_job(
        self, problem: Problem, *, request_id: str = "", validate_only: bool = False, **options: Unpack[SolveOptions]
    ) -> AsyncSolveJob:
        """Queues a long solve that outlives this process and the daemon."""

        async def create(instance: Any) -> AsyncSolveJob:
            request = solve_request(instance, model_of(problem), **options)
            call = _rpc.create_solve_job(request, request_id, validate_only)
            return AsyncSolveJob(self._connection, await self._connection.unary(call))

        return await self._with_matrices(problem, create)

    async def check(
        self,
        problem: Problem,
        plan: StartPlan | None = None,
        *,
        initial_solution: StartPlan | None = None,
        render: Sequence[str] = (),
        include_geometry: bool = False,
    ) -> CheckResult:
        """Returns cost, times, loads and violations of a plan."""

        async def call(instance: Any) -> CheckResult:
            request = _rpc.check(instance, plan, model_of(problem), initial_solution, render, include_geometry)
            result = await self._connection.unary(request)
            result._attach(request.request(), None)
            return result

        return await self._with_matrices(problem, call)

    async def dispatch_decide(
        self, problem: Problem, *, timeout: Duration | None = None, **options: Unpack[DispatchOptions]
    ) -> Decision:
        """Returns the routes that leave now, and the requests that wait, with reasons."""
        limit = None if timeout is None else seconds(timeout, "timeout")
        return await self._with_matrices(
            problem, lambda instance: self._connection.unary(_rpc.decide(decide_request(instance, **options)), limit)
        )

    async def estimate_costs(
        self,
        problem: Problem,
        subsets: Iterable[Sequence[str]] | None = None,
        *,
        model: str = "",
        timeout: Duration | None = None,
    ) -> CostEstimates:
        """Returns what plans would cost, without planning them: for a problem, or for subsets of its clients."""
        limit = None if timeout is None else seconds(timeout, "timeout")
        chosen = None if subsets is None else list(subsets)
        return await self._with_matrices(
            problem,
            lambda instance: self._connection.unary(
                _rpc.estimate(estimate_request([instance], chosen, model)), limit
            ),
        )

    async def simulate(
        self, sites: Sites, *, request_id: str = "", validate_only: bool = False, **options: Unpack[SimulationOptions]
    ) -> AsyncSimulation:
        """Queues a simulation of dispatch policies that outlives this process and the daemon."""
        call = _rpc.create_simulation(simulation_spec(sites, **options), request_id, validate_only)
        return AsyncSimulation(self._connection, await self._connection.unary(call))

    async def validate(self, problem: Problem) -> Validation:
        """Returns the errors of a problem, up to 1,000 of a kind."""
        return await self._with_matrices(problem, lambda instance: self._connection.unary(_rpc.validate(instance)))

    async def convert(self, problem: Problem, format: str, *, renumber: bool = False) -> bytes:
        """Returns a problem as a file in another format."""
        return await self._with_matrices(
            problem, lambda instance: self._connection.unary(_rpc.convert(instance, format, renumber))
        )

    async def train(
        self,
        config: _training.Config | None = None,
        *,
        preset: str | None = None,
        settings: Mapping[str, Any] | Iterable[str] = (),
        device: str = "",
        priority: int = 0,
        labels: Mapping[str, str] | None = None,
        time_limit: Duration | None = None,
        epoch_limit: int = 0,
        threads: int = 0,
        request_id: str = "",
    ) -> AsyncTrainingJob:
        """Queues a training job and returns it."""
        limits = (time_limit, epoch_limit, threads)
        spec = _training.spec(config, preset, settings, device, priority, labels or {}, *limits)
        call = _rpc.create_training_job(spec, request_id, False, False)
        return AsyncTrainingJob(self._connection, await self._connection.unary(call))

    async def sweep(
        self,
        sweep: _training.Config,
        config: _training.Config | None = None,
        *,
        request_id: str = "",
        validate_only: bool = False,
        **options: Unpack[_training.SweepOptions],
    ) -> AsyncSweep:
        """Queues trainings with varied settings and returns the sweep; see `vrpd.Client.sweep`."""
        call = _rpc.create_sweep(_training.sweep_spec(sweep, config, **options), request_id, validate_only)
        return AsyncSweep(self._connection, await self._connection.unary(call))

    async def validate_training(
        self,
        config: _training.Config | None = None,
        *,
        preset: str | None = None,
        settings: Mapping[str, Any] | Iterable[str] = (),
        device: str = "",
        config_only: bool = False,
    ) -> TrainingJobInfo:
        """Checks a training job without starting it."""
        spec = _training.spec(config, preset, settings, device, 0, {}, None, 0, 0)
        return await self._connection.unary(_rpc.create_training_job(spec, "", True, config_only))

    async def server_info(self) -> ServerInfo:
        """Returns version, devices and limits of the daemon."""
        return await self._connection.unary(_rpc.server_info())

    async def server_stats(self) -> ServerStats:
        """Returns the daemon's current activity, and totals since its start."""
        return await self._connection.unary(_rpc.server_stats())

    async def set_log_level(self, level: str) -> str:
        """Sets the daemon's log level. Returns the previous level."""
        return await self._connection.unary(_rpc.set_log_level(level))

    async def is_healthy(self, service: str = "") -> bool:
        """Whether the daemon serves; with "readiness", whether it takes new work."""
        return await self._connection.unary(_rpc.health(service))

    async def backup(self, path: Path) -> BackupSummary:
        """Writes a copy of all data of the daemon to a file, completely or not at all."""
        with BackupWriter(path) as writer:
            async for message in self._connection.messages(_rpc.backup()):
                writer.write(message)
            return BackupSummary(writer.finish())

    async def _prepare(self, problem: Problem) -> Any:
        encoded = to_message(problem)
        names: Iterator[str | None] = iter([await self._upload(packed) for packed in encoded.needed()])
        return fill(encoded, lambda _: next(names))

    async def _with_matrices(self, problem: Problem, call: Callable[[Any], Awaitable[_T]]) -> _T:
        """Calls `call` with the problem's message. Uploads the matrices again if the daemon has lost them."""
        try:
            return await call(await self._prepare(problem))
        except VrpdError as error:
            if not names_lost_matrices(error) or not self._connection.uploaded:
                raise
        self._connection.uploaded.clear()
        return await call(await self._prepare(problem))

    async def _upload(self, packed: Packed) -> str | None:
        """Returns the name of uploaded matrices, or None if they are small or the daemon is full or busy."""
        if is_small(packed):
            return None
        digest = packed.digest()
        if digest not in self._connection.uploaded:
            try:
                stored = await self._connection.unary(_rpc.upload_matrices(packed))
            except ResourceExhaustedError:
                return None
            self._connection.uploaded[digest] = stored.name
        return self._connection.uploaded[digest]

"""The client of a daemon."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from . import _rpc, _training
from ._calls import sending
from ._channel import Tls, to_tls
from ._connection import Connection
from ._files import BackupWriter
from ._problems import Problem, fill, is_small, model_of, names_lost_matrices, to_message
from ._progress import Progress
from ._retry import DEFAULT_RETRY_S
from ._values import Duration, Path, seconds
from .check import CheckResult
from .dispatch import Decision, decide_request
from .errors import ResourceExhaustedError, VrpdError
from .estimates import CostEstimates, estimate_request
from .jobs import SolveJob, TrainingJob
from .model_records import Validation
from .options import StartPlan, solve_request
from .resources import Datasets, MatrixStore, Models, SolveJobs, TrainingJobs
from .result import Improvement, Result
from .server_records import BackupSummary, ServerInfo, ServerStats
from .simulation_options import simulation_spec
from .simulations import Simulation, Simulations
from .streams import BatchAnswer, SolveStream, read_batch_answer
from .sweeps import Sweep, Sweeps
from .training_records import TrainingJobInfo

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._matrices import Packed
    from .dispatch import DispatchOptions
    from .options import SolveOptions
    from .simulation_options import SimulationOptions, Sites
    from .solution import Solution

_T = TypeVar("_T")


class Client:
    """A client of a remote daemon at an address or, by default, of this machine's embedded daemon.

    Thread-safe. Connects at the first call.

    Parameters
    ----------
    target
        "HOST:PORT" or "unix:PATH". None: the embedded daemon, which is started if it is not running.
    token
        Token of the daemon's token file.
    tls
        True for TLS with gRPC's default certificate authorities, the path of a CA certificate, or a `vrpd.Tls`.
    timeout
        Time limit of each attempt of a call, and time for which the call is retried while the daemon is busy. By
        default none.
    retry_for
        Time for which calls without a timeout are retried while the daemon is busy.
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
        self._connection = Connection(target, token, to_tls(tls), limit, retry_s)
        self.models = Models(self._connection)
        self.datasets = Datasets(self._connection)
        self.matrices = MatrixStore(self._connection)
        self.training_jobs = TrainingJobs(self._connection)
        self.solve_jobs = SolveJobs(self._connection)
        self.simulations = Simulations(self._connection)
        self.sweeps = Sweeps(self._connection)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection. A later call opens it again."""
        self._connection.close()

    def __repr__(self) -> str:
        return f"<vrpd.Client {self._connection.address or 'of the embedded daemon'}>"

    def solve(
        self,
        problem: Problem,
        *,
        timeout: Duration | None = None,
        progress: bool = False,
        on_improvement: Callable[[Improvement], object] | None = None,
        **options: Unpack[SolveOptions],
    ) -> Result:
        """Returns the best plan found within the budget. Ctrl-C cancels the call.

        Parameters
        ----------
        problem
            A model, a dict of VROOM or of this project's JSON, or the path of a file.
        budget
            Time to search, such as "2s" or 2.0. By default 0.5 s, or as the other limits say.
        stop_after, stop_after_share
            Time without an improvement that ends the search, also as a share of the budget.
        target_cost, target_gap
            Cost, or gap to the reference cost, at which the search ends.
        max_iterations
            Number of iterations of each thread after which the search ends.
        stop_automatically
            Whether the daemon chooses when to stop by the size of the problem.
        strategy
            "auto", "search", "seeded", "greedy", "sample", "beam", "multi_start" or "improved".
        model
            A trained network or habit model: NAME, NAME@3, NAME@ALIAS.
        habit_weight
            How much to follow a habit model, 0 to 10; by default 0.1. `Result.habits` rates the plan.
        threads, idle_threads
            Number of threads to search with; whether to take all idle ones.
        seed
            The same seed gives the same plan with one thread, unless a time limit ends the search.
        width, rounds, network_only
            Samples or beams; rounds of "improved"; whether search may not replace a network that has no plan in time.
        initial_solution, frozen_stops
            A plan to start from: a result, lists of node numbers, names or clients, or the path of a file.
            `frozen_stops` is the number of leading visits of each route that must stay.
        similar_day
            An uploaded route history, to start from its day whose stops are the most like those of the problem,
            by the names of clients. `Result.similar_day` says which.
        render, render_solution_file
            Formats in which the daemon returns the plan too (`Result.rendered`, `Result.solution_file`).
        include_geometry
            Whether routes have their streets (`Route.streets`), which drawings then follow. Requires a road network.
        timeout
            Time limit of each attempt, including the wait for other solves; see `vrpd.Client`.
        progress, on_improvement
            Whether to show progress on the terminal; a function that is called with each improvement.
        """
        limit = None if timeout is None else seconds(timeout, "timeout")
        if not progress and on_improvement is None:
            return self._with_matrices(problem, lambda instance: self._solve_once(instance, problem, options, limit))
        stream = self.improvements(problem, timeout=timeout, **options)
        budget = options.get("budget")
        total = None if budget is None else seconds(budget, "budget")
        with stream, Progress("solve", total) if progress else _Silent() as bar:
            for improvement in stream:
                bar.update(improvement.elapsed or 0, f"cost {improvement.cost:g}, {len(improvement.routes)} routes")
                if on_improvement is not None:
                    on_improvement(improvement)
            return stream.result

    def _solve_once(self, instance: Any, problem: Problem, options: Mapping[str, Any], timeout: float | None) -> Result:
        request = solve_request(instance, model_of(problem), **options)
        result = self._connection.unary(_rpc.solve(request), timeout)
        result._attach(request, self)
        return result

    def improvements(
        self, problem: Problem, *, timeout: Duration | None = None, **options: Unpack[SolveOptions]
    ) -> SolveStream:
        """Solves like solve() and iterates over the improvements; the stream's `result` is the answer."""
        limit = None if timeout is None else seconds(timeout, "timeout")

        def begin(instance: Any) -> SolveStream:
            request = solve_request(instance, model_of(problem), **options)
            return SolveStream(self._connection.messages(_rpc.stream_solve(request), limit), request, self)

        return self._with_matrices(problem, begin)

    def batch(
        self, problems: Iterable[Problem], *, timeout: Duration | None = None, **options: Unpack[SolveOptions]
    ) -> Iterator[BatchAnswer]:
        """Solves many problems in one call, and iterates over the answers as they are ready, in any order.

        Each problem has the whole budget. A problem that the daemon refuses has an error as its answer; the others are not
        affected. An error while reading `problems` ends the call.
        """
        limit = None if timeout is None else seconds(timeout, "timeout")
        sent: dict[int, Any] = {}

        def requests() -> Iterator[Any]:
            from . import _proto

            for index, problem in enumerate(problems):
                sent[index] = solve_request(self._prepare(problem), model_of(problem), **options)
                yield _proto.message("BatchSolveRequest", id=str(index), solve=sent[index])

        call = sending("SolverService/BatchSolve", lambda answer: answer, requests, problems)
        for message in self._connection.messages(call, limit):
            answer = read_batch_answer(message)
            request = sent.pop(answer.index)
            if answer.result is not None:
                answer.result._attach(request, self)
            yield answer

    def solve_job(
        self, problem: Problem, *, request_id: str = "", validate_only: bool = False, **options: Unpack[SolveOptions]
    ) -> SolveJob:
        """Queues a long solve that outlives this process and the daemon. By default its budget is 10 minutes,
        or as the other limits say.

        The same `request_id` with the same problem returns the same job.
        """

        def create(instance: Any) -> SolveJob:
            request = solve_request(instance, model_of(problem), **options)
            return SolveJob(
                self._connection, self._connection.unary(_rpc.create_solve_job(request, request_id, validate_only))
            )

        return self._with_matrices(problem, create)

    def check(
        self,
        problem: Problem,
        plan: StartPlan | None = None,
        *,
        initial_solution: StartPlan | None = None,
        render: Sequence[str] = (),
        include_geometry: bool = False,
    ) -> CheckResult:
        """Returns cost, times, loads and violations of a plan, which is given like `initial_solution` of `solve`.

        The default is the plan of the `steps` in a file of VROOM's.
        The plan must keep the frozen stops of `initial_solution`. `include_geometry` is that of `solve`.
        """

        def call(instance: Any) -> CheckResult:
            request = _rpc.check(instance, plan, model_of(problem), initial_solution, render, include_geometry)
            result = self._connection.unary(request)
            result._attach(request.request(), self)
            return result

        return self._with_matrices(problem, call)

    def dispatch_decide(
        self, problem: Problem, *, timeout: Duration | None = None, **options: Unpack[DispatchOptions]
    ) -> Decision:
        """Returns the routes that leave now, and the requests that wait, with reasons.

        Parameters
        ----------
        problem
            The depot, its vehicles and the customers: the addresses of requests, with their usual deliveries, windows
            and service times.
        departure, later_departures
            Earliest departure of the vehicles that leave now, and those of the later decisions. Without later
            departures, all requests leave.
        requests
            The waiting requests (`vrpd.DispatchRequest`). By default one for each customer.
        available_vehicles
            Number of vehicles of each type at the depot; -1 for any number. By default those of the problem.
        policy
            "greedy", "lazy", "horizon", "sampling" or "model". By default "model" if a model is named or the daemon has
            `dispatch-ortec`, which comes with it, and "sampling" otherwise or with its parameters.
        model
            The dispatch model of the policy "model", by default `dispatch-ortec`.
        requests_per_departure
            Number of requests to draw for each later departure. Policies that draw require it or `request_log`.
        request_log
            Name of an uploaded request log, from whose days requests are drawn instead.
        margin
            With `request_log`, the time from a decision to the departure of its vehicles, by default 0.
        rounds, scenarios, lookahead, dispatch_share, postpone_share, scenario_share
            Parameters of "sampling".
        budget
            Time for the decision, by default 1 s.
        max_iterations
            Number of iterations of each search. The decision is reproducible if the budget does not end a search.
        seed
            The seed of the searches and of the requests to come.
        timeout
            Time limit of each attempt; see `vrpd.Client`.
        """
        limit = None if timeout is None else seconds(timeout, "timeout")
        return self._with_matrices(
            problem, lambda instance: self._connection.unary(_rpc.decide(decide_request(instance, **options)), limit)
        )

    def estimate_costs(
        self,
        problem: Problem,
        subsets: Iterable[Sequence[str]] | None = None,
        *,
        model: str = "",
        timeout: Duration | None = None,
    ) -> CostEstimates:
        """Returns what plans would cost, without planning them: for a problem, or for subsets of its clients.

        Parameters
        ----------
        problem
            A problem with one depot, one type of vehicle and coordinates.
        subsets
            The names of the clients of each subset. By default all clients are one.
        model
            The estimate model, by default `estimate-mixed`, which comes with the daemon.
        timeout
            Time limit of each attempt; see `vrpd.Client`.
        """
        limit = None if timeout is None else seconds(timeout, "timeout")
        chosen = None if subsets is None else list(subsets)
        return self._with_matrices(
            problem,
            lambda instance: self._connection.unary(
                _rpc.estimate(estimate_request([instance], chosen, model)), limit
            ),
        )

    def simulate(
        self, sites: Sites, *, request_id: str = "", validate_only: bool = False, **options: Unpack[SimulationOptions]
    ) -> Simulation:
        """Queues a simulation of dispatch policies that outlives this process and the daemon.

        The same `request_id` with the same simulation returns the same one.

        Parameters
        ----------
        sites
            A problem or several: depots, vehicles and customers, from which days are drawn.
        policies
            "greedy", "lazy", "horizon", "sampling", "model" or a `vrpd.SimulatedPolicy` with parameters or a model. By
            default as in `dispatch_decide`.
        request_log
            Path or content of a log of requests, as JSON lines, whose days are replayed instead of drawn ones, or
            "datasets/NAME" for an uploaded one.
        days
            Number of days for each site, by default 5. With a log, by default all of its days.
        first_seed
            Seed of the first day of each site. The next days have the following seeds.
        decision_time
            Time of a decision, by default 1 s.
        max_iterations
            Number of iterations of each search. The results are reproducible if the time ends no search.
        epoch, margin
            Time between two decisions, and from a decision to the departure of its vehicles. By default 3600.
        requests_per_epoch
            Number of requests to draw for each decision, by default 100.
        vehicles
            Number of vehicles of each type; -1, the default, for any number.
        seed
            The seed of the policies.
        hindsight_time
            Time of the plan in hindsight of each day, by default 10 s; 0 for none.
        """
        spec = simulation_spec(sites, **options)
        call = _rpc.create_simulation(spec, request_id, validate_only)
        return Simulation(self._connection, self._connection.unary(call))

    def validate(self, problem: Problem) -> Validation:
        """Returns the errors of a problem, up to 1,000 of a kind, without solving it."""
        return self._with_matrices(problem, lambda instance: self._connection.unary(_rpc.validate(instance)))

    def convert(self, problem: Problem, format: str, *, renumber: bool = False) -> bytes:
        """Returns a problem as a file in "json", "vrplib", "tsplib", "solomon" or "vroom".

        `renumber` replaces names that the format cannot express by numbers, instead of refusing them.
        """
        return self._with_matrices(problem, lambda instance: self._convert(instance, format, renumber))

    def _convert(self, instance: Any, format: str, renumber: bool) -> bytes:
        return self._connection.unary(_rpc.convert(instance, format, renumber))

    def _render(self, instance: Any, solution: Solution, format: str, is_of_steps: bool) -> bytes:
        has_streets = any(route.leg_polylines for route in solution.routes)
        plan = None if is_of_steps else solution
        answer = self._connection.unary(_rpc.check(instance, plan, None, None, [format], has_streets))
        return answer.rendered[0].content

    def train(
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
    ) -> TrainingJob:
        """Queues a training job and returns it; `job.wait()` blocks until the job has ended.

        Parameters
        ----------
        config, preset
            The path of a YAML file, its text or a dict; or the name of a built-in configuration (`vrpd.presets()`).
        settings
            Values that replace those of the configuration: {"training.epochs": 3}.
        device
            "auto", "cpu" or "cuda:0".
        time_limit, epoch_limit
            Time or epochs after which the job ends with a model, even if the configuration asks for more.
        threads
            Number of threads; 0 means the job's share of the daemon's threads.
        """
        limits = (time_limit, epoch_limit, threads)
        spec = _training.spec(config, preset, settings, device, priority, labels or {}, *limits)
        return TrainingJob(
            self._connection, self._connection.unary(_rpc.create_training_job(spec, request_id, False, False))
        )

    def sweep(
        self,
        sweep: _training.Config,
        config: _training.Config | None = None,
        *,
        request_id: str = "",
        validate_only: bool = False,
        **options: Unpack[_training.SweepOptions],
    ) -> Sweep:
        """Queues trainings with varied settings and returns the sweep; `sweep.wait()` blocks until it has ended.

        The best trial's model is published.

        Parameters
        ----------
        sweep
            The path of a sweep's YAML file, its text or a dict: {"method": "random", "trials": 8, "keys": {...}}.
        config, preset
            The base configuration, as in `train`, unless the sweep names or contains it.
        settings, device, priority, labels, time_limit, epoch_limit, threads
            Of each trial, as in `train`.
        validate_only
            Whether to check every trial without starting the sweep.
        """
        spec = _training.sweep_spec(sweep, config, **options)
        return Sweep(self._connection, self._connection.unary(_rpc.create_sweep(spec, request_id, validate_only)))

    def validate_training(
        self,
        config: _training.Config | None = None,
        *,
        preset: str | None = None,
        settings: Mapping[str, Any] | Iterable[str] = (),
        device: str = "",
        config_only: bool = False,
    ) -> TrainingJobInfo:
        """Checks a training job without starting it. The answer has every setting (`resolved_settings`).

        With `config_only`, does not check whether the device, the files and the model exist.
        """
        spec = _training.spec(config, preset, settings, device, 0, {}, None, 0, 0)
        return self._connection.unary(_rpc.create_training_job(spec, "", True, config_only))

    def server_info(self) -> ServerInfo:
        """Returns version, devices and limits of the daemon."""
        return self._connection.unary(_rpc.server_info())

    def server_stats(self) -> ServerStats:
        """Returns the daemon's current activity, and totals since its start."""
        return self._connection.unary(_rpc.server_stats())

    def set_log_level(self, level: str) -> str:
        """Sets the daemon's log level: "debug", "info", "warn" or "error". Returns the previous level."""
        return self._connection.unary(_rpc.set_log_level(level))

    def is_healthy(self, service: str = "") -> bool:
        """Whether the daemon serves; with "readiness", whether it takes new work."""
        return self._connection.unary(_rpc.health(service))

    def backup(self, path: Path) -> BackupSummary:
        """Writes a copy of all data of the daemon to a file, from which `vrpd --restore` makes a state folder.

        Writes the file completely or not at all. Raises DataLossError for an incomplete or changed archive.
        """
        with BackupWriter(path) as writer:
            for message in self._connection.messages(_rpc.backup()):
                writer.write(message)
            return BackupSummary(writer.finish())

    def _prepare(self, problem: Problem) -> Any:
        return fill(to_message(problem), self._upload)

    def _with_matrices(self, problem: Problem, call: Callable[[Any], _T]) -> _T:
        """Calls `call` with the problem's message. Uploads the matrices again if the daemon has lost them."""
        try:
            return call(self._prepare(problem))
        except VrpdError as error:
            if not names_lost_matrices(error) or not self._connection.uploaded:
                raise
        self._connection.uploaded.clear()
        return call(self._prepare(problem))

    def _upload(self, packed: Packed) -> str | None:
        """Returns the name of uploaded matrices, or None if they are small or the daemon is full or busy."""
        if is_small(packed):
            return None
        digest = packed.digest()
        known = self._connection.uploaded.get(digest)
        if known is None:
            try:
                known = self._connection.unary(_rpc.upload_matrices(packed)).name
            except ResourceExhaustedError:
                return None
            self._connection.uploaded[digest] = known
        return known


class _Silent(Progress):
    def __init__(self) -> None:
        pass

    def update(self, done: float, text: str) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


_default: Client | None = None
_default_lock = threading.Lock()


def default_client() -> Client:
    """Returns the client that module functions and models use, by default one of the embedded daemon."""
    global _default
    with _default_lock:
        if _default is None:
            _default = Client()
        return _default


def set_default_client(client: Client | None) -> None:
    """Sets the client that module functions and models use. None means one of the embedded daemon."""
    global _default
    with _default_lock:
        _default = client

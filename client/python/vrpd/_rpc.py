"""Creates the calls of the API."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from . import _proto
from ._calls import Call, listing, nothing, page, sending, unary
from ._matrices import Packed, upload_requests
from ._uploads import DatasetContent
from ._values import Duration, model_name, resource_name, set_duration
from .check import CheckResult
from .dispatch import Decision
from .estimates import CostEstimates
from .model_records import DatasetDeletion, DatasetInfo, MatricesInfo, ModelInfo, Publication, Validation
from .options import HabitSearch, StartPlan, set_input, set_plan
from .result import Improvement, Result
from .server_records import ServerInfo, ServerStats
from .simulation_records import SimulationInfo
from .solve_job_records import SolveJobInfo
from .sweep_records import SweepInfo
from .training_records import TrainingHistoryPoint, TrainingJobInfo

_FILE_CHUNK_BYTES = 1 << 20  # maximum in a message
_MODEL_CHUNK_BYTES = 4 << 20  # maximum in a message


def _new_id() -> str:
    import uuid

    return uuid.uuid4().hex


def solve(request: Any) -> Call[Result]:
    return sending("SolverService/Solve", Result, lambda: request)


def stream_solve(request: Any) -> Call[Improvement | Result]:
    return sending("SolverService/StreamSolve", read_solve_message, lambda: request)


def read_solve_message(message: Any) -> Improvement | Result:
    kind = message.WhichOneof("message")
    return Improvement(message.improvement) if kind == "improvement" else Result(message.response)


def check(
    instance: Any,
    plan: StartPlan | None,
    problem: Any,
    initial: StartPlan | None,
    render: Sequence[str],
    include_geometry: bool,
) -> Call[CheckResult]:
    formats = [_proto.enum_number("SolutionFormat", format, "render") for format in render]
    request = _proto.message("CheckSolutionRequest", render=formats, include_geometry=include_geometry)
    set_input(request, instance)
    if plan is not None:
        set_plan(request, "solution", "solution_file", plan, problem)
    if initial is not None:
        if isinstance(initial, (str, os.PathLike)):
            raise TypeError("check: initial_solution: got a path, wanted a result or routes")
        set_plan(request, "initial_solution", "", initial, problem)
    return sending("SolverService/CheckSolution", CheckResult, lambda: request)


def decide(request: Any) -> Call[Decision]:
    return sending("DispatchService/Decide", Decision, lambda: request)


def estimate(request: Any) -> Call[CostEstimates]:
    return sending("EstimateService/EstimateCosts", CostEstimates, lambda: request)


def validate(instance: Any) -> Call[Validation]:
    request = _proto.message("ValidateInstanceRequest")
    set_input(request, instance)
    return sending("SolverService/ValidateInstance", Validation, lambda: request)


def convert(instance: Any, format: str, renumber: bool) -> Call[bytes]:
    request = _proto.message("ConvertInstanceRequest", renumber=renumber)
    request.format = _proto.enum_number("InstanceFormat", format, "format")
    set_input(request, instance)
    return sending("SolverService/ConvertInstance", lambda answer: bytes(answer.file.content), lambda: request)


def upload_matrices(packed: Packed) -> Call[MatricesInfo]:
    return sending("DatasetService/UploadMatrices", MatricesInfo, lambda: upload_requests(packed))


def list_matrices() -> Call[list[MatricesInfo]]:
    return unary("DatasetService/ListMatrices", listing("matrices", MatricesInfo))


def delete_matrices(name: str) -> Call[None]:
    return unary("DatasetService/DeleteMatrices", nothing, name=resource_name("matrices", name))


def generate(problem_type: str, customers: int, count: int, seed: int, capacity: float) -> Call[Any]:
    return sending(
        "DatasetService/GenerateInstances",
        lambda answer: answer.file,
        lambda: generate_request(problem_type, customers, count, seed, capacity),
    )


def generate_request(problem_type: str, customers: int, count: int, seed: int, capacity: float) -> Any:
    kind = _proto.enum_number("ProblemType", problem_type, "problem_type")
    return _proto.message(
        "GenerateInstancesRequest",
        problem_type=kind,
        customer_count=customers,
        instance_count=count,
        seed=seed,
        capacity=capacity,
    )


def upload_dataset(name: str, content: DatasetContent) -> Call[DatasetInfo]:
    def requests() -> Iterator[Any]:
        request = _proto.method("DatasetService/UploadDataset").request
        yield request(header={"name": name, "file_name": content.file_name, "size_bytes": content.size})
        for chunk in content.pieces():
            for start in range(0, len(chunk), _FILE_CHUNK_BYTES):
                yield request(chunk=chunk[start : start + _FILE_CHUNK_BYTES])

    return sending("DatasetService/UploadDataset", DatasetInfo, requests, content.source)


def list_datasets() -> Call[list[DatasetInfo]]:
    return unary("DatasetService/ListDatasets", listing("datasets", DatasetInfo))


def get_dataset(name: str) -> Call[DatasetInfo]:
    return unary("DatasetService/GetDataset", DatasetInfo, name=resource_name("datasets", name))


def export_dataset(name: str) -> Call[bytes]:
    return unary("DatasetService/ExportDataset", lambda answer: answer.chunk, name=resource_name("datasets", name))


def delete_dataset(name: str) -> Call[DatasetDeletion]:
    return unary("DatasetService/DeleteDataset", DatasetDeletion, name=resource_name("datasets", name))


def list_models(token: str) -> Call[tuple[list[ModelInfo], str]]:
    return unary("ModelService/ListModels", page("models", ModelInfo), page_size=1000, page_token=token)


def get_model(name: str) -> Call[ModelInfo]:
    return unary("ModelService/GetModel", ModelInfo, name=model_name(name))


def load_model(name: str) -> Call[ModelInfo]:
    return unary("ModelService/LoadModel", ModelInfo, name=model_name(name))


def unload_model(name: str) -> Call[list[str]]:
    return unary("ModelService/UnloadModel", lambda answer: list(answer.unloaded_models), name=model_name(name))


def delete_model(name: str) -> Call[None]:
    return unary("ModelService/DeleteModelVersion", nothing, name=model_name(name))


def set_alias(name: str, alias: str, version: int) -> Call[str]:
    full = f"{resource_name('models', name)}/aliases/{alias}"
    return unary("ModelService/SetModelAlias", lambda answer: str(answer.model), name=full, version=version)


def delete_alias(name: str, alias: str) -> Call[None]:
    return unary("ModelService/DeleteModelAlias", nothing, name=f"{resource_name('models', name)}/aliases/{alias}")


def import_model(name: str, files: Mapping[str, bytes]) -> Call[ModelInfo]:
    def requests() -> Iterator[Any]:
        request = _proto.method("ModelService/ImportModel").request
        yield request(header={"name": name})
        for file, content in files.items():
            for start in range(0, len(content), _MODEL_CHUNK_BYTES):
                yield request(chunk={"file": file, "data": content[start : start + _MODEL_CHUNK_BYTES]})

    return sending("ModelService/ImportModel", ModelInfo, requests)


def export_model(name: str) -> Call[Any]:
    return unary("ModelService/ExportModel", lambda answer: answer.chunk, name=model_name(name))


def evaluate(
    model: str,
    files: Sequence[Any],
    generated: Any,
    data: str,
    modes: Iterable[tuple[str, int]],
    reference_search_time: Duration | None,
    seed: int,
    history: str = "",
    habit_search: HabitSearch | None = None,
) -> Call[Any]:
    request = _proto.message(
        "EvaluateModelRequest", model=model_name(model), files=files, generate=generated, data=data, seed=seed
    )
    if history:
        request.history = resource_name("datasets", history)
    if habit_search is not None:
        others = {name: value for name, value in habit_search.items() if name != "budget"}
        request.habit_search.CopyFrom(_proto.message("HabitSearch", **others))
        if "budget" in habit_search:
            set_duration(request.habit_search.budget, habit_search["budget"], "budget")
    for strategy, width in modes:
        request.modes.add(strategy=_proto.enum_number("Strategy", strategy, "modes"), width=width)
    if reference_search_time is not None:
        set_duration(request.reference_search_time, reference_search_time, "reference_search_time")
    return sending("ModelService/EvaluateModel", lambda answer: answer, lambda: request)


def create_solve_job(request: Any, request_id: str = "", validate_only: bool = False) -> Call[SolveJobInfo]:
    return unary(
        "SolverService/CreateSolveJob",
        SolveJobInfo,
        solve=request,
        request_id=request_id or _new_id(),
        validate_only=validate_only,
    )


def solve_job(method: str, name: str) -> Call[SolveJobInfo]:
    """Returns the call of a method that takes a job's name and returns the job."""
    return unary(f"SolverService/{method}", SolveJobInfo, name=resource_name("solveJobs", name))


def list_solve_jobs(token: str) -> Call[tuple[list[SolveJobInfo], str]]:
    return unary("SolverService/ListSolveJobs", page("solve_jobs", SolveJobInfo), page_size=1000, page_token=token)


def delete_solve_job(name: str) -> Call[None]:
    return unary("SolverService/DeleteSolveJob", nothing, name=resource_name("solveJobs", name))


def watch_solve_job(name: str, sequence: int) -> Call[Any]:
    return unary(
        "SolverService/WatchSolveJob",
        lambda event: event,
        name=resource_name("solveJobs", name),
        from_sequence=sequence,
    )


def create_simulation(spec: Any, request_id: str = "", validate_only: bool = False) -> Call[SimulationInfo]:
    return unary(
        "SimulationService/CreateSimulation",
        SimulationInfo,
        spec=spec,
        request_id=request_id or _new_id(),
        validate_only=validate_only,
    )


def simulation(method: str, name: str) -> Call[SimulationInfo]:
    """Returns the call of a method that takes a simulation's name and returns the simulation."""
    return unary(f"SimulationService/{method}", SimulationInfo, name=resource_name("simulations", name))


def list_simulations(token: str) -> Call[tuple[list[SimulationInfo], str]]:
    return unary(
        "SimulationService/ListSimulations", page("simulations", SimulationInfo), page_size=1000, page_token=token
    )


def delete_simulation(name: str) -> Call[None]:
    return unary("SimulationService/DeleteSimulation", nothing, name=resource_name("simulations", name))


def watch_simulation(name: str, sequence: int) -> Call[Any]:
    return unary(
        "SimulationService/WatchSimulation",
        lambda event: event,
        name=resource_name("simulations", name),
        from_sequence=sequence,
    )


def create_sweep(spec: Any, request_id: str = "", validate_only: bool = False) -> Call[SweepInfo]:
    return unary(
        "SweepService/CreateSweep",
        SweepInfo,
        spec=spec,
        request_id=request_id or _new_id(),
        validate_only=validate_only,
    )


def sweep(method: str, name: str) -> Call[SweepInfo]:
    """Returns the call of a method that takes a sweep's name and returns the sweep."""
    return unary(f"SweepService/{method}", SweepInfo, name=resource_name("sweeps", name))


def list_sweeps(token: str) -> Call[tuple[list[SweepInfo], str]]:
    return unary("SweepService/ListSweeps", page("sweeps", SweepInfo), page_size=1000, page_token=token)


def delete_sweep(name: str) -> Call[None]:
    return unary("SweepService/DeleteSweep", nothing, name=resource_name("sweeps", name))


def watch_sweep(name: str, sequence: int) -> Call[Any]:
    return unary(
        "SweepService/WatchSweep",
        lambda event: event,
        name=resource_name("sweeps", name),
        from_sequence=sequence,
    )


def create_training_job(spec: Any, request_id: str, validate_only: bool, config_only: bool) -> Call[TrainingJobInfo]:
    return unary(
        "TrainingService/CreateTrainingJob",
        TrainingJobInfo,
        spec=spec,
        request_id=request_id or _new_id(),
        validate_only=validate_only,
        config_only=config_only,
    )


def training_job(method: str, name: str) -> Call[TrainingJobInfo]:
    """Returns the call of a method that takes a job's name and returns the job."""
    return unary(f"TrainingService/{method}", TrainingJobInfo, name=resource_name("trainingJobs", name))


def list_training_jobs(token: str, labels: Mapping[str, str]) -> Call[tuple[list[TrainingJobInfo], str]]:
    return unary(
        "TrainingService/ListTrainingJobs",
        page("training_jobs", TrainingJobInfo),
        page_size=1000,
        page_token=token,
        labels=labels,
    )


def delete_training_job(name: str) -> Call[None]:
    return unary("TrainingService/DeleteTrainingJob", nothing, name=resource_name("trainingJobs", name))


def publish(name: str) -> Call[Publication]:
    return unary("TrainingService/PublishTrainingJob", Publication, name=resource_name("trainingJobs", name))


def watch_training_job(name: str, sequence: int) -> Call[Any]:
    return unary(
        "TrainingService/WatchTrainingJob",
        lambda event: event,
        name=resource_name("trainingJobs", name),
        from_sequence=sequence,
    )


def history(
    name: str, from_step: int, to_step: int, max_points: int, epochs_only: bool
) -> Call[list[TrainingHistoryPoint]]:
    return unary(
        "TrainingService/GetTrainingHistory",
        listing("points", TrainingHistoryPoint),
        name=resource_name("trainingJobs", name),
        from_step=from_step,
        to_step=to_step,
        max_points=max_points,
        epochs_only=epochs_only,
    )


def server_info() -> Call[ServerInfo]:
    return unary("SystemService/GetServerInfo", ServerInfo)


def server_stats() -> Call[ServerStats]:
    return unary("SystemService/GetServerStats", ServerStats)


def set_log_level(level: str) -> Call[str]:
    number = _proto.enum_number("LogLevel", level, "level")
    kind = _proto.pool().FindEnumTypeByName("vrp.v1.LogLevel")
    return unary(
        "SystemService/SetLogLevel", lambda answer: _proto.enum_word(kind, answer.previous_level), level=number
    )


def backup() -> Call[Any]:
    return unary("SystemService/BackupServer", lambda answer: answer)


def health(service: str) -> Call[bool]:
    return unary("grpc.health.v1.Health/Check", lambda answer: bool(answer.status == 1), service=service)

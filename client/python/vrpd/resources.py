"""The resources of the daemon: models, datasets, matrices and jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from . import _rpc
from ._files import OutputFile
from ._matrices import pack
from ._problems import to_message
from ._uploads import Lines, ModelWriter, dataset_content, model_files
from ._values import Duration, Path
from .jobs import SolveJob, TrainingJob
from .model_records import DatasetDeletion, DatasetInfo, EvaluationReport, MatricesInfo, ModelInfo
from .options import HabitSearch
from .parts import MatrixLike

if TYPE_CHECKING:
    from ._calls import Call
    from ._connection import Connection

_T = TypeVar("_T")


def _pages(connection: Connection, call: Callable[[str], Call[tuple[list[_T], str]]]) -> Iterator[_T]:
    """Yields the entries of all pages."""
    token = ""
    while True:
        entries, token = connection.unary(call(token))
        yield from entries
        if not token:
            return


class Models:
    """The models of a daemon. A model is named NAME (its newest finished version), NAME@3 or NAME@ALIAS."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(self) -> list[ModelInfo]:
        """Returns all versions of all models."""
        return [*_pages(self._connection, _rpc.list_models)]

    def get(self, name: str) -> ModelInfo:
        return self._connection.unary(_rpc.get_model(name))

    def evaluate(
        self,
        model: str,
        problems: Iterable[Any] = (),
        *,
        generate: Any = None,
        data: str = "",
        modes: Iterable[tuple[str, int]] = (),
        reference_search_time: Duration | None = None,
        seed: int = 0,
        history: str = "",
        habit_search: HabitSearch | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> EvaluationReport:
        """Solves many instances with the network alone, and adds the result to the model's card.

        `problems` are paths or dicts; `generate`, instead, is a result of `vrpd.generated`. `modes` are pairs such as
        ("sample", 16). A habit model is asked for the later routes of an uploaded `history` instead of all these. With
        `habit_search`, such as {"max_days": 7, "weights": [0.3]}, some of their days are planned with and without habits.
        `on_progress` is called with the number of finished plans and references, and with their total number.
        """
        files = [to_message(problem).instance for problem in problems]
        call = _rpc.evaluate(model, files, generate, data, modes, reference_search_time, seed, history, habit_search)
        report = None
        for message in self._connection.messages(call):
            if on_progress is not None:
                on_progress(message.done, message.total)
            if message.HasField("report"):
                report = EvaluationReport(message.report)
        assert report is not None
        return report

    def import_(self, name: str, folder: Path) -> ModelInfo:
        """Adds the weights.safetensors and card.json of a folder as the next version of a model."""
        files = model_files(folder)
        return self._connection.unary(_rpc.import_model(name, files))

    def export(self, name: str, folder: Path) -> None:
        """Writes a model's files to a folder, each completely or not at all."""
        with ModelWriter(folder) as writer:
            for chunk in self._connection.stream(_rpc.export_model(name)):
                writer.write(chunk)
            writer.commit()

    def set_alias(self, name: str, alias: str, version: int) -> str:
        """Gives a version an alias. Returns the version's full name."""
        return self._connection.unary(_rpc.set_alias(name, alias, version))

    def delete_alias(self, name: str, alias: str) -> None:
        self._connection.unary(_rpc.delete_alias(name, alias))

    def load(self, name: str) -> ModelInfo:
        """Loads a model into memory, so that no solve waits for it."""
        return self._connection.unary(_rpc.load_model(name))

    def unload(self, name: str) -> Iterable[str]:
        """Frees the memory of a model. Returns the versions that were in memory."""
        return self._connection.unary(_rpc.unload_model(name))

    def delete(self, name: str) -> None:
        """Deletes a version, such as "mine@3"."""
        self._connection.unary(_rpc.delete_model(name))


class Datasets:
    """Uploaded instances and request logs."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def upload(self, name: str, instances: Lines) -> DatasetInfo:
        """Stores instances in this project's JSON, or the requests of a log: a file with one per line, or lines as texts or
        dicts."""
        return self._connection.unary(_rpc.upload_dataset(name, dataset_content(instances)))

    def list(self) -> list[DatasetInfo]:
        return self._connection.unary(_rpc.list_datasets())

    def get(self, name: str) -> DatasetInfo:
        return self._connection.unary(_rpc.get_dataset(name))

    def export(self, name: str, path: Path) -> None:
        """Writes the content to a file, exactly as it was uploaded, completely or not at all."""
        with OutputFile(path) as file:
            for chunk in self._connection.stream(_rpc.export_dataset(name)):
                file.write(chunk)
            file.commit()

    def delete(self, name: str) -> DatasetDeletion:
        """Deletes a dataset and what was derived from it, except models."""
        return self._connection.unary(_rpc.delete_dataset(name))

    def generate(
        self, problem_type: str, customers: int, count: int, *, seed: int = 0, capacity: float = 0
    ) -> Iterator[str]:
        """Generates instances of the usual distributions, in this project's JSON. The seed determines the instances."""
        for file in self._connection.stream(_rpc.generate(problem_type, customers, count, seed, capacity)):
            yield file.content.decode()


class MatrixStore:
    """Uploaded matrices that problems can refer to by name. Models upload their own matrices automatically."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def upload(self, distances: MatrixLike, durations: MatrixLike | None = None) -> MatricesInfo:
        """Stores distances and durations; the name is for `Model.set_matrices(uploaded=...)`."""
        return self._connection.unary(_rpc.upload_matrices(pack(distances, durations)))

    def list(self) -> list[MatricesInfo]:
        return self._connection.unary(_rpc.list_matrices())

    def delete(self, name: str) -> None:
        self._connection.unary(_rpc.delete_matrices(name))
        self._connection.uploaded.clear()


class TrainingJobs:
    """The training jobs of a daemon."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(self, labels: Mapping[str, str] | None = None) -> list[TrainingJob]:
        """Returns the jobs with all of these labels, newest first."""
        pages = _pages(self._connection, lambda token: _rpc.list_training_jobs(token, labels or {}))
        return [TrainingJob(self._connection, info) for info in pages]

    def get(self, name: str) -> TrainingJob:
        return TrainingJob(self._connection, self._connection.unary(_rpc.training_job("GetTrainingJob", name)))


class SolveJobs:
    """The solve jobs of a daemon."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(self) -> list[SolveJob]:
        """Returns all jobs, newest first, without their results; `get` has the result."""
        return [SolveJob(self._connection, info) for info in _pages(self._connection, _rpc.list_solve_jobs)]

    def get(self, name: str) -> SolveJob:
        return SolveJob(self._connection, self._connection.unary(_rpc.solve_job("GetSolveJob", name)))

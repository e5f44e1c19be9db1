"""The resources of a daemon, with asyncio; see `vrpd.resources`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from . import _rpc
from ._files import OutputFile
from ._matrices import pack
from ._problems import to_message
from ._uploads import Lines, ModelWriter, dataset_content, model_files
from ._values import Duration, Path
from .aio_jobs import AsyncSolveJob, AsyncTrainingJob
from .model_records import DatasetDeletion, DatasetInfo, EvaluationReport, MatricesInfo, ModelInfo
from .options import HabitSearch
from .parts import MatrixLike

if TYPE_CHECKING:
    from ._aio_connection import AsyncConnection
    from ._calls import Call

_T = TypeVar("_T")


async def _pages(connection: AsyncConnection, call: Callable[[str], Call[tuple[list[_T], str]]]) -> list[_T]:
    """Returns the entries of all pages."""
    entries: list[_T] = []
    token = ""
    while True:
        more, token = await connection.unary(call(token))
        entries += more
        if not token:
            return entries


class AsyncModels:
    """The models of a daemon."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def list(self) -> list[ModelInfo]:
        return await _pages(self._connection, _rpc.list_models)

    async def get(self, name: str) -> ModelInfo:
        return await self._connection.unary(_rpc.get_model(name))

    async def evaluate(
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
        files = [to_message(problem).instance for problem in problems]
        call = _rpc.evaluate(model, files, generate, data, modes, reference_search_time, seed, history, habit_search)
        report = None
        async for message in self._connection.messages(call):
            if on_progress is not None:
                on_progress(message.done, message.total)
            if message.HasField("report"):
                report = EvaluationReport(message.report)
        assert report is not None
        return report

    async def import_(self, name: str, folder: Path) -> ModelInfo:
        return await self._connection.unary(_rpc.import_model(name, model_files(folder)))

    async def export(self, name: str, folder: Path) -> None:
        with ModelWriter(folder) as writer:
            async for chunk in self._connection.stream(_rpc.export_model(name)):
                writer.write(chunk)
            writer.commit()

    async def set_alias(self, name: str, alias: str, version: int) -> str:
        return await self._connection.unary(_rpc.set_alias(name, alias, version))

    async def delete_alias(self, name: str, alias: str) -> None:
        await self._connection.unary(_rpc.delete_alias(name, alias))

    async def load(self, name: str) -> ModelInfo:
        return await self._connection.unary(_rpc.load_model(name))

    async def unload(self, name: str) -> Iterable[str]:
        return await self._connection.unary(_rpc.unload_model(name))

    async def delete(self, name: str) -> None:
        await self._connection.unary(_rpc.delete_model(name))


class AsyncDatasets:
    """Uploaded instances and request logs."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def upload(self, name: str, instances: Lines) -> DatasetInfo:
        return await self._connection.unary(_rpc.upload_dataset(name, dataset_content(instances)))

    async def list(self) -> list[DatasetInfo]:
        return await self._connection.unary(_rpc.list_datasets())

    async def get(self, name: str) -> DatasetInfo:
        return await self._connection.unary(_rpc.get_dataset(name))

    async def export(self, name: str, path: Path) -> None:
        with OutputFile(path) as file:
            async for chunk in self._connection.stream(_rpc.export_dataset(name)):
                file.write(chunk)
            file.commit()

    async def delete(self, name: str) -> DatasetDeletion:
        return await self._connection.unary(_rpc.delete_dataset(name))

    async def generate(
        self, problem_type: str, customers: int, count: int, *, seed: int = 0, capacity: float = 0
    ) -> AsyncIterator[str]:
        async for file in self._connection.stream(_rpc.generate(problem_type, customers, count, seed, capacity)):
            yield file.content.decode()


class AsyncMatrixStore:
    """Uploaded matrices that problems can refer to by name."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def upload(self, distances: MatrixLike, durations: MatrixLike | None = None) -> MatricesInfo:
        return await self._connection.unary(_rpc.upload_matrices(pack(distances, durations)))

    async def list(self) -> list[MatricesInfo]:
        return await self._connection.unary(_rpc.list_matrices())

    async def delete(self, name: str) -> None:
        await self._connection.unary(_rpc.delete_matrices(name))
        self._connection.uploaded.clear()


class AsyncTrainingJobs:
    """The training jobs of a daemon."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def list(self, labels: Mapping[str, str] | None = None) -> list[AsyncTrainingJob]:
        infos = await _pages(self._connection, lambda token: _rpc.list_training_jobs(token, labels or {}))
        return [AsyncTrainingJob(self._connection, info) for info in infos]

    async def get(self, name: str) -> AsyncTrainingJob:
        return AsyncTrainingJob(
            self._connection, await self._connection.unary(_rpc.training_job("GetTrainingJob", name))
        )


class AsyncSolveJobs:
    """The solve jobs of a daemon."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def list(self) -> list[AsyncSolveJob]:
        infos = await _pages(self._connection, _rpc.list_solve_jobs)
        return [AsyncSolveJob(self._connection, info) for info in infos]

    async def get(self, name: str) -> AsyncSolveJob:
        return AsyncSolveJob(self._connection, await self._connection.unary(_rpc.solve_job("GetSolveJob", name)))

"""Reads the contents of datasets and models for uploads, and writes exported models."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Union

from ._files import OutputFile
from ._values import Path
from .errors import InternalError

Lines = Union[Path, Iterable[Union[str, bytes, Mapping[str, Any]]]]
"""Path of a file of JSON lines, or its lines, as texts or dicts."""

_BLOCK_BYTES = 1 << 20
_MODEL_FILES = ("card.json", "weights.safetensors")


class DatasetContent(NamedTuple):
    """The content of a dataset."""

    file_name: str
    size: int
    """Bytes; 0 if unknown."""
    pieces: Callable[[], Iterator[bytes]]
    source: Any


def dataset_content(instances: Lines) -> DatasetContent:
    """Returns the content of a file or of lines."""
    if isinstance(instances, (str, os.PathLike)):
        path = pathlib.Path(instances)
        return DatasetContent(path.name, path.stat().st_size, lambda: _blocks(path), path)
    return DatasetContent("", 0, lambda: _joined(instances), instances)


def _blocks(path: pathlib.Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            yield block


def _joined(lines: Iterable[Any]) -> Iterator[bytes]:
    """Joins lines to blocks of at least _BLOCK_BYTES, except the last one."""
    block = bytearray()
    for line in lines:
        if hasattr(line, "content"):  # an InstanceFile that generate() returned
            line = line.content
        if isinstance(line, Mapping):
            line = json.dumps(line)
        block += (line.encode() if isinstance(line, str) else bytes(line)).rstrip(b"\n") + b"\n"
        if len(block) >= _BLOCK_BYTES:
            yield bytes(block)
            block.clear()
    if block:
        yield bytes(block)


def model_files(folder: Path) -> dict[str, bytes]:
    """Returns the contents of the files of a model's folder."""
    return {name: (pathlib.Path(folder) / name).read_bytes() for name in _MODEL_FILES}


class ModelWriter:
    """A writer of an exported model's chunks to a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = pathlib.Path(folder)
        self._folder.mkdir(parents=True, exist_ok=True)
        self._files: dict[str, OutputFile] = {}

    def __enter__(self) -> ModelWriter:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files.values():
            file.close()

    def write(self, chunk: Any) -> None:
        if chunk.file not in _MODEL_FILES:
            raise ValueError(f"export: got a file {chunk.file!r}, wanted one of {', '.join(_MODEL_FILES)}")
        if chunk.file not in self._files:
            self._files[chunk.file] = OutputFile(self._folder / chunk.file)
        self._files[chunk.file].write(chunk.data)

    def commit(self) -> None:
        """Gives the files their names. Writes none if the daemon did not send all files."""
        missing = [name for name in _MODEL_FILES if name not in self._files]
        if missing:
            raise InternalError(f"export: the daemon did not send {' and '.join(missing)}; repeat the export")
        for file in self._files.values():
            file.commit()

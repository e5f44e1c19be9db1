"""Reads the contents of datasets and models for uploads, and writes exported models."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Union

from ._values import Path

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
        self._name = ""
        self._file: Any = None

    def write(self, chunk: Any) -> None:
        if chunk.file and chunk.file != self._name:
            if chunk.file not in _MODEL_FILES:
                raise ValueError(f"export: got a file {chunk.file!r}, wanted one of {', '.join(_MODEL_FILES)}")
            self.close()
            self._name = chunk.file
            self._file = (self._folder / chunk.file).open("wb")
        self._file.write(chunk.data)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

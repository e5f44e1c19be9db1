"""Packs square matrices row by row as doubles, and builds matrices from edges."""

from __future__ import annotations

import array
import itertools
import sys
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from . import _proto
from .parts import Customer, Depot, Edge, Location, MatrixLike

_CHUNK_VALUES = 500_000  # maximum number of values in a message
_DOUBLE_BYTES = 8


class Packed(NamedTuple):
    """Distances and durations as little-endian doubles, row by row."""

    size: int
    distances: bytes
    durations: bytes | None

    def digest(self) -> str:
        import hashlib

        digest = hashlib.sha256(self.distances)
        if self.durations is not None:
            digest.update(b"durations" + self.durations)
        return digest.hexdigest()


def pack(distances: MatrixLike, durations: MatrixLike | None, what: str = "matrices") -> Packed:
    """Packs the matrices. Errors begin with `what`."""
    size, packed = _pack_one(distances, f"{what}: distances")
    if durations is None:
        return Packed(size, packed, None)
    other_size, other = _pack_one(durations, f"{what}: durations")
    if other_size != size:
        raise ValueError(f"{what}: durations: got {other_size} rows, wanted {size}, as many as the distances")
    return Packed(size, packed, other)


def _pack_one(matrix: Any, what: str) -> tuple[int, bytes]:
    if hasattr(matrix, "__array__"):  # numpy, pandas
        import numpy

        values = numpy.ascontiguousarray(matrix, dtype="<f8")
        if values.ndim != 2 or values.shape[0] != values.shape[1]:
            raise ValueError(f"{what}: got shape {values.shape}, wanted a square matrix")
        return int(values.shape[0]), values.tobytes()
    rows: list[Sequence[float]] = list(matrix)
    for index, row in enumerate(rows):
        if len(row) != len(rows):
            raise ValueError(f"{what}[{index}]: got {len(row)} values, wanted {len(rows)}, the number of rows")
    return len(rows), _doubles(itertools.chain.from_iterable(rows))


def _doubles(values: Any) -> bytes:
    packed = array.array("d", values)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def _varint(number: int) -> bytes:
    result = b""
    while number > 0x7F:
        result += bytes([number & 0x7F | 0x80])
        number >>= 7
    return result + bytes([number])


def _field(number: int, content: bytes) -> bytes:
    """Returns a length-delimited field in protobuf's wire format."""
    return bytes([number << 3 | 2]) + _varint(len(content)) + content


def set_matrix(target: Any, size: int, values: bytes) -> None:
    """Stores a matrix in a message Matrix without creating a Python object for each number."""
    target.ParseFromString(b"\x08" + _varint(size) + _field(2, values))


def upload_requests(packed: Packed) -> Iterator[Any]:
    """Yields the messages of an upload: the header, then the chunks."""
    request = _proto.message_class("vrp.v1.UploadMatricesRequest")
    chunk = _proto.message_class("vrp.v1.UploadMatricesRequest.Chunk")
    yield request(header={"size": packed.size, "with_durations": packed.durations is not None})
    for values in (packed.distances, packed.durations or b""):
        for start in range(0, len(values), _CHUNK_VALUES * _DOUBLE_BYTES):
            yield request(chunk=chunk.FromString(_field(1, values[start : start + _CHUNK_VALUES * _DOUBLE_BYTES])))


class EdgeMatrix:
    """A builder of matrices between nodes from edges between locations."""

    def __init__(self, nodes: Sequence[Depot | Customer], missing: float) -> None:
        self._missing = missing
        self._nodes = nodes
        self._by_location: dict[int, list[int]] = {}
        for number, node in enumerate(nodes):
            self._by_location[id(node)] = [number]
            if node.location is not None:
                self._by_location.setdefault(id(node.location), []).append(number)

    def build(self, edges: Sequence[Edge]) -> Packed:
        size = len(self._nodes)
        distances = array.array("d", [self._missing]) * (size * size)
        durations = array.array("d", [self._missing]) * (size * size)
        for start, numbers in self._same_locations():
            for end in numbers:
                distances[start * size + end] = durations[start * size + end] = 0
        for edge in edges:
            for start in self._numbers(edge.frm):
                for end in self._numbers(edge.to):
                    if start != end:
                        distances[start * size + end] = edge.distance
                        durations[start * size + end] = edge.duration
        return Packed(size, _doubles(distances), _doubles(durations))

    def _same_locations(self) -> Iterator[tuple[int, list[int]]]:
        for number, node in enumerate(self._nodes):
            yield number, [number] if node.location is None else self._by_location[id(node.location)]

    def _numbers(self, location: Location | Depot | Customer) -> list[int]:
        numbers = self._by_location.get(id(location))
        if numbers is None:
            raise ValueError(
                f"add_edge: got {location!r}, wanted a depot, a client or one of their locations in this model"
            )
        return numbers

"""Computes matrices of distances and durations between the nodes of a model, for other libraries."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ._matrices import EdgeMatrix, pack
from .errors import ConversionError
from .model import MISSING_EDGE, Model
from .parts import Customer, Depot, Matrices, Profile

_EARTH_RADIUS_M = 6_371_008.8


def _rows(packed: bytes, size: int) -> list[list[float]]:
    values: list[Any] = memoryview(packed).cast("d").tolist()
    return [values[start * size : (start + 1) * size] for start in range(size)]


def _given(model: Model, profile: Profile) -> tuple[Any, Any]:
    """Returns the stated distances and durations of a profile as rows; None if they are absent."""
    base = model._base
    matrices = profile.matrices or (None if profile.edges else base.matrices)
    edges = profile.edges if profile is base else [*base.edges, *profile.edges]
    if matrices is None and edges:
        nodes: list[Depot | Customer] = [*model.depots, *model.clients]
        packed = EdgeMatrix(nodes, MISSING_EDGE).build(edges)
        return _rows(packed.distances, packed.size), _rows(packed.durations or b"", packed.size)
    return _matrix_rows(matrices or Matrices())


def _matrix_rows(matrices: Matrices) -> tuple[Any, Any]:
    if matrices.uploaded:
        raise ConversionError(
            "to_pyvrp: matrices: the numbers of uploaded matrices are on the daemon; give them as arrays"
        )
    if matrices.durations_at:
        raise ConversionError("to_pyvrp: durations_at: PyVRP has one duration for all times; give durations instead")
    if matrices.lengths is not None:
        raise ConversionError("to_pyvrp: lengths: PyVRP limits the distances themselves; give these alone")
    found = []
    for matrix in (matrices.distances, matrices.durations):
        packed = None if matrix is None else pack(matrix, None)
        found.append(None if packed is None else _rows(packed.distances, packed.size))
    return found[0], found[1]


def node_distances(model: Model, profile: Profile) -> list[list[float]]:
    """Returns the distances between all nodes, depots first."""
    distances, _ = _given(model, profile)
    if distances is not None:
        return list(distances)
    metric = _METRICS[model._settings["metric"] or "exact"]
    between = _haversine if model.lon_lat else _euclidean
    nodes: list[Depot | Customer] = [*model.depots, *model.clients]
    locations = [node.location for node in nodes]
    if None in locations:
        index = locations.index(None)
        where = f"depots[{index}]" if index < len(model.depots) else f"clients[{index - len(model.depots)}]"
        raise ConversionError(
            f"to_pyvrp: {where}: has no location; give every depot and client x and y, or set matrices"
        )
    return [[metric(between(frm, to)) for to in locations] for frm in locations]


def node_durations(model: Model, profile: Profile, distances: list[list[float]]) -> list[list[float]]:
    """Returns the travel times between all nodes: those given, else distance / speed."""
    _, durations = _given(model, profile)
    speed = model._settings["speed"] or 1.0
    return durations or [[distance / speed for distance in row] for row in distances]


def _euclidean(frm: Any, to: Any) -> float:
    return math.hypot(frm.x - to.x, frm.y - to.y)


def _haversine(frm: Any, to: Any) -> float:
    south, north = math.radians(frm.y), math.radians(to.y)
    half = math.sin((north - south) / 2) ** 2
    half += math.cos(south) * math.cos(north) * math.sin(math.radians(to.x - frm.x) / 2) ** 2
    return 2 * _EARTH_RADIUS_M * math.asin(math.sqrt(half))


_METRICS: dict[str, Callable[[float], float]] = {
    "exact": lambda distance: distance,
    "cvrplib": lambda distance: float(math.floor(distance + 0.5)),
    "ceil": lambda distance: float(math.ceil(distance)),
    "dimacs": lambda distance: math.floor(distance * 10) / 10,
    "scaled_1000": lambda distance: float(math.floor(distance * 1000 + 0.5)),
}

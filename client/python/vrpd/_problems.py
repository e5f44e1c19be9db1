"""Converts problems to messages."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any, Union

from ._encode import Encoded, encode
from ._matrices import Packed, set_matrix
from ._values import Path
from .conversions import instance_file
from .errors import VrpdError
from .model import Model

Problem = Union[Model, Mapping[str, Any], Path]
"""A model, VROOM's input or this project's JSON as a dict, or the path of a file."""

INLINE_NODES = 64
"""Maximum number of nodes for matrices within the request. Larger ones are uploaded once, unless the daemon is full."""


def to_message(problem: Any) -> Encoded:
    """Returns the problem as a vrp.v1.Instance or InstanceFile."""
    if isinstance(problem, Model):
        return encode(problem)
    if isinstance(problem, Mapping):
        return Encoded(instance_file(json.dumps(problem).encode(), "problem"), [])
    if isinstance(problem, (str, os.PathLike)):
        with open(problem, "rb") as file:
            return Encoded(instance_file(file.read(), os.path.basename(problem)), [])
    if getattr(getattr(problem, "DESCRIPTOR", None), "name", "") in ("Instance", "InstanceFile"):
        return Encoded(problem, [])
    raise TypeError(
        f"got a {type(problem).__name__}, wanted a vrpd.Model, a dict of VROOM or of this project's JSON, or a path"
    )


def model_of(problem: Any) -> Model | None:
    return problem if isinstance(problem, Model) else None


def is_small(packed: Packed) -> bool:
    return packed.size <= INLINE_NODES


def names_lost_matrices(error: VrpdError) -> bool:
    """Whether the error can mean that the daemon lacks the matrices that a request names."""
    return error.code == "NOT_FOUND" or any(field.rpartition(".")[2] == "matrices" for field in error.fields)


def fill(encoded: Encoded, name_of: Callable[[Packed], str | None]) -> Any:
    """Returns the message after adding its matrices: by name if `name_of` returns one, otherwise by value."""
    for target, packed in encoded.pending:
        name = name_of(packed)
        if name is not None:
            target.matrices = name
            continue
        set_matrix(target.distance_matrix, packed.size, packed.distances)
        if packed.durations is not None:
            set_matrix(target.duration_matrix, packed.size, packed.durations)
    return encoded.instance

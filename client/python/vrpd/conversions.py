"""Builds models from files, dicts and other libraries. The daemon parses all file formats."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _proto
from ._decode import decode
from .model import Model

if TYPE_CHECKING:
    from .client import Client

Json = Mapping[str, Any]


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    objective: str | None = None,
    metric: str | None = None,
    client: Client | None = None,
) -> Model:
    """Reads a file of CVRPLIB, TSPLIB, Solomon, Homberger, Li and Lim, Cordeau, VROOM, or this project's JSON.

    `format` is "vrplib", "solomon", "json", "vroom" or "tsplib"; by default the daemon detects it. `objective` and
    `metric` replace those of the file.
    """
    with open(path, "rb") as file:
        content = file.read()
    return _from_content(content, os.path.basename(path), format, objective, metric, client)


def from_vroom(problem: Json, *, client: Client | None = None) -> Model:
    """Returns the model of VROOM's input."""
    return _from_content(json.dumps(problem).encode(), "problem", "vroom", None, None, client)


def from_json(problem: Json | str, *, client: Client | None = None) -> Model:
    """Returns the model of this project's JSON."""
    text = problem if isinstance(problem, str) else json.dumps(problem)
    return _from_content(text.encode(), "problem", "json", None, None, client)


def from_pyvrp(model: Any) -> Model:
    """Returns the model of a pyvrp.Model or pyvrp.ProblemData."""
    from ._pyvrp import from_pyvrp as convert

    return convert(model)


def instance_file(
    content: bytes, name: str, format: str | None = None, objective: str | None = None, metric: str | None = None
) -> Any:
    """Returns a message InstanceFile."""
    file = _proto.message("InstanceFile", name=name, content=content)
    if format is not None:
        file.format = _proto.enum_number("InstanceFormat", format, "format")
    if objective is not None:
        file.objective = _proto.enum_number("Objective", objective, "objective")
    if metric is not None:
        file.metric = _proto.enum_number("Metric", metric, "metric")
    return file


def _from_content(
    content: bytes, name: str, format: str | None, objective: str | None, metric: str | None, client: Client | None
) -> Model:
    from .client import default_client

    file = instance_file(content, name, format, objective, metric)
    model = decode(json.loads((client or default_client())._convert(file, "json", False)))
    model._source = file
    return model

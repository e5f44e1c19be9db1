"""Converts Python values to those of messages."""

from __future__ import annotations

import datetime
import os
import re
from collections.abc import Iterable, Sequence
from typing import Any, Union

Duration = Union[float, int, str, datetime.timedelta]
"""Seconds, a text such as "300ms", "2s", "5min" or "1h", or a timedelta."""

Load = Union[float, Sequence[float]]
"""One number, or one for each load dimension."""

Path = Union[str, "os.PathLike[str]"]

_UNITS = {"ms": 0.001, "s": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0}


def seconds(value: Duration, what: str) -> float:
    """Returns a duration in seconds. `what` names the argument in errors."""
    if isinstance(value, datetime.timedelta):
        result = value.total_seconds()
    elif isinstance(value, str):
        match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*(ms|s|min|m|h)\s*", value)
        if match is None:
            raise ValueError(f'{what}: got {value!r}, wanted seconds or a text such as "300ms", "2s", "5min" or "1h"')
        result = float(match[1]) * _UNITS[match[2]]
    else:
        result = float(value)
    if not 0 <= result < 1e10:
        raise ValueError(f"{what}: got {value!r}, wanted at least 0 and less than 1e10 seconds")
    return result


def set_duration(target: Any, value: Duration, what: str) -> None:
    """Stores a duration in the message `target`, even if it is 0."""
    nanos = round(seconds(value, what) * 1e9)
    target.SetInParent()
    target.seconds, target.nanos = divmod(nanos, 1_000_000_000)


def loads(value: Load | None) -> list[float]:
    """Returns a load as a list with one number for each dimension."""
    if value is None:
        return []
    if isinstance(value, Iterable):
        return [float(one) for one in value]
    return [float(value)]


def resource_name(kind: str, name: str) -> str:
    """Returns the full name of a resource: `datasets/depot7` for "depot7"."""
    return name if name.startswith(kind + "/") else f"{kind}/{name}"


def is_dataset(value: object) -> bool:
    """Whether a value is the name of an uploaded dataset, `datasets/NAME`, and not the path of a file."""
    return isinstance(value, str) and value.startswith("datasets/") and not os.path.exists(value)


def model_name(name: str) -> str:
    """Returns the full name of a model.

    NAME means the newest finished version, NAME@3 a version and NAME@live an alias.
    """
    if not name or name.startswith("models/"):
        return name
    base, _, version = name.partition("@")
    if not version:
        return f"models/{base}"
    return f"models/{base}/{'versions' if version.isdigit() else 'aliases'}/{version}"

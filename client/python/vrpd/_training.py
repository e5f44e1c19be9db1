"""Builds specifications of training jobs."""

from __future__ import annotations

import json
import os
import pathlib
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypedDict, Union

from . import _proto
from ._values import Duration, Path, set_duration

if TYPE_CHECKING:
    from typing_extensions import Unpack

Config = Union[Path, Mapping[str, Any]]
"""Path of a YAML file, its text, a dict, or the name of a preset."""


class TrainOptions(TypedDict, total=False):
    """Options of train(). `vrpd.Client.train` explains them."""

    preset: str
    settings: Mapping[str, Any] | Iterable[str]
    device: str
    priority: int
    labels: Mapping[str, str]
    time_limit: Duration
    epoch_limit: int
    threads: int
    request_id: str


_PRESETS = pathlib.Path(__file__).parent / "_generated" / "presets"


def presets() -> dict[str, str]:
    """Returns the names of the built-in configurations with the first line of their comments."""
    result = {}
    for path in sorted(_PRESETS.glob("*.yaml")):
        first = path.read_text().partition("\n")[0]
        result[path.stem] = first.lstrip("# ").rstrip(". ")
    return result


def preset_text(name: str) -> str:
    """Returns the YAML text of a preset."""
    path = _PRESETS / f"{name.replace('-', '_')}.yaml"
    if "/" in name or not path.is_file():
        raise ValueError(f"preset: got {name!r}, wanted one of {', '.join(presets())}")
    return path.read_text()


def spec(
    config: Config | None,
    preset: str | None,
    settings: Mapping[str, Any] | Iterable[str],
    device: str,
    priority: int,
    labels: Mapping[str, str],
    time_limit: Duration | None,
    epoch_limit: int,
    threads: int,
) -> Any:
    """Returns a TrainingSpec."""
    text, name = _text(config, preset)
    result = _proto.message(
        "TrainingSpec",
        config_yaml=text,
        config_name=name,
        overrides=_overrides(settings),
        device=device,
        priority=priority,
        labels=labels,
        epoch_limit=epoch_limit,
        threads=threads,
    )
    if time_limit is not None:
        set_duration(result.time_limit, time_limit, "time_limit")
    return result


class SweepOptions(TypedDict, total=False):
    """Options of sweep(). `vrpd.Client.sweep` explains them."""

    preset: str
    settings: Mapping[str, Any] | Iterable[str]
    device: str
    priority: int
    labels: Mapping[str, str]
    time_limit: Duration
    epoch_limit: int
    threads: int


def sweep_spec(sweep: Config, config: Config | None, **options: Unpack[SweepOptions]) -> Any:
    """Returns a SweepSpec. Reads the base configuration that the sweep names."""
    text, name, folder = _sweep_text(sweep)
    preset = options.get("preset")
    if config is None and preset is None:
        named = re.search(r"^(config|preset):[ \t]+(?!\{)([^#\s].*?)(?:[ \t]+#.*)?$", text, re.MULTILINE)
        if isinstance(sweep, Mapping):
            config = None if isinstance(sweep.get("config"), Mapping) else sweep.get("config")
            preset = sweep.get("preset")
        elif named is not None:
            value = named[2].strip("\"'")
            preset = value if named[1] == "preset" else None
            config = folder / value if named[1] == "config" else None
    in_sweep = config is None and preset is None
    base = spec(
        "# in the sweep\n" if in_sweep else config,
        preset,
        options.get("settings", ()),
        options.get("device", ""),
        options.get("priority", 0),
        options.get("labels") or {},
        options.get("time_limit"),
        options.get("epoch_limit", 0),
        options.get("threads", 0),
    )
    if in_sweep:
        base.config_yaml = base.config_name = ""
    return _proto.message("SweepSpec", sweep_yaml=text, sweep_name=name, base=base)


def _sweep_text(sweep: Config) -> tuple[str, str, pathlib.Path]:
    """Returns the YAML text of a sweep, its name for error messages, and the folder of its file."""
    if isinstance(sweep, Mapping):
        return json.dumps(sweep), "sweep", pathlib.Path()
    if isinstance(sweep, str) and "\n" in sweep:
        return sweep, "sweep.yaml", pathlib.Path()
    path = pathlib.Path(sweep)
    return path.read_text(encoding="utf-8"), path.name, path.parent


def _text(config: Config | None, preset: str | None) -> tuple[str, str]:
    """Returns the YAML text of a configuration and its name for error messages."""
    if (config is None) == (preset is None):
        given = "neither config nor preset" if config is None else "config and preset"
        raise ValueError(f"train: got {given}, wanted one of them")
    if preset is not None:
        return preset_text(preset), f"{preset}.yaml"
    if isinstance(config, Mapping):
        return json.dumps(config), "config"  # JSON is YAML
    if isinstance(config, str) and ("\n" in config or ": " in config):
        return config, "config.yaml"
    if isinstance(config, str) and (_PRESETS / f"{config}.yaml").is_file() and not os.path.exists(config):
        return preset_text(config), f"{config}.yaml"
    assert config is not None
    with open(config, encoding="utf-8") as file:
        return file.read(), os.path.basename(config)


def _overrides(settings: Mapping[str, Any] | Iterable[str]) -> list[str]:
    if isinstance(settings, str):
        raise TypeError("settings: got a string, wanted a dict or a list of `key=value`")
    if not isinstance(settings, Mapping):
        return list(settings)
    return [f"{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in settings.items()]

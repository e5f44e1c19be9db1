"""Requests for simulations of dispatch."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, Union

from . import _proto
from ._problems import Problem, fill, to_message
from ._values import Duration, Path, is_dataset, model_name, set_duration
from .model import Model
from .options import set_input


@dataclass(frozen=True)
class SimulatedPolicy:
    """A policy to simulate, with its parameters. What is None has the daemon's default."""

    policy: str = "sampling"
    name: str = ""
    """Name in the results, unique within the simulation. Empty: the policy."""
    rounds: int | None = None
    scenarios: int | None = None
    lookahead: int | None = None
    dispatch_share: float | None = None
    postpone_share: float | None = None
    scenario_share: float | None = None
    model: str = ""
    """The dispatch model of the policy "model", by default `dispatch-ortec`."""


class SimulationOptions(TypedDict, total=False):
    """Options of simulate(). `vrpd.Client.simulate` explains them."""

    policies: Sequence[str | SimulatedPolicy]
    request_log: Path | bytes
    days: int
    first_seed: int
    decision_time: Duration
    max_iterations: int
    epoch: float
    margin: float
    requests_per_epoch: int
    vehicles: Sequence[int]
    seed: int
    hindsight_time: Duration


Sites = Union[Problem, Iterable[Problem]]
"""A problem, or several."""


def simulation_spec(
    sites: Sites,
    *,
    policies: Sequence[str | SimulatedPolicy] = (),
    request_log: Path | bytes | None = None,
    days: int = 0,
    first_seed: int = 0,
    decision_time: Duration | None = None,
    max_iterations: int = 0,
    epoch: float | None = None,
    margin: float | None = None,
    requests_per_epoch: int = 0,
    vehicles: Sequence[int] = (),
    seed: int = 0,
    hindsight_time: Duration | None = None,
) -> Any:
    """Returns a SimulationSpec."""
    spec = _proto.message(
        "SimulationSpec",
        days=days,
        first_seed=first_seed,
        max_iterations=max_iterations,
        requests_per_epoch=requests_per_epoch,
        vehicles=vehicles,
        seed=seed,
    )
    single = isinstance(sites, (Model, Mapping, str, os.PathLike)) or hasattr(sites, "DESCRIPTOR")
    for site in [sites] if single else sites:  # type: ignore[union-attr]
        # A simulation must state its matrices itself.
        set_input(spec.sites.add(), fill(to_message(site), lambda packed: None))
    for policy in policies:
        _add_policy(spec, SimulatedPolicy(policy) if isinstance(policy, str) else policy)
    if isinstance(request_log, bytes):
        spec.request_log.content = request_log
    elif is_dataset(request_log):
        spec.request_log.dataset = request_log
    elif request_log is not None:
        with open(request_log, "rb") as file:
            spec.request_log.name, spec.request_log.content = os.path.basename(request_log), file.read()
    if epoch is not None:
        spec.epoch = epoch
    if margin is not None:
        spec.margin = margin
    for field, time in (("decision_time", decision_time), ("hindsight_time", hindsight_time)):
        if time is not None:
            set_duration(getattr(spec, field), time, field)
    return spec


def _add_policy(spec: Any, policy: SimulatedPolicy) -> None:
    message = spec.policies.add(name=policy.name, model=model_name(policy.model))
    message.policy = _proto.enum_number("DispatchPolicy", policy.policy, "policies")
    for field in ("rounds", "scenarios", "lookahead", "dispatch_share", "postpone_share", "scenario_share"):
        value = getattr(policy, field)
        if value is not None:
            setattr(message.sampling, field, value)

"""Tests that arguments reach every field of requests, and attributes every field of answers."""

from __future__ import annotations

import inspect
import typing
from typing import Any

import pytest
from models import full_model, small_model

from vrpd import _problems, _proto, _rpc, _training, dispatch, estimates, records, simulation_options
from vrpd.options import CallOptions, HabitSearch, PlannedRoute, SolveOptions, solve_request


def set_fields(message: Any) -> set[str]:
    """Returns the full names of all fields that are set in the message or its parts."""
    found = set()
    for field, value in message.ListFields():
        found.add(field.full_name)
        if field.message_type is not None and not field.message_type.GetOptions().map_entry:
            for part in value if records._is_repeated(field) else [value]:
                found |= set_fields(part)
    return found


def known_fields(descriptor: Any, skipped: set[str]) -> set[str]:
    """Returns the full names of all fields of a message and its parts, but not inside the messages `skipped`."""
    found: set[str] = set()
    for field in descriptor.fields:
        found.add(field.full_name)
        if field.message_type is not None and field.message_type.full_name not in skipped | {descriptor.full_name}:
            found |= known_fields(field.message_type, skipped)
    return found


def message_fields(name: str, skipped: set[str]) -> set[str]:
    return known_fields(_proto.pool().FindMessageTypeByName(f"vrp.v1.{name}"), skipped | {"google.protobuf.Duration"})


def test_model_sets_every_field_of_an_instance() -> None:
    uploaded = small_model()
    uploaded.set_matrices(uploaded="matrices/a")
    made = [_problems.fill(_problems.to_message(model), lambda _: None) for model in (full_model(), uploaded)]
    assert message_fields("Instance", set()) - set_fields(made[0]) - set_fields(made[1]) == set()


def test_options_set_every_field_of_a_solve_request(tmp_path: Any) -> None:
    plan = tmp_path / "plan.sol"
    plan.write_text("Route #1: 1")
    model = small_model()
    instance = _problems.to_message(model).instance
    every: dict[str, Any] = dict(
        budget="1s",
        stop_after=1,
        stop_after_share=0.5,
        target_cost=1,
        target_gap=0.1,
        max_iterations=3,
        stop_automatically=True,
        strategy="search",
        model="mine",
        habit_weight=0.5,
        threads=2,
        idle_threads=True,
        seed=3,
        width=4,
        rounds=5,
        network_only=True,
        initial_solution=[PlannedRoute([1], vehicle=1, frozen_stops=1)],
        similar_day="past",
        frozen_stops=1,
        render=["geojson"],
        render_solution_file=True,
        include_geometry=True,
    )
    assert set(every) == set(SolveOptions.__annotations__)
    assert set(every) | {"timeout", "progress", "on_improvement"} == set(typing.get_type_hints(CallOptions))
    def stated_with(problem: Any, source: Any, **start: Any) -> set[str]:
        others = {key: value for key, value in every.items() if key not in ("initial_solution", "similar_day")}
        return set_fields(solve_request(problem, source, **others, **start))

    stated = stated_with(instance, model, initial_solution=every["initial_solution"])
    stated |= stated_with(_problems.to_message(plan).instance, None, initial_solution=plan)
    stated |= stated_with(instance, model, similar_day=every["similar_day"])
    wanted = message_fields(
        "SolveRequest", {"vrp.v1.Instance", "vrp.v1.InstanceFile", "vrp.v1.Solution", "vrp.v1.SolutionFile"}
    )
    assert wanted - stated == set()


def test_options_set_every_field_of_a_decide_request(tmp_path: Any) -> None:
    file = tmp_path / "plan.vrp"
    file.write_text("NAME: x")
    model = small_model()
    every: dict[str, Any] = dict(
        departure=1,
        later_departures=[2],
        requests=[dispatch.DispatchRequest("c1", "r1", 2, (1, 9, 1), service_duration=3, must_go=True)],
        available_vehicles=[1],
        policy="sampling",
        model="mine",
        requests_per_departure=4,
        rounds=1,
        scenarios=2,
        lookahead=3,
        dispatch_share=0.6,
        postpone_share=0.1,
        scenario_share=0.5,
        budget="1s",
        max_iterations=5,
        seed=6,
    )
    from_log: dict[str, Any] = dict(request_log="history", margin=30.0)
    assert set(every) | set(from_log) == set(dispatch.DispatchOptions.__annotations__)
    stated = set_fields(dispatch.decide_request(_problems.to_message(model).instance, **every))
    stated |= set_fields(dispatch.decide_request(_problems.to_message(file).instance, **every))
    stated |= set_fields(dispatch.decide_request(_problems.to_message(file).instance, **from_log))
    assert message_fields("DecideRequest", {"vrp.v1.Instance", "vrp.v1.InstanceFile"}) - stated == set()


def test_arguments_set_every_field_of_an_estimate(tmp_path: Any) -> None:
    file = tmp_path / "plan.vrp"
    file.write_text("NAME: x")
    inputs = [_problems.to_message(problem).instance for problem in (small_model(), file)]
    stated = set_fields(estimates.estimate_request(inputs, [["1", "2"]], "mine"))
    assert message_fields("EstimateCostsRequest", {"vrp.v1.Instance", "vrp.v1.InstanceFile"}) - stated == set()


def test_options_set_every_field_of_a_simulation(tmp_path: Any) -> None:
    file = tmp_path / "city.vrp"
    file.write_text("NAME: x")
    log = tmp_path / "log.jsonl"
    log.write_text("{}")
    every: dict[str, Any] = dict(
        policies=["lazy", simulation_options.SimulatedPolicy("sampling", "mine", 1, 2, 3, 0.6, 0.1, 0.5, "net")],
        request_log=log,
        days=2,
        first_seed=3,
        decision_time="2s",
        max_iterations=5,
        epoch=60,
        margin=10,
        requests_per_epoch=4,
        vehicles=[1],
        seed=6,
        hindsight_time=1,
    )
    assert set(every) == set(simulation_options.SimulationOptions.__annotations__)
    spec = simulation_options.simulation_spec([small_model(), file], **every)
    wanted = message_fields("CreateSimulationRequest", {"vrp.v1.Instance", "vrp.v1.InstanceFile"})
    stated = set_fields(_rpc.create_simulation(spec, "id", True).request())
    uploaded = simulation_options.simulation_spec(small_model(), request_log="datasets/history")
    stated |= set_fields(_rpc.create_simulation(uploaded, "id", True).request())
    assert wanted - stated == set()


def test_arguments_set_every_field_of_a_training_request() -> None:
    spec = _training.spec("a: 1", None, {"training.epochs": 3}, "cpu", 1, {"team": "north"}, "2h", 5, 1)
    call = _rpc.create_training_job(spec, "id", True, True)
    wanted = message_fields("CreateTrainingJobRequest", set())
    assert (
        wanted - set_fields(call.request()) - {f"vrp.v1.TrainingSpec.LabelsEntry.{key}" for key in ("key", "value")}
        == set()
    )


def test_arguments_set_every_field_of_a_search_with_habits() -> None:
    every: HabitSearch = {"max_days": 2, "weights": [0.5], "max_iterations": 100, "budget": "2s"}
    assert set(every) == set(HabitSearch.__annotations__)
    call = _rpc.evaluate("drivers", [], None, "", [], None, 0, "past", every)
    assert call.request().history == "datasets/past"
    assert message_fields("HabitSearch", set()) - set_fields(call.request()) == set()


def test_arguments_set_every_field_of_a_sweep_request(tmp_path: Any) -> None:
    (tmp_path / "base.yaml").write_text("name: base")
    file = tmp_path / "sweep.yaml"
    file.write_text("method: grid\nconfig: base.yaml  # beside this file\nkeys: {training.seed: [1, 2]}\n")
    limits: dict[str, Any] = dict(priority=1, labels={"team": "north"}, time_limit="2h", epoch_limit=5, threads=1)
    spec = _training.sweep_spec(file, None, settings={"training.epochs": 3}, device="cpu", **limits)
    wanted = message_fields("CreateSweepRequest", set())
    stated = set_fields(_rpc.create_sweep(spec, "id", True).request())
    assert wanted - stated - {f"vrp.v1.TrainingSpec.LabelsEntry.{key}" for key in ("key", "value")} == set()
    assert spec.base.config_yaml == "name: base"


def test_sweeps_name_their_configuration_in_every_form() -> None:
    keys = {"training.seed": [1, 2]}
    preset = _training.preset_text("tiny_1")
    assert _training.sweep_spec({"preset": "tiny_1", "keys": keys}, None).base.config_yaml == preset
    assert _training.sweep_spec("method: grid\npreset: 'tiny_1'\n", None).base.config_yaml == preset
    assert _training.sweep_spec({"keys": keys}, None, preset="tiny_1").base.config_yaml == preset
    assert _training.sweep_spec({"config": {"name": "own"}, "keys": keys}, None).base.config_yaml == ""
    assert _training.sweep_spec("config:\n  name: own\nmethod: grid\n", None).base.config_yaml == ""


def test_source_names_every_rpc() -> None:
    from vrpd import client

    source = inspect.getsource(_rpc) + inspect.getsource(client)
    pool = _proto.pool()
    services = ("SolverService", "DispatchService", "SimulationService", "TrainingService", "SweepService")
    services += ("EstimateService", "ModelService", "DatasetService", "SystemService")
    rpcs = [
        (service, method.name) for service in services for method in pool.FindServiceByName(f"vrp.v1.{service}").methods
    ]
    named = {"SolverService": "solve_job(", "SimulationService": "simulation(", "TrainingService": "training_job("}
    named["SweepService"] = "sweep("
    from vrpd import jobs, resources, simulations, sweeps

    handles = "".join(inspect.getsource(module) for module in (jobs, resources, simulations, sweeps))
    missing = [
        f"{service}/{name}"
        for service, name in rpcs
        if f'"{service}/{name}"' not in source and not (service in named and f'"{name}"' in handles)
    ]
    assert missing == []


def record_classes() -> list[type[records.Record]]:
    import vrpd.check  # noqa: F401
    import vrpd.model_records  # noqa: F401
    import vrpd.server_records  # noqa: F401

    return [*records._CLASSES.values()]


@pytest.mark.parametrize("kind", record_classes(), ids=lambda kind: kind.__name__)
def test_record_declares_the_fields_of_its_message(kind: type[records.Record]) -> None:
    descriptor = _proto.pool().FindMessageTypeByName(records._full_name(kind.MESSAGE))
    offered = set(kind.__annotations__) | {
        name for name in dir(kind) if isinstance(getattr(kind, name, None), property)
    }
    assert {field.name for field in descriptor.fields} - offered == set()
    assert set(kind.__annotations__) - {field.name for field in descriptor.fields} == set()

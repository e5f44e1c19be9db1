"""Tests streams, batches, jobs, uploaded data and calls about the daemon itself."""

from __future__ import annotations

import concurrent.futures
import contextlib
import json
import pathlib
import tarfile

import pytest
from models import large_model, small_model

import vrpd
from vrpd._matrices import pack


def test_improvements_get_better_until_the_result(client: vrpd.Client) -> None:
    with client.improvements(large_model(), budget=0.3) as stream:
        costs = [improvement.cost for improvement in stream]
        assert stream.best is not None and stream.best.routes
        assert stream.result.cost <= costs[-1]  # a slow reader misses improvements, but not the result
    assert costs == sorted(costs, reverse=True)


def test_leaving_a_stream_cancels_its_solve(client: vrpd.Client) -> None:
    with client.improvements(large_model(), budget="60s") as stream:
        best = next(stream)
    assert stream.best == best
    with pytest.raises(vrpd.CancelledError):
        stream.result  # noqa: B018


def test_improvements_are_reported(client: vrpd.Client, capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[float] = []
    result = client.solve(large_model(), budget=0.2, progress=True, on_improvement=lambda one: seen.append(one.cost))
    assert seen == sorted(seen, reverse=True)
    assert result.cost <= seen[-1]  # a slow reader misses improvements, but not the result
    assert "cost" in capsys.readouterr().err


def test_batch_answers_every_problem(client: vrpd.Client) -> None:
    wrong = vrpd.Model()
    answers = {answer.index: answer for answer in client.batch([small_model(), wrong, small_model()], budget=0.05)}
    assert sorted(answers) == [0, 1, 2]
    assert answers[0].get().feasible and answers[2].get().to_vrplib()
    with pytest.raises(vrpd.InvalidArgumentError) as caught:
        answers[1].get()
    assert caught.value.fields == ("depots", "customers")
    assert [result.feasible for result in vrpd.solve_many([small_model()] * 2, budget=0.05)] == [True, True]


def test_concurrent_solves_of_several_threads_all_succeed(client: vrpd.Client) -> None:
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        results = pool.map(lambda _: client.solve(large_model(), budget=0.1), range(6))
    assert all(result.feasible for result in results)


def test_overload_error_states_the_retry_delay_if_retries_are_off(client: vrpd.Client) -> None:
    with contextlib.ExitStack() as busy, vrpd.Client(client._connection.address, retry_for=0) as without_retries:
        for _ in range(client.server_info().threads):
            next(busy.enter_context(client.improvements(large_model(), budget="60s")))
        with pytest.raises(vrpd.ResourceExhaustedError) as caught:
            without_retries.solve(large_model(), budget=0.05)
    assert caught.value.retry_after and caught.value.reason == "OVERLOADED"


def test_error_of_a_batch_iterator_reaches_the_caller(client: vrpd.Client) -> None:
    def problems() -> object:
        yield small_model()
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        list(client.batch(problems(), budget=0.05))  # type: ignore[arg-type]


def test_stopped_solve_job_returns_its_result_and_can_be_deleted(client: vrpd.Client) -> None:
    job = client.solve_job(large_model(), budget="60s")
    assert client.solve_jobs.get(job.name).state in ("queued", "preparing", "running")
    next(event for event in job.events() if event.improvement is not None)
    assert job.stop().wait().end_reason == "stopped"
    assert job.name in [one.name for one in client.solve_jobs.list()]
    job.delete()
    with pytest.raises(vrpd.NotFoundError):
        job.refresh()



def test_check_evaluates_the_steps_of_a_vroom_file(client: vrpd.Client, tmp_path: pathlib.Path) -> None:
    steps = [{"type": "start", "service_after": 800}, {"type": "job", "id": 10}, {"type": "job", "id": 20}, {"type": "end"}]
    problem = {
        "vehicles": [{"id": 1, "start_index": 0, "end_index": 0, "time_window": [1000, 5000], "steps": steps}],
        "jobs": [
            {"id": 10, "location_index": 1, "service": 300, "time_windows": [[1000, 1500]]},
            {"id": 20, "location_index": 2, "time_windows": [[1000, 2000]]},
        ],
        "matrices": {"car": {"durations": [[0, 600, 900], [600, 0, 500], [900, 500, 0]]}},
    }
    path = tmp_path / "planned.json"
    path.write_text(json.dumps(problem))
    verdict = client.check(path)
    assert verdict.cost == 2000
    assert [violation.kind for violation in verdict.violations] == ["shift", "time_window"]


def test_check_reports_violations(client: vrpd.Client) -> None:
    verdict = client.check(small_model(), [[1, 2, 3, 4, 5], [6]])
    assert not verdict.feasible
    assert {violation.kind for violation in verdict.violations} == {"capacity", "missing_customer"}
    assert "exceeds vehicle capacity 15" in verdict.violations[0].message
    good = client.check(small_model(), small_model().solve(budget=0.05))
    assert good.feasible and good.cost == pytest.approx(good.plan.cost)


def test_decision_lists_routes_that_leave_and_requests_that_wait(client: vrpd.Client) -> None:
    model = small_model()
    names = [one.name or str(len(model.depots) + index) for index, one in enumerate(model.clients)]
    requests = [
        vrpd.DispatchRequest(names[0], "now", must_go=True),
        vrpd.DispatchRequest(names[1], "later", delivery=1, window=(0, 1e6), service_duration=2),
    ]
    lazy = client.dispatch_decide(model, departure=0, later_departures=[10], requests=requests, policy="lazy", budget=0.1)
    assert [[stop.id for stop in route.stops if not stop.depot] for route in lazy] == [["now"]]
    assert [(one.id, one.missed) for one in lazy.waiting] == [("later", False)]
    assert lazy.feasible and lazy.policy == "lazy" and lazy.cost > 0
    sampled = dict(later_departures=[10, 20], requests_per_departure=3, max_iterations=20, seed=7)
    assert client.dispatch_decide(model, policy="sampling", **sampled).scenarios > 0  # type: ignore[arg-type]
    by_model = client.dispatch_decide(model, model="dispatch-ortec", **sampled)  # type: ignore[arg-type]
    assert (by_model.policy, by_model.model) == ("model", "models/dispatch-ortec/versions/1")
    with pytest.raises(vrpd.FailedPreconditionError, match="models/gt-mixed/versions/5: is a model of the architecture gt"):
        client.dispatch_decide(model, model="gt-mixed", **sampled)  # type: ignore[arg-type]
    with pytest.raises(vrpd.InvalidArgumentError) as caught:
        client.dispatch_decide(model, requests=[vrpd.DispatchRequest("nowhere")], policy="greedy")
    assert caught.value.fields == ("requests[0].customer",)


def test_estimates_costs_of_subsets(client: vrpd.Client) -> None:
    model = small_model()
    names = [one.name or str(len(model.depots) + index) for index, one in enumerate(model.clients)]
    whole = client.estimate_costs(model)
    assert whole.model.startswith("models/estimate-mixed/versions/") and whole.coverage == 0.9
    (estimate,) = whole.estimates
    assert estimate.customers == len(names) and estimate.cost_low < estimate.cost < estimate.cost_high
    subsets = client.estimate_costs(model, [names[:2], names[:1]]).estimates
    assert [one.customers for one in subsets] == [2, 1] and subsets[0].cost >= subsets[1].cost
    assert "size" in subsets[0].outside
    with pytest.raises(vrpd.InvalidArgumentError) as caught:
        client.estimate_costs(model, [["nowhere"]])
    assert caught.value.fields == ("subsets[0].customers[0]",)


def test_simulation_compares_policies_and_can_be_deleted(client: vrpd.Client) -> None:
    policies = [
        "greedy",
        vrpd.SimulatedPolicy("sampling", name="few", rounds=1, scenarios=2),
        vrpd.SimulatedPolicy("model", model="dispatch-ortec@1"),
    ]
    run = client.simulate(
        [small_model()], policies=policies, days=2, epoch=100, margin=0, requests_per_epoch=3, max_iterations=20, seed=7
    )
    summary = run.wait(60)
    assert [(one.policy, one.day_count) for one in summary.policies] == [("greedy", 2), ("few", 2), ("model", 2)]
    days = [(day.policy, day.seed) for day in run.days]
    assert days == [(policy, seed) for seed in (1, 2) for policy in ("greedy", "few", "model")]
    assert sum(event.day is not None for event in run.events()) == 2
    assert client.simulations.get(run.name).state == "succeeded"
    run.delete()
    assert run.name not in [one.name for one in client.simulations.list()]
    name = client.validate(small_model()) and [one.name or str(i) for i, one in enumerate(small_model().clients, 1)][0]
    log = f'{{"day": "1", "id": "a", "at": 0, "customer": "{name}"}}'.encode()
    with pytest.raises(vrpd.FailedPreconditionError):
        client.simulate(small_model(), request_log=log, policies=["sampling"])
    with pytest.raises(vrpd.InvalidArgumentError) as caught:
        client.simulate(small_model(), request_log=b"{}", policies=["greedy"])
    assert caught.value.fields == ("spec.request_log.content",)


def test_uploaded_log_is_replayed_drawn_from_and_deleted_with_its_simulation(
    client: vrpd.Client, tmp_path: pathlib.Path
) -> None:
    names = [one.name or str(index) for index, one in enumerate(small_model().clients, 1)]
    lines = [{"day": day, "id": "a", "at": at, "customer": names[at % 3]} for day, at in (("1", 0), ("2", 150))]
    dataset = client.datasets.upload("history", lines)
    assert (dataset.kind, dataset.day_count, dataset.request_count) == ("request_log", 2, 2)
    run = client.simulate(
        small_model(), request_log="datasets/history", policies=["greedy"], epoch=100, margin=0, max_iterations=20
    )
    run.wait(60)
    assert [day.day for day in run.days] == ["1", "2"]
    drawn = dict(later_departures=[200, 300], policy="sampling", request_log="history", margin=10, max_iterations=20)
    assert client.dispatch_decide(small_model(), **drawn).scenarios > 0  # type: ignore[arg-type]
    client.datasets.export("history", tmp_path / "again.jsonl")
    assert [json.loads(line) for line in (tmp_path / "again.jsonl").read_text().splitlines()] == lines
    deletion = client.datasets.delete("history")
    assert deletion.deleted_simulations == (run.name,) and deletion.kept_models == ()


def test_validate_lists_all_errors(client: vrpd.Client) -> None:
    model = small_model()
    model.add_client(x=0, y=0, service_duration=-1, release_time=-1)
    found = client.validate(model)
    assert not found.valid and len(found.errors) == 2
    assert client.validate(small_model()).customer_count == 8


def test_numpy_matrices_are_uploaded_once(client: vrpd.Client) -> None:
    numpy = pytest.importorskip("numpy")
    for old in client.matrices.list():
        client.matrices.delete(old.name)
    distances = numpy.random.default_rng(1).uniform(1, 9, (80, 80))
    model = vrpd.Model()
    model.add_depot()
    model.add_vehicle_type(num_available=None, capacity=20)
    for _ in range(79):
        model.add_client(delivery=1)
    model.set_matrices(distances, distances * 2)
    result = model.solve(budget=0.1)
    start, first = result.routes[0].stops[:2]
    assert first.arrival - start.departure == pytest.approx(2 * distances[0, first.node])
    model.solve(budget=0.05)
    (stored,) = client.matrices.list()
    assert (stored.size, stored.with_durations) == (80, True)
    client.matrices.delete(stored.name)
    client._connection.uploaded[pack(distances, distances * 2).digest()] = stored.name  # as if the daemon lost it
    assert model.solve(budget=0.05).feasible, "must upload the matrices again"


def test_vehicle_types_use_their_own_or_the_shared_matrices(client: vrpd.Client) -> None:
    rows = [[0, 3, 4], [3, 0, 5], [4, 5, 0]]
    name = client.matrices.upload(rows).name
    model = vrpd.Model()
    model.add_depot()
    model.add_client(delivery=1)
    model.add_client(delivery=1)
    model.set_matrices(uploaded=name)
    slow = model.add_profile(distances=[[0, 9, 9], [9, 0, 9], [9, 9, 0]])
    model.add_vehicle_type(capacity=2)
    model.add_vehicle_type(capacity=2, profile=slow)
    result = model.solve(budget=0.05)
    assert (result.cost, result.routes[0].vehicle) == (12, 0)


def test_daemon_reports_its_state_and_writes_backups(client: vrpd.Client, tmp_path: pathlib.Path) -> None:
    info = client.server_info()
    assert info.version == vrpd.__version__ and info.limits is not None and info.limits.max_nodes == 100_000
    assert client.server_stats().process is not None
    assert client.is_healthy() and client.is_healthy("readiness")
    before = client.set_log_level("warn")
    assert client.set_log_level(before) == "warn"
    summary = client.backup(tmp_path / "backup.tar")
    with tarfile.open(tmp_path / "backup.tar") as archive:
        assert len(archive.getnames()) >= summary.file_count > 0


def test_dicts_and_files_are_accepted_as_problems(client: vrpd.Client, data: pathlib.Path) -> None:
    assert client.solve(data / "E-n22-k4.vrp", budget=0.2).gap is not None
    vroom = {
        "vehicles": [{"id": 1, "start": [2.35, 48.85], "end": [2.35, 48.85]}],
        "jobs": [{"id": 5, "location": [2.3, 48.86]}],
    }
    assert client.solve(vroom, budget=0.05).routes[0].stops[1].id == "job:5"
    assert json.loads(client.convert(small_model(), "json"))["kind"] == "cvrp"
    with pytest.raises(TypeError, match="got a int"):
        client.solve(3)  # type: ignore[arg-type]


def test_solve_starts_from_the_most_similar_past_day(client: vrpd.Client) -> None:
    model = vrpd.Model()
    model.add_depot(x=0, y=0)
    for name in ("a", "b", "c"):
        model.add_client(x=len(model.clients), y=5, delivery=1, name=name)
    model.add_vehicle_type(capacity=5)
    routes = [{"day": f"2026-03-0{day}", "stops": [{"id": stop} for stop in stops]} for day, stops in ((1, "bax"), (2, "xy"))]
    name = client.datasets.upload("same-customers", [json.dumps(route) for route in routes]).name
    result = client.solve(model, budget=0.05, similar_day="same-customers")
    assert result.similar_day is not None and result.similar_day.history == name
    assert (result.similar_day.day, result.similar_day.common_stops, result.similar_day.past_stops) == ("2026-03-01", 2, 3)
    assert result.initial_solution is not None and result.initial_solution.kept_customers == 2
    with pytest.raises(TypeError, match="wanted one of them"):
        client.solve(model, similar_day="same-customers", initial_solution=result)
    with pytest.raises(vrpd.VrpdError, match="similar_day.history"):
        client.solve(model, similar_day="none")

"""Tests conversions of problems from and to files and other libraries."""

from __future__ import annotations

import json
import pathlib
import pickle
from typing import Any

import pytest
from models import constrained_model, small_model

import vrpd


def test_file_becomes_a_model(data: pathlib.Path) -> None:
    model = vrpd.read(data / "E-n22-k4.vrp")
    assert (len(model.clients), model.vehicle_types[0].capacity) == (21, (6000.0,))
    assert model.solve(budget=0.3).gap == pytest.approx(0, abs=0.05)
    model.add_client(x=130, y=200, delivery=1)
    assert len(model.solve(budget=0.1).to_dataframe().query("not depot")) == 22


def test_error_in_a_file_names_its_line(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "bad.vrp"
    path.write_text("DIMENSION : x\n")
    with pytest.raises(vrpd.InvalidArgumentError, match="bad.vrp:1"):
        vrpd.read(path)


def test_json_keeps_the_constraints_of_a_model() -> None:
    text = constrained_model().to_json()
    model = vrpd.from_json(text)
    model.set()  # drops the text that the model was read from
    assert json.loads(model.to_json()) == json.loads(text)
    assert len(text) > 1500


def test_vroom_problem_is_read_solved_and_written_back() -> None:
    problem = {
        "vehicles": [
            {"id": 7, "start": [2.35, 48.85], "end": [2.35, 48.85], "capacity": [4], "time_window": [0, 36000]}
        ],
        "jobs": [
            {"id": 5, "location": [2.3, 48.86], "delivery": [1], "service": 60},
            {"id": 6, "location": [2.4, 48.8]},
        ],
    }
    model = vrpd.from_vroom(problem)
    assert model.lon_lat and [client.name for client in model.clients] == ["job:5", "job:6"]
    answer = model.solve(budget=0.1).to_vroom()
    assert {step["id"] for step in answer["routes"][0]["steps"] if step["type"] == "job"} == {5, 6}
    assert len(small_model(lon_lat=True, metric="cvrplib").to_vroom(renumber=True)["jobs"]) == 8


def planned_problem() -> dict[str, Any]:
    """Returns VROOM's input with steps that start 200 before the shift and serve job 20 at 2200, 200 too late."""
    steps = [
        {"type": "start", "service_after": 800},
        {"type": "job", "id": 10},
        {"type": "job", "id": 20},
        {"type": "end"},
    ]
    return {
        "vehicles": [{"id": 1, "start_index": 0, "end_index": 0, "time_window": [1000, 5000], "steps": steps}],
        "jobs": [
            {"id": 10, "location_index": 1, "service": 300, "time_windows": [[1000, 1500]]},
            {"id": 20, "location_index": 2, "time_windows": [[1000, 2000]]},
        ],
        "matrices": {"car": {"durations": [[0, 600, 900], [600, 0, 500], [900, 500, 0]]}},
    }


def test_vroom_steps_are_evaluated_with_their_times(client: vrpd.Client) -> None:
    checked = client.check(planned_problem(), render=["vroom"])
    assert not checked.feasible
    assert [violation.kind for violation in checked.violations] == ["shift", "time_window"]
    (route,) = checked.routes
    assert [(stop.id, stop.start) for stop in route.stops[1:-1]] == [("job:10", 1400), ("job:20", 2200)]
    rendered = json.loads(checked.rendered[0].content)
    assert [one["cause"] for one in rendered["summary"]["violations"]] == ["lead_time", "delay"]
    for result in (checked, pickle.loads(pickle.dumps(checked))):
        assert result.to_vroom() == rendered


def test_vroom_input_without_steps_has_no_plan_to_check(client: vrpd.Client) -> None:
    problem = planned_problem()
    del problem["vehicles"][0]["steps"]
    with pytest.raises(vrpd.InvalidArgumentError, match="steps"):
        client.check(problem)


def test_written_file_reads_back(tmp_path: pathlib.Path) -> None:
    model = small_model()
    for name in ("a.vrp", "a.json"):
        model.write(tmp_path / name)
        assert len(vrpd.read(tmp_path / name).clients) == 8


def test_writing_refuses_an_unknown_suffix_without_a_format(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ValueError, match=r"path: got the suffix '.txt', wanted .json, .tsp, .vrp"):
        small_model().write(tmp_path / "a.txt")
    assert not list(tmp_path.iterdir())
    small_model().write(tmp_path / "a.txt", "vrplib")
    assert (tmp_path / "a.txt").read_text().startswith("NAME")


def pyvrp_model() -> Any:
    pyvrp = pytest.importorskip("pyvrp")
    if not hasattr(pyvrp.Model, "add_location"):
        pytest.skip(f"the test builds models as PyVRP 0.13 does; this is {pyvrp.__version__}")
    model = pyvrp.Model()
    places = [model.add_location(x * 37 % 101, x * 61 % 103) for x in range(12)]
    depot = model.add_depot(places[0], tw_late=5000, service_duration=7)
    group = model.add_client_group(required=True)
    for number, place in enumerate(places[1:]):
        in_group = number > 8
        model.add_client(
            place,
            delivery=2,
            pickup=number % 3,
            service_duration=3,
            tw_late=4000,
            name=f"c{number}",
            prize=0 if in_group else 50 if number == 3 else 0,
            required=not (in_group or number == 3),
            group=group if in_group else None,
        )
    model.add_vehicle_type(2, capacity=12, start_depot=depot, end_depot=depot, fixed_cost=30, unit_duration_cost=2)
    for frm in places:
        for to in places:
            model.add_edge(
                frm, to, distance=round(abs(frm.x - to.x) + abs(frm.y - to.y)), duration=round(abs(frm.x - to.x))
            )
    return model


def test_pyvrp_model_gives_the_cost_that_pyvrp_finds() -> None:
    pyvrp = pytest.importorskip("pyvrp")
    theirs = pyvrp_model()
    wanted = theirs.solve(pyvrp.stop.MaxRuntime(1), display=False).cost()
    ours = vrpd.from_pyvrp(theirs)
    assert vrpd.from_pyvrp(theirs.data()).clients[3].prize == 50
    assert ours.solve(budget=0.5).cost == wanted
    back = ours.to_pyvrp()
    assert back.solve(pyvrp.stop.MaxRuntime(1), display=False).cost() == wanted


@pytest.mark.parametrize("required", [True, False])
def test_prizes_of_alternatives_come_from_pyvrp(required: bool) -> None:
    pyvrp = pytest.importorskip("pyvrp")
    theirs = pyvrp.Model()
    places = [theirs.add_location(x, 0) for x in (0, 10, 14, -40)]
    depot = theirs.add_depot(places[0])
    group = theirs.add_client_group(required)
    for place, prize in zip(places[1:], (5, 8, 9), strict=True):
        theirs.add_client(place, prize=prize, required=False, group=group)
    theirs.add_vehicle_type(2, start_depot=depot, end_depot=depot)
    for frm in places:
        for to in places:
            theirs.add_edge(frm, to, distance=abs(frm.x - to.x), duration=abs(frm.x - to.x))
    # PyVRP's cost includes the prizes of all clients that it leaves out, and ours only the largest one, less the one
    # that is collected.
    cost = theirs.solve(pyvrp.stop.MaxRuntime(0.5), display=False).cost()
    assert cost == (20 + 8 + 9 if required else 5 + 8 + 9)
    ours = vrpd.from_pyvrp(theirs)
    assert ours.solve(budget=0.2).cost == cost - (5 + 8)
    assert ours.to_pyvrp().solve(pyvrp.stop.MaxRuntime(0.5), display=False).cost() == cost


def test_shipments_come_from_pyvrp_and_go_back() -> None:
    pyvrp = pytest.importorskip("pyvrp")
    theirs = pyvrp.Model()
    places = [theirs.add_location(x, 0) for x in range(6)]
    depot = theirs.add_depot(places[0])
    theirs.add_shipment(places[5], places[1], amount=3, pickup_service_duration=2, delivery_tw_late=90, name="a")
    theirs.add_shipment(places[2], places[4], amount=3, pickup_tw_early=1)
    theirs.add_shipment(places[3], places[4], amount=3, prize=1, required=False)
    theirs.add_client(places[3], delivery=1)
    theirs.add_vehicle_type(2, capacity=4, start_depot=depot, end_depot=depot, fixed_cost=1)
    for frm in places:
        for to in places:
            theirs.add_edge(frm, to, distance=abs(frm.x - to.x), duration=abs(frm.x - to.x))
    ours = vrpd.from_pyvrp(theirs)
    assert (len(ours.shipments), len(ours.clients)) == (3, 7)
    costs = [model.solve(pyvrp.stop.MaxRuntime(0.5), display=False).cost() for model in (theirs, ours.to_pyvrp())]
    assert costs == [ours.solve(budget=0.3).cost] * 2


def test_conversion_to_pyvrp_computes_distances_from_coordinates() -> None:
    pyvrp = pytest.importorskip("pyvrp")
    for settings in ({"metric": "cvrplib"}, {"metric": "cvrplib", "lon_lat": True}):
        model = small_model(**settings)
        theirs = model.to_pyvrp().solve(pyvrp.stop.MaxRuntime(0.5), display=False).cost()
        assert theirs == model.solve(budget=0.3).cost


def test_error_names_the_field_that_pyvrp_cannot_express() -> None:
    pytest.importorskip("pyvrp")
    model = small_model()
    model.add_client(x=1, y=1, skills=["cold"])
    with pytest.raises(vrpd.ConversionError, match=r"clients\[8\].skills"):
        model.to_pyvrp()


def test_lengths_are_limited_and_refused_by_pyvrp() -> None:
    lengths = [[0.0 if frm == to else 1.0 for to in range(9)] for frm in range(9)]
    model = vrpd.Model("lengths")
    model.add_depot(x=0, y=0)
    model.add_vehicle_type(num_available=None, capacity=1000, max_distance=3)
    for number in range(8):
        model.add_client(x=number, y=number * number, delivery=5)
    model.set_matrices(lengths=lengths)
    assert [len(route.visits) for route in model.solve(budget=0.2).routes] == [2] * 4
    pytest.importorskip("pyvrp")
    with pytest.raises(vrpd.ConversionError, match="lengths: PyVRP limits the distances"):
        model.to_pyvrp()


def test_travel_times_by_departure_are_solved_and_refused_by_pyvrp() -> None:
    nodes = [[0.0 if frm == to else 10.0 for to in range(9)] for frm in range(9)]
    slower = [[2 * duration for duration in row] for row in nodes]
    model = small_model(objective="duration")
    model.set_matrices(durations_at=[(0, slower), (20, nodes)])
    assert model.solve(budget=0.2).cost == 110 + 3 * 10  # each vehicle leaves its depot at 0
    pytest.importorskip("pyvrp")
    other = small_model()
    other.set_matrices(durations_at=[(0, slower), (20, nodes)])
    with pytest.raises(vrpd.ConversionError, match="durations_at: PyVRP has one duration"):
        other.to_pyvrp()

"""Tests that models built as in PyVRP are solved with all their constraints."""

from __future__ import annotations

import datetime
import math

import pytest
from models import large_model, small_model

import vrpd


def test_quick_start_gives_a_feasible_plan() -> None:
    result = small_model().solve(budget="200ms", stop_after="50ms", seed=3)
    assert result.feasible and result.is_feasible() and not result.unserved
    assert sorted(node for route in result.routes for node in route) == list(range(1, 9))
    assert all(route.load[0] <= 15 for route in result)
    assert result.cost == pytest.approx(sum(route.distance for route in result.routes))
    assert result.seed == 3 and result.strategy == "search" and result.name == "small"


def test_time_windows_are_kept() -> None:
    model = vrpd.Model()
    depot = model.add_depot(x=0, y=0, tw_early=0, tw_late=100)
    model.add_vehicle_type(num_available=2, capacity=10, start_depot=depot, end_depot=depot)
    early = [20, 5, 40, 30]
    for number, start in enumerate(early):
        model.add_client(x=number + 1, y=2, delivery=1, service_duration=1, tw_early=start, tw_late=start + 3)
    result = model.solve(budget=0.2)
    starts = {stop.node: stop.start for route in result.routes for stop in route.stops if not stop.depot}
    assert result.feasible
    assert all(start <= starts[number + 1] <= start + 3 for number, start in enumerate(early))


def test_client_with_a_prize_is_left_out_if_that_is_cheaper() -> None:
    model = small_model()
    far = model.add_client(x=500, y=500, prize=10, name="far")
    result = model.solve(budget=0.2)
    assert far.prize == 10
    assert [(customer.id, customer.reason) for customer in result.unserved] == [("far", "cheaper to skip")]
    assert result.cost_breakdown is not None and result.cost_breakdown.prizes == 10


def test_required_client_is_served_despite_its_prize() -> None:
    model = small_model()
    model.add_client(x=500, y=500, prize=10, required=True)
    assert not model.solve(budget=0.2).unserved


def test_one_client_of_a_group_is_served() -> None:
    model = small_model()
    group = model.add_client_group()
    ends = [model.add_client(x=x, y=0, group=group) for x in (9, 90)]
    result = model.solve(budget=0.2)
    nodes = {node for route in result for node in route}
    assert len(ends) == 2 and 9 in nodes and 10 not in nodes and not result.unserved


def test_shipment_is_carried_from_pickup_to_delivery() -> None:
    model = vrpd.Model()
    model.add_depot(x=0, y=0)
    model.add_vehicle_type(capacity=5)
    first, second = model.add_client(x=9, y=0), model.add_client(x=1, y=0)
    model.add_shipment(first, second, amount=4)
    assert model.solve(budget=0.1).routes[0].visits == (1, 2)


def test_skills_and_several_load_dimensions_bind_clients_to_vehicles() -> None:
    model = vrpd.Model()
    model.add_depot(x=0, y=0)
    model.add_vehicle_type(capacity=[9, 0], name="van")
    model.add_vehicle_type(capacity=[9, 9], skills=["cold"], name="truck")
    model.add_client(x=1, y=0, delivery=[1, 1])
    model.add_client(x=0, y=1, delivery=[1, 0], skills=["cold"])
    assert [route.vehicle_id for route in model.solve(budget=0.1)] == ["truck"]


def test_edges_replace_coordinates_as_in_pyvrp() -> None:
    model = vrpd.Model()
    places = [model.add_location(x=number, y=0) for number in range(3)]
    depot = model.add_depot(places[0])
    model.add_client(places[1], delivery=1)
    model.add_client(places[2], delivery=1)
    model.add_vehicle_type(1, capacity=5, start_depot=depot, end_depot=depot)
    for frm, to, distance in [(0, 2, 1), (2, 1, 1), (1, 0, 1), (0, 1, 50), (1, 2, 50), (2, 0, 50)]:
        model.add_edge(places[frm], places[to], distance=distance, duration=distance)
    result = model.solve(budget=0.1)
    assert (result.routes[0].visits, result.cost) == ((2, 1), 3)


def test_infinite_limits_mean_no_limit() -> None:
    model = vrpd.Model()
    model.add_depot(x=0, y=0, tw_early=0, tw_late=math.inf)
    model.add_vehicle_type(max_duration=2**63 - 1, max_distance=math.inf, tw_late=2**63 - 1)
    model.add_client(x=1, y=1, tw_late=2**63 - 1)
    assert model.solve(budget=0.05).feasible


def test_one_vehicle_reloads_and_pays_all_its_costs() -> None:
    model = vrpd.Model()
    model.add_depot(x=0, y=0)
    model.add_vehicle_type(num_available=1, capacity=1, fixed_cost=100, unit_distance_cost=2, max_reloads=5)
    for x in (1, 2):
        model.add_client(x=x, y=0, delivery=1)
    result = model.solve(budget=0.1)
    assert (len(result.routes), result.cost) == (1, 100 + 2 * 6)


def test_initial_solution_is_kept_and_frozen_stops_stay() -> None:
    model = small_model()
    result = model.solve(budget=0.1, initial_solution=[[1, 8], [3, 2, 6]], frozen_stops=2)
    assert result.routes[0].visits[:2] == (1, 8) and result.initial_solution is not None
    assert result.initial_solution.kept_customers == 5
    again = model.solve(budget=0.1, initial_solution=result)
    assert again.cost <= result.cost


def test_initial_solution_may_be_clients_or_a_file(tmp_path: object) -> None:
    import pathlib

    model = small_model()
    clients = model.clients
    result = model.solve(budget=0.1, initial_solution=[[clients[0], clients[7]]])
    path = pathlib.Path(str(tmp_path)) / "plan.sol"
    path.write_text(result.to_vrplib())
    assert model.solve(budget=0.05, initial_solution=path).cost <= result.cost


def test_stop_rules_end_the_search() -> None:
    model = large_model()
    assert model.solve(budget="60s", stop_after="30ms").end_reason == "no_improvement"
    assert model.solve(budget="60s", target_cost=1e9).end_reason == "target"
    assert model.solve(budget=datetime.timedelta(milliseconds=80)).end_reason == "budget"


def test_rows_of_a_table_become_clients() -> None:
    pandas = pytest.importorskip("pandas")
    model = vrpd.Model()
    model.add_depot(x=0, y=0)
    model.add_vehicle_type(capacity=9)
    added = model.add_clients(pandas.DataFrame({"x": [1, 2], "y": [3, 4], "delivery": [1, 2], "name": ["a", "b"]}))
    assert [client.name for client in added] == ["a", "b"]
    assert model.solve(budget=0.05).feasible


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda m: m.solve(budget="soon"), "budget: got 'soon'"),
        (lambda m: m.solve(strategy="magic"), "strategy: got 'magic', wanted one of auto, greedy"),
        (lambda m: m.add_client(x=1), "only one of x and y"),
        (lambda m: m.add_client(x=1, y=1, tw_early=1, time_windows=[(1, 2)]), "wanted one of them"),
        (lambda m: m.add_vehicle_type(start_depot=vrpd.Model().add_depot(x=0, y=0)), "a depot of another model"),
        (lambda m: (m.set_matrices([[0, 1], [1]]), m.solve()), r"distances\[1\]: got 1 values, wanted 2"),
    ],
)
def test_error_names_the_wrong_argument(wrong: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wrong(small_model())  # type: ignore[operator]


def test_unknown_option_is_refused() -> None:
    with pytest.raises(TypeError, match="buget"):
        small_model().solve(buget="1s")  # type: ignore[call-arg]

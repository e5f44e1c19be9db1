"""Tests results as tables, plots, text and pickles."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest
from models import small_model

import vrpd


@pytest.fixture(scope="module")
def result() -> vrpd.Result:
    return small_model().solve(budget=0.05)


def test_table_has_a_row_for_each_stop(result: vrpd.Result) -> None:
    pytest.importorskip("pandas")
    table = result.to_dataframe()
    assert len(table) == sum(len(route.stops) for route in result.routes)
    assert {"route", "vehicle", "node", "arrival", "load"} <= set(table.columns)


def test_plot_draws_a_line_for_each_route(result: vrpd.Result) -> None:
    pytest.importorskip("matplotlib")
    assert len(result.plot().lines) == len(result.routes)


def test_plot_of_longitudes_and_latitudes_is_a_map() -> None:
    folium = pytest.importorskip("folium")
    answer = small_model(lon_lat=True).solve(budget=0.05)
    assert isinstance(answer.plot(), folium.Map)
    lines = [feature for feature in answer.to_geojson()["features"] if feature["geometry"]["type"] == "LineString"]
    assert len(lines) == len(answer.routes)


def routes_on_streets() -> vrpd.solution.Solution:
    """Returns a plan of two legs, of which the first has streets."""
    from vrpd import _proto

    message = _proto.message("Solution")
    route = message.routes.add(leg_polylines=["_izlhA~rlgdF_{geC~ywl@_kwzCn`{nI", ""])
    for x, y in ((-120.2, 38.5), (-126.453, 43.252), (-120.2, 38.5)):
        route.stops.add().location.x = x
        route.stops[-1].location.y = y
    return vrpd.solution.Solution(message)


def test_streets_are_longitudes_and_latitudes() -> None:
    streets = routes_on_streets().routes[0].streets
    assert streets == (((-120.2, 38.5), (-120.95, 40.7), (-126.453, 43.252)), ())


def test_plot_follows_the_streets() -> None:
    pytest.importorskip("matplotlib")
    from vrpd import _plots

    (line,) = _plots.draw_routes(routes_on_streets()).lines
    assert len(line.get_xdata()) == 6 and line.get_markevery() == [0, 4, 5]


def test_text_shows_cost_and_routes(result: vrpd.Result) -> None:
    text = str(result)
    assert f"{result.cost:g}" in text and "Route #1: " in text
    assert "cost=" in repr(result) and "SolveResponse" not in repr(result)


def test_pickled_result_still_writes_files(result: vrpd.Result) -> None:
    copy = pickle.loads(pickle.dumps(result))
    assert copy == result and copy.to_vrplib() == result.to_vrplib()


def test_error_for_an_unknown_attribute_lists_the_known_ones(result: vrpd.Result) -> None:
    with pytest.raises(AttributeError, match="Route has no attribute 'lenght'; it has vehicle, "):
        result.routes[0].lenght  # noqa: B018


def test_dict_of_a_plan_is_valid_json(result: vrpd.Result) -> None:
    import json

    assert json.loads(json.dumps(result.plan.to_dict()))["cost"] == result.cost


def test_import_loads_no_heavy_modules() -> None:
    heavy = ("grpc", "google.protobuf", "numpy", "pandas", "matplotlib")
    code = f"import sys, vrpd; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"

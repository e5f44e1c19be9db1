"""Runs the examples unchanged and checks their output."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[1] / "examples"


def run_example(name: str) -> str:
    done = subprocess.run([sys.executable, EXAMPLES / name], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_quick_start_prints_a_feasible_plan() -> None:
    assert "feasible:     yes" in run_example("quick_start.py")


def test_time_windows_leaves_out_the_customer_that_does_not_pay() -> None:
    out = run_example("time_windows.py")
    assert "Montmartre" in out and "left out: Rouen (only if it pays): cheaper to skip" in out


def test_train_on_your_data_solves_with_its_model() -> None:
    out = run_example("train_on_your_data.py")
    assert "datasets/orders: 60 days, up to 8 customers" in out and "models/orders/versions/1: cost" in out


def test_service_returns_routes_or_field_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    testclient = pytest.importorskip("fastapi.testclient")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import service

    order = {"id": "a", "x": 2.3, "y": 48.86, "parcels": 4}
    day = {
        "depot": {"x": 2.35, "y": 48.85},
        "vehicles": 2,
        "capacity": 10,
        "orders": [order, {**order, "id": "b", "parcels": 99}],
    }
    with testclient.TestClient(service.app) as web:
        plan = web.post("/routes", json=day).json()
        assert [route["orders"] for route in plan["routes"]] == [["a"]]
        assert plan["left_out"] == {"b": "demand exceeds capacity"}
        refused = web.post("/routes", json={**day, "orders": [{**order, "parcels": -1}]})
        assert (refused.status_code, refused.json()["detail"][0]["field"]) == (422, "customers[0].demand")

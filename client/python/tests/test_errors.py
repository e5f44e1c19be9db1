"""Tests that errors of the daemon become exceptions with field paths."""

from __future__ import annotations

import pickle

import pytest
from models import large_model, small_model

import vrpd


def test_wrong_field_is_named() -> None:
    model = small_model()
    model.add_client(x=1, y=1, delivery=-1)
    with pytest.raises(vrpd.InvalidArgumentError) as caught:
        model.solve()
    assert caught.value.field == "customers[8].demand"
    assert "got -1, wanted at least 0" in str(caught.value)
    assert isinstance(caught.value, ValueError) and caught.value.request_id
    assert pickle.loads(pickle.dumps(caught.value)).fields == ("customers[8].demand",)


def test_all_wrong_fields_are_named() -> None:
    with pytest.raises(vrpd.InvalidArgumentError) as caught:
        vrpd.Model().solve()
    assert caught.value.fields == ("depots", "customers")


def test_missing_model_is_not_found(client: vrpd.Client) -> None:
    with pytest.raises(vrpd.NotFoundError, match="nobody"):
        client.models.get("nobody")


def test_unreachable_daemon_is_unavailable() -> None:
    with pytest.raises(vrpd.UnavailableError) as caught:
        vrpd.Client("127.0.0.1:1").server_info()
    assert isinstance(caught.value, ConnectionError)


def test_call_past_its_timeout_raises_a_timeout_error(client: vrpd.Client) -> None:
    job = client.solve_job(large_model(), budget="60s")
    with pytest.raises(TimeoutError):
        next(event for event in job.events(timeout=0.2) if event.response is not None)
    job.stop()


def test_contradiction_is_refused() -> None:
    model = small_model()
    model.set(objective="vehicles_then_distance")
    model.set_balance("stops", max_spread=2, all_vehicles=True)
    with pytest.raises(vrpd.VrpdError) as caught:
        model.solve()
    assert caught.value.code == "INVALID_ARGUMENT"
    assert "balance.all_vehicles" in str(caught.value)

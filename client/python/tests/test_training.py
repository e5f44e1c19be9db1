"""Tests training jobs, datasets and models."""

from __future__ import annotations

import json
import math
import pathlib

import pytest

import vrpd

TINY = {
    "name": "own",
    "model": "ptrnet",
    "problem": {"kind": "cvrp", "customers": 6},
    "network": {"hidden": 16, "layers": 1, "dropout": 0.0},
    "training": {"epochs": 2, "batch_size": 8, "batches_per_epoch": 2},
    "reinforce": {"baseline_instances": 16},
    "validation": {"instances": 8},
}


def test_training_on_own_data_gives_a_model_that_solves(client: vrpd.Client, tmp_path: pathlib.Path) -> None:
    lines = list(client.datasets.generate("cvrp", 6, 12, seed=4))
    dataset = client.datasets.upload("orders", lines)
    assert (dataset.instance_count, dataset.max_customers) == (12, 6)
    assert client.datasets.get("orders").sha256 == client.datasets.list()[0].sha256
    job = client.train(TINY, settings={"problem.instances": "datasets/orders"}, labels={"team": "north"})
    seen: list[int] = []
    job.wait(on_progress=lambda progress: seen.append(progress.step))
    assert job.state == "succeeded" and job.ended and job.info.end_reason == "all_epochs" and seen
    assert [one.name for one in client.training_jobs.list({"team": "north"})] == [job.name]
    history = job.history()
    assert list(history["step"]) == [point.progress.step for point in history]
    assert all(math.isfinite(loss) for loss in history["loss"])
    result = client.solve(json.loads(lines[0]), model="own", strategy="greedy", budget="5s")
    assert result.model == job.model and job.model.startswith("models/own/versions/")
    check_calls_about_models(client, tmp_path)
    job.delete()
    client.datasets.delete("orders")


def check_calls_about_models(client: vrpd.Client, folder: pathlib.Path) -> None:
    report = client.models.evaluate("own", generate=vrpd.generated("cvrp", 6, 4), modes=[("greedy", 0), ("sample", 2)])
    assert [row.mode for row in report.evaluations] == ["greedy", "sample 2"]
    client.models.export("own@1", folder / "model")
    assert client.models.import_("copy", folder / "model").name == "models/copy/versions/1"
    assert client.models.set_alias("copy", "best", 1) == "models/copy/versions/1"
    assert client.models.get("copy@best").aliases == ("best",)
    assert client.models.load("copy").loaded
    assert list(client.models.unload("copy")) == ["models/copy/versions/1"]
    client.models.delete_alias("copy", "best")
    client.models.delete("copy@1")
    assert "models/copy/versions/1" not in [model.name for model in client.models.list()]


SWEEP = {"method": "grid", "name": "swept", "config": TINY, "keys": {"training.seed": [1, 2], "network.hidden": [16, 32]}}


def test_sweep_publishes_its_best_trial(client: vrpd.Client) -> None:
    checked = client.sweep(SWEEP, validate_only=True)
    assert len(checked.trials) == 4 and not checked.name
    sweep = client.sweep(SWEEP, labels={"team": "south"}).wait()
    assert sweep.state == "succeeded" and sweep.best is not None and sweep.best == sweep.trials[0]
    assert sweep.model == "models/swept/versions/1"
    costs = [trial.validation_cost for trial in sweep.trials if trial.validation_cost is not None]
    assert len(costs) == 4 and costs == sorted(costs)
    assert sweep.best.settings.keys() == SWEEP["keys"].keys()  # type: ignore[attr-defined]
    assert client.models.get("swept").sweep == sweep.name
    assert client.training_jobs.get(sweep.best.job).info.trial == sweep.best.number
    events = list(sweep.events())
    assert sum(event.trial is not None for event in events) == 4
    assert [event.result.model for event in events if event.result is not None] == [sweep.model]
    assert sweep.name in [one.name for one in client.sweeps.list()]
    assert client.sweeps.get(sweep.name).info == sweep.info
    sweep.delete()
    assert sweep.name not in [one.name for one in client.sweeps.list()]
    assert client.training_jobs.list({"team": "south"}) == []
    client.models.delete("swept@1")


def test_sweep_names_wrong_fields_and_can_be_stopped_paused_and_resumed(client: vrpd.Client) -> None:
    with pytest.raises(vrpd.InvalidArgumentError, match="keys.training.sed: unknown key"):
        client.sweep({**SWEEP, "keys": {"training.sed": [1]}})
    sweep = client.sweep(SWEEP, settings={"training.epochs": 100000})
    next(event for event in sweep.events() if event.progress is not None)
    sweep.pause()
    next(event for event in sweep.events() if event.state is not None and event.state.state == "paused")
    assert sweep.resume().state in ("queued", "preparing", "running")
    next(event for event in sweep.events() if event.resumed_after is not None)
    sweep.stop()
    assert sweep.wait().state == "succeeded" and sweep.best is not None and sweep.best.number == 1
    sweep.delete()


def test_running_job_is_paused_resumed_and_stopped(client: vrpd.Client) -> None:
    job = client.train(TINY, settings={"training.epochs": 100000})
    next(event for event in job.events() if event.progress is not None)
    assert job.publish().step > 0
    job.pause()
    next(event for event in job.events() if event.state is not None and event.state.state == "paused")
    assert job.refresh().state == "paused"
    job.resume()
    job.stop().wait()
    assert job.info.end_reason == "stopped"
    other = client.train(TINY, settings={"training.epochs": 100000})
    with pytest.raises(vrpd.JobFailedError, match="cancelled"):
        other.cancel().wait()
    assert other.wait(check=False).state == "cancelled"


def test_wrong_settings_are_named_and_valid_ones_resolved(client: vrpd.Client) -> None:
    with pytest.raises(vrpd.InvalidArgumentError, match="epochs"):
        client.train({**TINY, "training": {"epochs": -1}})
    with pytest.raises(ValueError, match="preset: got 'none', wanted one of"):
        client.train(preset="none")
    resolved = client.validate_training(preset="ptrnet_tiny", settings=["training.epochs=7"])
    assert resolved.name == "" and resolved.resolved_settings["training.epochs"] == "7"


def test_presets_are_listed_and_can_be_read() -> None:
    assert {"ptrnet_tiny", "gt_cvrp20"} <= set(vrpd.presets())
    assert vrpd.preset_text("ptrnet-tiny").startswith("#")

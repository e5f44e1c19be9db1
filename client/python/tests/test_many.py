"""Tests that files of many instances are solved, each instance once."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

import vrpd
from vrpd import _daemon

_CUSTOMERS = 6


def instance(number: int) -> dict[str, Any]:
    """Returns an instance whose customers depend on the number."""
    points = [[(7 * number + 13 * k) % 50, (11 * number + 29 * k) % 50] for k in range(_CUSTOMERS + 1)]
    return {"name": f"i{number}", "kind": "cvrp", "capacity": 4, "coords": points, "demands": [0] + [1] * _CUSTOMERS}


def write_lines(path: pathlib.Path, numbers: range) -> pathlib.Path:
    path.write_text("".join(json.dumps(instance(number)) + "\n" for number in numbers))
    return path


def lines_of(path: pathlib.Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_answers_each_line_of_each_file(tmp_path: pathlib.Path) -> None:
    inputs = [write_lines(tmp_path / "a.jsonl", range(20)), write_lines(tmp_path / "b.jsonl", range(20, 25))]
    done = vrpd.solve_files(inputs, tmp_path / "solved", budget=0.01)
    assert (done.instances, done.feasible, done.failed) == (25, 25, 0)
    assert done.mean_cost is not None and done.mean_cost > 0
    assert [path.name for path in done.answers] == ["a.jsonl", "b.jsonl"]
    answers = lines_of(done.answers[0]) + lines_of(done.answers[1])
    assert [answer["name"] for answer in answers] == [f"i{number}" for number in range(25)]
    for answer in answers:
        visits = sorted(int(stop["id"]) for route in answer["routes"] for stop in route["stops"])
        assert visits == list(range(1, _CUSTOMERS + 1))
    again = vrpd.solve_files(inputs, tmp_path / "solved", budget=0.01)
    assert again.instances == 0


def test_uses_several_daemons_and_shows_the_progress(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    address = _daemon.ensure_running()
    source = write_lines(tmp_path / "a.jsonl", range(10))
    done = vrpd.solve_files([source], tmp_path / "solved", remotes=[address, address], budget="5ms", in_flight=1, display=True)
    assert done.instances == 10
    assert "answers" in capsys.readouterr().err


def test_writes_the_errors_of_instances_as_answers(tmp_path: pathlib.Path) -> None:
    source = tmp_path / "a.jsonl"
    source.write_text(json.dumps(instance(1)) + "\n{}\n")
    done = vrpd.solve_files([source], tmp_path / "solved", budget=0.01)
    assert (done.instances, done.feasible, done.failed) == (2, 1, 1)
    assert lines_of(done.answers[0])[1]["error"]["code"] == "INVALID_ARGUMENT"


def test_raises_what_concerns_all_instances(tmp_path: pathlib.Path) -> None:
    source = write_lines(tmp_path / "a.jsonl", range(2))
    with pytest.raises(vrpd.NotFoundError, match="absent"):
        vrpd.solve_files([source], tmp_path / "solved", model="absent")
    with pytest.raises(vrpd.InvalidArgumentError, match="name another folder"):
        vrpd.solve_files([source], tmp_path / "solved", model="other")
    with pytest.raises(ValueError, match="wanted files that all end with .jsonl or all with .parquet"):
        vrpd.solve_files([source, tmp_path / "b.parquet"], tmp_path / "solved")


def test_solves_parquet_files(tmp_path: pathlib.Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    source = tmp_path / "a.parquet"
    texts = [json.dumps(instance(1)), None, json.dumps(instance(2), indent=1), "{}"]
    parquet.write_table(arrow.table({"instance": texts}), source)
    done = vrpd.solve_files([source], tmp_path / "solved", budget=0.01)
    assert (done.instances, done.failed) == (3, 1)
    table = parquet.read_table(done.answers[0]).to_pylist()
    assert [row["row"] for row in table] == [0, 2, 3]
    assert [row["name"] for row in table] == ["i1", "i2", None]
    assert table[0]["feasible"] and table[0]["cost"] == json.loads(table[0]["answer"])["cost"]
    assert table[2]["error"].startswith("INVALID_ARGUMENT: ")
    assert [path.name for path in (tmp_path / "solved").iterdir()] == ["a.parquet"]
    assert vrpd.solve_files([source], tmp_path / "solved", budget=0.01).instances == 0


def test_names_what_a_parquet_file_lacks(tmp_path: pathlib.Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    source = tmp_path / "a.parquet"
    parquet.write_table(arrow.table({"text": ["{}", "no JSON"]}), source)
    with pytest.raises(ValueError, match="wanted one named 'instance'"):
        vrpd.solve_files([source], tmp_path / "solved")
    with pytest.raises(ValueError, match="row 1: got no JSON text"):
        vrpd.solve_files([source], tmp_path / "solved", column="text")

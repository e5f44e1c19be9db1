"""Checks the types of the package, and of a program that uses it, with mypy --strict."""

from __future__ import annotations

import pathlib

import pytest

PROGRAM = """
import vrpd

m = vrpd.Model(lon_lat=True)
m.add_depot(x=2.35, y=48.85)
client: vrpd.Customer = m.add_client(x=2.3, y=48.86, delivery=[1, 2], tw_early=3)
result = m.solve(budget="2s", stop_after="300ms", on_improvement=lambda one: print(one.cost))
cost: float = result.cost
visits: tuple[int, ...] = result.routes[0].visits
gap: float | None = result.gap
reveal_type(result.routes[0].stops[0].arrival)
for event in vrpd.train(preset="ptrnet_tiny", time_limit="1h").events():
    reveal_type(event.progress)
m.solve(buget=1)
"""


def test_mypy_accepts_the_package_and_finds_the_error_of_a_user(tmp_path: pathlib.Path) -> None:
    api = pytest.importorskip("mypy.api")
    package = pathlib.Path(__file__).resolve().parents[1]
    cache = ["--cache-dir", str(tmp_path / "cache")]
    out, err, code = api.run(["--config-file", str(package / "pyproject.toml"), *cache])
    assert code == 0, out + err
    (tmp_path / "program.py").write_text(PROGRAM)
    out, _, _ = api.run(
        ["--config-file", str(package / "pyproject.toml"), *cache, str(tmp_path / "program.py"), "--show-error-codes"]
    )
    assert 'Revealed type is "float"' in out.replace("builtins.", "")
    assert "TrainingProgress | None" in out
    errors = [line for line in out.splitlines() if ": error:" in line]
    assert len(errors) == 1 and "buget" in errors[0], out

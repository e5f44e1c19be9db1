"""Converts Parquet files of instances to JSON lines, and answers in JSON lines to Parquet. Needs pyarrow."""

from __future__ import annotations

import json
import pathlib
from typing import Any

_ROWS = 4096  # in memory at a time


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError("Parquet files need pyarrow: pip install pyarrow") from error
    return pyarrow, pyarrow.parquet


def write_lines(source: pathlib.Path, target: pathlib.Path, column: str) -> None:
    """Writes the instances of a Parquet file as JSON lines, so that row r (from 0) is line r + 1. Null rows are blank lines.

    Raises ValueError if there is no such column, or a text is no JSON.
    """
    _, parquet = _pyarrow()
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_suffix(".part")
    with parquet.ParquetFile(source) as file, open(part, "w", encoding="utf-8") as lines:
        if column not in file.schema_arrow.names:
            raise ValueError(f"{source}: got the columns {file.schema_arrow.names}, wanted one named {column!r}")
        row = 0
        for batch in file.iter_batches(batch_size=_ROWS, columns=[column]):
            for text in batch.column(0).to_pylist():
                lines.write(_one_line(text, source, row) + "\n")
                row += 1
    part.rename(target)


def _one_line(text: Any, source: pathlib.Path, row: int) -> str:
    if text is None:
        return ""
    try:
        value = json.loads(text) if isinstance(text, str) else text
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{source}: row {row}: got no JSON text: {error}") from error


def write_answers(source: pathlib.Path, target: pathlib.Path) -> None:
    """Writes answers in JSON lines as a Parquet file, which appears completely or not at all."""
    arrow, parquet = _pyarrow()
    schema = arrow.schema(
        [
            ("row", arrow.int64()),
            ("name", arrow.string()),
            ("cost", arrow.float64()),
            ("feasible", arrow.bool_()),
            ("error", arrow.string()),
            ("answer", arrow.string()),
        ]
    )
    part = target.with_suffix(".part")
    with parquet.ParquetWriter(part, schema) as writer, open(source, encoding="utf-8") as lines:
        rows: list[dict[str, Any]] = []
        for line in lines:
            rows.append(_row(line.rstrip("\n")))
            if len(rows) == _ROWS:
                writer.write_table(arrow.Table.from_pylist(rows, schema))
                rows = []
        writer.write_table(arrow.Table.from_pylist(rows, schema))
    part.rename(target)


def _row(line: str) -> dict[str, Any]:
    answer = json.loads(line)
    error = answer.get("error")
    return {
        "row": answer["line"] - 1,
        "name": answer.get("name"),
        "cost": answer.get("cost"),
        "feasible": answer.get("feasible"),
        "error": None if error is None else f"{error['code']}: {error['message']}",
        "answer": line,
    }

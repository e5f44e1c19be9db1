"""Metrics of a training job over its steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .training_records import TrainingHistoryPoint

if TYPE_CHECKING:
    import pandas

_METRICS = (
    "epoch",
    "step",
    "loss",
    "train_cost",
    "validation_cost",
    "validation_reference_cost",
    "validation_gap",
    "learning_rate",
    "gradient_norm",
    "instances_per_second",
    "accuracy",
    "validation_accuracy",
)


class History(Sequence[TrainingHistoryPoint]):
    """The recorded points of a training job. `history["loss"]` has a value for each point."""

    def __init__(self, points: list[TrainingHistoryPoint]) -> None:
        self._points = points

    def __len__(self) -> int:
        return len(self._points)

    def __getitem__(self, key: Any) -> Any:
        return self._points[key] if isinstance(key, (int, slice)) else self.column(key)

    def __iter__(self) -> Iterator[TrainingHistoryPoint]:
        return iter(self._points)

    def column(self, metric: str) -> Any:
        """Returns a metric as a numpy array, or as a list without numpy. Missing values are NaN."""
        values = [getattr(point.progress, metric) for point in self._points]
        numbers = [float("nan") if value is None else value for value in values]
        try:
            import numpy
        except ImportError:
            return numbers
        return numpy.asarray(numbers)

    def to_dataframe(self) -> pandas.DataFrame:
        """Returns a row for each point. Needs pandas."""
        import pandas

        return pandas.DataFrame(
            {"time": [point.time for point in self._points], **{name: self.column(name) for name in _METRICS}}
        )

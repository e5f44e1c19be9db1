"""Recognises the numbers that stand for "no limit" elsewhere."""

from __future__ import annotations

import math

_HUGE = 2.0**62  # PyVRP uses 2**63 - 1 and 2**64 - 1


def finite(value: float | None) -> float | None:
    """Returns the limit, or None if it is infinite or at least 2**62, as PyVRP's largest integers are."""
    return None if value is None or math.isinf(value) or value >= _HUGE else float(value)


def finite_int(value: int | None) -> int | None:
    """Returns the count, but at most the API's largest, 100,000. PyVRP's numbers for "no limit" are larger."""
    return None if value is None else min(int(value), 100_000)

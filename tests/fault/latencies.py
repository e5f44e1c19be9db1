"""Summarises latencies."""


def percentiles(times):
    """Returns the count, p50, p99 and maximum, rounded to two decimals, or only the count if it is 0."""
    if not times:
        return {"count": 0}
    ordered = sorted(times)
    at = {f"p{p}": ordered[min(len(ordered) - 1, p * len(ordered) // 100)] for p in (50, 99)}
    return {"count": len(ordered), **{name: round(value, 2) for name, value in {**at, "most": ordered[-1]}.items()}}

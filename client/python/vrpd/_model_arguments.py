"""Reads the arguments of a model's methods."""

from __future__ import annotations

from collections.abc import Iterable

from .parts import Break, ClientGroup, Compartment, Location, TimeWindow, WindowLike, to_window


def location_of(x: float | Location | None, y: float | None, location: Location | None, what: str) -> Location | None:
    if isinstance(x, Location):
        x, location = None, x
    if location is not None:
        if x is not None or y is not None:
            raise ValueError(f"{what}: got a location and x or y, wanted one of them")
        return location
    if (x is None) != (y is None):
        raise ValueError(f"{what}: got only one of x and y, wanted both")
    return None if x is None or y is None else Location(float(x), float(y))


def windows_of(
    windows: Iterable[WindowLike] | None, single: tuple[TimeWindow, ...], what: str
) -> tuple[TimeWindow, ...]:
    if windows is None:
        return single
    if single:
        raise ValueError(f"{what}: got time_windows and tw_early, tw_late or tw_late_cost, wanted one of them")
    return tuple(to_window(window, f"{what}: time_windows") for window in windows)


def prize_of(prize: float | None, required: bool | None, group: ClientGroup | None) -> float | None:
    """Returns the prize that is lost without the client, or None."""
    if group is not None:
        return (prize or None) if group.required else prize or 0
    if required is None:
        return prize
    return None if required else prize or 0


def break_of(value: Break | tuple[WindowLike, float]) -> Break:
    if isinstance(value, Break):
        return value
    window, duration = value
    return Break(to_window(window, "add_vehicle_type: breaks"), duration)


def compartment_of(value: Compartment | float | tuple[float, Iterable[int]]) -> Compartment:
    if isinstance(value, Compartment):
        return value
    if isinstance(value, tuple):
        capacity, dimensions = value
        return Compartment(capacity, tuple(dimensions))
    return Compartment(value)

"""Draws plans with matplotlib and folium, which are imported only when they are needed."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .solution import Route, Solution

_COLOURS = (
    "#1f77b4",
    "#d62728",
    "#2ca02c",
    "#ff7f0e",
    "#9467bd",
    "#8c564b",
    "#e377c2",
    "#17becf",
    "#bcbd22",
    "#7f7f7f",
)


def has_folium() -> bool:
    return importlib.util.find_spec("folium") is not None


def _line(route: Route) -> tuple[list[float], list[float], list[int]]:
    """Returns x and y of the points along a route, including its streets if known, and the indices of the stops."""
    places: list[tuple[float, float]] = []
    stops = []
    for number, stop in enumerate(route.stops):
        if 0 < number <= len(route.streets):
            places.extend(route.streets[number - 1])
        if stop.location is not None:
            stops.append(len(places))
            places.append((stop.location.x, stop.location.y))
    return [x for x, _ in places], [y for _, y in places], stops


def draw_routes(solution: Solution, ax: Any = None) -> Any:
    """Draws a line for each route and a square for each depot on matplotlib's Axes."""
    if all(stop.location is None for route in solution.routes for stop in route.stops) and solution.routes:
        raise ValueError(
            "plot: the instance has no locations, only matrices; give its depots and clients x and y to draw it"
        )
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots(figsize=(8, 8))[1]
    for number, route in enumerate(solution.routes):
        xs, ys, stops = _line(route)
        ax.plot(
            xs,
            ys,
            marker="o",
            markersize=3,
            markevery=stops,
            linewidth=1.2,
            label=f"Route {number + 1}",
            color=_COLOURS[number % len(_COLOURS)],
        )
    depots = {
        (stop.location.x, stop.location.y)
        for route in solution.routes
        for stop in route.stops
        if stop.depot and stop.location is not None
    }
    ax.scatter([x for x, _ in depots], [y for _, y in depots], marker="s", s=60, color="black", zorder=3, label="Depot")
    ax.set_aspect("equal", "datalim")
    ax.set_title(f"cost {solution.cost:g}, {len(solution.routes)} routes")
    return ax


def draw_map(solution: Solution, geojson: dict[str, Any]) -> Any:
    """Draws the GeoJSON of a plan on a folium map."""
    import folium

    points = [
        (stop.location.y, stop.location.x)
        for route in solution.routes
        for stop in route.stops
        if stop.location is not None
    ]
    south, north = min(y for y, _ in points), max(y for y, _ in points)
    west, east = min(x for _, x in points), max(x for _, x in points)
    result = folium.Map()
    result.fit_bounds([[south, west], [north, east]])

    def style(feature: dict[str, Any]) -> dict[str, Any]:
        return {"color": feature["properties"].get("stroke", "#000000"), "weight": 4}

    folium.GeoJson(geojson, style_function=style).add_to(result)
    return result

"""Decodes polylines with six decimals, latitude before longitude."""

from __future__ import annotations

_UNITS = 1e6


def decode_polyline(text: str) -> tuple[tuple[float, float], ...]:
    """Returns the longitudes and latitudes of an encoded polyline."""
    places = []
    totals = [0, 0]  # latitude, longitude
    bits = shift = axis = 0
    for character in text:
        group = ord(character) - 63
        bits |= (group & 31) << shift
        shift += 5
        if group & 32:
            continue
        totals[axis] += ~(bits >> 1) if bits & 1 else bits >> 1
        if axis:
            places.append((totals[1] / _UNITS, totals[0] / _UNITS))
        bits, shift, axis = 0, 0, 1 - axis
    return tuple(places)

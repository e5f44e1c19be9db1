"""Converts models from PyVRP 0.12 or later, and to PyVRP 0.13 or later."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

from ._distances import node_distances, node_durations
from ._limits import finite
from .errors import ConversionError
from .model import Model
from .parts import (
    VEHICLE_NUMBERS,
    ClientGroup,
    Customer,
    Depot,
    Location,
    Profile,
    Shipment,
    TimeWindow,
    VehicleType,
)

# Those of VEHICLE_NUMBERS that PyVRP has too.
_PYVRP_NUMBERS = {
    "fixed_cost",
    "unit_distance_cost",
    "unit_duration_cost",
    "max_duration",
    "max_overtime",
    "unit_overtime_cost",
    "max_distance",
    "max_reloads",
    "start_late",
}


def _data(model: Any) -> Any:
    import pyvrp

    if isinstance(model, pyvrp.ProblemData):
        return model
    if isinstance(model, pyvrp.Model):
        return model.data()
    raise TypeError(f"from_pyvrp: got a {type(model).__name__}, wanted a pyvrp.Model or pyvrp.ProblemData")


def from_pyvrp(model: Any) -> Model:
    """Returns the model of a pyvrp.Model or pyvrp.ProblemData."""
    return _Reader(_data(model)).run()


class _Reader:
    def __init__(self, data: Any) -> None:
        self._data = data
        self._model = Model(objective="cost")
        self._rows: list[int] = []  # the row of each node in PyVRP's matrices
        self._locations: dict[int, Location] = {}

    def run(self) -> Model:
        for index, depot in enumerate(self._data.depots()):
            self._model.add_depot(
                location=self._location(depot, index),
                tw_early=depot.tw_early,
                tw_late=depot.tw_late,
                service_duration=getattr(depot, "service_duration", 0),
                name=depot.name,
            )
        groups = [self._group(group) for group in self._data.groups()]
        for index, client in enumerate(self._data.clients()):
            self._add_client(index, client, groups)
        for index, shipment in enumerate(getattr(self._data, "shipments", list)()):
            self._add_shipment(index, shipment)
        profiles = [self._profile(number) for number in range(self._data.num_profiles)]
        for index, kind in enumerate(self._data.vehicle_types()):
            self._add_vehicle_type(index, kind, profiles)
        return self._model

    def _location(self, node: Any, row: int) -> Location:
        """Returns the location of a depot or client, and stores its row in the matrices."""
        if not hasattr(node, "location"):  # before PyVRP 0.13
            self._rows.append(row)
            return Location(float(node.x), float(node.y))
        row = int(node.location)
        self._rows.append(row)
        if row not in self._locations:
            place = self._data.location(row)
            self._locations[row] = Location(float(place.x), float(place.y), place.name)
        return self._locations[row]

    def _group(self, group: Any) -> ClientGroup:
        return self._model.add_client_group(required=group.required, name=group.name)

    def _add_client(self, index: int, client: Any, groups: list[ClientGroup]) -> None:
        group = None if client.group is None else groups[client.group]
        self._model.add_client(
            location=self._location(client, self._data.num_depots + index),
            delivery=list(client.delivery),
            pickup=list(client.pickup),
            service_duration=client.service_duration,
            tw_early=client.tw_early,
            tw_late=client.tw_late,
            release_time=client.release_time,
            prize=client.prize,
            required=client.required,
            group=group,
            name=client.name,
        )

    def _add_shipment(self, index: int, shipment: Any) -> None:
        ends = []
        for side in (shipment.pickup, shipment.delivery):
            ends.append(
                self._model.add_client(
                    location=self._location(side, -1),
                    service_duration=side.service_duration,
                    tw_early=side.tw_early,
                    tw_late=side.tw_late,
                    prize=shipment.prize / 2,  # the API adds the prizes of both ends
                    required=shipment.required,
                )
            )
        self._model.add_shipment(ends[0], ends[1], list(shipment.amount), name=shipment.name)

    def _profile(self, number: int) -> Profile:
        import numpy

        rows: Any = numpy.ix_(self._rows, self._rows)
        distances = numpy.asarray(self._data.distance_matrix(number), dtype=float)[rows]
        durations = numpy.asarray(self._data.duration_matrix(number), dtype=float)[rows]
        if number == 0:
            self._model.set_matrices(distances, durations)
        return self._model.add_profile(distances=distances, durations=durations)

    def _add_vehicle_type(self, index: int, kind: Any, profiles: list[Profile]) -> None:
        reloads = list(kind.reload_depots) if kind.max_reloads > 0 else []
        late = finite(kind.start_late)
        self._model.add_vehicle_type(
            num_available=kind.num_available,
            capacity=list(kind.capacity),
            start_depot=kind.start_depot,
            end_depot=kind.end_depot,
            fixed_cost=kind.fixed_cost,
            tw_early=kind.tw_early,
            tw_late=kind.tw_late,
            max_duration=getattr(kind, "shift_duration", None) or kind.max_duration,
            max_distance=kind.max_distance,
            unit_distance_cost=kind.unit_distance_cost,
            unit_duration_cost=kind.unit_duration_cost,
            profile=profiles[kind.profile] if kind.profile > 0 else None,
            reload_depots=[] if reloads == [kind.start_depot] else reloads,
            max_reloads=kind.max_reloads if reloads else None,
            start_late=None if late == finite(kind.tw_late) else late,
            initial_load=list(kind.initial_load) if any(kind.initial_load) else None,
            max_overtime=finite(getattr(kind, "max_overtime", 0)) or None,
            unit_overtime_cost=getattr(kind, "unit_overtime_cost", 0) or None,
            name=kind.name,
        )


def to_pyvrp(model: Model, scale: float) -> Any:
    """Returns the pyvrp.Model of a model."""
    return _Writer(model, scale).run()


class _Writer:
    def __init__(self, model: Model, scale: float) -> None:
        import pyvrp

        if not hasattr(pyvrp.Model, "add_location"):
            raise ConversionError(f"to_pyvrp: got PyVRP {version('pyvrp')}, wanted 0.13 or later: pip install -U pyvrp")
        self._model = model
        self._scale = scale
        self._target = pyvrp.Model()
        self._ends = {id(end) for shipment in model.shipments for end in (shipment.pickup, shipment.delivery)}
        self._nodes: list[Depot | Customer] = [*model.depots, *model.clients]
        self._places: list[Any] = []

    def run(self) -> Any:
        _check_expressible(self._model)
        for node in self._nodes:
            x, y = (0.0, 0.0) if node.location is None else (node.location.x, node.location.y)
            self._places.append(self._target.add_location(x, y))
        depots = [self._add_depot(place, depot) for place, depot in zip(self._places, self._model.depots, strict=False)]
        groups = {
            id(group): self._target.add_client_group(group.required, name=group.name) for group in self._model.groups
        }
        group_of = {id(client): groups[id(group)] for group in self._model.groups for client in group.clients}
        places = dict(zip(map(id, self._nodes), self._places, strict=True))
        for client in self._model.clients:
            if id(client) not in self._ends:
                self._add_client(places[id(client)], client, group_of.get(id(client)))
        for shipment in self._model.shipments:
            self._add_shipment(shipment, places)
        base = self._model._base
        profiles = {id(profile): self._add_profile(profile, kind) for profile, kind in self._profiles(base)}
        for index, kind in enumerate(self._model.vehicle_types):
            self._add_vehicle_type(f"vehicle_types[{index}]", kind, depots, profiles[id(kind.profile or base)])
        return self._target

    def _scaled(self, value: float | None) -> int:
        return round((value or 0) * self._scale)

    def _limits(self, **values: float | None) -> dict[str, int]:
        """Returns the scaled values, without those that are None."""
        return {key: self._scaled(value) for key, value in values.items() if value is not None}

    def _profiles(self, base: Profile) -> Iterator[tuple[Profile, VehicleType]]:
        """Yields each used profile once, with one of its vehicle types."""
        seen: set[int] = set()
        for kind in self._model.vehicle_types:
            profile = kind.profile or base
            if id(profile) not in seen:
                seen.add(id(profile))
                yield profile, kind

    def _add_depot(self, place: Any, depot: Depot) -> Any:
        window = depot.window
        limits = self._limits(tw_early=window.early, tw_late=window.late) if window is not None else {}
        if depot.service_duration:
            limits["service_duration"] = self._scaled(depot.service_duration)
        return self._target.add_depot(place, **limits, name=depot.name)

    def _add_client(self, place: Any, client: Customer, group: Any) -> None:
        window = client.windows[0] if client.windows else None
        limits = self._limits(tw_early=window.early, tw_late=window.late) if window is not None else {}
        self._target.add_client(
            place,
            delivery=[self._scaled(load) for load in client.delivery],
            pickup=[self._scaled(load) for load in client.pickup],
            service_duration=self._scaled(client.service_duration),
            release_time=self._scaled(client.release_time),
            prize=self._scaled(client.prize),
            required=client.prize is None and group is None,
            group=group,
            name=client.name,
            **limits,
        )

    def _add_shipment(self, shipment: Shipment, places: dict[int, Any]) -> None:
        limits: dict[str, int] = {}
        for side, end in (("pickup", shipment.pickup), ("delivery", shipment.delivery)):
            window = end.windows[0] if end.windows else TimeWindow()
            limits |= self._limits(**{f"{side}_tw_early": window.early, f"{side}_tw_late": window.late})
            limits[f"{side}_service_duration"] = self._scaled(end.service_duration)
        prizes = [end.prize for end in (shipment.pickup, shipment.delivery) if end.prize is not None]
        self._target.add_shipment(
            places[id(shipment.pickup)],
            places[id(shipment.delivery)],
            amount=[self._scaled(load) for load in shipment.amount],
            prize=self._scaled(sum(prizes)),
            required=not prizes,
            name=shipment.name,
            **limits,
        )

    def _add_profile(self, profile: Profile, kind: VehicleType) -> Any:
        target = self._target.add_profile(name=profile.name)
        distances = node_distances(self._model, profile)
        durations = node_durations(self._model, profile, distances)
        for start, frm in enumerate(self._places):
            for end, to in enumerate(self._places):
                if start != end:
                    self._target.add_edge(
                        frm,
                        to,
                        self._scaled(distances[start][end]),
                        self._scaled(durations[start][end]),
                        profile=target,
                    )
        return target

    def _add_vehicle_type(self, where: str, kind: VehicleType, depots: list[Any], profile: Any) -> None:
        shift = kind.shift
        limits = self._limits(
            shift_duration=kind.max_duration, max_distance=kind.max_distance, start_late=kind.start_late
        )
        if shift is not None:
            limits |= self._limits(tw_early=shift.early, tw_late=shift.late)
        # Distances and times are scaled, so fixed costs are scaled too, but costs per unit are not.
        distance_cost = 1 if kind.unit_distance_cost is None else kind.unit_distance_cost
        start = depots[kind.start_depot]
        self._target.add_vehicle_type(
            num_available=kind.num_available or len(self._model.clients),
            capacity=[self._scaled(load) for load in kind.capacity],
            start_depot=start,
            end_depot=start if kind.end_depot is None else depots[kind.end_depot],
            fixed_cost=self._scaled(kind.fixed_cost),
            unit_distance_cost=_to_integer(distance_cost, f"{where}.unit_distance_cost"),
            unit_duration_cost=_to_integer(kind.unit_duration_cost or 0, f"{where}.unit_duration_cost"),
            profile=profile,
            reload_depots=[depots[one] for one in kind.reload_depots or [kind.start_depot]] if kind.max_reloads else [],
            initial_load=[self._scaled(load) for load in kind.initial_load],
            **({"max_reloads": kind.max_reloads} if kind.max_reloads else {}),
            max_overtime=self._scaled(kind.max_overtime),
            unit_overtime_cost=_to_integer(kind.unit_overtime_cost or 0, f"{where}.unit_overtime_cost"),
            name=kind.name,
            **limits,
        )


def _to_integer(value: float, what: str) -> int:
    if value != int(value):
        raise ConversionError(f"to_pyvrp: {what}: got {value}, wanted an integer, as in PyVRP")
    return int(value)


def _check_expressible(model: Model) -> None:
    """Raises ConversionError for a model that PyVRP cannot express."""

    def refuse(where: str, what: str) -> None:
        raise ConversionError(f"to_pyvrp: {where}: PyVRP has no {what}")

    objective = model._settings["objective"]
    costs = any(kind.fixed_cost or kind.unit_duration_cost or kind.unit_overtime_cost for kind in model.vehicle_types)
    if objective not in (None, "cost", "distance") or (objective == "distance" and costs):
        refuse("objective", f"objective {objective!r} with these vehicle types")
    if not model.vehicle_types:
        refuse("vehicle_types", "problems without vehicle types; call add_vehicle_type")
    if model.balance is not None:
        refuse("balance", "balanced routes")
    if model.customer_rules:
        refuse("customer_rules[0]", "rules between clients")
    for index, shipment in enumerate(model.shipments):
        for end in (shipment.pickup, shipment.delivery):
            if any(end.delivery + end.pickup) or end.release_time:
                refuse(f"shipments[{index}]", "shipments whose ends have loads of their own or release times")
    for index, client in enumerate(model.clients):
        where = f"clients[{index}]"
        if len(client.windows) > 1 or any(window.late_cost is not None for window in client.windows):
            refuse(where, "several or soft time windows")
        for field in ("backhaul", "setup_duration", "skills", "priority"):
            if getattr(client, field):
                refuse(f"{where}.{field}", field)
    for index, kind in enumerate(model.vehicle_types):
        for field in ("open_end", "skills", "breaks", "driving_rules", "lifo", "compartments", "client_times"):
            if getattr(kind, field):
                refuse(f"vehicle_types[{index}].{field}", field)
        for field in VEHICLE_NUMBERS:
            if field not in _PYVRP_NUMBERS and getattr(kind, field) is not None:
                refuse(f"vehicle_types[{index}].{field}", field)

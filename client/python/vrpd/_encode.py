"""Encodes models as messages."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, NamedTuple

from . import _proto
from ._matrices import EdgeMatrix, Packed, pack, set_matrix
from .model import MISSING_EDGE, Model
from .parts import (
    VEHICLE_NUMBERS,
    Balance,
    Customer,
    Depot,
    DrivingRules,
    Location,
    Matrices,
    MatrixLike,
    Profile,
    TimeWindow,
    VehicleType,
)

_ENUMS = {
    "metric": "Metric",
    "objective": "Objective",
    "coordinate_system": "CoordinateSystem",
    "problem_type": "ProblemType",
}


class PendingMatrices(NamedTuple):
    """Matrices that a message needs, either within it or by the name of an upload."""

    target: Any  # an Instance or a Vehicle
    packed: Packed


class Encoded(NamedTuple):
    """A vrp.v1.Instance or InstanceFile, and the matrices that the caller must still add."""

    instance: Any
    pending: list[PendingMatrices]

    def needed(self) -> list[Packed]:
        return [one.packed for one in self.pending]


def encode(model: Model) -> Encoded:
    """Returns the model as a message."""
    if model._source is not None:
        return Encoded(model._source, [])
    return _Encoder(model).run()


def _lowered_prizes(model: Model) -> dict[int, float | None]:
    """Returns the prizes of clients in required groups, lowered until one client of each group has none.

    The API requires such a group to be served. The cost of a plan depends only on the differences between the prizes.
    """
    delivery_of = {id(shipment.pickup): shipment.delivery for shipment in model.shipments}
    lowered: dict[int, float | None] = {}
    for group in model.groups:
        if not group.required:
            continue
        deliveries = [delivery_of.get(id(client)) for client in group.clients]
        ends = list(zip(group.clients, deliveries, strict=True))
        prizes = [sum((end.prize or 0) for end in pair if end is not None) for pair in ends]
        least = min(prizes, default=0)
        if least == 0:
            continue
        for (client, delivery), prize in zip(ends, prizes, strict=True):
            lowered[id(client)] = prize - least or None
            if delivery is not None:
                lowered[id(delivery)] = 0 if prize > least else None
    return lowered


class _Encoder:
    def __init__(self, model: Model) -> None:
        self._model = model
        self._instance = _proto.message("Instance")
        self._pending: list[PendingMatrices] = []
        self._client_index = {id(client): index for index, client in enumerate(model.clients)}
        self._lowered = _lowered_prizes(model)

    def run(self) -> Encoded:
        self._add_settings()
        for depot in self._model.depots:
            self._add_depot(depot)
        for client in self._model.clients:
            self._add_client(client)
        for kind in self._model.vehicle_types:
            self._add_vehicle(kind)
        for shipment in self._model.shipments:
            self._instance.shipments.add(
                id=shipment.name,
                pickup_customer=self._index(shipment.pickup, "add_shipment: pickup"),
                delivery_customer=self._index(shipment.delivery, "add_shipment: delivery"),
                amount=shipment.amount,
            )
        for group in self._model.groups:
            customers = [self._index(client, "add_client_group") for client in group.clients]
            self._instance.alternative_groups.add(customers=customers)
        if self._model.balance is not None:
            self._add_balance(self._model.balance)
        for rule in self._model.customer_rules:
            number = _proto.enum_number("CustomerRuleKind", rule.kind, "add_customer_rule: kind")
            customers = [self._index(client, "add_customer_rule") for client in rule.clients]
            self._instance.customer_rules.add(kind=number, customers=customers, max=rule.max)
        for name, values in self._model._features.items():
            self._instance.features.add(name=name, values=values)
        self._add_matrices(self._instance, self._model._base)
        return Encoded(self._instance, self._pending)

    def _index(self, client: Customer, what: str) -> int:
        index = self._client_index.get(id(client))
        if index is None:
            raise ValueError(f"{what}: got a client of another model, wanted one that add_client returned")
        return index

    def _add_settings(self) -> None:
        for key, value in self._model._settings.items():
            if value is None or value == "":
                continue
            setattr(self._instance, key, _proto.enum_number(_ENUMS[key], value, key) if key in _ENUMS else value)

    def _add_depot(self, depot: Depot) -> None:
        message = self._instance.depots.add(id=depot.name, service_time=depot.service_duration)
        _set_location(message, depot.location)
        if depot.window is not None:
            _set_window(message.time_window, depot.window)

    def _add_client(self, client: Customer) -> None:
        message = self._instance.customers.add(
            id=client.name,
            demand=client.delivery,
            pickup=client.pickup,
            backhaul=client.backhaul,
            service_time=client.service_duration,
            setup_time=client.setup_duration,
            release_time=client.release_time,
            required_skills=client.skills,
            prize=self._lowered.get(id(client), client.prize),
            priority=client.priority,
        )
        _set_location(message, client.location)
        for window in client.windows:
            _set_window(message.time_windows.add(), window)

    def _add_vehicle(self, kind: VehicleType) -> None:
        message = self._instance.vehicles.add(
            id=kind.name,
            count=kind.num_available or 0,
            capacity=kind.capacity,
            start_depot=kind.start_depot,
            end_depot=kind.end_depot,
            open_end=kind.open_end,
            reload_depots=kind.reload_depots,
            initial_load=kind.initial_load,
            skills=kind.skills,
            lifo=kind.lifo,
            **{field: getattr(kind, name) for name, field in VEHICLE_NUMBERS.items()},
        )
        if kind.num_available == 0:
            raise ValueError(
                f"add_vehicle_type: num_available: got 0 for {kind.name!r}, wanted at least 1, or None for no limit"
            )
        if kind.shift is not None:
            _set_window(message.shift, kind.shift)
        for pause in kind.breaks:
            added = message.breaks.add(duration=pause.duration, max_load=pause.max_load)
            _set_window(added.time_window, pause.window)
            for window in pause.further_windows:
                _set_window(added.further_time_windows.add(), window)
        if kind.driving_rules is not None:
            _set_driving_rules(message.driving_rules, kind.driving_rules)
        for times in kind.client_times:
            message.customer_times.add(
                customer=self._index(times.client, "add_vehicle_type: client_times"),
                service_time=times.service_duration,
                setup_time=times.setup_duration,
            )
        for compartment in kind.compartments:
            message.compartments.add(capacity=compartment.capacity, load_dimensions=compartment.load_dimensions)
        if kind.profile is not None:
            message.road_network = kind.profile.road_network
            self._add_matrices(message, kind.profile)

    def _add_balance(self, balance: Balance) -> None:
        message = self._instance.balance
        message.measure = _proto.enum_number("BalanceMeasure", balance.measure, "set_balance: measure")
        if balance.max_spread is not None:
            message.max_spread = balance.max_spread
        message.cost = balance.cost
        message.all_vehicles = balance.all_vehicles

    def _add_matrices(self, target: Any, profile: Profile) -> None:
        """Adds the matrices of a profile, or those of its edges."""
        edges = profile.edges if profile is self._model._base else [*self._model._base.edges, *profile.edges]
        if profile.matrices is not None:
            if profile.edges:
                raise ValueError(f"profile {profile.name!r}: got matrices and edges, wanted one of them")
            self._add_given(target, profile.matrices)
        elif edges:
            nodes: list[Depot | Customer] = [*self._model.depots, *self._model.clients]
            self._pending.append(PendingMatrices(target, EdgeMatrix(nodes, MISSING_EDGE).build(edges)))

    def _add_given(self, target: Any, matrices: Matrices) -> None:
        if matrices.uploaded:
            if matrices.distances is not None or matrices.durations is not None:
                raise ValueError("matrices: got uploaded ones and distances or durations, wanted one of them")
            target.matrices = matrices.uploaded
        elif matrices.distances is not None:
            self._pending.append(PendingMatrices(target, pack(matrices.distances, matrices.durations)))
        elif matrices.durations is not None:
            _set_matrix(target.duration_matrix, matrices.durations, "durations")
        if matrices.lengths is not None:
            _set_matrix(target.length_matrix, matrices.lengths, "lengths")
        for index, (at, durations) in enumerate(matrices.durations_at):
            _set_matrix(target.duration_matrices.add(at=at).durations, durations, f"durations_at[{index}]")


def _set_driving_rules(message: Any, rules: DrivingRules) -> None:
    message.SetInParent()
    for field in fields(rules):
        value = getattr(rules, field.name)
        if value is not None:
            setattr(message, field.name, value)


def _set_matrix(target: Any, matrix: MatrixLike, what: str) -> None:
    packed = pack(matrix, None, what)
    set_matrix(target, packed.size, packed.distances)



def _set_location(message: Any, location: Location | None) -> None:
    if location is not None:
        message.location.SetInParent()
        message.location.x, message.location.y = location.x, location.y


def _set_window(message: Any, window: TimeWindow) -> None:
    message.SetInParent()
    message.open = window.early
    if window.late is not None:
        message.close = window.late
    if window.late_cost is not None:
        message.late_cost = window.late_cost

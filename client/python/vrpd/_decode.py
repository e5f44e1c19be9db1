"""Builds models from objects of this project's JSON that the daemon has checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .model import Model
from .parts import (
    VEHICLE_NUMBERS,
    Break,
    ClientGroup,
    ClientTimes,
    Compartment,
    Customer,
    DrivingRules,
    Profile,
    TimeWindow,
)

_METRICS = {"scaled1000": "scaled_1000"}


def decode(data: Mapping[str, Any]) -> Model:
    """Returns the model of an instance."""
    return _Decoder(data).run()


class _Decoder:
    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data
        self._depots = int(data.get("num_depots", 1))
        metric = data.get("metric")
        self._model = Model(
            data.get("name", ""),
            lon_lat=data.get("coordinates") == "lon_lat",
            metric=_METRICS.get(metric, metric) if metric is not None else None,
            objective=data.get("objective"),
            speed=data.get("speed"),
            reference_cost=data.get("ref_cost"),
            problem_type=data["kind"],
        )

    def run(self) -> Model:
        for node in range(self._depots):
            self._add_depot(node)
        groups = self._add_groups()
        clients = [self._add_client(node, groups.get(node)) for node in range(self._depots, self._count_nodes())]
        for shipment in self._data.get("shipments", ()):
            pickup, delivery = (clients[shipment[end] - self._depots] for end in ("pickup", "delivery"))
            self._model.add_shipment(pickup, delivery, shipment["amount"], name=shipment.get("id", ""))
        for rule in self._data.get("customer_rules", ()):
            members = [clients[node - self._depots] for node in rule["customers"]]
            self._model.add_customer_rule(rule["kind"], members, max=rule.get("max"))
        for vehicle in self._vehicles():
            self._add_vehicle(vehicle, clients)
        if "balance" in self._data:
            self._model.set_balance(**self._data["balance"])
        for name, values in self._data.get("features", {}).items():
            self._model.add_feature(name, values)
        if self._data.keys() & {"distance_matrix", "length_matrix", "duration_matrix", "duration_matrices"}:
            self._model.set_matrices(
                self._matrix(self._data, "distance_matrix"),
                self._matrix(self._data, "duration_matrix"),
                durations_at=self._durations_at(self._data),
                lengths=self._matrix(self._data, "length_matrix"),
            )
        return self._model

    def _count_nodes(self) -> int:
        for key in ("coords", "matrix_rows", "distance_matrix"):
            if key in self._data:
                return len(self._data[key])
        raise AssertionError("the daemon returned an instance without nodes")

    def _durations_at(self, owner: Mapping[str, Any]) -> list[tuple[float, Any]]:
        return [(timed["at"], self._matrix(timed, "durations")) for timed in owner.get("duration_matrices", ())]

    def _matrix(self, owner: Mapping[str, Any], key: str) -> Any:
        matrix, rows = owner.get(key), self._data.get("matrix_rows")
        if matrix is None or rows is None:
            return matrix
        return [[matrix[start][end] for end in rows] for start in rows]

    def _value_at(self, key: str, node: int, default: Any = None) -> Any:
        values = self._data.get(key)
        return default if values is None else values[node]

    def _location(self, node: int) -> dict[str, Any]:
        x, y = self._value_at("coords", node, (None, None))
        return {"x": x, "y": y, "name": self._value_at("ids", node, "")}

    def _windows(self, node: int) -> list[TimeWindow]:
        given = self._value_at("time_windows", node)
        if given is None:
            return []
        windows = given if isinstance(given[0], list) else [given]
        return [TimeWindow(*window) for window in windows]

    def _add_depot(self, node: int) -> None:
        window = (self._windows(node) or [TimeWindow()])[0]
        stated = "time_windows" in self._data
        self._model.add_depot(
            **self._location(node),
            tw_early=window.early if stated else None,
            tw_late=window.late,
            service_duration=self._value_at("service", node, 0),
        )

    def _add_groups(self) -> dict[int, ClientGroup]:
        groups = {}
        for nodes in self._data.get("alternative_groups", ()):
            required = any(self._value_at("prizes", node) is None for node in nodes)
            group = self._model.add_client_group(required=required)
            groups.update(dict.fromkeys(nodes, group))
        return groups

    def _add_client(self, node: int, group: ClientGroup | None) -> Any:
        windows = self._windows(node)
        return self._model.add_client(
            **self._location(node),
            delivery=self._value_at("demands", node),
            pickup=self._value_at("pickups", node),
            backhaul=self._value_at("backhauls", node),
            time_windows=windows or None,
            service_duration=self._value_at("service", node, 0),
            setup_duration=self._value_at("setup", node, 0),
            release_time=self._value_at("release", node, 0),
            skills=self._value_at("required_skills", node, ()),
            prize=self._value_at("prizes", node),
            priority=self._value_at("priorities", node, 0),
            group=group,
        )

    def _vehicles(self) -> list[dict[str, Any]]:
        if "vehicles" in self._data:
            return list(self._data["vehicles"])
        return [{"capacity": self._data["capacity"]}] if "capacity" in self._data else []

    def _add_vehicle(self, vehicle: dict[str, Any], clients: list[Customer]) -> None:
        shift = vehicle.get("shift", [None, None])
        self._model.add_vehicle_type(
            num_available=vehicle.get("count") or None,
            capacity=_capacity(vehicle.get("capacity")),
            start_depot=vehicle.get("depot", 0),
            end_depot=vehicle.get("end_depot"),
            tw_early=shift[0],
            tw_late=shift[1],
            open_end=vehicle.get("open_end", False),
            reload_depots=vehicle.get("reload_depots", ()),
            initial_load=vehicle.get("initial_load"),
            skills=vehicle.get("skills", ()),
            breaks=[_break(pause) for pause in vehicle.get("breaks", ())],
            driving_rules=_driving_rules(vehicle.get("driving_rules")),
            lifo=vehicle.get("lifo", False),
            compartments=[
                Compartment(one["capacity"], tuple(one.get("load_dimensions", ())))
                for one in vehicle.get("compartments", ())
            ],
            client_times=[
                ClientTimes(clients[times["customer"] - self._depots], times.get("service"), times.get("setup"))
                for times in vehicle.get("customer_times", ())
            ],
            profile=self._profile(vehicle),
            name=vehicle.get("id", ""),
            **{name: vehicle.get(field) for name, field in VEHICLE_NUMBERS.items()},
        )

    def _profile(self, vehicle: dict[str, Any]) -> Profile | None:
        distances, durations = self._matrix(vehicle, "distance_matrix"), self._matrix(vehicle, "duration_matrix")
        durations_at, lengths = self._durations_at(vehicle), self._matrix(vehicle, "length_matrix")
        if all(matrix is None for matrix in (distances, durations, lengths)) and not durations_at:
            return None
        return self._model.add_profile(
            distances=distances, durations=durations, durations_at=durations_at, lengths=lengths
        )


def _break(value: dict[str, Any]) -> Break:
    most = _capacity(value.get("max_load", ()))
    return Break(
        TimeWindow(*value.get("window", (0.0, None))),
        value["duration"],
        tuple(TimeWindow(*window) for window in value.get("further_windows", ())),
        tuple(most) if isinstance(most, (list, tuple)) else (most,),
    )


def _driving_rules(value: dict[str, Any] | None) -> DrivingRules | None:
    """Returns the rules that our JSON has, whose numbers the server has taken from any preset."""
    return None if value is None else DrivingRules(**value)


def _capacity(value: Any) -> Any:
    """Returns the capacity, with 1e12 in place of null, which means no limit in that dimension."""
    if isinstance(value, list):
        return [1e12 if one is None else one for one in value]
    return value

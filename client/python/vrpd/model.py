"""The model of a routing problem."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ._limits import finite, finite_int
from ._model_arguments import break_of, compartment_of, location_of, prize_of, windows_of
from ._values import Load, loads
from .parts import (
    Balance,
    Break,
    ClientGroup,
    ClientTimes,
    Compartment,
    Customer,
    CustomerRule,
    Depot,
    DrivingRules,
    Edge,
    Location,
    Matrices,
    MatrixLike,
    Profile,
    Shipment,
    VehicleType,
    WindowLike,
    single_window,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .client import Client
    from .options import CallOptions, SolveOptions
    from .result import Result
    from .streams import SolveStream

_FORMATS = {".json": "json", ".tsp": "tsplib", ".vrp": "vrplib"}  # formats of `Model.write` by the file's suffix

MISSING_EDGE = 1_000_000_000.0
"""Distance and duration between two locations without an edge, in a model with edges."""


class Model:
    """A routing problem, built piece by piece.

    Units are the caller's: distances, times and loads are plain numbers. Nodes are numbered from 0: first the depots,
    then the clients, in the order of their creation.

    Parameters
    ----------
    name
        Name of the problem.
    lon_lat
        Whether x and y are longitudes and latitudes in degrees. Distances are then metres.
    metric
        Rounding of distances: "exact", "cvrplib", "ceil", "dimacs" or "scaled_1000".
    objective
        "distance", "vehicles_then_distance", "duration" or "cost". By default the cost if a vehicle type states one,
        else the distance.
    speed
        Units of distance per unit of time, for travel times without durations; metres with `lon_lat`. By default 1.
    distance_unit, time_unit
        Units of distances and times, for display: "m", "km", "s", "min" or "h". The daemon ignores other names.
    reference_cost
        Best known cost; results then have a gap.
    problem_type
        "tsp", "cvrp" or "vrptw". By default, the daemon chooses the type by the content.
    road_network
        A road network of the daemon (`Client.server_info().road_networks`), such as "car", which computes distances and
        travel times. Requires `lon_lat`.
    """

    def __init__(
        self,
        name: str = "",
        *,
        lon_lat: bool = False,
        metric: str | None = None,
        objective: str | None = None,
        speed: float | None = None,
        distance_unit: str = "",
        time_unit: str = "",
        reference_cost: float | None = None,
        problem_type: str | None = None,
        road_network: str = "",
    ) -> None:
        self._settings: dict[str, Any] = {
            "name": name,
            "coordinate_system": "lon_lat" if lon_lat else None,
            "metric": metric,
            "objective": objective,
            "speed": speed,
            "distance_unit": distance_unit,
            "time_unit": time_unit,
            "reference_cost": reference_cost,
            "problem_type": problem_type,
            "road_network": road_network,
        }
        self._depots: list[Depot] = []
        self._clients: list[Customer] = []
        self._vehicle_types: list[VehicleType] = []
        self._groups: list[ClientGroup] = []
        self._shipments: list[Shipment] = []
        self._rules: list[CustomerRule] = []
        self._profiles: list[Profile] = []
        self._features: dict[str, list[float]] = {}
        self._balance: Balance | None = None
        self._base = Profile()
        self._source: Any = None  # the vrp.v1.InstanceFile that this model was read from, if it is unchanged

    @property
    def name(self) -> str:
        return str(self._settings["name"])

    @property
    def lon_lat(self) -> bool:
        return bool(self._settings["coordinate_system"] == "lon_lat")

    @property
    def depots(self) -> tuple[Depot, ...]:
        return tuple(self._depots)

    @property
    def clients(self) -> tuple[Customer, ...]:
        return tuple(self._clients)

    @property
    def vehicle_types(self) -> tuple[VehicleType, ...]:
        return tuple(self._vehicle_types)

    @property
    def groups(self) -> tuple[ClientGroup, ...]:
        return tuple(self._groups)

    @property
    def shipments(self) -> tuple[Shipment, ...]:
        return tuple(self._shipments)

    @property
    def balance(self) -> Balance | None:
        return self._balance

    @property
    def customer_rules(self) -> tuple[CustomerRule, ...]:
        return tuple(self._rules)

    def __repr__(self) -> str:
        return (
            f"<vrpd.Model {self.name!r}: {len(self._depots)} depots, {len(self._clients)} clients, "
            f"{len(self._vehicle_types)} vehicle types>"
        )

    def set(self, **settings: Any) -> None:
        """Changes settings of the model, such as set(objective="duration"). Names are those of the constructor."""
        if "lon_lat" in settings:
            settings["coordinate_system"] = "lon_lat" if settings.pop("lon_lat") else None
        for key in settings:
            if key not in self._settings:
                raise TypeError(f"set: got {key!r}, wanted one of lon_lat, {', '.join(self._settings)}")
        self._settings.update(settings)
        self._source = None

    def add_location(self, x: float, y: float, *, name: str = "") -> Location:
        """Returns a location that depots, clients and edges may share."""
        return Location(float(x), float(y), name)

    def add_depot(
        self,
        x: float | Location | None = None,
        y: float | None = None,
        tw_early: float | None = None,
        tw_late: float | None = None,
        service_duration: float = 0,
        *,
        location: Location | None = None,
        name: str = "",
    ) -> Depot:
        """Adds a depot. Without x and y, the model needs matrices or edges.

        `service_duration` is the time to load a vehicle before each departure, from its start or a reload.
        """
        window = single_window(tw_early, finite(tw_late))
        place = location_of(x, y, location, "add_depot")
        depot = Depot(place, window[0] if window else None, name, service_duration)
        self._depots.append(depot)
        self._source = None
        return depot

    def add_client(
        self,
        x: float | Location | None = None,
        y: float | None = None,
        delivery: Load | None = None,
        pickup: Load | None = None,
        service_duration: float = 0,
        tw_early: float | None = None,
        tw_late: float | None = None,
        release_time: float = 0,
        prize: float | None = None,
        required: bool | None = None,
        group: ClientGroup | None = None,
        *,
        location: Location | None = None,
        tw_late_cost: float | None = None,
        time_windows: Iterable[WindowLike] | None = None,
        setup_duration: float = 0,
        backhaul: Load | None = None,
        skills: Iterable[str] = (),
        priority: int = 0,
        name: str = "",
    ) -> Customer:
        """Adds a client.

        Parameters
        ----------
        delivery, pickup, backhaul
            Load brought from the depot; load brought to the depot in any order; load brought to the depot after all
            deliveries. One number, or one for each load dimension.
        tw_early, tw_late, tw_late_cost
            Times at which service may start. With a cost per unit of time after `tw_late`, the window is soft.
        time_windows
            Several windows instead of one: tuples (early, late).
        setup_duration
            Time before the service, unless the previous stop is at the same location.
        release_time
            Time at which the goods are ready at the depot.
        prize, required
            A client with a prize is optional: if it is not served, the prize is added to the cost. A client with
            `required=False` is optional too. With `required=True` the prize has no effect, as in PyVRP.
        group
            Group in which the client is one of the alternatives. The difference between the group's largest prize and
            that of the client which is served is added to the cost.
        skills
            Skills that the vehicle must have.
        priority
            0 to 100. Clients of high priority are served first if not all can be served.
        """
        single = single_window(tw_early, finite(tw_late), tw_late_cost)
        client = Customer(
            location=location_of(x, y, location, "add_client"),
            delivery=tuple(loads(delivery)),
            pickup=tuple(loads(pickup)),
            backhaul=tuple(loads(backhaul)),
            windows=windows_of(time_windows, single, "add_client"),
            service_duration=service_duration,
            setup_duration=setup_duration,
            release_time=release_time,
            skills=tuple(skills),
            prize=prize_of(prize, required, group),
            priority=priority,
            name=name,
        )
        if group is not None:
            group.clients.append(client)
        self._clients.append(client)
        self._source = None
        return client

    def add_clients(self, rows: Any) -> list[Customer]:
        """Adds a client for each row of a pandas DataFrame, or each dict, whose keys are arguments of add_client."""
        if hasattr(rows, "to_dict"):
            rows = rows.to_dict("records")
        return [self.add_client(**row) for row in rows]

    def add_vehicle_type(
        self,
        num_available: int | None = 1,
        capacity: Load | None = None,
        start_depot: Depot | int | None = None,
        end_depot: Depot | int | None = None,
        fixed_cost: float | None = None,
        tw_early: float | None = None,
        tw_late: float | None = None,
        max_duration: float | None = None,
        max_distance: float | None = None,
        unit_distance_cost: float | None = None,
        unit_duration_cost: float | None = None,
        profile: Profile | None = None,
        *,
        shift_duration: float | None = None,
        start_late: float | None = None,
        initial_load: Load | None = None,
        reload_depots: Iterable[Depot | int] = (),
        max_reloads: int | None = None,
        max_overtime: float | None = None,
        unit_overtime_cost: float | None = None,
        open_end: bool = False,
        max_stops: int | None = None,
        max_waiting: float | None = None,
        unit_service_cost: float | None = None,
        unit_travel_cost: float | None = None,
        client_times: Iterable[ClientTimes] = (),
        skills: Iterable[str] = (),
        breaks: Iterable[Break | tuple[WindowLike, float]] = (),
        driving_rules: DrivingRules | str | None = None,
        lifo: bool = False,
        compartments: Iterable[Compartment | float | tuple[float, Iterable[int]]] = (),
        name: str = "",
    ) -> VehicleType:
        """Adds a vehicle type.

        Parameters
        ----------
        num_available
            Number of vehicles; None means unlimited.
        capacity
            One number, or one for each load dimension. None means no limit.
        start_depot, end_depot
            By default the first depot, and the start depot.
        open_end
            Whether routes end with the last client, without a return.
        max_duration, max_overtime, unit_overtime_cost
            Maximum duration of a route, the time allowed beyond it, and the cost per unit of that time.
            `shift_duration` is PyVRP's name of `max_duration`.
        start_late
            Latest time at which the vehicle leaves its start.
        initial_load
            Load on board at the start: one number, or one for each load dimension. The vehicle unloads it at its
            first reload or at its end.
        reload_depots, max_reloads
            Depots where the vehicle may load again, by default its start depot, and how often: by default 0 times.
        max_waiting
            Maximum time of a route in which the vehicle waits. It leaves as late as it can.
        unit_service_cost
            Cost per unit of service and setup time, loading at depots included.
        unit_travel_cost
            Cost per unit of travel time.
        client_times
            Service and setup times that differ for this vehicle type.
        breaks
            Pauses: tuples ((early, late), duration), or `Break` for several windows or a limit on the load. They are
            taken in this order.
        driving_rules
            Breaks after a time of driving, and limits of driving and work: DrivingRules, or the name of a preset,
            "eu_561_daily".
        lifo
            Whether a shipment may be delivered only if it was picked up last of those on board.
        compartments
            Compartments, each for goods of one load dimension at a time: capacities, or tuples (capacity, [dimension,
            ...]) with the load dimensions that the compartment may hold. Each trip assigns them anew.
        """
        if shift_duration is not None:
            if max_duration is not None:
                raise ValueError("add_vehicle_type: got max_duration and shift_duration, wanted one of them")
            max_duration = shift_duration
        shift = single_window(tw_early, finite(tw_late))
        kind = VehicleType(
            num_available=num_available,
            capacity=tuple(loads(capacity)),
            start_depot=self._depot_index(start_depot, "start_depot") or 0,
            end_depot=self._depot_index(end_depot, "end_depot"),
            open_end=open_end,
            shift=shift[0] if shift else None,
            fixed_cost=fixed_cost,
            unit_distance_cost=unit_distance_cost,
            unit_duration_cost=unit_duration_cost,
            max_duration=finite(max_duration),
            max_overtime=max_overtime,
            unit_overtime_cost=unit_overtime_cost,
            max_distance=finite(max_distance),
            max_stops=max_stops,
            max_waiting=finite(max_waiting),
            max_reloads=finite_int(max_reloads),
            reload_depots=tuple(self._depot_index(one, "reload_depots") or 0 for one in reload_depots),
            start_late=finite(start_late),
            initial_load=tuple(loads(initial_load)),
            skills=tuple(skills),
            breaks=tuple(break_of(one) for one in breaks),
            driving_rules=DrivingRules(driving_rules) if isinstance(driving_rules, str) else driving_rules,
            lifo=lifo,
            compartments=tuple(compartment_of(one) for one in compartments),
            client_times=tuple(client_times),
            unit_service_cost=unit_service_cost,
            unit_travel_cost=unit_travel_cost,
            profile=profile,
            name=name,
        )
        self._vehicle_types.append(kind)
        self._source = None
        return kind

    def _depot_index(self, depot: Depot | int | None, what: str) -> int | None:
        if depot is None or isinstance(depot, int):
            return depot
        for index, known in enumerate(self._depots):
            if known is depot:
                return index
        raise ValueError(f"add_vehicle_type: {what}: got a depot of another model, wanted one that add_depot returned")

    def add_client_group(self, required: bool = True, *, name: str = "") -> ClientGroup:
        """Adds a group of clients of which exactly one is served; at most one if `required` is False."""
        group = ClientGroup(required, name)
        self._groups.append(group)
        self._source = None
        return group

    def add_shipment(self, pickup: Customer, delivery: Customer, amount: Load, *, name: str = "") -> Shipment:
        """Adds goods that one vehicle picks up at a client and delivers to another."""
        shipment = Shipment(pickup, delivery, tuple(loads(amount)), name)
        self._shipments.append(shipment)
        self._source = None
        return shipment

    def add_customer_rule(self, kind: str, clients: Iterable[Customer], *, max: int | None = None) -> CustomerRule:
        """Adds a rule between clients, for those of them that are served.

        Parameters
        ----------
        kind
            "same_route": they are on one route. "different_routes": no two are on one route. "max_per_route": at most
            `max` are on one route. "in_order": those on one route are visited in the given order.
        max
            Only for "max_per_route".
        """
        rule = CustomerRule(kind, tuple(clients), max)
        self._rules.append(rule)
        self._source = None
        return rule

    def add_profile(
        self,
        *,
        distances: MatrixLike | None = None,
        durations: MatrixLike | None = None,
        matrices: str = "",
        name: str = "",
        road_network: str = "",
        durations_at: Iterable[tuple[float, MatrixLike]] = (),
        lengths: MatrixLike | None = None,
    ) -> Profile:
        """Adds a profile: separate matrices, a road network or edges (add_edge), for some vehicle types.

        `durations_at` and `lengths` are as for `set_matrices`.
        """
        stated = Matrices(distances, durations, matrices, tuple(durations_at), lengths)
        has_matrix = any(matrix is not None for matrix in (distances, durations, lengths))
        given = has_matrix or bool(matrices) or bool(stated.durations_at)
        profile = Profile(name, stated if given else None, road_network=road_network)
        self._profiles.append(profile)
        return profile

    def add_edge(
        self,
        frm: Location | Depot | Customer,
        to: Location | Depot | Customer,
        distance: float,
        duration: float = 0,
        profile: Profile | None = None,
    ) -> Edge:
        """Adds the distance and duration from one location to another, in that direction.

        A model with edges takes no distances from coordinates: locations without an edge are MISSING_EDGE apart.
        """
        edge = Edge(frm, to, distance, duration)
        (profile or self._base).edges.append(edge)
        self._source = None
        return edge

    def set_matrices(
        self,
        distances: MatrixLike | None = None,
        durations: MatrixLike | None = None,
        *,
        uploaded: str = "",
        durations_at: Iterable[tuple[float, MatrixLike]] = (),
        lengths: MatrixLike | None = None,
    ) -> None:
        """Sets distances and durations between all nodes, depots first.

        Large matrices are uploaded once. `uploaded` is the name of matrices that the daemon already has.

        `durations_at`, instead of `durations`, has durations by the time of departure: tuples (time, matrix) in order
        of time. Between two times they are linear. From one time to the next, no duration may fall by more than the
        time between them.

        `lengths` is what `max_distance` of vehicle types limits, if `distances` has other costs, such as tolls.
        """
        self._base.matrices = Matrices(distances, durations, uploaded, tuple(durations_at), lengths)
        self._source = None

    def set_balance(
        self, measure: str, *, max_spread: float | None = None, cost: float = 0.0, all_vehicles: bool = False
    ) -> None:
        """Balances the routes: limits or prices the largest measure of a route minus the smallest one.

        Parameters
        ----------
        measure
            "duration", "distance", "load" (first dimension) or "stops".
        max_spread
            Largest difference between two routes. By default no limit.
        cost
            Cost per unit of the difference between the largest and the smallest measure.
        all_vehicles
            Whether unused vehicles count too, each with the measure 0. All vehicle types then need `num_available`.
        """
        self._balance = Balance(measure, finite(max_spread), float(cost), all_vehicles)
        self._source = None

    def add_feature(self, name: str, values: Sequence[float]) -> None:
        """Adds a column of numbers, one for each node, for networks that were trained with this column."""
        self._features[name] = [float(value) for value in values]
        self._source = None

    def solve(self, *, client: Client | None = None, **options: Unpack[CallOptions]) -> Result:
        """Solves the problem; see `vrpd.Client.solve` for the options."""
        return _client(client).solve(self, **options)

    def improvements(self, *, client: Client | None = None, **options: Unpack[SolveOptions]) -> SolveStream:
        """Solves the problem and iterates over improvements; see `vrpd.Client.improvements`."""
        return _client(client).improvements(self, **options)

    def to_vrplib(self, *, renumber: bool = False, client: Client | None = None) -> str:
        """Returns the problem as text in the format of CVRPLIB and TSPLIB."""
        return _client(client).convert(self, "vrplib", renumber=renumber).decode()

    def to_json(self, *, client: Client | None = None) -> str:
        """Returns the problem in this project's JSON, on one line."""
        return _client(client).convert(self, "json").decode()

    def to_vroom(self, *, renumber: bool = False, client: Client | None = None) -> dict[str, Any]:
        """Returns the problem as VROOM's input."""
        import json

        result: dict[str, Any] = json.loads(_client(client).convert(self, "vroom", renumber=renumber))
        return result

    def to_pyvrp(self, *, scale: float = 1) -> Any:
        """Returns a pyvrp.Model. Needs pyvrp.

        Distances, times, loads, prizes and fixed costs are multiplied by `scale` and rounded to integers. Costs per
        unit must be integers already.
        """
        from ._pyvrp import to_pyvrp

        return to_pyvrp(self, scale)

    def write(self, path: str | os.PathLike[str], format: str = "", *, client: Client | None = None) -> None:
        """Writes the problem to a file in "json", "vrplib", "tsplib", "solomon" or "vroom".

        By default, the suffix .json means "json", .tsp "tsplib" and .vrp "vrplib".
        """
        suffix = os.path.splitext(path)[1]
        format = format or _FORMATS.get(suffix, "")
        if not format:
            raise ValueError(f"path: got the suffix {suffix!r}, wanted {', '.join(_FORMATS)}, or the argument format")
        content = _client(client).convert(self, format)
        with open(path, "wb") as file:
            file.write(content)


def _client(client: Client | None) -> Client:
    from .client import default_client

    return client or default_client()

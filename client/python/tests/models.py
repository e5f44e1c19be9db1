"""Builds the models that several tests use."""

from __future__ import annotations

import vrpd

COORDS = [(2, 3), (5, 1), (-4, 2), (-1, -5), (3, -2), (-3, -3), (0, 6), (6, 4)]


def small_model(**settings: object) -> vrpd.Model:
    """Returns a CVRP with eight clients and three vehicles."""
    model = vrpd.Model("small", **settings)  # type: ignore[arg-type]
    model.add_depot(x=0, y=0)
    model.add_vehicle_type(num_available=3, capacity=15)
    for x, y in COORDS:
        model.add_client(x=x, y=y, delivery=5)
    return model


def large_model(clients: int = 120) -> vrpd.Model:
    """Returns a CVRP that keeps a search busy for its whole budget."""
    model = vrpd.Model("large")
    model.add_depot(x=50, y=50)
    model.add_vehicle_type(num_available=None, capacity=50)
    for number in range(clients):
        model.add_client(x=number * 37 % 101, y=number * 61 % 103, delivery=1 + number % 9)
    return model


def full_model() -> vrpd.Model:
    """Returns a model that sets every field of vrp.v1.Instance except `matrices`. It need not have a solution."""
    nodes = [[0.0] * 8] * 8
    model = vrpd.Model(
        "full",
        lon_lat=True,
        metric="cvrplib",
        objective="cost",
        speed=2,
        distance_unit="km",
        time_unit="min",
        reference_cost=9,
        problem_type="vrptw",
        road_network="car",
    )
    model.add_depot(0, 0)
    depot = model.add_depot(1, 2, tw_early=1, tw_late=9, service_duration=2, name="d")
    model.add_client(3, 4)
    group = model.add_client_group()
    pickup, delivery = (
        model.add_client(
            1,
            2,
            delivery=1,
            pickup=2,
            backhaul=3,
            service_duration=1,
            tw_early=1,
            tw_late=2,
            tw_late_cost=1,
            release_time=1,
            setup_duration=1,
            skills=["s"],
            prize=4,
            priority=5,
            name=name,
        )
        for name in "ab"
    )
    for name in "ce":
        model.add_client(1, 2, group=group, name=name)
    model.add_client(1, 2, time_windows=[(1, 2), (3, 4, 5)])
    model.add_shipment(pickup, delivery, amount=2, name="s")
    model.add_customer_rule("max_per_route", [pickup, delivery], max=2)
    uploaded = model.add_profile(matrices="matrices/b")
    own = model.add_profile(distances=nodes, durations=nodes, durations_at=[(0, nodes), (5, nodes)], lengths=nodes)
    roads = model.add_profile(road_network="bike")
    for profile in (own, uploaded, roads):
        model.add_vehicle_type(
            num_available=2,
            capacity=[3, 4],
            start_depot=depot,
            end_depot=depot,
            open_end=True,
            fixed_cost=1,
            tw_early=1,
            tw_late=9,
            max_duration=8,
            max_distance=7,
            unit_distance_cost=2,
            unit_duration_cost=3,
            max_reloads=1,
            reload_depots=[depot],
            start_late=5,
            initial_load=[1, 2],
            max_overtime=1,
            unit_overtime_cost=1,
            max_stops=3,
            max_waiting=5,
            unit_service_cost=2,
            unit_travel_cost=3,
            client_times=[vrpd.ClientTimes(pickup, 2, 3)],
            skills=["s"],
            breaks=[vrpd.Break(vrpd.TimeWindow(1, 2), 1, (vrpd.TimeWindow(3, 4),), (2, 2))],
            lifo=True,
            compartments=[(2, [0, 1]), 3],
            driving_rules=vrpd.DrivingRules("eu_561_daily", 5, 1, 1, 1, 9, 9),
            profile=profile,
            name="v",
        )
    model.add_vehicle_type(end_depot=1)
    model.add_feature("f", [1] * 8)
    model.set_balance("stops", max_spread=2, cost=1, all_vehicles=True)
    model.set_matrices(nodes, nodes, durations_at=[(1, nodes)], lengths=nodes)
    return model


def constrained_model() -> vrpd.Model:
    """Returns a valid model with most constraints."""
    nodes = [[float(abs(frm - to)) for to in range(10)] for frm in range(10)]
    model = vrpd.Model("constrained", metric="exact", objective="cost", speed=2, reference_cost=9)
    model.add_depot(0, 0)
    depot = model.add_depot(1, 2, tw_early=1, tw_late=90, service_duration=2, name="d")
    model.add_client(3, 4, delivery=1, service_duration=1, setup_duration=2, release_time=3, skills=["s"], priority=5)
    model.add_client(3, 5, pickup=2, prize=4)
    model.add_client(3, 6, delivery=3, time_windows=[(1, 2), (30, 40, 5)])
    pickup, delivery = model.add_client(4, 4), model.add_client(5, 5)
    model.add_shipment(pickup, delivery, amount=2, name="s")
    for required in (True, False):
        group = model.add_client_group(required)
        for _ in range(2 if required else 1):
            model.add_client(6, 6, group=group)
    model.add_customer_rule("same_route", model.clients[:2])
    model.add_customer_rule("max_per_route", model.clients[:3], max=2)
    own = model.add_profile(distances=nodes, durations=nodes)
    model.add_vehicle_type(
        num_available=2,
        capacity=3,
        start_depot=depot,
        end_depot=0,
        fixed_cost=1,
        tw_early=1,
        tw_late=90,
        max_duration=80,
        max_distance=70,
        unit_distance_cost=2,
        unit_duration_cost=3,
        max_overtime=1,
        unit_overtime_cost=1,
        max_stops=3,
        max_waiting=50,
        unit_service_cost=2,
        unit_travel_cost=3,
        client_times=[vrpd.ClientTimes(pickup, 2), vrpd.ClientTimes(delivery, setup_duration=3)],
        max_reloads=1,
        reload_depots=[0, depot],
        start_late=60,
        initial_load=1,
        skills=["s"],
        breaks=[vrpd.Break(vrpd.TimeWindow(1, 2), 1, (vrpd.TimeWindow(3, 4),), (2,))],
        lifo=True,
        compartments=[(2, [0]), 3],
        profile=own,
        name="v",
    )
    slower = [[2 * duration for duration in row] for row in nodes]
    rush = model.add_profile(durations_at=[(0, nodes), (20, slower)])
    model.add_vehicle_type(num_available=None, capacity=9, open_end=True, profile=rush)
    rules = vrpd.DrivingRules(max_driving_before_break=40, break_duration=3, first_part=1, second_part=2, max_work=70)
    model.add_vehicle_type(num_available=None, capacity=9, open_end=True, driving_rules=rules)
    model.add_feature("f", [1] * 10)
    model.set_balance("duration", max_spread=50, cost=1)
    return model

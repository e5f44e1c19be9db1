"""Deliveries in Paris with time windows, a lunch break, an urgent parcel and a customer who may be left out."""

import vrpd

HOUR = 3600

model = vrpd.Model("deliveries", lon_lat=True, speed=8)  # 8 metres per second in the city
depot = model.add_depot(x=2.3522, y=48.8566, tw_early=8 * HOUR, tw_late=18 * HOUR, name="depot")
model.add_vehicle_type(
    num_available=2,
    capacity=40,
    start_depot=depot,
    end_depot=depot,
    tw_early=8 * HOUR,
    tw_late=17 * HOUR,
    breaks=[((12 * HOUR, 13 * HOUR), HOUR / 2)],
    name="van",
)
STOPS = {
    "Montmartre": (2.3431, 48.8867, 9, 11),
    "Bastille": (2.3690, 48.8530, 8, 12),
    "La Défense": (2.2380, 48.8918, 13, 15),
    "Vincennes": (2.4400, 48.8470, 10, 16),
    "Montparnasse": (2.3212, 48.8421, 14, 17),
}
for name, (longitude, latitude, opens, closes) in STOPS.items():
    model.add_client(
        longitude, latitude, delivery=10, service_duration=600, tw_early=opens * HOUR, tw_late=closes * HOUR, name=name
    )
model.add_client(2.3364, 48.8606, delivery=5, tw_late=9.5 * HOUR, tw_late_cost=2, name="Louvre (late costs extra)")
model.add_client(1.0993, 49.4431, delivery=5, prize=20_000, name="Rouen (only if it pays)")

result = model.solve(budget="2s", stop_after="300ms")
assert result.feasible


def clock(seconds: float) -> str:
    return f"{int(seconds // HOUR):02}:{int(seconds % HOUR // 60):02}"


for route in result.routes:
    print(f"{route.vehicle_id}: {route.distance / 1000:.1f} km, {clock(route.duration)} h")
    for stop in route.stops:
        print(f"  {clock(stop.start)}  {stop.id}")
for customer in result.unserved:
    print(f"left out: {customer.id}: {customer.reason}")

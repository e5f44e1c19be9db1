"""Quick start: eight customers, three vehicles, one depot."""

import vrpd

CUSTOMERS = [(2, 3), (5, 1), (-4, 2), (-1, -5), (3, -2), (-3, -3), (0, 6), (6, 4)]

model = vrpd.Model("quick start")
depot = model.add_depot(x=0, y=0)
model.add_vehicle_type(num_available=3, capacity=15, start_depot=depot, end_depot=depot)
for x, y in CUSTOMERS:
    model.add_client(x=x, y=y, delivery=5)

result = model.solve(budget="2s", stop_after="300ms")
print(result)
for number, route in enumerate(result.routes, 1):
    print(f"route {number} visits {list(route)} and is {route.distance:.1f} long")

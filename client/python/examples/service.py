"""A web service that returns routes. Run it with `uvicorn service:app`, then

curl localhost:8000/routes -H 'content-type: application/json' -d '{
  "depot": {"x": 2.35, "y": 48.85}, "vehicles": 2, "capacity": 10,
  "orders": [{"id": "a", "x": 2.3, "y": 48.86, "parcels": 4}, {"id": "b", "x": 2.4, "y": 48.84, "parcels": 7}]}'
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, HTTPException
from pydantic import BaseModel, Field

import vrpd


class Place(BaseModel):
    x: float = Field(description="longitude")
    y: float = Field(description="latitude")


class Order(Place):
    id: str
    parcels: int
    opens: float | None = None
    closes: float | None = None


class Day(BaseModel):
    depot: Place
    vehicles: int = 1
    capacity: int
    orders: list[Order]


class Route(BaseModel):
    orders: list[str]
    metres: float


class Plan(BaseModel):
    routes: list[Route]
    left_out: dict[str, str] = Field(description="reason by order")


@asynccontextmanager
async def connection(application: FastAPI) -> AsyncIterator[None]:
    async with vrpd.AsyncClient(timeout="30s") as client:
        application.state.client = client
        yield


app = FastAPI(lifespan=connection)


@app.post("/routes")
async def routes(day: Day) -> Plan:
    model = vrpd.Model(lon_lat=True)
    model.add_depot(x=day.depot.x, y=day.depot.y)
    model.add_vehicle_type(num_available=day.vehicles, capacity=day.capacity)
    for order in day.orders:
        model.add_client(
            order.x, order.y, delivery=order.parcels, tw_early=order.opens, tw_late=order.closes, name=order.id
        )
    try:
        result = await app.state.client.solve(model, budget="500ms", stop_after="100ms")
    except vrpd.InvalidArgumentError as error:
        raise HTTPException(422, [violation._asdict() for violation in error.violations]) from error
    except vrpd.ResourceExhaustedError as error:
        raise HTTPException(503, error.message, {"Retry-After": str(round(error.retry_after or 1))}) from error
    return Plan(
        routes=[
            Route(orders=[stop.id for stop in route.stops if not stop.depot], metres=route.distance)
            for route in result.routes
        ],
        left_out={customer.id: customer.reason for customer in result.unserved},
    )

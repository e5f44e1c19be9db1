"""Trains a network on your own instances and solves with it.

The sizes here are tiny, so that the example takes seconds. For a useful network, take a preset without these
settings. `vrpd.presets()` lists the presets.
"""

import json
import random

import vrpd

DAYS, CUSTOMERS = 60, 8
random.seed(7)


def orders_of_a_day() -> dict[str, object]:
    """Returns a random instance in this project's JSON. Yours would come from a spreadsheet or a database."""
    coords = [[round(random.gauss(0, 3), 2), round(random.gauss(0, 3), 2)] for _ in range(CUSTOMERS)]
    demands = [random.randint(1, 9) for _ in range(CUSTOMERS)]
    return {"name": "orders", "kind": "cvrp", "capacity": 25, "coords": [[0, 0], *coords], "demands": [0, *demands]}


client = vrpd.default_client()
days = [orders_of_a_day() for _ in range(DAYS)]
dataset = client.datasets.upload("orders", days)
print(f"{dataset.name}: {dataset.instance_count} days, up to {dataset.max_customers} customers")

job = client.train(
    preset="ptrnet_tiny",
    settings={
        "name": "orders",
        "problem.customers": CUSTOMERS,
        "problem.instances": dataset.name,
        "training.epochs": 2,
        "training.batches_per_epoch": 5,
        "training.batch_size": 16,
        "validation.instances": 32,
        "reinforce.baseline_instances": 32,
    },
)
job.wait(progress=True)
history = job.history(epochs_only=True)
print("validation cost by epoch:", [round(cost, 2) for cost in history["validation_cost"]])

today = vrpd.from_json(json.dumps(days[0]))
by_network = today.solve(model="orders", strategy="greedy", budget="5s")
by_search = today.solve(budget="200ms")
print(f"{by_network.model}: cost {by_network.cost:.2f}; search: {by_search.cost:.2f}")

client.datasets.delete("orders")

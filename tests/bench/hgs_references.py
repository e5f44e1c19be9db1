#!/usr/bin/env python3
"""Adds reference costs of HGS-CVRP (Vidal 2022) to CVRP instances, with the Python package hygese.

Examples:
  vrpctl generate --problem cvrp --customers 50 --count 1000 --seed 777 --out cvrp50.jsonl
  hgs_references.py cvrp50.jsonl --seconds 0.15 --out cvrp50_kool_seed777_hgs.jsonl
  vrpctl models evaluate gt-mixed --data cvrp50_kool_seed777_hgs.jsonl --mode greedy --mode multi_start:8

The cards in models/ state gaps to such references, computed with 0.03, 0.15 and 0.4 seconds per instance of 20, 50 and
100 customers. Reads and writes the JSON lines of `vrpctl generate`. Needs a Python with numpy and hygese.
"""

import argparse
import json
import math
import pathlib
import sys

import hygese
import numpy

SCALE = 1000  # HGS-CVRP rejects distances as small as the unit square's


def reference(instance: dict, seconds: float, seed: int) -> float:
    """Returns the cost of the best plan of HGS, recomputed from its routes in the unit of the coordinates."""
    points = numpy.asarray(instance["coords"], dtype=float)
    distances = numpy.sqrt(((points[:, None] - points[None]) ** 2).sum(-1))
    demands = instance["demands"]
    vehicles = math.ceil(1.3 * sum(demands) / instance["capacity"]) + 3  # same bound as in HGS-CVRP
    solver = hygese.Solver(parameters=hygese.AlgorithmParameters(timeLimit=seconds, seed=seed), verbose=False)
    answer = solver.solve_cvrp({
        "x_coordinates": points[:, 0] * SCALE,
        "y_coordinates": points[:, 1] * SCALE,
        "demands": numpy.asarray(demands),
        "vehicle_capacity": instance["capacity"],
        "num_vehicles": vehicles,
        "depot": 0,
    }, rounding=False)
    visited = sorted(node for route in answer.routes for node in route)
    if visited != list(range(1, len(demands))):
        sys.exit(f"hgs_references: {instance['name']}: HGS's plan does not visit each customer once")
    if any(sum(demands[node] for node in route) > instance["capacity"] for route in answer.routes):
        sys.exit(f"hgs_references: {instance['name']}: HGS's plan exceeds the capacity")
    return sum(distances[a, b] for route in answer.routes for a, b in zip([0, *route], [*route, 0]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("instances", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, required=True, help="seconds of HGS per instance")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    lines = [line for line in arguments.instances.read_text().splitlines() if line.strip()]
    with arguments.out.open("w") as out:
        for number, line in enumerate(lines, 1):
            instance = json.loads(line)
            if instance["kind"] != "cvrp":
                sys.exit(f"hgs_references: {arguments.instances}:{number}: kind: got {instance['kind']!r}, wanted 'cvrp'")
            instance["ref_cost"] = reference(instance, arguments.seconds, arguments.seed)
            out.write(json.dumps(instance) + "\n")
            if number % 100 == 0:
                print(f"{number} of {len(lines)}", file=sys.stderr)


if __name__ == "__main__":
    main()

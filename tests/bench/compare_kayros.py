#!/usr/bin/env python3
"""Compares our search with KAYROS on travel times by the time of day. Both minimise the duration of all routes.

Examples:
  tests/bench/compare_kayros.py
  tests/bench/compare_kayros.py --instances 5 --limit 1

Solves the instances of the feature time_of_day, without their costs, in turns on one core. Two judges price each plan:
- ours, CheckSolution: a vehicle ends as early as it can, and then starts as late as it can without a later end;
- theirs, the checker of mamut-routing-lib: a vehicle may start later still, if its route then takes less time.
Prints one JSON object per judge with the mean difference of our cost to KAYROS's in per cent, and its 95 % interval.

Needs protoc, and the Python packages numpy, grpcio, googleapis-common-protos and kayros.
"""

import json
import math
import os
import pathlib
import statistics

from feature_district import DAY, set_customer_range
from feature_instances import generate
from solver_sides import Vrpd, comparison_parser


def by_duration(number, seed):
    instance = generate("time_of_day", number, seed)
    for vehicle in instance["vehicles"]:
        for key in ("fixed_cost", "cost_per_distance", "cost_per_time"):
            del vehicle[key]
    return {**instance, "objective": "duration"}


def for_kayros(instance):
    """Returns the same problem with arrival times by departure instead of travel times."""
    from mamut_routing_lib.enums import BenchmarkName, InstanceOrigin
    from mamut_routing_lib.td.artifacts import InstanceATFs, LoadedTDInstance
    from mamut_routing_lib.td.models import BenchmarkInstanceTDVRPTW
    from mamut_routing_lib.td.pwlf import NDCPWLF

    nodes = len(instance["coords"])
    entries = instance["duration_matrices"]

    def arrivals(i, j):
        points = [(entry["at"], entry["durations"][i][j]) for entry in entries]
        points = [(0, points[0][1])] * (points[0][0] > 0) + points
        points += [(DAY, points[-1][1])] * (points[-1][0] < DAY)
        return NDCPWLF([float(at) for at, _ in points], [float(at + travel) for at, travel in points])

    service = instance["service"]
    services = [0] + (service[1:] if isinstance(service, list) else [service] * (nodes - 1))
    benchmark = next(iter(BenchmarkName))
    known = BenchmarkInstanceTDVRPTW(
        instance_name=instance["name"], instance_origin=next(iter(InstanceOrigin)), benchmark_name=benchmark,
        num_customers=nodes - 1, num_vehicles=instance["vehicles"][0]["count"],
        vehicle_capacity=instance["vehicles"][0]["capacity"], coordinates=instance["coords"],
        demands=instance["demands"], service_times=services, horizon=(0, DAY), time_windows=instance["time_windows"],
        td={"model": "atf-ndcpwlf", "atf_path": "none.json"})
    arcs = {(i, j): arrivals(i, j) for i in range(nodes) for j in range(nodes) if i != j}
    return LoadedTDInstance(known, InstanceATFs(instance["name"], str(benchmark), (0.0, float(DAY)), nodes - 1, arcs),
                            pathlib.Path("none.json"), None)


def price_of(problem, routes):
    """Returns the duration of the routes by the checker of mamut-routing-lib."""
    from mamut_routing_lib.td.checker import compute_solution_cost
    return compute_solution_cost(problem.instance, problem.atfs, routes)


def summarise(judge, gaps):
    width = 1.96 * statistics.stdev(gaps) / math.sqrt(len(gaps)) if len(gaps) > 1 else math.inf
    mean = statistics.mean(gaps)
    return {"judge": judge, "instances": len(gaps), "mean_gap_percent": round(mean, 3),
            "interval_percent": [round(mean - width, 3), round(mean + width, 3)],
            "better": sum(gap < -1e-4 for gap in gaps), "worse": sum(gap > 1e-4 for gap in gaps),
            "load1": round(os.getloadavg()[0], 2)}


def main():
    import kayros
    arguments = comparison_parser(__doc__).parse_args()
    set_customer_range(*arguments.customers)
    vrpd = Vrpd(arguments.build, arguments.core)
    os.sched_setaffinity(0, {arguments.core})
    gaps = {"ours": [], "theirs": []}
    try:
        for number in range(arguments.instances):
            instance = by_duration(number, arguments.seed)
            problem = for_kayros(instance)
            plans = {}
            for side in ("ours", "kayros") if number % 2 == 0 else ("kayros", "ours"):
                if side == "ours":
                    plans[side] = vrpd.solve_file(json.dumps(instance), arguments.limit, arguments.seed)[0]
                else:
                    found = kayros.solve(problem, time_limit=arguments.limit, seed=arguments.seed)
                    plans[side] = [(0, route) for route in found.routes]
            verdicts = {side: vrpd.check_file(json.dumps(instance), plan) for side, plan in plans.items()}
            refused = [one.message for verdict in verdicts.values() for one in verdict.violations]
            assert not refused, refused
            gaps["ours"].append(100 * (verdicts["ours"].cost / verdicts["kayros"].cost - 1))
            prices = {side: price_of(problem, [nodes for _, nodes in plan]) for side, plan in plans.items()}
            gaps["theirs"].append(100 * (prices["ours"] / prices["kayros"] - 1))
    finally:
        vrpd.close()
    for judge, found in gaps.items():
        print(json.dumps(summarise(judge, found)))


if __name__ == "__main__":
    main()

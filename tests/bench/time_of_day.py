#!/usr/bin/env python3
"""Measures what a search gains that knows travel times by the time of day, beside one that knows their mean or maximum.

Examples:
  tests/bench/time_of_day.py
  tests/bench/time_of_day.py --instances 3 --limit 1

Solves each instance of the feature time_of_day three times with our search: with its travel times by departure, with
their mean over the day, and with the largest of each pair. CheckSolution judges all plans by the true travel times.
Prints one JSON object per side:
- late: the visits after their windows, and the returns after the day;
- lateness: their sum, in minutes of a district's day (a day of ten hours has 4,800 units);
- late_plans: the plans with any of them, of all `instances`;
- unserved: the customers left out;
- cost_percent: the mean difference to the cost of the first side, by the true travel times, over all instances, and
  feasible_cost_percent over those without lateness.
"""

import json
import os
import statistics

from feature_district import DAY, mean_of_day, set_customer_range
from feature_instances import generate
from solver_sides import Vrpd, comparison_parser

MINUTES = 600 / DAY  # minutes of a unit of time


def largest(instance):
    """Returns the largest travel time of each pair, [N, N]."""
    matrices = [entry["durations"] for entry in instance["duration_matrices"]]
    return [[max(values) for values in zip(*rows)] for rows in zip(*matrices)]


def known_to(side, instance):
    """Returns the instance as a side knows it."""
    if side == "by_departure":
        return instance
    static = {key: value for key, value in instance.items() if key != "duration_matrices"}
    return {**static, "duration_matrix": mean_of_day(instance) if side == "mean" else largest(instance)}


SIDES = ("by_departure", "mean", "largest")


def run(vrpd, side, instance, arguments):
    """Returns the true figures of a side's plan."""
    routes, _ = vrpd.solve_file(json.dumps(known_to(side, instance)), arguments.limit, arguments.seed)
    verdict = vrpd.check_file(json.dumps(instance), routes)
    late = [one.amount for one in verdict.violations if one.kind in ("time_window", "shift")]
    other = [one.message for one in verdict.violations if one.kind not in ("time_window", "shift", "missing_customer")]
    assert not other, other
    unserved = sum(one.kind == "missing_customer" for one in verdict.violations)
    return {"cost": verdict.cost, "late": len(late), "lateness": MINUTES * sum(late), "unserved": unserved}


def summarise(side, found, first):
    differences = [100 * (own["cost"] / known["cost"] - 1) for own, known in zip(found, first)]
    feasible = [difference for difference, own in zip(differences, found) if not own["late"]]
    return {"side": side, "instances": len(found), "late_plans": sum(own["late"] > 0 for own in found),
            "late": sum(own["late"] for own in found), "lateness": round(sum(own["lateness"] for own in found), 1),
            "unserved": sum(own["unserved"] for own in found), "cost_percent": round(statistics.mean(differences), 2),
            "feasible_cost_percent": round(statistics.mean(feasible), 2) if feasible else None,
            "load1": round(os.getloadavg()[0], 2)}


def main():
    arguments = comparison_parser(__doc__).parse_args()
    set_customer_range(*arguments.customers)
    vrpd = Vrpd(arguments.build, arguments.core)
    try:
        instances = [generate("time_of_day", number, arguments.seed) for number in range(arguments.instances)]
        found = {side: [] for side in SIDES}
        for instance in instances:
            for side in SIDES:
                found[side].append(run(vrpd, side, instance, arguments))
        for side in SIDES:
            print(json.dumps(summarise(side, found[side], found[SIDES[0]])))
    finally:
        vrpd.close()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Measures whether a plan is found faster with the history of earlier days, when the same customers come again.

Examples:
  same_customers.py --stops 120 --addresses 1000
  same_customers.py --stops 1000 --addresses 4000 --past-budget 3 --regulars 1.5

Draws a population of addresses by --seed: half of them uniform in a square, half around ten centres. Each address has
a usual demand, from which that of a day differs by up to a quarter. Each day draws its stops from the population. With --regulars S, addresses come with chances in proportion to
exp(S * normal), so that some come nearly every day; with 0 all are equally likely. The past days are solved by search for
--past-budget seconds each, and uploaded as a route history. Then each later day is solved within each budget by
  cold     search alone
  similar  search from the most similar past day (SolveRequest.similar_day)
  network  search from the plan of the network --model, guided by its samples (STRATEGY_SEEDED)
A private vrpd with one thread on one core runs all arms in turns, each time in another order. Budgets are wall time, and
short ones are repeated with other seeds. The reference of a day is the best of all its plans.

Prints one JSON line per day, budget and arm, then one per budget and arm: the mean gap to the reference in per cent, and
the mean difference to `cold` in points of that gap with its 95 % interval over the days, and how many of the legs that the
most similar day drove between stops of today the plans have.

Needs protoc, and the Python packages grpcio and googleapis-common-protos.
"""

import argparse
import collections
import datetime
import json
import math
import os
import pathlib
import random
import statistics
import sys

from compare_dispatch import cpu_name, interval
from solver_sides import LATE_S, ROOT, Vrpd

SIDE = 1000  # of the square
CENTRES = 10
DEVIATION = 60  # of addresses around a centre
LARGEST_DEMAND = 100
CHANGE = 0.25  # largest change of an address's demand from one day to another, as a share of its usual demand
FIRST_DAY = datetime.date(2026, 1, 1)
SHORT_S = 0.2  # budgets up to this one are repeated
HISTORY = "same-customers"


class Population:
    """Addresses, and the days that they make."""

    def __init__(self, arguments):
        self._random = random.Random(arguments.seed)
        self._stops = arguments.stops
        self._capacity = LARGEST_DEMAND / 2 * arguments.stops_per_route
        centres = [self._uniform() for _ in range(CENTRES)]
        self._places = [self._uniform() if number % 2 else self._near(self._random.choice(centres))
                        for number in range(arguments.addresses)]
        self._demands = [self._random.uniform(1, LARGEST_DEMAND) for _ in self._places]
        self._weights = [math.exp(arguments.regulars * self._random.gauss(0, 1)) for _ in self._places]

    def _uniform(self):
        return self._random.uniform(0, SIDE), self._random.uniform(0, SIDE)

    def _near(self, centre):
        return tuple(min(SIDE, max(0, self._random.gauss(at, DEVIATION))) for at in centre)

    def draw(self, number):
        """Returns the instance of the next day. Addresses are drawn without replacement, by their weights."""
        keys = [(self._random.random() ** (1 / weight), address) for address, weight in enumerate(self._weights)]
        today = [address for _, address in sorted(keys, reverse=True)[:self._stops]]
        places = [(SIDE / 2, SIDE / 2), *(self._places[address] for address in today)]
        return {"name": str(FIRST_DAY + datetime.timedelta(days=number)), "kind": "cvrp", "capacity": self._capacity,
                "ids": ["depot", *(f"a{address}" for address in today)], "coords": places,
                "demands": [0, *(max(1, round(self._demands[address] * self._random.uniform(1 - CHANGE, 1 + CHANGE)))
                                 for address in today)]}


class Solver(Vrpd):
    """A private daemon that also starts from the days of an uploaded history."""

    def upload(self, lines):
        from vrp.v1 import dataset_service_pb2 as messages
        header = messages.UploadDatasetRequest(header={"name": HISTORY, "file_name": "past.jsonl"})
        content = "".join(lines).encode()
        chunks = [messages.UploadDatasetRequest(chunk=content[at:at + 500_000]) for at in range(0, len(content), 500_000)]
        return self._channel.stream_unary(
            "/vrp.v1.DatasetService/UploadDataset", request_serializer=messages.UploadDatasetRequest.SerializeToString,
            response_deserializer=messages.Dataset.FromString)(iter([header, *chunks]))

    def solve(self, instance, budget_s, seed, arm, model=""):
        """Returns the response."""
        request = self._solver.SolveRequest(file=self._file(json.dumps(instance)), strategy="STRATEGY_SEARCH", threads=1,
                                            seed=seed)
        if arm == "network":
            request.strategy, request.model = self._solver.SolveRequest(strategy="STRATEGY_SEEDED").strategy, model
        if arm == "similar":
            request.similar_day.history = f"datasets/{HISTORY}"
        request.budget.FromNanoseconds(round(1e9 * budget_s))
        answer = self._solve(request, timeout=budget_s + LATE_S)
        if not answer.feasible:
            sys.exit(f"{instance['name']}, {arm}, {budget_s} s: no feasible plan")
        return answer


def history_lines(instance, answer):
    """Yields the lines of a solved day."""
    places = dict(zip(instance["ids"], instance["coords"]))
    for route in answer.solution.routes:
        stops = [{"id": stop.id, "x": places[stop.id][0], "y": places[stop.id][1]} for stop in route.stops if not stop.depot]
        yield json.dumps({"day": instance["name"], "depot": {"x": SIDE / 2, "y": SIDE / 2}, "stops": stops}) + "\n"


def legs_of(answer):
    """Returns the legs between two stops, without their direction."""
    routes = [[stop.id for stop in route.stops if not stop.depot] for route in answer.solution.routes]
    return {frozenset(leg) for route in routes for leg in zip(route, route[1:])}


def results(solver, past_legs, days, arguments):
    """Yields a line per day, budget and arm. The first day that is not reported warms the daemon up."""
    for arm in arguments.arms:
        solver.solve(days[0], max(arguments.budgets), 1, arm, arguments.model)
    for number, instance in enumerate(days):
        for budget in arguments.budgets:
            if budget >= arguments.long and number >= arguments.long_days:
                continue
            costs, shares = collections.defaultdict(list), collections.defaultdict(list)
            lines = {}
            for repeat in range(arguments.repeats if budget <= SHORT_S else 1):
                turn = (number + repeat) % len(arguments.arms)
                answers = {arm: solver.solve(instance, budget, repeat + 1, arm, arguments.model)
                           for arm in arguments.arms[turn:] + arguments.arms[:turn]}
                day = answers["similar"].similar_day.day if "similar" in answers else ""
                usual = {leg for leg in past_legs.get(day, set()) if leg <= set(instance["ids"])}
                for arm, answer in answers.items():
                    costs[arm].append(answer.solution.cost)
                    if usual:
                        shares[arm].append(round(100 * len(legs_of(answer) & usual) / len(usual), 1))
                    lines[arm] = {"day": instance["name"], "budget_s": budget, "arm": arm, "costs": costs[arm],
                                  "past_legs_percent": shares[arm]}
                    if arm == "similar":
                        lines[arm] |= {"from": answer.similar_day.day, "common_stops": answer.similar_day.common_stops,
                                       "start_cost": round(answer.initial_solution.cost, 1),
                                       "kept": answer.initial_solution.kept_customers}
                    if answer.policy_note:
                        lines[arm]["note"] = answer.policy_note
            yield from lines.values()
        print(f"day {number + 1} of {len(days)}, load {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)


def with_gaps(lines):
    best = collections.defaultdict(lambda: math.inf)
    for line in lines:
        best[line["day"]] = min(best[line["day"]], *line["costs"])
    return [{**line, "gap_percent": round(100 * (statistics.mean(line["costs"]) / best[line["day"]] - 1), 4)}
            for line in lines]


def summaries(lines):
    """Yields a line per budget and arm."""
    gaps = collections.defaultdict(dict)
    for line in lines:
        gaps[line["budget_s"], line["arm"]][line["day"]] = line["gap_percent"]
    for (budget, arm), own in gaps.items():
        mean, of_mean = interval(list(own.values()))
        summary = {"budget_s": budget, "arm": arm, "days": len(own), "mean_gap_percent": mean, "interval": of_mean}
        if arm != "cold":
            mean, of_mean = interval([own[day] - gaps[budget, "cold"][day] for day in own])
            summary |= {"against_cold": mean, "interval_against_cold": of_mean}
        shares = [share for line in lines if (line["budget_s"], line["arm"]) == (budget, arm)
                  for share in line["past_legs_percent"]]
        if shares:
            summary["past_legs_percent"] = round(statistics.mean(shares), 1)
        common = [line["common_stops"] for line in lines if line["arm"] == arm and "common_stops" in line]
        if common:
            summary["mean_common_stops"] = round(statistics.mean(common), 1)
        yield summary


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stops", type=int, default=120, help="stops of a day")
    parser.add_argument("--addresses", type=int, default=1000, help="size of the population")
    parser.add_argument("--regulars", type=float, default=0, help="spread of how often addresses come; 0: all alike")
    parser.add_argument("--stops-per-route", type=float, default=12, help="stops that fill a vehicle on average")
    parser.add_argument("--days", type=int, default=30, help="days to solve")
    parser.add_argument("--past-days", type=int, default=60, help="days of the history")
    parser.add_argument("--past-budget", type=float, default=1, help="seconds of search for each past day")
    parser.add_argument("--budgets", type=lambda text: [float(s) for s in text.split(",")],
                        default=[0.005, 0.02, 0.1, 1, 10], help="seconds of each solve")
    parser.add_argument("--long", type=float, default=5, help="budgets from this one on are run on --long-days only")
    parser.add_argument("--long-days", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=3, help="solves per arm of budgets up to 0.2 s, with other seeds")
    parser.add_argument("--arms", type=lambda text: text.split(","), default=["cold", "similar", "network"])
    parser.add_argument("--model", default="models/gt-mixed", help="network of the arm `network`")
    parser.add_argument("--seed", type=int, default=44, help="seed of the population and its days")
    parser.add_argument("--build", default=ROOT / "build/dev", type=pathlib.Path, help="folder with bin/vrpd")
    parser.add_argument("--core", type=int, default=0, help="CPU core on which vrpd runs")
    arguments = parser.parse_args()
    population = Population(arguments)
    instances = [population.draw(number) for number in range(arguments.past_days + arguments.days)]
    past, days = instances[:arguments.past_days], instances[arguments.past_days:]
    solver = Solver(arguments.build, arguments.core)
    try:
        solved = [(instance, solver.solve(instance, arguments.past_budget, 1, "cold")) for instance in past]
        solver.upload([line for instance, answer in solved for line in history_lines(instance, answer)])
        past_legs = {instance["name"]: legs_of(answer) for instance, answer in solved}
        lines = with_gaps(list(results(solver, past_legs, days, arguments)))
    finally:
        solver.close()
    for line in lines:
        print(json.dumps(line))
    facts = {"stops": arguments.stops, "addresses": arguments.addresses, "regulars": arguments.regulars,
             "past_days": arguments.past_days, "past_budget_s": arguments.past_budget, "seed": arguments.seed,
             "cpu": cpu_name(), "load1": round(os.getloadavg()[0], 2)}
    for line in summaries(lines):
        print(json.dumps(line | facts), flush=True)


if __name__ == "__main__":
    main()

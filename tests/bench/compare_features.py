#!/usr/bin/env python3
"""Compares our search with other solvers per constraint, on generated instances where the constraint binds.

Examples:
  tests/bench/compare_features.py
  tests/bench/compare_features.py --features reloads,breaks --instances 5 --limit 1 --cases worse/
  tests/bench/compare_features.py --customers 250 350 --instances 4 --limit 5
  tests/bench/compare_features.py --list

Runs all solvers on each instance, with one thread on the same core. The order alternates between instances. Our solver
is a separate vrpd (--build), called over gRPC with our JSON. The rivals run in this process, but only on features that
they model exactly; --list explains the exclusions. The rival "ignoring" is our solver without the feature; its plans
are judged with the feature, and those that violate it count as refused. PyVRP, OR-Tools and vrp-cli use their whole limit.
VROOM at exploration level 5 stops by itself, at the limit at the latest.

CheckSolution, our independent checker, evaluates all plans. Plans are compared by the weight of the unserved customers,
then by the number of routes if the objective includes it, then by cost. The checker's cost of a rival's plan is
compared with the rival's own. Prints one JSON object per feature and rival, and a table on stderr. An object holds:
- the mean difference between our cost and the rival's in per cent, with its 95 % interval (negative: ours is cheaper),
  over the instances with equal weights and numbers of routes;
- the numbers of instances on which ours is better and worse;
- the unserved weights where both solvers have a plan;
- the largest relative difference of evaluations, the numbers of rejected plans, and the machine's load.
Exits with 1 if an evaluation differs or the checker rejects a plan.

Needs protoc, and the Python packages numpy, grpcio, googleapis-common-protos, pyvrp, pyvroom, ortools and vrp-cli.
"""

import dataclasses
import importlib
import json
import os
import pathlib
import statistics
import sys
import time

from feature_district import set_customer_range
from feature_instances import FEATURES, generate
from feature_problem import Problem, used_keys
from solver_sides import Vrpd, comparison_parser

COST_TOLERANCE = 1e-6  # relative difference up to which costs count as equal
UNSERVED = {"missing_customer", "alternatives"}  # violations of unserved customers: weighed, not rejected


@dataclasses.dataclass(frozen=True)
class Outcome:
    """One solver's plan of one instance. `cost` is the checker's; `claimed` is the solver's own (None for ours)."""

    routes: list
    weight: int
    routes_counted: int
    cost: float
    claimed: float | None
    refused: str
    seconds: float

    @property
    def rank(self):
        return (self.weight, self.routes_counted)


def rival_of(name):
    return importlib.import_module(f"rival_{name}")


def without(instance, keys):
    """Returns the instance without some keys. Keys of vehicles have the form `vehicles.capacity`."""
    own = {key.removeprefix("vehicles.") for key in keys if key.startswith("vehicles.")}
    vehicles = [{key: value for key, value in vehicle.items() if key not in own} for vehicle in instance["vehicles"]]
    return {**{key: value for key, value in instance.items() if key not in keys}, "vehicles": vehicles}


def judge(vrpd, problem, routes, claimed, seconds):
    verdict = vrpd.check_file(json.dumps(problem.instance), routes)
    refused = [violation.message for violation in verdict.violations if violation.kind not in UNSERVED]
    return Outcome(routes, problem.unserved_weight(routes), problem.routes_counted(routes), verdict.cost, claimed,
                   "; ".join(refused), seconds)


def run_solver(vrpd, solver, feature, problem, limit, seed):
    """Returns the outcome of one solver on one instance, or None if it finds no plan within the limit."""
    if solver in ("ours", "ignoring"):
        known = problem.instance if solver == "ours" else without(problem.instance, feature.ignored)
        routes, seconds = vrpd.solve_file(json.dumps(known), limit, seed)
        return judge(vrpd, problem, routes, None, seconds)
    rival = rival_of(solver)
    if unsupported := used_keys(problem.instance) & rival.UNSUPPORTED:
        raise ValueError(f"{solver} does not model {sorted(unsupported)[0]}")
    start = time.perf_counter()
    plan = rival.solve(problem, limit, seed)
    seconds = time.perf_counter() - start
    return plan and judge(vrpd, problem, plan.routes, plan.cost, seconds)


def gap_percent(ours, theirs):
    """Returns by how many per cent our cost exceeds the rival's; None if the plans cannot be compared by cost."""
    if theirs is None or ours.refused or theirs.refused or ours.rank != theirs.rank:
        return None
    return 100 * (ours.cost - theirs.cost) / max(abs(theirs.cost), 1)


def compare_plans(ours, theirs):
    """Returns -1 if ours is better or the rival has no plan, 1 if ours is worse, and 0 if both are equal.

    Compares ranks first. With equal ranks, a rejected plan also gives 0.
    """
    if theirs is None or ours.rank != theirs.rank:
        return -1 if theirs is None or ours.rank < theirs.rank else 1
    gap = gap_percent(ours, theirs)
    if gap is None or abs(gap) <= 100 * COST_TOLERANCE:
        return 0
    return 1 if gap > 0 else -1


def cost_difference(outcome):
    if outcome is None or outcome.claimed is None:
        return 0
    return abs(outcome.claimed - outcome.cost) / max(abs(outcome.cost), 1)


def summarise(feature, rival, limit, pairs):
    gaps = [gap for pair in pairs if (gap := gap_percent(*pair)) is not None]
    verdicts = [compare_plans(*pair) for pair in pairs]
    both = [pair for pair in pairs if pair[1] is not None]
    theirs = [other for _, other in both]
    line = {"feature": feature, "rival": rival, "instances": len(pairs), "limit_s": limit, "compared_by_cost": len(gaps)}
    if gaps:
        line["mean_gap_percent"] = round(statistics.mean(gaps), 3)
        line["largest_gap_percent"] = round(max(gaps), 3)
    if len(gaps) > 1:
        # Student's t at 95 %, accurate to 1 % for at least 10 instances.
        half_width = (1.96 + 2.6 / (len(gaps) - 1)) * statistics.stdev(gaps) / len(gaps) ** 0.5
        line["interval_percent"] = [round(statistics.mean(gaps) + sign * half_width, 3) for sign in (-1, 1)]
    line.update(better=verdicts.count(-1), worse=verdicts.count(1), without_plan=len(pairs) - len(theirs),
                weight_left_out=[sum(solver.weight for solver in solvers) for solvers in zip(*both)] if both else None,
                routes=[round(statistics.mean(len(ours.routes) for ours, _ in pairs), 2),
                        round(statistics.mean(len(other.routes) for other in theirs), 2) if theirs else None],
                seconds=[round(statistics.mean(ours.seconds for ours, _ in pairs), 3),
                         round(statistics.mean(other.seconds for other in theirs), 3) if theirs else None],
                largest_disagreement=max(map(cost_difference, theirs), default=0),
                refused=[sum(bool(ours.refused) for ours, _ in pairs), sum(bool(other.refused) for other in theirs)],
                load1=round(os.getloadavg()[0], 2))
    return line


def keep_case(folder, problem, outcomes):
    folder.mkdir(parents=True, exist_ok=True)
    name = problem.instance["name"]
    (folder / f"{name}.json").write_text(json.dumps(problem.instance))
    plans = {solver: outcome and dataclasses.asdict(outcome) for solver, outcome in outcomes.items()}
    (folder / f"{name}.plans").write_text(json.dumps(plans, indent=1))


def run_feature(vrpd, name, arguments):
    """Runs all solvers on each instance of a feature and returns their outcomes by solver."""
    solvers = ["ours", *FEATURES[name].rivals]
    found = []
    for number in range(arguments.instances):
        problem = Problem(generate(name, number, arguments.seed))
        solvers = solvers[1:] + solvers[:1]
        outcomes = {solver: run_solver(vrpd, solver, FEATURES[name], problem, arguments.limit, arguments.seed)
                    for solver in solvers}
        found.append(outcomes)
        rivals = [outcomes[solver] for solver in FEATURES[name].rivals]
        odd = any(outcome and (outcome.refused or cost_difference(outcome) > COST_TOLERANCE)
                  for solver, outcome in outcomes.items() if solver != "ignoring")
        if arguments.cases and (odd or any(compare_plans(outcomes["ours"], rival) > 0 for rival in rivals)):
            keep_case(arguments.cases, problem, outcomes)
    return found


def table(lines):
    yield f"{'feature':20} {'rival':8} {'gap %':>8} {'95 % interval':>18} {'better':>6} {'worse':>5} {'of':>3}  left out"
    for line in lines:
        interval = "{:.2f} to {:.2f}".format(*line["interval_percent"]) if "interval_percent" in line else ""
        yield (f"{line['feature']:20} {line['rival']:8} {line.get('mean_gap_percent', float('nan')):8.2f} {interval:>18} "
               f"{line['better']:6} {line['worse']:5} {line['instances']:3}  {line['weight_left_out']}")


def list_features():
    for name, feature in FEATURES.items():
        print(f"{name}: {', '.join(feature.rivals)}{'; ' if feature.note else ''}{feature.note}")


def parse_arguments():
    parser = comparison_parser(__doc__)
    parser.add_argument("--features", default=",".join(FEATURES), help="features, comma separated; all by default")
    parser.add_argument("--list", action="store_true", help="list the features, their rivals and the excluded ones")
    parser.add_argument("--cases", type=pathlib.Path,
                        help="folder for instances with a worse, rejected or differently costed plan")
    arguments = parser.parse_args()
    arguments.features = [name for name in arguments.features.split(",") if name]
    if unknown := [name for name in arguments.features if name not in FEATURES]:
        sys.exit(f"compare_features: --features: got {unknown[0]}, wanted some of {', '.join(FEATURES)}")
    min_customers, max_customers = arguments.customers
    if not 10 <= min_customers <= max_customers:
        sys.exit(f"compare_features: --customers: got {min_customers} {max_customers}, wanted 10 <= MIN <= MAX")
    set_customer_range(min_customers, max_customers)
    return arguments


def main():
    arguments = parse_arguments()
    if arguments.list:
        return list_features()
    if not (arguments.build / "bin/vrpd").exists():
        sys.exit(f"compare_features: {arguments.build / 'bin/vrpd'} is missing; run ./dev build or give --build")
    os.sched_setaffinity(0, {arguments.core})
    vrpd = Vrpd(arguments.build, arguments.core)
    lines = []
    try:
        for name in arguments.features:
            found = run_feature(vrpd, name, arguments)
            for rival in FEATURES[name].rivals or ("ours",):
                pairs = [(outcomes["ours"], outcomes[rival]) for outcomes in found]
                lines.append(summarise(name, rival, arguments.limit, pairs))
                print(json.dumps(lines[-1]), flush=True)
    finally:
        vrpd.close()
    print("\n".join(table(lines)), file=sys.stderr)
    if any(line["largest_disagreement"] > COST_TOLERANCE or any(line["refused"][:1 + (line["rival"] != "ignoring")])
           for line in lines):
        sys.exit(1)


if __name__ == "__main__":
    main()

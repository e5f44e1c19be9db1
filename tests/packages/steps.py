"""Times the steps from an installation to routes and prints each as a JSON line."""

import json
import time

INSTANCE = "E-n22-k4.vrp"
BEST_KNOWN = 375  # cost of the instance's best known plan; check_cost accepts up to 5 % more
GOAL_S = 60  # goal for the time from an installation to routes, in seconds


class Steps:
    """A sequence of timed steps. Prints {"package", "step", "seconds"} per step."""

    def __init__(self, package):
        self.package = package
        self.seconds = {}

    def take(self, step, action, *arguments):
        """Calls the action, records and prints its duration under the step's name, and returns its result."""
        start = time.monotonic()
        result = action(*arguments)
        self.seconds[step] = time.monotonic() - start
        print(json.dumps({"package": self.package, "step": step, "seconds": round(self.seconds[step], 2)}), flush=True)
        return result

    def report_total(self, first, last):
        """Prints and returns the seconds of the steps from `first` to `last`. Also prints whether they meet the goal."""
        names = list(self.seconds)
        total = sum(self.seconds[name] for name in names[names.index(first):names.index(last) + 1])
        print(json.dumps({"package": self.package, "from": first, "to": last, "seconds": round(total, 2),
                          "goal_seconds": GOAL_S, "meets_goal": total <= GOAL_S}), flush=True)
        return total


def check_cost(cost, feasible):
    """Raises AssertionError unless these are feasible routes of the instance at a plausible cost."""
    if not feasible or not BEST_KNOWN <= cost <= 1.05 * BEST_KNOWN:
        raise AssertionError(f"{INSTANCE}: got cost {cost}, feasible {feasible}; wanted feasible routes at a cost of {BEST_KNOWN} "
                             f"to {1.05 * BEST_KNOWN:.2f}")


def check_answer(text):
    """Checks the output of `vrpctl solve --output json`."""
    answer = json.loads(text)
    check_cost(answer["cost"], answer["feasible"])

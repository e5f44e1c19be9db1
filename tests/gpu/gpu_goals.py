"""The goals of a run on a GPU, and their judgement by the checks of a report."""

import fnmatch

MET, MIN_MET, MISSED, NOT_RUN = "met", "minimum met", "missed", "not run"
SANITIZER_TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")
RATIO_CASES = ("am_cvrp50", "am_cvrp100", "pomo_cvrp50", "pomo_cvrp100")
TINY, SUPERVISED, IMPROVED = "tiny_1 epoch", "ptrnet_supervised, all epochs", "10,000 cvrp100 improved, and one greedy"
SYNCHRONISATIONS, COPIES, KERNELS = "no synchronisation in a replayed step", "copies by CUPTI", "ncu engine_bench"
TINY_EPOCH_S, SUPERVISED_S, GAP, IMPROVED_S, SINGLE_MS = 0.03, 20, 0.01, 20, 1
# The bounds of tests/gpu/engine_gpu_test.cc. In bf16 each number is rounded by up to 4e-3, so no
# element can be accurate to 1e-3. The bound is therefore on the noise's share of the gradient's power.
GRADIENT_FP32, GRADIENT_BF16 = 1e-5, 1e-3
GREEDY = "*EngineGpuTest.TakesTheSameGreedyTours*/*_cuda"
SAMPLED = "*EngineGpuTest.TakesTheSameSampledTours/*_cuda"
GRADIENTS = "*EngineGpuTest.GivesTheSameGradient/*_cuda"
ROUGH_GRADIENTS = "*EngineGpuTest.GivesNearlyTheSameGradientInBf16/*_cuda"


class NotRun(Exception):
    """An error with the reason why a goal could not be judged."""


def goals_of(checks):
    """Returns one dict per goal: goal, wanted, state (met, minimum met, missed, not run), got and reason."""
    found = Found(checks)
    return [found.judged(*goal) for goal in all_goals(found)]


def all_goals(found):
    yield "greedy tours as on the CPU", "identical", lambda: found.tests(GREEDY)
    yield "sampled tours as on the CPU", "identical", lambda: found.tests(SAMPLED)
    yield ("gradient in fp32, largest difference from the CPU's, relative to the largest element", f"<= {GRADIENT_FP32:g}",
           lambda: found.recorded(GRADIENTS, "gradient_difference", GRADIENT_FP32))
    yield ("gradient in bf16, squared difference from the CPU's in fp32, relative to its square", f"<= {GRADIENT_BF16:g}",
           lambda: found.recorded(ROUGH_GRADIENTS, "gradient_noise", GRADIENT_BF16))
    for tool in SANITIZER_TOOLS:
        yield tool, "clean", lambda tool=tool: found.passed("sanitizer", f"{tool} gpu_test", "summary")
    yield ("no synchronisation in a step, by the sync-debug mode", "all tests of group graph pass",
           lambda: found.passed("graph", SYNCHRONISATIONS, "names"))
    yield "bytes of matrices copied a step, by CUPTI", "0", found.copies
    yield "throughput of the kernels, by ncu", "measured", lambda: found.passed("profile", KERNELS, "kernels")
    for case in RATIO_CASES:
        yield (f"{case}: training throughput over plain torch's, each at its best batch size", "goal >= 10, minimum >= 5",
               lambda case=case: found.ratio(case))
    yield "tiny_1: seconds per epoch", f"<= {TINY_EPOCH_S}", found.tiny
    yield "supervised pointer network, 10,000 x 50 epochs, n = 20: seconds", f"<= {SUPERVISED_S}", found.supervised
    yield "10,000 CVRP100: gap and seconds", f"<= {GAP:.0%} within {IMPROVED_S} s", found.improved
    yield "one greedy CVRP100: milliseconds", f"<= {SINGLE_MS}", found.single


def state_at_most(value, limit):
    return (MET if value <= limit else MISSED), value


class Found:
    """The checks of a report, by which the goals are judged."""

    def __init__(self, checks):
        self._checks = checks

    @staticmethod
    def judged(goal, wanted, judge):
        try:
            state, got = judge()
            reason = ""
        except NotRun as none:
            state, got, reason = NOT_RUN, None, str(none)
        except (KeyError, TypeError, ValueError) as error:  # the program's answer is malformed
            state, got, reason = NOT_RUN, None, f"malformed numbers: {type(error).__name__}: {error}"
        return {"goal": goal, "wanted": wanted, "state": state, "got": got, "reason": reason}

    def _check(self, group, name):
        for check in self._checks:
            if (check["group"], check["name"]) == (group, name):
                return check
        raise NotRun(f"{group}: {name} was not among the checks")

    def _numbers(self, group, name):
        check = self._check(group, name)
        if check["state"] != "passed":
            raise NotRun(f"{group}: {name} {check['state']}: {check['reason']}")
        return check["numbers"]

    def passed(self, group, name, figure):
        check = self._check(group, name)
        if check["state"] == "skipped":
            raise NotRun(f"{group}: {name}: {check['reason']}")
        return (MET, check["numbers"].get(figure)) if check["state"] == "passed" else (MISSED, check["reason"])

    def _of_tests(self, pattern, key):
        """Returns the values that the checks of tests recorded under `key` for the matching tests."""
        matching = {}
        for check in self._checks:
            named = check["numbers"].get(key, []) if check["group"] == "tests" else []
            matching |= {name: named[name] if isinstance(named, dict) else True
                         for name in named if fnmatch.fnmatchcase(name, pattern)}
        return matching

    def _none_of(self, text):
        """Returns NotRun with `text` and the reasons of skipped tests."""
        reasons = {check["reason"] for check in self._checks if check["group"] == "tests" and check["state"] == "skipped"}
        return NotRun("; ".join([*sorted(reasons), text]))

    def tests(self, pattern):
        failed = self._of_tests(pattern, "failed")
        passed = self._of_tests(pattern, "names")
        if failed:
            return MISSED, f"failed: {', '.join(failed)}"
        if not passed:
            raise self._none_of(f"no test that matches {pattern} has finished")
        return MET, f"in {len(passed)} tests"

    def recorded(self, pattern, key, limit):
        values = [float(record[key]) for record in self._of_tests(pattern, "recorded").values() if key in record]
        if not values:
            raise self._none_of(f"no test that matches {pattern} has recorded a {key}")
        return state_at_most(max(values), limit)

    def copies(self):
        numbers = self._numbers("profile", COPIES)
        return (MISSED if numbers["matrix_bytes_a_step"] else MET), numbers

    def ratio(self, case):
        numbers = self._numbers("bench", case)
        ratio = numbers["ratio"]
        state = MET if ratio >= numbers["goal"] else MIN_MET if ratio >= numbers["least"] else MISSED
        plain = numbers["plain"]
        largest = max(int(batch) for batch in plain["by_batch"])
        return state, {"ratio": ratio, "plain_best_batch": plain["best_batch"],
                       "a_larger_batch_may_be_better": int(plain["best_batch"]) == largest}

    def tiny(self):
        epochs = self._numbers("bench", TINY)["epoch_s"]
        if len(epochs) < 2:
            raise NotRun(f"bench: {TINY}: got {len(epochs)} epochs, wanted at least 2")
        # The first epoch includes the start-up.
        return state_at_most(sorted(epochs[1:])[len(epochs[1:]) // 2], TINY_EPOCH_S)

    def supervised(self):
        return state_at_most(self._numbers("bench", SUPERVISED)["all_epochs_s"], SUPERVISED_S)

    def _improved_lines(self, what):
        lines = [line for line in self._numbers("bench", IMPROVED)["lines"] if line["what"] == what]
        if not lines:
            raise NotRun(f"bench: {IMPROVED}: got no line of {what}, wanted at least one")
        return lines

    def improved(self):
        figures = [{key: line[key] for key in ("rounds", "gap", "seconds")}
                   for line in self._improved_lines("improved_cvrp100")]
        met = any(line["gap"] <= GAP and line["seconds"] <= IMPROVED_S for line in figures)
        return (MET if met else MISSED), figures

    def single(self):
        return state_at_most(self._improved_lines("greedy_cvrp100_single")[0]["call_ms"], SINGLE_MS)

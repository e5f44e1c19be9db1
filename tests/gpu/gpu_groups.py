"""The checks of run-gpu-checks by group. A check is (name, limit in seconds, function of the limit); the function
returns numbers or raises Skip or Failure (gpu_report.py)."""

import csv
import functools
import json
import os
import pathlib
import re
import shlex
import sys
import tempfile

import gpu_goals
from gpu_machine import MIN_DRIVER, NO_DEVICE, bundle_environment
from gpu_report import Failure, Skip, last_object, run_program

# Leaves out the tests of LibTorch on the CPU, which have run where the bundle was made.
NOT_ON_THE_CPU = "-*_cpu"
# The tests that launch only our own kernels, which takes seconds. Tests with LibTorch's kernels would
# take minutes.
SANITIZED = ("*BatchDecoderGpuTest.*/EveryVariant*:*BatchDecoderGpuTest.*/OddShape:*BatchDecoderGpuTest.*/ManyTrajectories:"
             "*BatchImproverGpuTest.*/OneOfEachSize:*BatchImproverGpuTest.*/Descent:*DrawnInstancesGpuTest.*:"
             "*OptimiserGpuTest.*:*DropoutGpuTest.*:*ForcedDecodingGpuTest.*")
# The smallest tests that launch each of our kernels. Racecheck slows kernels down by up to a thousand times: on an H100,
# each test of ManyTrajectories takes half a minute.
RACECHECKED = ("*BatchDecoderGpuTest.*/EveryVariant*:*BatchDecoderGpuTest.*/OddShape:*BatchImproverGpuTest.*/FewRounds:"
               "*DrawnInstancesGpuTest.*:*OptimiserGpuTest.*:*DropoutGpuTest.*:*ForcedDecodingGpuTest.*")
SANITIZER_FOUND = 86  # exit code of compute-sanitizer if it finds errors
GRAPH_TESTS = "*CudaGraph*:*Synchroni*"
GTEST_KEYS = {"name", "value_param", "type_param", "file", "line", "status", "result", "timestamp", "time", "classname",
              "failures", "skipped"}
BENCH_CASES = (*gpu_goals.RATIO_CASES, "greedy_cvrp100", "pointer_cvrp20")
# Numbers of captured steps, whose difference counts. A graph's copies are visible at each replay.
COPIED_STEPS = (8, 40)
COPIED_NODES = 51
# The bytes of an instance's distances in the narrowest type.
MIN_MATRIX_BYTES = COPIED_NODES * COPIED_NODES * 2
NCU_METRICS = ("gpu__time_duration.sum", "sm__throughput.avg.pct_of_peak_sustained_elapsed",
               "dram__throughput.avg.pct_of_peak_sustained_elapsed")


class Checks:
    def __init__(self, machine, options):
        self._machine, self._root, self._options = machine, machine.root, options

    @functools.cached_property
    def _environment(self):
        try:
            return bundle_environment(self._root)
        except ValueError as error:
            raise Skip(f"the bundle's programs do not run: {error}") from None

    def _gpu(self, body):
        """Returns a check that is skipped without a device."""
        def check(limit):
            if not self._machine.devices:
                raise Skip(NO_DEVICE)
            return body(limit)
        return check

    def _tool(self, name):
        path = self._machine.tool(name)
        if path is None:
            raise Skip(f"{name} is neither on PATH nor in NVIDIA's default folders nor in the bundle's tools/")
        return path

    def _program(self, name):
        path = self._root / name
        if not path.exists():
            raise Skip(f"the bundle has no {name}")
        return path

    def _run(self, command, limit):
        return run_program(command, limit, self._environment, self._root)

    def machine(self):
        yield "driver", 60, self._gpu(self._check_driver)
        yield "libtorch", 120, self._gpu(self._check_libtorch)

    def _check_driver(self, _limit):
        if self._machine.driver() < MIN_DRIVER:
            raise Failure(f"driver: got {self._machine.devices[0]['driver_version']}, wanted {MIN_DRIVER} or newer")
        return self._machine.devices[0]

    def _check_libtorch(self, limit):
        try:
            bundle_environment(self._root)
        except ValueError as error:
            raise Failure(str(error)) from None
        self._run([self._program("bin/vrpd"), "--version"], limit).need_success("vrpd --version")
        return {"torch": self._machine.bundle.get("torch")}

    def tests(self):
        for program in sorted((self._root / "tests").glob("*_test")):
            for suite in self._suites(program):
                words = f"{program.name} {suite}".strip()
                yield words, 150, self._gpu(functools.partial(self._check_tests, program, suite))
        yield "vrpd on the device", 90, self._gpu(self._check_daemon)

    def _suites(self, program):
        """Returns the suites of gpu_test. Each runs in its own process, so that a failing device costs only one suite.

        "" means all."""
        if not self._machine.devices or program.name != "gpu_test":
            return [""]
        try:
            lines = self._list(program, f"*{NOT_ON_THE_CPU}", 60)
        except (Failure, Skip, OSError):
            return [""]
        return [line.split("#")[0].strip().rstrip(".") for line in lines if not line.startswith(" ")]

    def _list(self, program, pattern, limit):
        outcome = self._run([program, "--gtest_list_tests", f"--gtest_filter={pattern}"], limit)
        outcome.need_success(f"{program.name} --gtest_list_tests")
        return [line for line in outcome.output.splitlines() if re.match(r" *[\w/]+\.? *(#.*)?$", line)]

    def _check_tests(self, program, suite, limit):
        return self._run_tests([program], program.name, f"{suite or '*'}{'.*' if suite else ''}{NOT_ON_THE_CPU}", limit)

    def _run_tests(self, command, name, pattern, limit):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "tests.json")
            outcome = self._run([*command, f"--gtest_filter={pattern}", f"--gtest_output=json:{path}"], limit)
            text = path.read_text() if path.exists() else ""
        if not text:
            outcome.need_success(name)
            raise Failure(f"{name} wrote no test results", output=outcome.output)
        numbers = test_numbers(json.loads(text))
        if numbers["failed"]:
            raise Failure(f"failed: {', '.join(numbers['failed'])}", numbers, outcome.output)
        outcome.need_success(name)
        if not numbers["passed"]:
            reasons = re.findall(r"Skipped\n(.+)", outcome.output)
            raise Skip(reasons[0] if reasons else f"no test of {name} matches {pattern}")
        return numbers

    def _check_daemon(self, limit):
        environment = dict(self._environment, VRP_BINARY_DIR=str(self._root))
        script = self._root / "tests" / "gpu" / "daemon_on_device.py"
        outcome = run_program([sys.executable, script], limit, environment, self._root)
        outcome.need_success("daemon_on_device.py")
        return last_object(outcome.output)

    def sanitizer(self):
        for tool in gpu_goals.SANITIZER_TOOLS:
            limit = 150 if tool == "racecheck" else 90
            yield f"{tool} gpu_test", limit, self._gpu(functools.partial(self._sanitize, tool))

    def _sanitize(self, tool, limit):
        sanitizer, program = self._tool("compute-sanitizer"), self._program("tests/gpu_test")
        pattern = self._options.sanitizer_filter or (RACECHECKED if tool == "racecheck" else SANITIZED)
        if not self._list(program, pattern, limit):
            raise Skip(f"no test of gpu_test matches {pattern}")
        command = [sanitizer, "--tool", tool, "--error-exitcode", SANITIZER_FOUND]
        if tool == "memcheck":
            command += ["--report-api-errors", "no"]  # some API calls of LibTorch fail, and it handles their errors
        outcome = self._run([*command, program, f"--gtest_filter={pattern}"], limit)
        found = re.findall(r"SUMMARY: (.*)", outcome.output)
        if outcome.code == SANITIZER_FOUND:
            raise Failure(f"{tool}: {found[-1] if found else 'errors'}", output=outcome.output)
        outcome.need_success(f"gpu_test under {tool}")
        if not found:
            raise Failure(f"{tool} gave no summary", output=outcome.output)
        return {"summary": found[-1], "tests": pattern}

    def graph(self):
        yield gpu_goals.SYNCHRONISATIONS, 120, self._gpu(self._check_graph)

    def _check_graph(self, limit):
        program = self._program("tests/gpu_test")
        pattern = GRAPH_TESTS + NOT_ON_THE_CPU
        if not self._list(program, pattern, limit):
            raise Skip(f"gpu_test has no test that matches {GRAPH_TESTS}")
        return self._run_tests([program], "gpu_test", pattern, limit)

    def bench(self):
        for case in BENCH_CASES:
            yield case, 65, self._gpu(functools.partial(self._measure, case))
        yield gpu_goals.TINY, 60, self._gpu(self._measure_tiny)
        yield gpu_goals.SUPERVISED, 120, self._gpu(self._measure_supervised)
        yield gpu_goals.IMPROVED, 150, self._gpu(self._measure_improved)

    def _measure(self, case, limit):
        self._program("bench/engine_bench")
        script = self._root / "tests" / "gpu" / "plain_torch_attention.py"
        seconds = max(limit - 25, 5)  # excludes torch's loading time
        outcome = run_program([sys.executable, script, "--bundle", self._root, "--case", case, "--seconds", seconds],
                              limit, folder=self._root)
        outcome.need_success(case)
        return last_object(outcome.output)

    def _epochs(self, limit, config, *keys):
        """Returns the seconds of each epoch of a training job."""
        with tempfile.TemporaryDirectory() as folder:
            outcome = self._run([self._program("bench/train_bench"), f"configs/{config}.yaml", folder,
                                 len(os.sched_getaffinity(0)), "device=cuda", *keys], limit)
        outcome.need_success("train_bench")
        lines = [json.loads(line) for line in outcome.output.splitlines() if line.startswith('{"what": "train_epoch"')]
        if not lines:
            raise Failure("train_bench reported no epoch", output=outcome.output)
        return [line["seconds"] for line in lines]

    def _measure_tiny(self, limit):
        epochs = self._epochs(limit, "tiny_1", "training.epochs=4", "training.amp=true")
        return {"epoch_s": epochs, "goal_s": gpu_goals.TINY_EPOCH_S}

    def _measure_supervised(self, limit):
        """Measures the whole training without its labels, which the CPU computes before."""
        epochs = self._epochs(limit, "ptrnet_supervised")
        return {"epochs": len(epochs), "all_epochs_s": round(sum(epochs), 3), "goal_s": gpu_goals.SUPERVISED_S}

    def _measure_improved(self, limit):
        rounds = (0, 5000, 20000, 50000)
        program = self._program("bench/improve_bench")
        newest = max((self._root / "models" / "gt-mixed").iterdir(), key=lambda version: int(version.name))
        outcome = self._run([program, "cuda", newest, 10000, 48, *rounds], limit)
        outcome.need_success("improve_bench")
        lines = [json.loads(line) for line in outcome.output.splitlines() if line.startswith('{"what"')]
        return {"lines": lines, "goal_gap": gpu_goals.GAP, "goal_s": gpu_goals.IMPROVED_S,
                "goal_single_ms": gpu_goals.SINGLE_MS}

    def profile(self):
        yield gpu_goals.KERNELS, 60, self._gpu(self._profile_kernels)
        yield gpu_goals.COPIES, 90, self._gpu(self._profile_copies)
        yield "nsys engine_bench", 60, self._gpu(self._profile_system)

    def _bench(self, requests):
        """Returns a shell line that pipes the output of the command `requests` to engine_bench."""
        return ["sh", "-c", f"{requests} | '{self._program('bench/engine_bench')}' "
                            f"device=cuda bf16=1 customers={COPIED_NODES - 1} batch=512"]

    def _profile_kernels(self, limit):
        command = [self._tool("ncu"), "--csv", "--target-processes", "all", "--clock-control", "none",
                   "--kernel-name-base", "demangled", "--kernel-name", "regex:vrp::", "--launch-count", 20, "--metrics", ",".join(NCU_METRICS), *self._bench("yes step | head -n 2")]
        outcome = self._run(command, limit)
        outcome.need_success("ncu")
        kernels = kernel_figures(outcome.output)
        if not kernels:
            raise Skip("engine_bench launched no kernel of ours")
        return {"kernels": kernels}

    def _profile_copies(self, limit):
        """Returns the copies per captured step: the copies of a long run minus those of a short one. This excludes the
        copies at the beginning and end of a run. The first run captures the graph."""
        requests = [f"copies {count} shared" for count in (COPIED_STEPS[0], *COPIED_STEPS)]
        outcome = self._run(self._bench(f"printf '%s\\n' {shlex.join(requests)}"), limit)
        outcome.need_success("engine_bench")
        answers = [json.loads(line) for line in outcome.output.splitlines() if line.startswith('{"copies"')]
        if len(answers) != len(requests):
            raise Failure(f"engine_bench reported copies {len(answers)} times, wanted {len(requests)}", output=outcome.output)
        return copy_figures(*answers[1:])

    def _profile_system(self, limit):
        tool = self._tool("nsys")
        with tempfile.TemporaryDirectory() as folder:
            outcome = self._run([tool, "profile", "--stats=true", "--trace=cuda", "--output", f"{folder}/steps",
                                 *self._bench("yes step | head -n 5")], limit)
        outcome.need_success("nsys")
        return {"summary": outcome.output[-6000:]}


def test_numbers(content):
    """Returns the counts, names, failures and recorded values in GoogleTest's JSON."""
    numbers = {"passed": 0, "skipped": 0, "failed": [], "names": [], "recorded": {}}
    for suite in content["testsuites"]:
        for test in suite["testsuite"]:
            name = f"{suite['name']}.{test['name']}"
            if test.get("failures"):
                numbers["failed"].append(name)
            elif test.get("result") == "SKIPPED":
                numbers["skipped"] += 1
            else:
                numbers["passed"] += 1
                numbers["names"].append(name)
            recorded = {key: value for key, value in test.items() if key not in GTEST_KEYS}
            if recorded:
                numbers["recorded"][name] = recorded
    return numbers


def copy_figures(fewer, more):
    """Returns the copies of each additional step, from two of engine_bench's lines of copies."""
    steps = more["steps"] - fewer["steps"]
    before = {(copy["way"], copy["bytes"]): copy["count"] for copy in fewer["copies"]}
    each = [dict(copy, a_step=(copy["count"] - before.get((copy["way"], copy["bytes"]), 0)) / steps)
            for copy in more["copies"]]
    each = [{key: copy[key] for key in ("way", "bytes", "a_step")} for copy in each if copy["a_step"] > 0]
    host = [copy for copy in each if copy["way"] in ("to device", "to host")]
    matrices = [copy for copy in host if copy["bytes"] >= MIN_MATRIX_BYTES]
    return {"copies": each, "host_bytes_a_step": sum(copy["bytes"] * copy["a_step"] for copy in host),
            "matrix_bytes_a_step": sum(copy["bytes"] * copy["a_step"] for copy in matrices)}


def kernel_figures(text):
    """Returns one dict per launch in ncu's CSV, with the kernel and its metrics."""
    lines = text.splitlines()
    header = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if header is None:
        return []
    launches = {}
    for row in csv.DictReader(lines[header:]):
        if row.get("ID") and row.get("Metric Name"):
            launch = launches.setdefault(row["ID"], {"kernel": row["Kernel Name"][:160]})
            launch[f"{row['Metric Name']} ({row['Metric Unit']})"] = row["Metric Value"]
    return list(launches.values())

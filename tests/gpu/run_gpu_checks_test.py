#!/usr/bin/env python3
"""Tests run-gpu-checks with fake bundles and machines. Needs no GPU and no build."""

import json
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SMI = 'echo "NVIDIA Made Up, %s, 143771, 9.0, 1980, 700.00, 31"'
# Answers like a GoogleTest program, with the states and recorded values in TESTS: "pass
# name=value".
GTEST = """
import fnmatch, json, sys, time
TESTS = {tests}
flags = dict(word.lstrip("-").partition("=")[::2] for word in sys.argv[1:])
wanted, _, unwanted = flags.get("gtest_filter", "*").partition("-")
def match(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns.split(":") if pattern)
chosen = {{name: state for name, state in TESTS.items() if match(name, wanted) and not match(name, unwanted)}}
suites = {{}}
for name, state in chosen.items():
    suites.setdefault(name.rsplit(".", 1)[0], []).append((name.rsplit(".", 1)[1], state))
print("Running main() from made_up.cc")
if "gtest_list_tests" in flags:
    for suite, tests in suites.items():
        print(f"{{suite}}.", *(f"  {{name}}  # GetParam() = 1" for name, _ in tests), sep="\\n")
    sys.exit(0)
if "hang" in chosen.values():
    time.sleep(60)
if "crash" in chosen.values():
    import os; os.abort()
content = []
for suite, tests in suites.items():
    content.append({{"name": suite, "testsuite": []}})
    for name, state in tests:
        state, *recorded = state.split()
        test = {{"name": name, "status": "RUN", "difference": "2e-7"}} | dict(word.split("=") for word in recorded)
        test["result"] = "SKIPPED" if state == "skip" else "COMPLETED"
        if state == "skip":
            print("x.cc:1: Skipped\\nno CUDA device: made up")
        if state == "fail":
            test["failures"] = [{{"failure": "wrong"}}]
        content[-1]["testsuite"].append(test)
if "gtest_output" in flags:
    open(flags["gtest_output"].partition(":")[2], "w").write(json.dumps({{"testsuites": content}}))
sys.exit(int("fail" in chosen.values()))
"""


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


class RunGpuChecks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name, "bundle")
        self.tools = pathlib.Path(folder.name, "tools")
        self.write("run", 'echo "VRP_SOURCE_DIR=$PWD"')
        self.write("bin/vrpd", "echo vrpd 0.1.0")
        self.write("bench/engine_bench", "exit 1")
        self.write("bench/train_bench", """echo '{"what": "train_epoch", "seconds": 0.25}'""")
        (self.root / "bundle.json").write_text('{"commit": "0123456789ab", "torch": "2.11.0+cu130"}')
        write_program(self.root / "tests/gpu/plain_torch_attention.py", 'print(\'a warning\\n{"ratio": 12.5}\\nlibrary: unloaded\')\n')
        write_program(self.root / "tests/gpu/daemon_on_device.py", 'print(\'{"train_s": 1.5}\')\n')
        self.write_tests({"DeviceGpuTest.Works": "pass", "Nets/EngineGpuTest.Agrees/gt_cuda": "pass",
                          "Nets/EngineGpuTest.Agrees/gt_cpu": "fail"})
        self.write_tool("nvidia-smi", SMI % "580.95.05")

    def write(self, name, shell):
        write_program(self.root / name, f"#!/bin/sh\n{shell}\n")

    def write_tests(self, tests):
        write_program(self.root / "tests/gpu_test", f"#!{sys.executable}\n" + GTEST.format(tests=tests))

    def write_tool(self, name, shell):
        write_program(self.tools / name, f"#!/bin/sh\n{shell}\n")

    def run_checks(self, *arguments):
        """Runs run-gpu-checks and returns its exit code and report."""
        report = self.root / "report.json"
        environment = dict(os.environ, PATH=f"{self.tools}:{os.environ['PATH']}")
        done = subprocess.run([sys.executable, HERE / "run-gpu-checks", "--bundle", os.path.relpath(self.root),
                               "--report", report, *arguments],
                              capture_output=True, text=True, env=environment, timeout=100, check=False)
        self.output = done.stdout + done.stderr
        return done.returncode, json.loads(report.read_text()) if report.exists() else None

    def entry(self, report, name):
        found = [check for check in report["checks"] if check["name"] == name]
        self.assertEqual(len(found), 1, [check["name"] for check in report["checks"]])
        return found[0]

    def assert_entry(self, report, name, state, reason=""):
        entry = self.entry(report, name)
        self.assertEqual(entry["state"], state, entry)
        self.assertIn(reason, entry["reason"])
        return entry

    def test_skips_everything_without_a_device(self):
        for shell in ("echo 'NVIDIA-SMI has failed' >&2; exit 9", "echo No devices were found"):
            with self.subTest(shell):
                self.write_tool("nvidia-smi", shell)
                code, report = self.run_checks()
                self.assertEqual(code, 77, self.output)
                self.assertEqual({check["group"] for check in report["checks"]},
                                 {"machine", "tests", "graph", "bench", "sanitizer", "profile"})
                self.assertEqual({(check["state"], check["reason"]) for check in report["checks"]},
                                 {("skipped", "no NVIDIA device")})
                self.assertEqual(report["machine"]["devices"], [])

    def goals(self, report):
        """Returns each goal's state and value by its name."""
        return {goal["goal"]: (goal["state"], goal["got"]) for goal in report["goals"]}

    def test_keeps_other_groups_of_an_earlier_report(self):
        self.run_checks("--only", "tests")
        _, report = self.run_checks("--only", "bench", "--keep")
        self.assert_entry(report, "gpu_test DeviceGpuTest", "passed")
        self.assert_entry(report, "am_cvrp50", "passed")
        self.assert_entry(report, "driver", "passed")
        (self.root / "bundle.json").write_text('{"commit": "ba9876543210", "torch": "2.11.0+cu130"}')
        code, _ = self.run_checks("--only", "graph", "--keep")
        self.assertEqual(code, 2)
        self.assertIn("got a report of commit 0123456789ab, wanted one of ba9876543210", self.output)

    def test_lists_all_goals_as_not_run_without_a_device(self):
        self.write_tool("nvidia-smi", "echo No devices were found")
        _, report = self.run_checks()
        self.assertEqual({goal["state"] for goal in report["goals"]}, {"not run"})
        self.assertEqual(len(report["goals"]), 19)
        for goal in report["goals"]:
            self.assertIn("no NVIDIA device", goal["reason"], goal)
            self.assertIn(f"not run    {goal['goal']}"[:60], self.output)

    def test_judges_parity_only_by_tests_on_the_device(self):
        greedy, sampled = ("Nets/EngineGpuTest.TakesTheSame%sTours/gt_%s" % word
                           for word in (("Greedy", "cuda"), ("Sampled", "cuda")))
        gradient = "Nets/EngineGpuTest.GivesTheSameGradient/gt_cuda"
        self.write_tests({greedy: "pass", sampled: "fail", gradient: "pass"})
        _, report = self.run_checks("--only", "tests")
        goals = self.goals(report)
        self.assertEqual(goals["greedy tours as on the CPU"], ("met", "in 1 tests"))
        self.assertEqual(goals["sampled tours as on the CPU"], ("missed", f"failed: {sampled}"))
        self.assertEqual(goals["gradient in fp32, largest difference from the CPU's, relative to the largest element"][0], "not run")
        self.assertEqual(goals["memcheck"][0], "not run")

    def test_judges_gradients_by_the_measure_of_their_precision(self):
        exact = "gradient in fp32, largest difference from the CPU's, relative to the largest element"
        bf16 = "gradient in bf16, squared difference from the CPU's in fp32, relative to its square"
        for difference, noise, states in (("9e-6", "9e-4", ("met", "met")), ("2e-5", "2e-3", ("missed", "missed"))):
            self.write_tests({"Nets/EngineGpuTest.GivesTheSameGradient/gt_cuda": f"pass gradient_difference={difference}",
                              "Nets/EngineGpuTest.GivesNearlyTheSameGradientInBf16/gt_cuda":
                                  f"pass gradient_difference=0.02 gradient_noise={noise}"})
            _, report = self.run_checks("--only", "tests")
            goals = self.goals(report)
            self.assertEqual((goals[exact], goals[bf16]),
                             ((states[0], float(difference)), (states[1], float(noise))))

    def test_judges_benchmarks_by_the_goals(self):
        answer = '{"ratio": 7.5, "goal": 10, "least": 5, "plain": {"best_batch": 64, "by_batch": {"64": {}, "256": {}}}}'
        write_program(self.root / "tests/gpu/plain_torch_attention.py", f"print('{answer}')\n")
        self.write("bench/train_bench", """for epoch in 1 2 3; do echo '{"what": "train_epoch", "seconds": 0.02}'; done""")
        self.write("bench/improve_bench", textwrap.dedent("""\
            echo '{"what": "greedy_cvrp100_single", "call_ms": 1.5}'
            echo '{"what": "improved_cvrp100", "rounds": 0, "gap": 0.05, "seconds": 1}'
            echo '{"what": "improved_cvrp100", "rounds": 9, "gap": 0.009, "seconds": 19}'"""))
        (self.root / "models/gt-mixed/1").mkdir(parents=True)
        _, report = self.run_checks("--only", "bench")
        goals = self.goals(report)
        state, got = goals["am_cvrp50: training throughput over plain torch's, each at its best batch size"]
        self.assertEqual((state, got["ratio"], got["a_larger_batch_may_be_better"]), ("minimum met", 7.5, False))
        self.assertEqual(goals["tiny_1: seconds per epoch"], ("met", 0.02))
        self.assertEqual(goals["supervised pointer network, 10,000 x 50 epochs, n = 20: seconds"], ("met", 0.06))
        self.assertEqual(goals["10,000 CVRP100: gap and seconds"][0], "met")
        self.assertEqual(goals["one greedy CVRP100: milliseconds"], ("missed", 1.5))

    def write_copies(self, bytes_a_step, times_a_step):
        """Fakes `copies COUNT`: steps that end with a copy of 1 MB of weights, and a report every 16 steps."""
        self.write("bench/engine_bench", textwrap.dedent(f"""\
            while read -r verb count _; do
              [ "$verb" = copies ] || exit 1
              cat <<END
            {{"copies": [{{"way": "to device", "bytes": {bytes_a_step}, "count": $((count * {times_a_step}))}},
             {{"way": "to host", "bytes": 1024, "count": $((count / 16))}}, {{"way": "to host", "bytes": 1000000, "count": 1}},
             {{"way": "on device", "bytes": 9000000, "count": $count}}], "steps": $count}}
            END
            done""").replace(",\n ", ", "))

    def test_counts_copied_bytes_per_step_and_detects_matrices(self):
        one_matrix = 51 * 51 * 4
        for size, times, state in ((4096, 1, "met"), (4096, 1000, "met"), (one_matrix, 1, "missed"),
                                   (512 * one_matrix, 1, "missed"), (one_matrix // 2, 512, "missed")):
            with self.subTest(size=size, times=times):
                self.write_copies(size, times)
                _, report = self.run_checks("--only", "profile")
                numbers = self.assert_entry(report, "copies by CUPTI", "passed")["numbers"]
                self.assertEqual(numbers["host_bytes_a_step"], size * times + 1024 / 16)
                self.assertEqual(numbers["matrix_bytes_a_step"], 0 if state == "met" else size * times)
                self.assertEqual(self.goals(report)["bytes of matrices copied a step, by CUPTI"][0], state)

    def test_fails_if_lines_of_copies_are_missing(self):
        self.write("bench/engine_bench", "echo '{\"copies\": [], \"steps\": 8}'")
        _, report = self.run_checks("--only", "profile")
        self.assert_entry(report, "copies by CUPTI", "failed", "reported copies 1 times, wanted 3")

    def test_finds_a_device_that_nvidia_smi_hardly_describes(self):
        self.write_tool("nvidia-smi", 'case "$1" in *clocks*) exit 2 ;; esac\necho "NVIDIA Made Up, 580.1"')
        _, report = self.run_checks("--only", "graph")
        self.assertEqual(report["machine"]["devices"], [{"name": "NVIDIA Made Up", "driver_version": "580.1"}])
        self.assert_entry(report, "driver", "passed")

    def test_asks_torch_for_devices_without_nvidia_smi(self):
        (self.tools / "nvidia-smi").unlink()
        self.write_tool("python3", 'case "$*" in *device_count*) echo "NVIDIA By Torch" ;; esac')
        _, report = self.run_checks("--only", "graph")
        self.assertEqual([device["name"] for device in report["machine"]["devices"]], ["NVIDIA By Torch"])

    def test_logs_the_output_of_programs(self):
        self.run_checks("--only", "tests")
        log = (self.root / "report.log").read_text()
        self.assertIn("vrpd 0.1.0", log)
        self.assertIn("gpu_test --gtest_filter=DeviceGpuTest.*-*_cpu", log)
        self.assertIn("Running main() from made_up.cc", log)

    def test_reports_machine_commit_and_results(self):
        code, report = self.run_checks("--only", "tests,bench")
        self.assertEqual(code, 0, self.output)
        self.assertEqual(report["machine"]["devices"][0]["name"], "NVIDIA Made Up")
        self.assertEqual((report["driver"], report["commit"]), ("580.95.05", "0123456789ab"))
        numbers = self.assert_entry(report, "gpu_test DeviceGpuTest", "passed")["numbers"]
        self.assertEqual((numbers["passed"], numbers["failed"]), (1, []))
        self.assertEqual(numbers["recorded"], {"DeviceGpuTest.Works": {"difference": "2e-7"}})
        self.assertEqual(self.assert_entry(report, "am_cvrp50", "passed")["numbers"], {"ratio": 12.5})
        self.assert_entry(report, "vrpd on the device", "passed")
        self.assertEqual(self.entry(report, "tiny_1 epoch")["numbers"]["epoch_s"], [0.25])
        self.assertEqual(report["summary"]["failed"], 0)

    def test_improves_plans_of_the_newest_network(self):
        self.write("bench/improve_bench", """echo '{"what": "improved_cvrp100", "model": "'$2'"}'""")
        for version in ("9", "10"):
            (self.root / "models/gt-mixed" / version).mkdir(parents=True)
        _, report = self.run_checks("--only", "bench")
        lines = self.assert_entry(report, "10,000 cvrp100 improved, and one greedy", "passed")["numbers"]["lines"]
        self.assertEqual(pathlib.Path(lines[0]["model"]).name, "10")

    def test_leaves_out_the_cpu_variants(self):
        _, report = self.run_checks("--only", "tests")
        entry = self.assert_entry(report, "gpu_test Nets/EngineGpuTest", "passed")
        self.assertEqual(entry["numbers"]["passed"], 1)

    def test_names_the_tests_that_fail(self):
        self.write_tests({"AGpuTest.Works": "pass", "BGpuTest.Wrong": "fail", "BGpuTest.Right": "pass"})
        code, report = self.run_checks("--only", "tests")
        self.assertEqual(code, 1)
        self.assert_entry(report, "gpu_test AGpuTest", "passed")
        entry = self.assert_entry(report, "gpu_test BGpuTest", "failed", "failed: BGpuTest.Wrong")
        self.assertEqual(entry["numbers"]["passed"], 1)

    def test_continues_after_a_crash_and_a_hang(self):
        self.write_tests({"AGpuTest.Aborts": "crash", "BGpuTest.Hangs": "hang", "CGpuTest.Works": "pass"})
        begin = time.monotonic()
        code, report = self.run_checks("--only", "tests", "--time-limit", "10")
        self.assertLess(time.monotonic() - begin, 30)
        self.assertEqual(code, 1)
        self.assertIn("SIGABRT", self.assert_entry(report, "gpu_test AGpuTest", "failed")["reason"])
        self.assert_entry(report, "gpu_test BGpuTest", "failed", "not finished after its")
        self.assert_entry(report, "gpu_test CGpuTest", "skipped", "the time limit of all checks was reached")
        self.assertRegex(self.output, r"time limit reached; run the rest with: "
                         r"run-gpu-checks --only tests --keep --report \S+\n$")

    def test_reports_the_printed_reason_of_skipped_tests(self):
        self.write_tests({"AGpuTest.Needs": "skip"})
        code, report = self.run_checks("--only", "tests")
        self.assertEqual(code, 0, self.output)  # the checks of driver and LibTorch pass
        self.assert_entry(report, "gpu_test AGpuTest", "skipped", "no CUDA device: made up")

    def test_fails_with_an_old_driver(self):
        self.write_tool("nvidia-smi", SMI % "570.10")
        code, report = self.run_checks("--only", "graph")
        self.assertEqual(code, 1)
        self.assert_entry(report, "driver", "failed", "got 570.10, wanted 580 or newer")

    def test_reports_a_missing_libtorch_once(self):
        self.write("run", "echo 'run: error: got torch 2.10.0, wanted torch 2.11.0+cu130' >&2; exit 3")
        code, report = self.run_checks("--only", "tests,profile")
        self.assertEqual(code, 1)
        self.assert_entry(report, "libtorch", "failed", "got torch 2.10.0, wanted torch 2.11.0+cu130")
        self.assert_entry(report, "gpu_test", "skipped", "got torch 2.10.0")
        self.assertEqual(report["summary"]["failed"], 1)

    def test_runs_the_tests_of_graphs_and_synchronisations(self):
        _, report = self.run_checks("--only", "graph")
        self.assert_entry(report, "no synchronisation in a replayed step", "skipped", "no test that matches")
        goal, name = "no synchronisation in a step, by the sync-debug mode", "CudaGraphGpuTest.ReplaysWithoutSynchronising"
        self.write_tests({name: "pass"})
        _, report = self.run_checks("--only", "graph")
        self.assertEqual(self.goals(report)[goal], ("met", [name]))
        self.write_tests({name: "fail"})
        code, report = self.run_checks("--only", "graph")
        self.assertEqual(code, 1)
        self.assert_entry(report, "no synchronisation in a replayed step", "failed", "CudaGraphGpuTest")

    def test_reports_errors_of_the_sanitizer(self):
        self.write_tests({"Cases/BatchDecoderGpuTest.Decodes/OddShape": "pass"})
        self.write_tool("compute-sanitizer", textwrap.dedent("""
            case "$*" in
              *memcheck*) echo '========= ERROR SUMMARY: 0 errors' ;;
              *racecheck*) echo '========= RACECHECK SUMMARY: 2 hazards displayed (2 errors, 0 warnings)'; exit 86 ;;
              *) echo 'Error: device not supported'; exit 1 ;;
            esac"""))
        code, report = self.run_checks("--only", "sanitizer")
        self.assertEqual(code, 1)
        self.assertEqual(self.assert_entry(report, "memcheck gpu_test", "passed")["numbers"]["summary"], "0 errors")
        self.assert_entry(report, "racecheck gpu_test", "failed", "2 hazards displayed")
        entry = self.assert_entry(report, "initcheck gpu_test", "failed", "gpu_test under initcheck ended with code 1")
        self.assertIn("device not supported", entry["output"])

    def test_runs_fewer_tests_under_racecheck(self):
        names = ["Cases/BatchDecoderGpuTest.Decodes/ManyTrajectories", "Cases/BatchDecoderGpuTest.Decodes/OddShape"]
        self.write_tests(dict.fromkeys(names, "pass"))
        self.write_tool("compute-sanitizer", "echo 'SUMMARY: 0 errors'")
        _, report = self.run_checks("--only", "sanitizer")
        self.assertIn("ManyTrajectories", self.assert_entry(report, "memcheck gpu_test", "passed")["numbers"]["tests"])
        self.assertNotIn("ManyTrajectories", self.assert_entry(report, "racecheck gpu_test", "passed")["numbers"]["tests"])

    def test_skips_the_sanitizer_without_matching_tests(self):
        self.write_tool("compute-sanitizer", "exit 1")
        _, report = self.run_checks("--only", "sanitizer")  # the tests are only of engines and the device
        self.assert_entry(report, "memcheck gpu_test", "skipped", "no test of gpu_test matches")

    def test_reads_the_metrics_of_kernels(self):
        self.write_tool("ncu", textwrap.dedent("""
            echo '==PROF== Connected'
            echo '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"'
            echo '"0","vrp::Rollout(int)","gpu__time_duration.sum","us","12.5"'
            echo '"0","vrp::Rollout(int)","dram__throughput","%","41"'"""))
        self.write_tool("nsys", "echo 'cannot make a report'; exit 1")
        code, report = self.run_checks("--only", "profile")
        self.assertEqual(code, 1)
        kernels = self.assert_entry(report, "ncu engine_bench", "passed")["numbers"]["kernels"]
        self.assertEqual(kernels, [{"kernel": "vrp::Rollout(int)", "gpu__time_duration.sum (us)": "12.5",
                                    "dram__throughput (%)": "41"}])
        self.assert_entry(report, "nsys engine_bench", "failed", "ended with code 1")
        self.assert_entry(report, "copies by CUPTI", "failed", "engine_bench ended with code 1")

    def test_rejects_unknown_groups(self):
        code, report = self.run_checks("--only", "tests,benches")
        self.assertEqual((code, report), (2, None))
        self.assertIn("got benches, wanted some of tests, graph", self.output)

    def test_rejects_a_folder_that_is_not_a_bundle(self):
        (self.root / "bundle.json").unlink()
        code, _ = self.run_checks()
        self.assertEqual(code, 2)
        self.assertIn("bundle.json", self.output)


if __name__ == "__main__":
    unittest.main()

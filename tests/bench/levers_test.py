"""Tests that `levers --smoke` measures every lever, and takes bf16 support from the engine, not the CPU's flags."""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import types
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("VRP_BINARY_DIR", ROOT / "build" / "dev"))
PROGRAMS = ("engine_bench", "levers_bench", "route_cost_bench", "sequence_bench", "train_bench")
PARTS = {"whole step", "product", "attention", "encoder layer", "second pass", "rollout", "flat buffer", "loader", "bf16",
         "accumulation", "accumulation (torch)"}
REPORTS = 5


def load_levers():
    """Loads tests/bench/levers, whose name has no .py, as a module."""
    sys.path.insert(0, str(ROOT / "tests" / "bench"))
    loader = importlib.machinery.SourceFileLoader("levers", str(ROOT / "tests" / "bench" / "levers"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("levers", loader))
    loader.exec_module(module)
    return module


class LeversTest(unittest.TestCase):
    def test_prints_a_line_for_every_lever_and_report(self):
        done = subprocess.run([sys.executable, ROOT / "tests" / "bench" / "levers", "--smoke", "--json", "--threads", "2",
                               "--build", BUILD], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(sum("report" in line for line in lines), REPORTS)
        levers = [line for line in lines if "part" in line]
        self.assertLessEqual(PARTS, {line["part"] for line in levers})
        for line in levers:
            with self.subTest(part=line["part"]):
                if "said" in line:
                    self.assertTrue(line["said"])
                else:
                    self.assertGreater(line["on_ms"], 0)
                    self.assertGreater(line["off_ms"], 0)

    def test_reports_no_bf16_if_the_engine_does_not_use_it(self):
        levers, case = load_levers(), {"problem": "cvrp", "customers": 5, "batch": 4}
        with unittest.mock.patch.dict(os.environ, VRP_ISA="avx2"):
            self.assertEqual(levers.bf16_kind(types.SimpleNamespace(build=BUILD), case), "none")


if __name__ == "__main__":
    missing = [name for name in PROGRAMS if not (BUILD / "bench" / name).exists()]
    if missing:
        print(f"skipped: not built: {', '.join(missing)}; run ./dev bench --levers")
        sys.exit(77)
    unittest.main(verbosity=2)

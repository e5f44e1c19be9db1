"""Tests that `sequence_bench once` measures a step in each precision and every choice of it."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("VRP_BINARY_DIR", ROOT / "build" / "dev")) / "bench" / "sequence_bench"
PARTS = {"causal blocks", "padding", "collation", "prefetch", "step", "embedding"}


class SequenceBenchTest(unittest.TestCase):
    def test_prints_a_line_for_every_measurement(self):
        done = subprocess.run([PROGRAM, "once"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        steps = [line for line in lines if line.get("what") == "sequence_step"]
        self.assertIn("fp32", [line["precision"] for line in steps])
        for step in steps:
            self.assertGreater(step["seconds"], 0)
            self.assertLess(step["last_loss"], step["first_loss"])
        profiles = [line for line in lines if line.get("what") == "sequence_profile"]
        self.assertEqual([line["precision"] for line in profiles], [line["precision"] for line in steps])
        for profile in profiles:
            parts = sum(profile[part] for part in profile if part.startswith(("forward_", "backward_")))
            self.assertGreater(profile["forward_attention_ms"], 0)
            self.assertLessEqual(parts, profile["all_ms"])
        self.assertEqual({line["part"] for line in lines if "part" in line}, PARTS)


if __name__ == "__main__":
    if not PROGRAM.exists():
        print(f"skipped: not built: {PROGRAM}; run ./dev bench")
        sys.exit(77)
    unittest.main(verbosity=2)

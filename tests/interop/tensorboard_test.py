"""Tests our event files with TensorBoard's own reader."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from python_environment import require_modules  # noqa: E402

require_modules("tensorboard")

from tensorboard.backend.event_processing import event_accumulator  # noqa: E402

PROGRAM = sys.argv.pop(1)


class TensorBoardTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        subprocess.run([PROGRAM, cls.folder.name], check=True, timeout=60)
        cls.events = event_accumulator.EventAccumulator(cls.folder.name)
        cls.events.Reload()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def steps(self, tag):
        return [event.step for event in self.events.Scalars(tag)]

    def test_shows_every_step_once_after_a_resumption(self):
        self.assertEqual(self.steps("loss"), [1, 2, 3, 4, 5, 6])
        costs = [event.value for event in self.events.Scalars("cost/train")]
        self.assertEqual(costs, [101, 102, 103, 204, 205, 206])

    def test_reads_the_written_values_and_times(self):
        first = self.events.Scalars("loss")[0]
        self.assertEqual(first.value, -0.5)
        self.assertEqual(first.wall_time, 1_800_000_101)
        rates = [event.value for event in self.events.Scalars("optimiser/learning_rate")]
        for rate in rates:
            self.assertAlmostEqual(rate, 1e-4, places=10)
        for event in self.events.Scalars("phase_ms/data"):
            self.assertAlmostEqual(event.value, 2, places=5)

    def test_omits_curves_of_unmeasured_values(self):
        tags = self.events.Tags()["scalars"]
        self.assertNotIn("cost/validation", tags)
        self.assertIn("phase_ms/second_pass", tags)
        self.assertNotIn("device/utilization", tags)
        self.assertEqual({event.value for event in self.events.Scalars("device/memory_used_gib")}, {1.5})


if __name__ == "__main__":
    unittest.main()

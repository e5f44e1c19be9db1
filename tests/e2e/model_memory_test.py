"""Checks that loading, using and unloading models repeatedly does not grow the daemon's memory. Prints its figures.

--cycles N sets the number of cycles, 100 by default."""

import json
import pathlib
import sys
import unittest

from daemon import DATA, Daemon

CYCLES = 100
WARM_UP = 5  # cycles before the first measurement
MAX_GROWTH_MIB = 64


def resident_mib(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


class ModelMemoryTest(unittest.TestCase):
    def setUp(self):
        self.daemon = Daemon()
        self.addCleanup(self.daemon.clean_up)

    def cycle(self, model):
        self.daemon.json("models", "load", model)
        solved = self.daemon.json("solve", DATA / "E-n22-k4.vrp", "--model", model, "--strategy", "greedy")[0]
        unloaded = self.daemon.json("models", "unload", model)[0]["unloaded"]
        self.assertEqual(unloaded, [f"models/{solved['model']}/versions/{solved['version']}"])

    def test_memory_does_not_grow_over_load_solve_unload_cycles(self):
        models = ("gt-mixed", "ptrnet-cvrp20")
        for i in range(WARM_UP):
            self.cycle(models[i % 2])
        begin = resident_mib(self.daemon.process)
        self.daemon.json("models", "load", models[0])
        loaded = resident_mib(self.daemon.process)
        self.daemon.json("models", "unload", models[0])
        for i in range(CYCLES):
            self.cycle(models[i % 2])
        end = resident_mib(self.daemon.process)
        print(json.dumps({"what": "model_memory", "cycles": CYCLES, "rss_begin_mib": round(begin, 1),
                          "rss_with_one_model_mib": round(loaded, 1), "rss_end_mib": round(end, 1),
                          "growth_mib": round(end - begin, 1)}), flush=True)
        self.assertLess(end - begin, MAX_GROWTH_MIB)


if __name__ == "__main__":
    if "--cycles" in sys.argv:
        at = sys.argv.index("--cycles")
        CYCLES = int(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    unittest.main(verbosity=2)

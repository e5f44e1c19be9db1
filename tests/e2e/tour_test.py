"""Runs README's tour and the demo, and compares their output with the documented lines.

Only PLACEHOLDERS may differ, since they depend on the machine and its load. Training jobs are shortened, which changes
only placeholders. A plan's routes may have another order or direction. All other lines must occur in the output word for
word, in the order shown."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from daemon import BINARIES, ROOT, Daemon

TIMEOUT_S = 600
# Keeps the configuration's number of epochs, but shortens each to a few steps.
SHORT = ["--set", "training.batches_per_epoch=2", "--set", "training.batch_size=8", "--set", "validation.instances=50",
         "--set", "reinforce.baseline_instances=16"]

# (name, pattern of its lines, pattern of its value)
PLACEHOLDERS = [
    ("address", r"listening on", r"\b127\.0\.0\.1:\d+\b"),
    ("machine", r"device: ", r"(?<=^device: )\S.*"),
    ("milliseconds", r"time: ", r"\b\d+(\.\d+)?\b"),
    ("trained", r"epoch \d+/\d+: ", r"[-+]?\d+\.\d+(e[-+]\d+)?"),
]


def replace_placeholders(line):
    for name, lines, pattern in PLACEHOLDERS:
        if re.match(lines, line):
            line = re.sub(pattern, f"<{name}>", line)
    return line.rstrip()


def comparable(lines):
    """Returns the lines with replaced placeholders and with sorted and oriented routes, which are the same plan."""
    def route(line):
        stops, figures = re.fullmatch(r"Route \d+: ([\d ]+?)(  .*)", line).groups()
        order = stops.split()
        return "Route: " + " ".join(min(order, order[::-1])) + figures
    result, routes = [], []
    for line in lines + [""]:
        if line.startswith("Route "):
            routes.append(route(line))
            continue
        result += sorted(routes) + [replace_placeholders(line)]
        routes = []
    return result[:-1]


def tour():
    """Returns [(command, lines shown below it)] of README's section `Five-minute tour`."""
    readme = (ROOT / "README.md").read_text()
    block = readme[readme.index("## Five-minute tour"):].split("```")[1]
    steps = []
    for line in block.strip().splitlines():
        if line.startswith("$ "):
            steps.append((line[2:], []))
        else:
            steps[-1][1].append(line)
    return steps


def split_comment(command):
    words, _, comment = command.partition("#")
    return words.strip(), comment.strip()


class TourTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="vrp-tour-"))
        (cls.root / "bin").symlink_to(BINARIES)
        for name in ("configs", "tests", "models"):
            (cls.root / name).symlink_to(ROOT / name)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root, ignore_errors=True)

    def expect_in_order(self, shown, printed, what):
        rest = comparable(printed.splitlines())
        for line in comparable(shown):
            self.assertIn(line, rest, f"{what} does not print this line in the documented order; output:\n{printed}")
            rest = rest[rest.index(line) + 1:]

    def run_step(self, command, daemon):
        words, comment = split_comment(command)
        if "vrpctl train" in words:
            words = " ".join([words, *SHORT])
        done = subprocess.run(["bash", "-c", words], cwd=self.root, env=dict(os.environ, VRP_REMOTE=daemon.address),
                              capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        self.assertEqual(done.returncode, 0, f"{words}: {done.stderr}")
        # "# a shipped network, alone: 375" promises a cost.
        promised = re.search(r": (\d+)$", comment)
        if promised:
            self.assertIn(f"cost: {promised[1]}", done.stdout)
        return done.stdout

    def test_prints_the_output_shown_in_readmes_tour(self):
        steps = tour()
        self.assertGreater(len(steps), 3)
        first, shown = steps[0]
        self.assertIn("bin/vrpd --listen", first)
        daemon = Daemon()
        try:
            self.expect_in_order(shown, f"listening on {daemon.address}", first)
            for command, lines in steps[1:]:
                with self.subTest(command):
                    self.expect_in_order(lines, self.run_step(command, daemon), command)
        finally:
            daemon.clean_up()

    def test_runs_the_demo_under_its_headings(self):
        done = subprocess.run([self.root / "tests" / "e2e" / "demo.sh"], cwd=self.root, capture_output=True, text=True,
                              timeout=TIMEOUT_S, check=False, env=dict(os.environ, VRP_DEMO_TRAIN_FLAGS=" ".join(SHORT)))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        headings = re.findall(r"^== (\d)\. (.*)$", done.stdout, flags=re.MULTILINE)
        self.assertEqual([number for number, _ in headings], [str(i + 1) for i in range(len(headings))])
        config = (ROOT / re.search(r"configs/\w+\.yaml", done.stdout)[0]).read_text()
        evaluated = next(heading for _, heading in headings if "Evaluate the trained model" in heading)
        instances, customers = re.search(r"([\d,]+) fixed CVRP(\d+) instances", evaluated).groups()
        self.assertRegex(config, rf"instances: {instances.replace(',', '')}\b")
        self.assertRegex(config, rf"customers: {customers}\b")
        self.assertIn("gap to the optimum: 0.00 %", done.stdout)
        self.assertIn("vrpd has stopped cleanly", done.stdout)
        for written in done.stdout.splitlines()[-1].removeprefix("Written: ").split(", "):
            self.assertTrue((self.root / written).is_file(), written)


if __name__ == "__main__":
    unittest.main(verbosity=2)

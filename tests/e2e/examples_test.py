"""Runs the examples of every help text of vrpctl and vrpd, in order, on a real daemon.

Users copy examples line by line, so the lines of each help text run as one shell script. Its folder has the files that
the lines name. shorten() changes only durations, sizes and the host in the lines, and adds settings to `vrpctl train`."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import unittest

from daemon import BINARIES, DATA, ROOT, Daemon
from fake_osrm import FakeOsrm

SCRIPT_TIMEOUT_S = 600

# Settings added to `vrpctl train`. A SHORT training ends within seconds. A LASTING one runs until the next lines pause, stop
# or cancel it, or until end_jobs().
STEPS = ("--set training.batches_per_epoch=2 --set training.batch_size=8 --set validation.instances=20 "
         "--set reinforce.baseline_instances=16")
SHORT = f"{STEPS} --set training.epochs=2"
LASTING = f"{STEPS} --set training.epochs=100000"

# (pattern, replacement) of durations, sizes and hosts in the examples.
REPLACEMENTS = [
    (r"\bhost:50051\b", "$VRP_REMOTE"),
    (r"--budget \d+[mh]\b", "--budget 1s"),
    (r"(vrpctl bench .*?)--duration \w+", r"\1"),
    (r"vrpctl bench\b", "vrpctl bench --duration 300ms --warm-up 50ms"),
    (r"(--generate \w+?):\d+", r"\1:8"),
    (r"search:\d+s", "search:10ms"),
    (r"--interval \d+s", "--interval 100ms"),
]

SOLOMON = """\
C101

VEHICLE
NUMBER     CAPACITY
  25         200

CUSTOMER
CUST NO.  XCOORD.   YCOORD.    DEMAND   READY TIME  DUE DATE   SERVICE   TIME
    0      40         50          0          0       1236          0
    1      45         68         10        912        967         90
    2      45         70         30        825        870         90
    3      42         66         10         65        146         90
    4      42         68         10        727        782         90
"""
VANS = {
    "vehicles": [{"id": 1, "start": [8.54, 47.37], "end": [8.54, 47.37], "capacity": [4], "time_window": [28800, 43200]}],
    "jobs": [{"id": 11, "location": [8.55, 47.36], "service": 300, "delivery": [1], "time_windows": [[32400, 36000]]},
             {"id": 12, "location": [8.51, 47.40], "service": 300, "delivery": [2]}]}
PLANNED = {**VANS, "vehicles": [{**VANS["vehicles"][0], "steps": [
    {"type": "start"}, {"type": "job", "id": 12}, {"type": "job", "id": 11}, {"type": "end"}]}]}
TODAY = {"kind": "cvrp", "name": "today", "capacity": 10, "ids": ["depot", "a", "b", "c"],
         "coords": [[0, 0], [1, 5], [4, 2], [-3, 1]], "demands": [0, 4, 5, 6]}
MATRIX = {"distance_matrix": [[0, 2, 3], [2, 0, 4], [3, 4, 0]]}


def provide_files(folder):
    """Creates the files that examples name and no example writes."""
    shutil.copy(DATA / "E-n22-k4.vrp", folder / "city.vrp")
    shutil.copy(DATA / "pr107.tsp", folder / "pr107.tsp")
    tour = "\n".join(str(node) for node in range(1, 108))
    (folder / "pr107.tour").write_text(f"NAME : pr107\nTYPE : TOUR\nDIMENSION : 107\nTOUR_SECTION\n{tour}\n-1\nEOF\n")
    (folder / "C101.txt").write_text(SOLOMON)
    files = {"vans.json": VANS, "planned.json": PLANNED, "today.json": TODAY, "matrix.json": MATRIX}
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content))
    (folder / "configs").symlink_to(ROOT / "configs")
    (folder / "tests").symlink_to(ROOT / "tests")


def provide_model(daemon, folder):
    """Uploads the history `routes` and trains the habit model `drivers` on it, which examples name."""
    stops = [{"id": stop, "x": x, "y": y} for stop, (x, y) in zip(TODAY["ids"], TODAY["coords"]) if stop != "depot"]
    route = {"driver": "ann", "depot": {"x": 0, "y": 0}, "stops": stops}
    history = folder / "past.jsonl"
    history.write_text("".join(json.dumps({"day": f"2026-03-{day:02}", **route}) + "\n" for day in range(1, 15)))
    for command in (("datasets", "upload", history, "--name", "routes"),
                    ("train", "--preset", "habits", "--set", "habits.history=datasets/routes", "--set", "name=drivers")):
        done = daemon.call(*command)
        if done.returncode != 0:
            raise RuntimeError(f"no model for the examples: {done.stderr}")


def help_of(program, arguments=()):
    done = subprocess.run([BINARIES / program, *arguments, "--help"], capture_output=True, text=True, timeout=60, check=True)
    return done.stdout


def examples_of(text):
    """Returns the lines of the section `Examples` if the help text begins with it, else no lines."""
    lines = text.splitlines()
    if not lines or lines[0] != "Examples:":
        return []
    return [line.strip() for line in lines[1:lines.index("")]]


def subcommands_of(text):
    _, _, section = text.partition("\nSubcommands:\n")
    return re.findall(r"^  ([a-z][\w-]*)", section, flags=re.MULTILINE)


def all_commands(path=()):
    """Yields the path and the help text of each command of vrpctl, in the order of the help texts."""
    text = help_of("vrpctl", path)
    yield path, text
    for name in subcommands_of(text):
        yield from all_commands((*path, name))


# A solve job that still waits has no plan: stopping it cancels it.
ONCE_IT_RUNS = "until [[ $(vrpctl solve-jobs get $job) == *RUNNING* ]]; do sleep 0.05; done; "


def shorten(lines):
    """Applies REPLACEMENTS to the lines and shortens training jobs. Solve jobs that examples stop keep their budget."""
    stopped = any(line.startswith("vrpctl solve-jobs stop") for line in lines)
    steered = any(re.search(r"vrpctl jobs (pause|resume|cancel|stop|publish)", line) for line in lines)
    changed = []
    for line in lines:
        for pattern, replacement in REPLACEMENTS:
            if not (stopped and "--job --budget" in line):
                line = re.sub(pattern, replacement, line)
        if line.startswith("vrpctl solve-jobs stop"):
            line = ONCE_IT_RUNS + line
        if re.search(r"vrpctl train (.*--(config|preset)|--remote \S+$)", line):
            line = line.replace("vrpctl train", f"vrpctl train {LASTING if steered else SHORT}", 1)
        changed.append(line)
    return changed


class ExamplesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-examples-"))
        provide_files(cls.folder)
        (cls.folder / "home").mkdir()
        (cls.folder / "bin").mkdir()
        for program in ("vrpctl", "vrpd"):
            (cls.folder / "bin" / program).symlink_to(BINARIES / program)
        roads = FakeOsrm()  # for --roads car
        cls.addClassCleanup(roads.close)
        cls.daemon = Daemon(flags=roads.flags())
        provide_model(cls.daemon, cls.folder)
        cls.environment = dict(os.environ, PATH=f"{cls.folder / 'bin'}:{os.environ['PATH']}", HOME=str(cls.folder / "home"),
                               VRP_REMOTE=cls.daemon.address)

    @classmethod
    def tearDownClass(cls):
        cls.daemon.clean_up()
        shutil.rmtree(cls.folder, ignore_errors=True)

    def run_script(self, lines):
        """Runs the lines in one shell that stops at the first failure. A pipe that `head` closes is no failure."""
        script = ["set -e", "trap 'echo \"failed: $line\" >&2' ERR"]
        for line in lines:
            script += [f"line={self.quoted(line)}", "set +o pipefail" if "| head" in line else "set -o pipefail", line]
        return subprocess.run(["bash", "-c", "\n".join(script)], cwd=self.folder, env=self.environment, capture_output=True,
                              text=True, timeout=SCRIPT_TIMEOUT_S, check=False)

    @staticmethod
    def quoted(text):
        return "'" + text.replace("'", "'\\''") + "'"

    def end_jobs(self):
        """Ends the sweeps and jobs that an example left running, which would delay the next ones."""
        for sweep in self.daemon.json("sweeps", "list"):
            while self.daemon.json("sweeps", "get", sweep["name"])[0]["state"] == "PAUSING":
                time.sleep(0.1)
            if sweep["state"] not in ("SUCCEEDED", "FAILED", "CANCELLED"):
                self.daemon.call("sweeps", "stop", sweep["name"])
                self.daemon.call("sweeps", "watch", sweep["name"])
        for job in self.daemon.json("jobs", "list"):
            if job["state"] not in ("SUCCEEDED", "FAILED", "CANCELLED"):
                self.daemon.call("jobs", "cancel", job["name"])
                self.daemon.call("jobs", "watch", job["name"])
        for job in self.daemon.json("solve-jobs", "list"):
            if job["state"] not in ("SUCCEEDED", "FAILED", "CANCELLED"):
                self.daemon.call("solve-jobs", "stop", job["name"])
                self.daemon.call("solve-jobs", "watch", job["name"])

    def test_runs_the_examples_of_every_command(self):
        walked = 0
        for path, text in all_commands():
            name = " ".join(("vrpctl", *path))
            with self.subTest(name):
                walked += 1
                lines = examples_of(text)
                self.assertTrue(lines, f"{name} --help begins with no example")
                lines = shorten([line for line in lines if not line.startswith("vrpd ")])
                done = self.run_script(lines)
                self.assertEqual(done.returncode, 0, f"{name}:\n" + "\n".join(lines) + f"\n{done.stdout[-2000:]}\n{done.stderr}")
                self.end_jobs()
        self.assertGreater(walked, 30, "too few commands were found in the help texts")

    def test_runs_the_examples_of_vrpd(self):
        # The examples of vrpd and of `server backup` restore the backups that these commands create.
        self.assertEqual(self.run_script(["vrpctl server backup vrp.tar"]).returncode, 0)
        restores = [line for line in examples_of(help_of("vrpctl", ("server", "backup"))) if line.startswith("vrpd ")]
        self.assertTrue(restores)
        self.run_script(["vrpctl server backup vrp-$(date +%F).tar"])
        for line in examples_of(help_of("vrpd")) + restores:
            with self.subTest(line):
                self.serve_and_stop(line)

    def serve_and_stop(self, line):
        words = re.sub(r"  +#.*", "", line)
        if "--restore" not in words:  # the default port may be in use
            words = re.sub(r"--listen 127\.0\.0\.1:\d+", "", words) + " --listen 127.0.0.1:0"
        process = subprocess.Popen(["bash", "-c", f"exec {words}"], cwd=self.folder, env=self.environment, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            line = process.stdout.readline()
            if line.startswith("listening on "):
                process.terminate()
            self.assertEqual(process.wait(timeout=60), 0, f"{words}: {line}")
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


if __name__ == "__main__":
    unittest.main(verbosity=2)

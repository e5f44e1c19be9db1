"""Checks vrpd's metrics, log, request ids and health against the requests sent."""

import json
import math
import pathlib
import re
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request

from daemon import BINARIES, DATA, Daemon, tiny_config

INSTANCE = DATA / "E-n22-k4.vrp"
SAMPLE = re.compile(r'^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$')
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"(?:,|$)')


def parse_metrics(text):
    """Parses Prometheus's text format strictly: {family: type}, {(sample, frozenset(labels)): value}."""
    types, values = {}, {}
    if not text.endswith("\n"):
        raise ValueError("the last line has no newline")
    for line in text.splitlines():
        if not line or line.startswith("# HELP "):
            continue
        if line.startswith("# TYPE "):
            _, _, family, kind = line.split(" ")
            if family in types or kind not in ("counter", "gauge", "histogram"):
                raise ValueError(f"repeated family or unknown type: {line}")
            types[family] = kind
            continue
        match = SAMPLE.match(line)
        if match is None:
            raise ValueError(f"wanted NAME{{LABELS}} VALUE, got {line}")
        name, labels, value = match.groups()
        pairs = LABEL.findall(labels or "")
        if LABEL.sub("", labels or ""):
            raise ValueError(f"malformed labels: {line}")
        family = re.sub(r"_(bucket|sum|count)$", "", name) if name not in types else name
        if family not in types:
            raise ValueError(f"sample without a TYPE line before it: {line}")
        key = (name, frozenset(pairs))
        if key in values:
            raise ValueError(f"repeated sample: {line}")
        values[key] = float(value)
    return types, values


def http_get(address, path):
    """Returns status and text."""
    try:
        with urllib.request.urlopen(f"http://{address}{path}", timeout=60) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


class ObservabilityTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-observability-"))
        self.daemon = Daemon(self.folder / "state", flags=(
            "--metrics-listen", "127.0.0.1:0", "--log-format", "json", "--log-level", "debug"))
        self.addCleanup(lambda: self.daemon.clean_up())
        self.metrics_address = self.daemon.json("server", "info")[0]["metrics_address"]

    def metrics(self):
        status, text = http_get(self.metrics_address, "/metrics")
        self.assertEqual(status, 200)
        return parse_metrics(text)

    def log(self):
        """Returns the lines of the log. Each must be one JSON object."""
        return [json.loads(line) for line in self.daemon.log_path.read_text().splitlines()]

    def requests(self, rpc, code):
        _, values = self.metrics()
        return sum(value for (name, labels), value in values.items()
                   if name == "vrp_requests_total" and {("rpc", f"vrp.v1.{rpc}"), ("code", code)} <= labels)

    def test_counts_requests_by_rpc_and_status(self):
        for _ in range(4):
            self.assertEqual(self.daemon.call("solve", INSTANCE, "--budget", "50ms").returncode, 0)
        bad = self.folder / "bad.vrp"
        bad.write_text("nonsense\n")
        for _ in range(2):
            self.assertNotEqual(self.daemon.call("solve", bad).returncode, 0)
        self.assertEqual(self.daemon.call("jobs", "get", "nothing").returncode, 5)
        self.assertEqual(self.requests("SolverService/Solve", "OK"), 4)
        self.assertEqual(self.requests("SolverService/Solve", "INVALID_ARGUMENT"), 2)
        self.assertEqual(self.requests("TrainingService/GetTrainingJob", "NOT_FOUND"), 1)
        top = self.daemon.json("top", "--once")[0]
        solve = next(rpc for rpc in top["rpcs"] if rpc["rpc"] == "SolverService/Solve")
        self.assertEqual((solve["total"], solve["failed"]), (6, 2))

    def test_exports_consistent_histograms(self):
        for _ in range(3):
            self.daemon.call("solve", INSTANCE, "--budget", "50ms")
        types, values = self.metrics()
        self.assertEqual(types["vrp_requests_total"], "counter")
        self.assertEqual(types["process_resident_memory_bytes"], "gauge")
        for family, kind in types.items():
            if kind == "counter":
                self.assertTrue(family.endswith("_total"), family)
            if kind == "histogram":
                self.check_histogram(family, values)
        strategy = frozenset({("strategy", "search")})
        self.assertEqual(values["vrp_solve_duration_seconds_count", strategy], 3)
        self.assertGreaterEqual(values["vrp_solve_duration_seconds_sum", strategy] / 3, 0.02)

    def check_histogram(self, family, values):
        """Checks that buckets do not decrease and that the last is the count."""
        series = {}
        for (name, labels), value in values.items():
            if name == f"{family}_bucket":
                bound = dict(labels)["le"]
                rest = frozenset(pair for pair in labels if pair[0] != "le")
                series.setdefault(rest, {})[math.inf if bound == "+Inf" else float(bound)] = value
        for labels, buckets in series.items():
            counts = [buckets[bound] for bound in sorted(buckets)]
            self.assertEqual(counts, sorted(counts), family)
            self.assertEqual(counts[-1], values[f"{family}_count", labels], family)
            self.assertEqual(max(buckets), math.inf, family)

    def test_logs_the_request_ids_of_errors(self):
        done = self.daemon.call("jobs", "get", "nothing")
        shown = re.search(r"request id: (\S+)", done.stderr).group(1)
        lines = [line for line in self.log() if line.get("request_id") == shown]
        self.assertEqual(len(lines), 1)
        line = lines[0]
        self.assertEqual(list(line)[:2], ["time", "level"])
        self.assertEqual((line["rpc"], line["code"], line["level"]),
                         ("vrp.v1.TrainingService/GetTrainingJob", "NOT_FOUND", "debug"))
        self.assertGreater(line["duration_ms"], 0)
        self.assertTrue(line["peer"].startswith("ipv4:127.0.0.1:"))

    def test_logs_job_state_changes(self):
        done = self.daemon.json("train", "--config", tiny_config(self.folder), "--detach")[0]["name"]
        self.daemon.call("jobs", "watch", done)
        # The job waits behind another one until its data are deleted.
        own = self.folder / "own.jsonl"
        own.write_text(self.daemon.call("generate", "--problem", "cvrp", "--customers", "6", "--count", "8").stdout)
        first = self.daemon.json("train", "--config", tiny_config(self.folder), "--detach", "--set", "training.epochs=100000")
        lost = self.daemon.json("train", "--config", tiny_config(self.folder), "--detach",
                                "--set", f"problem.instances={own}")[0]["name"]
        own.unlink()
        self.daemon.call("jobs", "cancel", first[0]["name"])
        self.daemon.call("jobs", "watch", lost)
        lines = {job: [line for line in self.log() if line.get("job") == job] for job in (done, lost)}
        self.assertEqual([line["state"] for line in lines[done]],
                         ["QUEUED", "PREPARING", "RUNNING", "SUCCEEDED"])
        self.assertEqual((lines[done][-1]["level"], lines[done][-1]["attempt"]), ("info", 1))
        self.assertTrue(lines[done][-1]["model"].endswith("/versions/1"))
        self.assertEqual((lines[lost][-1]["state"], lines[lost][-1]["level"]), ("FAILED", "warning"))
        self.assertIn("own.jsonl", lines[lost][-1]["error"])

    def test_logs_why_it_did_not_start(self):
        second = subprocess.run(
            [BINARIES / "vrpd", "--listen", "127.0.0.1:0", "--log-format", "json", "--state-dir",
             self.folder / "state"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(second.returncode, 1)
        last = json.loads(second.stderr.splitlines()[-1])
        self.assertEqual(last["level"], "error")
        self.assertIn("another vrpd uses this state folder", last["error"])

    def test_changes_the_log_level_at_run_time(self):
        self.assertEqual(self.daemon.json("server", "log-level", "warn")[0]["previous"], "debug")
        before = len(self.log())
        self.daemon.call("jobs", "get", "nothing")
        self.assertEqual(len(self.log()), before)
        self.assertEqual(self.daemon.json("server", "info")[0]["log_level"], "warn")
        self.daemon.call("server", "log-level", "debug")
        self.daemon.call("jobs", "get", "nothing")
        self.assertGreater(len(self.log()), before)

    def test_reports_a_running_job_in_metrics_and_stats(self):
        long = ("--set", "training.epochs=1000", "--set", "training.batches_per_epoch=100")
        job = self.daemon.json("train", "--config", tiny_config(self.folder), "--detach", *long)[0]["name"]
        self.daemon.events_until(lambda event: event["type"] == "progress", "jobs", "watch", job)
        _, values = self.metrics()
        self.assertEqual(values["vrp_jobs", frozenset({("kind", "training"), ("state", "RUNNING")})], 1)
        for name in ("instances_per_second", "steps_per_second", "step", "epoch"):
            self.assertGreater(values["vrp_training_" + name, frozenset({("job", job)})], 0, name)
        self.assertIn(("vrp_training_loss", frozenset({("job", job)})), values)
        active = self.daemon.json("top", "--once")[0]["active_jobs"]
        self.assertEqual([entry["name"] for entry in active], [job])
        self.assertIn("RUNNING", self.daemon.call("top", "--once").stdout)

    def test_reports_health_and_readiness(self):
        self.assertEqual(http_get(self.metrics_address, "/healthz")[0], 200)
        self.assertEqual(http_get(self.metrics_address, "/readyz"), (200, "ready\n"))
        self.assertEqual(self.daemon.call("server", "health").returncode, 0)
        self.assertEqual(self.daemon.call("server", "health", "--ready").returncode, 0)
        self.daemon.stop()
        self.assertEqual(self.daemon.call("server", "health").returncode, 1)


class GpuTest(unittest.TestCase):
    """Tests with a fake NVIDIA library that reports two GPUs."""

    def setUp(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-observability-"))
        config = folder / "vrpd.yaml"
        config.write_text(f"nvml_library: {BINARIES.parent / 'tests' / 'fake_nvml.so'}\n")
        self.daemon = Daemon(folder / "state", flags=("--config", config))
        self.addCleanup(lambda: self.daemon.clean_up())

    def test_shows_the_drivers_values_in_top(self):
        gpus = []
        while not gpus:  # the driver has not answered yet
            gpus = [device for device in self.daemon.json("top", "--once")[0]["devices"] if device["id"] != "cpu"]
        self.assertEqual([gpu["id"] for gpu in gpus], ["nvml:0", "nvml:1"])
        self.assertEqual((gpus[0]["utilization"], gpus[0]["power_watts"]), (0.83, 412.5))
        text = self.daemon.call("top", "--once").stdout
        self.assertIn("NVIDIA Fake  util 83 %  mem 13.0 of 143.0 GiB  mem util 40 %  54 C  412 W of 700 W\n", text)
        self.assertEqual(self.daemon.stop(), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)

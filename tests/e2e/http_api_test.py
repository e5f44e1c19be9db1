"""Validates the OpenAPI document that the HTTP API serves, and drives the API with requests generated from it."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import urllib.request

from daemon import ROOT, Daemon
from http_test import Http
from python_environment import require_modules

require_modules("openapi_spec_validator", "schemathesis")

import openapi_spec_validator  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
# The long form (./dev test --long) makes more requests per RPC.
LONG = bool(os.environ.get("VRP_LONG_TESTS"))
EXAMPLES, LIMIT_S = (100, 1700) if LONG else (3, 900)
# Whether values make sense is beyond the document, and protobuf's JSON takes null for any field.
EXCLUDED_CHECKS = "positive_data_acceptance,negative_data_rejection"


class HttpApiTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(flags=["--http-listen", "127.0.0.1:0", "--max-budget-s", "1", "--max-solve-job-budget-s", "1"])
        cls.addClassCleanup(cls.daemon.clean_up)
        cls.url = f"http://{Http(cls.daemon).address}"
        cls.document = cls.get("/v1/openapi.json")

    @classmethod
    def get(cls, path):
        with urllib.request.urlopen(cls.url + path, timeout=60) as answer:
            return json.load(answer)

    def test_serves_a_valid_document(self):
        openapi_spec_validator.validate(self.document)
        paths = self.document["paths"]
        self.assertEqual(list(paths["/v1/trainingJobs/{trainingJob}"]), ["get", "delete"])
        self.assertEqual(list(paths["/v1/solve"]), ["post"])
        self.assertIn("customers", self.document["components"]["schemas"]["Instance"]["properties"])

    def test_serves_the_document_of_the_protos(self):
        protos = sorted(path.relative_to(ROOT / "proto").as_posix() for path in (ROOT / "proto" / "vrp" / "v1").glob("*.proto"))
        with tempfile.TemporaryDirectory(prefix="vrp-openapi-") as name:
            folder = pathlib.Path(name)
            subprocess.run(["protoc", f"-I{ROOT / 'proto'}", f"-I{ROOT / 'third_party' / 'proto'}", "--include_imports",
                            "--include_source_info", f"--descriptor_set_out={folder / 'protos'}", *protos], check=True)
            subprocess.run(["/usr/bin/python3", ROOT / "server" / "http" / "openapi.py", folder / "protos",
                            self.document["info"]["version"], folder / "openapi.json", folder / "openapi.cc"], check=True)
            self.assertEqual(self.document, json.loads((folder / "openapi.json").read_text()),
                             "the document was built from other protos; build again")

    def test_answers_generated_requests_as_the_document_says(self):
        command = [sys.executable, "-c", "from schemathesis.cli import schemathesis; schemathesis()", "run", f"{self.url}/v1/openapi.json",
                   "--seed", "1", "--max-examples", str(EXAMPLES), "--phases", "examples,coverage,fuzzing", "--exclude-checks",
                   EXCLUDED_CHECKS, "--suppress-health-check", "all", "--warnings", "off", "--request-timeout", "60", "--no-color"]
        environment = {**os.environ, "PYTHONPATH": str(HERE), "SCHEMATHESIS_HOOKS": "http_schema_hooks"}
        with tempfile.TemporaryDirectory(prefix="vrp-schemathesis-") as folder:  # for its report and database
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=LIMIT_S)
        self.assertEqual(done.returncode, 0, done.stdout[-8000:] + done.stderr[-2000:])
        called = {stats["rpc"].rsplit("/")[1] for stats in self.get("/v1/server/stats")["rpcs"] if stats.get("outcomes")}
        documented = {operation["operationId"].split("By")[0] for path in self.document["paths"].values() for operation in path.values()}
        self.assertEqual({name[0].lower() + name[1:] for name in called} - {"getServerStats"}, documented - {"getServerStats"})
        self.assertIsNone(self.daemon.process.poll(), "vrpd must still run")


if __name__ == "__main__":
    os.environ.pop("VRP_TOKEN", None)
    unittest.main(verbosity=2)

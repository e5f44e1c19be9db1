"""Validates the OpenAPI document that the HTTP API serves."""

import json
import os
import subprocess
import unittest
import urllib.request

from daemon import Daemon
from http_test import Http

PYTHON = os.environ.get("VRP_PYTHON", "python3")
SKIP = None if subprocess.run([PYTHON, "-c", "import openapi_spec_validator"], capture_output=True,
                              check=False).returncode == 0 else f"{PYTHON} lacks openapi-spec-validator"


@unittest.skipIf(SKIP, SKIP)
class HttpApiTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(flags=["--http-listen", "127.0.0.1:0", "--max-budget-s", "1"])
        cls.addClassCleanup(cls.daemon.clean_up)
        cls.url = f"http://{Http(cls.daemon).address}"
        with urllib.request.urlopen(f"{cls.url}/v1/openapi.json", timeout=60) as answer:
            cls.document = answer.read()

    def test_serves_a_valid_document(self):
        done = subprocess.run([PYTHON, "-c", "import json, sys, openapi_spec_validator as v; v.validate(json.load(sys.stdin))"],
                              input=self.document, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr.decode()[-2000:])
        paths = json.loads(self.document)["paths"]
        self.assertEqual(list(paths["/v1/trainingJobs/{trainingJob}"]), ["get", "delete"])
        self.assertEqual(list(paths["/v1/solve"]), ["post"])
        self.assertIn("customers", json.loads(self.document)["components"]["schemas"]["Instance"]["properties"])


if __name__ == "__main__":
    unittest.main(verbosity=2)

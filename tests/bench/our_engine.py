"""Our side of a comparison: runs single steps in the program engine_bench."""

import json
import os
import subprocess


class OurEngine:
    """One case in a separate process, which ends with the `with` block."""

    def __init__(self, program, environment=None, **case):
        self._process = subprocess.Popen(
            [program, *(f"{key}={value}" for key, value in case.items() if value not in (None, ""))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, **(environment or {}), "OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0",
                 "OMP_NUM_THREADS": str(case.get("threads", 1))})  # torch uses the same number of threads
        self.about = self._read()

    def _read(self):
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"engine_bench ended with code {self._process.wait()}; its error is above")
        return json.loads(line)

    def ask(self, request):
        self._process.stdin.write(request + "\n")
        self._process.stdin.flush()
        return self._read()

    def close(self):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

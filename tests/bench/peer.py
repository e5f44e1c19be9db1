"""Runs single steps of rl4co, as shared/peers/measure_rl4co.py defines them, for comparisons with our engine.

Needs torch and rl4co. Loads the script's functions and cases, and replaces its function `timed`, so that its steps can
alternate with those of another program.
"""

import ast
import contextlib
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def quiet_openmp():
    """Restarts this program with OpenMP threads that sleep between parallel regions.

    Spinning threads take cores from the other program, and make torch several times slower on a busy machine.
    """
    wanted = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0"}
    if any(os.environ.get(name) != value for name, value in wanted.items()):
        os.environ.update(wanted)
        os.execv(sys.executable, [sys.executable, *sys.argv])


class Peer:
    """measure_rl4co.py, loaded without running a case."""

    def __init__(self, script, threads):
        tree = ast.parse(pathlib.Path(script).read_text())
        self._cases = {}
        rest = []
        for node in tree.body:
            name = self._case_of(node)
            if name is None:
                rest.append(node)
            else:
                self._cases[name] = node
        self.names = {"__name__": "measure_rl4co", "__file__": str(script)}
        argv, sys.argv = sys.argv, [str(script), "--cases", "", "--norm", "instance", "--threads", str(threads)]
        try:
            with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):  # discards the script's line on versions
                self._run(rest, script)
        finally:
            sys.argv = argv

    @staticmethod
    def _case_of(node):
        """Returns NAME if the node has the form `if "NAME" in cases:`, else None."""
        if (isinstance(node, ast.If) and isinstance(node.test, ast.Compare) and isinstance(node.test.ops[0], ast.In)
                and isinstance(node.test.comparators[0], ast.Name) and node.test.comparators[0].id == "cases"):
            return node.test.left.value
        return None

    def _run(self, nodes, script="measure_rl4co.py"):
        # Runs only code of the file that the user names.
        exec(compile(ast.Module(nodes, []), str(script), "exec"), self.names)  # noqa: S102

    @property
    def arguments(self):
        return self.names["args"]

    def set_precision(self, amp, sdpa):
        """Sets the precision `amp` ("none" or "bf16") and the attention `sdpa` ("default" or "simple")."""
        torch = self.names["torch"]
        self.arguments.amp, self.arguments.sdpa = amp, sdpa
        self.names["amp_dtype"] = {"none": None, "bf16": torch.bfloat16}[amp]
        self.names["COMMON"].update(amp=amp, sdpa=sdpa)

    def run_case(self, name, timed, wrap=None, **arguments):
        """Runs a case with timed(step) instead of the script's `timed`.

        `timed` returns the step's times and its value. `wrap` maps names of the script's functions to factories of
        replacements.
        Returns the lines that the script would have printed, one dict per line.
        """
        lines = []
        saved = dict(self.names)
        for key, value in arguments.items():
            setattr(self.arguments, key, value)

        def replaced(step, _warmup, _repeats):
            times, value = timed(step)
            return sorted(times)[len(times) // 2], times, value, 1

        self.names.update(timed=replaced, emit=lambda **line: lines.append(line), cases={name})
        for function, make in (wrap or {}).items():
            self.names[function] = make(self.names[function])
        try:
            self._run([self._cases[name]])
        finally:
            self.names.update({key: saved[key] for key in ("timed", "emit", "cases", *(wrap or {}))})
        return lines

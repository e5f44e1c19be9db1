"""The report of run-gpu-checks: checks with their states, each run within a time limit."""

import contextlib
import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import time

from gpu_goals import goals_of

SCHEMA_VERSION = 1
KEPT_OUTPUT = 4000  # characters of a failed check's output
LOGGED_OUTPUT = 400_000  # characters of a program's output in the log
KILLED_S = 10  # time limit for a killed program to end
TIME_LIMIT_REACHED = "the time limit of all checks was reached"


class Skip(Exception):
    """An error with the reason why a check cannot run here."""


class Failure(Exception):
    """An error with the reason why a check failed."""

    def __init__(self, reason, numbers=None, output=""):
        super().__init__(reason)
        self.numbers, self.output = numbers or {}, output[-KEPT_OUTPUT:]


@dataclasses.dataclass
class Outcome:
    code: int
    output: str  # standard output and error together
    seconds: float

    def need_success(self, what):
        """Raises Failure unless the program ended with code 0."""
        if self.code < 0:
            raise Failure(f"{what} was ended by signal {-self.code} ({signal.Signals(-self.code).name})",
                          output=self.output)
        if self.code:
            raise Failure(f"{what} ended with code {self.code}", output=self.output)


def run_program(command, limit, environment=None, folder=None):
    """Runs a program. At the limit kills it and its children, and raises Failure."""
    begin = time.monotonic()
    process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace", env=environment, cwd=folder,
                               start_new_session=True)
    try:
        output, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired as late:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        try:
            output, _ = process.communicate(timeout=KILLED_S)
        # The program is blocked in the driver, where no signal reaches it.
        except subprocess.TimeoutExpired as stuck:
            output = (stuck.output or late.output or b"").decode(errors="replace") + "\n(and did not end after SIGKILL)"
        log_output(command, output)
        raise Failure(f"not finished after its {limit:.0f} s", output=output) from None
    log_output(command, output)
    return Outcome(process.returncode, output, time.monotonic() - begin)


_log_path = None


def log_output(command, output):
    """Appends the last LOGGED_OUTPUT characters of the output to the log, if there is one."""
    if _log_path is not None:
        with open(_log_path, "a", encoding="utf-8") as log:
            log.write(f"$ {' '.join(map(str, command))}\n{output[-LOGGED_OUTPUT:].rstrip()}\n\n")


def last_object(output):
    """Returns the last line of `output` that is a JSON object; libraries may print after it."""
    lines = [line for line in output.splitlines() if line.startswith("{")]
    if not lines:
        raise Failure("the program printed no JSON object", output=output)
    return json.loads(lines[-1])


class Report:
    """A report that is rewritten after each check, so that a crash loses nothing."""

    def __init__(self, path, facts, seconds, checked=None):
        """Prepares to check the groups `checked`, or all groups if it is None.

        Keeps the checks of the other groups from an earlier report at `path`. Raises ValueError if that report is of
        another commit."""
        global _log_path
        self._path = pathlib.Path(path)
        _log_path = self._path.with_suffix(".log")
        kept = [] if checked is None else self._kept(facts["commit"], checked)
        if checked is None:
            _log_path.write_text("")
        self._begin = time.monotonic()
        self._end = self._begin + seconds
        self._content = {"schema_version": SCHEMA_VERSION, "began": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                         **facts, "summary": {}, "goals": [], "checks": kept}
        self._write()

    def check(self, group, name, limit, body):
        """Calls body(limit in seconds), which returns numbers or raises Skip or Failure."""
        begin = time.monotonic()
        entry = {"group": group, "name": name, "state": "passed", "reason": "", "seconds": 0.0, "numbers": {}}
        try:
            left = self._end - begin
            if left < 1:
                raise Skip(TIME_LIMIT_REACHED)
            entry["numbers"] = body(min(limit, left)) or {}
        except Skip as skip:
            entry.update(state="skipped", reason=str(skip))
        except Failure as failure:
            entry.update(state="failed", reason=str(failure), numbers=failure.numbers, output=failure.output)
        except Exception as error:  # the tool's answer is malformed; the other checks continue
            entry.update(state="failed", reason=f"{type(error).__name__}: {error}")
        entry["seconds"] = round(time.monotonic() - begin, 3)
        self._content["checks"].append(entry)
        self._write()
        reason = f": {entry['reason']}" if entry["reason"] else ""
        print(f"{entry['state']:8}{entry['seconds']:8.1f} s  {group}: {name}{reason}", flush=True)

    def count(self, state):
        return sum(entry["state"] == state for entry in self._content["checks"])

    def late_groups(self):
        """Returns the groups with checks skipped for lack of time, in order."""
        late = [entry["group"] for entry in self._content["checks"] if entry["reason"] == TIME_LIMIT_REACHED]
        return list(dict.fromkeys(late))

    def _kept(self, commit, checked):
        if not self._path.exists():
            return []
        earlier = json.loads(self._path.read_text())
        if earlier["commit"] != commit:
            raise ValueError(f"{self._path}: got a report of commit {earlier['commit']}, wanted one of {commit}")
        return [check for check in earlier["checks"] if check["group"] not in checked]

    def goals(self):
        """Returns the judged goals, as goals_of() in gpu_goals.py returns them."""
        return self._content["goals"]

    def _write(self):
        self._content["summary"] = {state: self.count(state) for state in ("passed", "failed", "skipped")}
        self._content["goals"] = goals_of(self._content["checks"])
        self._content["seconds"] = round(time.monotonic() - self._begin, 1)
        temporary = self._path.with_name(self._path.name + ".new")
        temporary.write_text(json.dumps(self._content, indent=1) + "\n")
        temporary.replace(self._path)

"""Runs a vrpd on a free loopback port and calls vrpctl, for end-to-end tests."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

ROOT = pathlib.Path(os.environ.get("VRP_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
BINARIES = pathlib.Path(os.environ.get("VRP_BINARY_DIR", ROOT / "build" / "dev")) / "bin"
DATA = ROOT / "tests" / "data"
START_TIMEOUT_S = 60
CALL_TIMEOUT_S = 600  # a busy machine leaves training little time, because it has a low priority


class Daemon:
    """A vrpd of this build, or `binary`, on a fresh or a given state folder. `kill()` sends SIGKILL, `stop()` SIGTERM."""

    def __init__(self, state=None, listen="127.0.0.1:0", flags=(), env=None, binary=BINARIES / "vrpd"):
        self._own_state = state is None
        self.state = pathlib.Path(state or tempfile.mkdtemp(prefix="vrp-e2e-"))
        self.log_path = self.state.with_suffix(".log")
        self._log = open(self.log_path, "ab")
        self.process = subprocess.Popen(
            [binary, "--listen", listen, "--state-dir", self.state, *flags],
            stdout=subprocess.PIPE, stderr=self._log, text=True, env=env)
        line = self._first_line()
        if not line.startswith("listening on "):
            self.kill()
            raise RuntimeError(f"vrpd printed {line!r}, wanted \"listening on ADDRESS\"; its log:\n"
                               f"{self.log_path.read_text()}")
        self.address = line.removeprefix("listening on ").strip()

    def _first_line(self):
        """Returns vrpd's first line, or "" if vrpd exits without one. Raises TimeoutError after START_TIMEOUT_S."""
        def too_late(*_):
            raise TimeoutError(f"vrpd did not serve within {START_TIMEOUT_S} s")
        before = signal.signal(signal.SIGALRM, too_late)
        signal.alarm(START_TIMEOUT_S)
        try:
            return self.process.stdout.readline()
        finally:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)

    def call(self, *arguments, stdin=None):
        """Runs `vrpctl --remote ...` with `arguments`. Returns the finished process with text output."""
        return vrpctl("--remote", self.address, *arguments, stdin=stdin)

    def json(self, *arguments):
        """Runs call() with --output json, expects success and returns the printed objects."""
        done = self.call(*arguments, "--output", "json")
        if done.returncode != 0:
            log = self.log_path.read_text()[-2000:]
            raise AssertionError(f"vrpctl {arguments} exited {done.returncode}: {done.stderr}\n{log}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def follow(self, *arguments):
        """Starts `vrpctl ... --output json`. Read its lines from .stdout."""
        return subprocess.Popen([BINARIES / "vrpctl", "--remote", self.address, *map(str, arguments), "--output", "json"],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def events_until(self, wanted, *arguments):
        """Returns the events that follow(*arguments) prints, up to the first for which wanted(event) is true.

        Returns all events if there is no such event."""
        events = []
        with self.follow(*arguments) as watch:
            for line in watch.stdout:
                events.append(json.loads(line))
                if wanted(events[-1]):
                    break
            watch.terminate()
        return events

    def kill(self):
        self.process.kill()
        self._end()

    def stop(self):
        """Sends SIGTERM and returns the exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self._end()

    def _end(self):
        status = self.process.wait(timeout=START_TIMEOUT_S)
        self.process.stdout.close()
        self._log.close()
        return status

    def clean_up(self):
        if self.process.poll() is None:
            self.kill()
        if self._own_state:
            shutil.rmtree(self.state, ignore_errors=True)
            self.log_path.unlink(missing_ok=True)


def first_gap(events):
    """Returns a description of the first sequence number, counted from 1, that is missing or repeated, or None.

    A `compacted` event stands for a range of numbers, since old events of long jobs are thinned."""
    last_sequence = 0
    for event in events:
        first, last = event.get("first_sequence", event["sequence"]), event["sequence"]
        if first != last_sequence + 1 or last < first:
            return f"after event {last_sequence} came {first} to {last}"
        last_sequence = last
    return None


def lost_events(before, after):
    """Returns the events of `before` that the gap-free `after` lacks or has changed, except those that thinning may remove.

    The queue position of a job is ignored, since it comes with the newest event while the job waits."""
    def own(event):
        return {key: value for key, value in event.items() if key != "queue_position"}
    again = {event["sequence"]: own(event) for event in after if event["type"] != "compacted"}
    thinned = ("progress", "checkpoint", "log", "compacted")
    return [event for event in before
            if again.get(event["sequence"], own(event) if event["type"] in thinned else None) != own(event)]


def vrpctl(*arguments, stdin=None, env=None):
    return subprocess.run([BINARIES / "vrpctl", *map(str, arguments)], input=stdin, capture_output=True, text=True,
                          timeout=CALL_TIMEOUT_S, env=env, check=False)


TINY_TRAINING = """\
name: tiny
model: ptrnet
problem: {kind: cvrp, customers: 6}
network: {hidden: 16, layers: 1, dropout: 0.0}
training: {method: reinforce, epochs: 2, batches_per_epoch: 3, batch_size: 8, checkpoint_every_steps: 1}
reinforce: {baseline_instances: 16}
validation: {instances: 20}
"""


def tiny_config(folder):
    """Writes a configuration whose training ends within seconds. Returns its path."""
    path = pathlib.Path(folder) / "tiny.yaml"
    path.write_text(TINY_TRAINING)
    return path

"""Checks a daemon's jobs and models after a fault."""

import json

from daemon import DATA, first_gap

ENDED = ("SUCCEEDED", "FAILED", "CANCELLED")


def job_command(what):
    return "jobs" if what == "training" else "solve-jobs"


def leftovers(state):
    """Returns the paths of temporary files and folders in a state folder."""
    found = [path for pattern in ("**/*.tmp", "**/tmp-*", "*/.staging/*") for path in state.glob(pattern)]
    return [str(path.relative_to(state)) for path in found]


class Judge:
    """A collector of the errors found after a restart."""

    def __init__(self, daemon, state):
        self.daemon, self.state, self.problems = daemon, state, []

    def expect(self, condition, text):
        if not condition:
            self.problems.append(text)

    def check_job(self, what, job, may_fail, command=None):
        allowed = ("SUCCEEDED", "FAILED") if may_fail else ("SUCCEEDED",)
        self.expect(job.get("state") in allowed, f"{what} ended as {job.get('state')}, wanted {' or '.join(allowed)}: {job.get('error')}")
        watch = self.daemon.call(command or job_command(what), "watch", job.get("name", "?"), "--output", "json")
        events = [json.loads(line) for line in watch.stdout.splitlines()]
        events = [event for event in events if event.get("sequence", 0) > 0]
        self.expect(not first_gap(events), f"{what}: events have gaps: {first_gap(events)}")
        steps = [(event["attempt"], event["step"]) for event in events if event["type"] == "progress"]
        self.expect(len(steps) == len(set(steps)), f"{what}: a step was reported twice: {steps}")

    def check_listed(self, command, wanted, what):
        listed = [item["name"] for item in self.daemon.json(*command, "list")]
        self.expect(sorted(listed) == sorted(wanted), f"{what}: listed {listed}, wanted {wanted}")

    def check_model(self, name, published):
        versions = sorted(path.name for path in (self.state / "models" / name).glob("*"))
        wanted = ["1"] if published else []
        self.expect(versions == wanted, f"model {name} has versions {versions}, wanted {wanted}")
        if published:
            self.check_serves(name)

    def check_serves(self, name):
        result = self.daemon.call("solve", DATA / "E-n22-k4.vrp", "--model", name, "--strategy", "greedy", "--output", "json")
        self.expect(result.returncode == 0, f"model {name} does not serve: {result.stderr.strip()}")

    def check_alias(self, name, version):
        got = self.daemon.call("models", "get", name, "--output", "json")
        found = json.loads(got.stdout)["version"] if got.returncode == 0 else got.stderr.strip()
        self.expect(found == version, f"alias {name} names {found}, wanted {version}")

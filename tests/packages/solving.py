"""Builds shell and Python scripts that solve an instance with installed programs."""

BUDGET = "500ms"

# A script for `python -c`, with the instance's path as argument. Prints cost, feasibility and number of routes as JSON.
BY_PYTHON = f"""
import json, sys, vrpd
result = vrpd.solve(vrpd.read(sys.argv[1]), budget="{BUDGET}")
print(json.dumps({{"cost": result.cost, "feasible": result.feasible, "routes": len(result.routes)}}))
"""


def by_vrpctl(instance, remote="unix:/tmp/vrpd.sock"):
    """Returns the shell command that solves `instance` and prints the answer as JSON."""
    return f"vrpctl --remote {remote} solve {instance} --budget {BUDGET} --output json"


def with_daemon(command, state, remote="unix:/tmp/vrpd.sock"):
    """Returns a shell script that starts vrpd with this state folder, waits until it is healthy, and runs `command`.

    Runs the command after 600 polls even if vrpd is not healthy yet. If the command fails, prints vrpd's log."""
    return f"""
vrpd --listen {remote} --state-dir {state} >/tmp/vrpd.log 2>&1 &
for attempt in $(seq 600); do
  if vrpctl --remote {remote} server health >/dev/null 2>&1; then break; fi
  sleep 0.1
done
{command} || {{ cat /tmp/vrpd.log >&2; exit 1; }}
kill $!
wait $! || true
"""

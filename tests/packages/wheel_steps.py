"""Installs a wheel into a new virtual environment, and solves with it from Python and by vrpctl."""

import shlex

from solving import BY_PYTHON, by_vrpctl, with_daemon
from steps import check_answer

PIP = "install"
PYTHON = "solve from Python"
VRPCTL = "solve by vrpctl"


def run_steps(steps, run, wheel, instance, environment):
    """Takes the steps with `run`, which runs a shell script and returns its output. All paths are as `run` sees them.

    Returns the seconds from the installation to the routes from Python.
    """
    python = f"{environment}/bin/python"
    steps.take("create the environment", run, f"python3 -m venv {environment}")
    steps.take(PIP, run, f"{python} -m pip install --quiet --disable-pip-version-check {shlex.quote(wheel)}")
    check_answer(steps.take(PYTHON, run, f"{python} -c {shlex.quote(BY_PYTHON)} {instance}"))
    solve = f"export PATH={environment}/bin:$PATH\n" + with_daemon(by_vrpctl(instance), f"{environment}/state")
    check_answer(steps.take(VRPCTL, run, solve))
    return steps.report_total(PIP, PYTHON)

"""Provides a Python with the packages of cmake/python_requirements.txt."""

import importlib
import os
import pathlib
import subprocess
import sys


def _can_import(module):
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


def require_modules(*modules):
    """Returns if the packages can be imported. Otherwise runs the script again with the tests' interpreter.

    Ends the script as skipped if that interpreter does not exist or lacks the packages. `./dev test` creates it."""
    if all(map(_can_import, modules)):
        return
    setup = pathlib.Path(__file__).resolve().parents[2] / "cmake" / "setup_python.sh"
    python = os.environ.get("VRP_PYTHON") or subprocess.run([setup, "--path"], capture_output=True, text=True,
                                                             check=True).stdout.strip()
    if os.path.exists(python) and os.environ.get("VRP_PYTHON_USED") != "1":
        os.execve(python, [python, *sys.argv], {**os.environ, "VRP_PYTHON_USED": "1"})
    print(f"skipped: no Python with {', '.join(modules)} (tried {python}); ./dev test creates it")
    sys.exit(77)

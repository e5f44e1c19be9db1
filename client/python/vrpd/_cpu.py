"""Checks that the CPU can run the bundled programs."""

from __future__ import annotations

import os
import pathlib
import sys

# The features that x86-64-v3 adds to x86-64-v2, as /proc/cpuinfo names them.
_FLAGS = ("avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave")
_REMEDY = 'Use a daemon on another machine: vrpd.Client("HOST:50051")'


def missing_flags(cpuinfo: str) -> list[str]:
    """Returns the needed features that the text of /proc/cpuinfo does not list."""
    for line in cpuinfo.splitlines():
        if line.startswith("flags"):
            known = set(line.partition(":")[2].split())
            return [flag for flag in _FLAGS if flag not in known]
    return []


def why_unusable(cpuinfo: pathlib.Path = pathlib.Path("/proc/cpuinfo")) -> str:
    """Returns why this machine cannot run the bundled programs; empty if it can."""
    machine = os.uname().machine if sys.platform == "linux" else "an unknown machine"
    if machine != "x86_64":
        return f"vrpd's programs need Linux on x86_64, got {sys.platform} on {machine}. {_REMEDY}"
    try:
        missing = missing_flags(cpuinfo.read_text())
    except OSError:
        return ""
    if not missing:
        return ""
    return (
        "vrpd's programs need a CPU with x86-64-v3 (Intel since 2013, AMD since 2015); "
        f"this one lacks {', '.join(missing)}. {_REMEDY}"
    )

"""Finds the packages that ./dev package made."""

import os

from paths import ROOT

PATTERNS = {"wheel": "vrpd-*-manylinux_*.whl", "tar": "vrpd-*-linux-x86_64.tar.xz"}


def newest_package(kind):
    """Returns the newest package of a kind, or None."""
    return max((ROOT / "build/packages").glob(PATTERNS[kind]), key=os.path.getmtime, default=None)

#!/usr/bin/env python3
"""Installs packages into bare Debian 12 systems and times the way to routes. Prints one JSON line per step.

    tests/packages/install_packages.py wheel build/packages/vrpd-0.2.0-py3-none-manylinux_2_34_x86_64.whl
    tests/packages/install_packages.py deb build/packages/vrpd_0.2.0_amd64.deb
    tests/packages/install_packages.py tar build/packages/vrpd-0.2.0-linux-x86_64.tar.xz

Exit codes: 0 all steps passed and the goal is met, 1 not, 77 skipped since this machine cannot make bare systems.
"""

import argparse
import json
import sys

import deb_steps
import wheel_steps
from bare_root import BareRoot, Unavailable
from paths import ROOT
from solving import by_vrpctl, with_daemon
from steps import GOAL_S, INSTANCE, Steps, check_answer


def check_wheel(root, steps, package, instance):
    return wheel_steps.run_steps(steps, root.run, root.copy(package), instance, "/opt/venv")


def check_deb(root, steps, package, instance):
    seconds = deb_steps.check_first_install(root, steps, package, instance)
    deb_steps.check_purge(root, Steps("deb, first version"))
    deb_steps.check_upgrade(root, steps, package, instance)
    deb_steps.check_purge(root, steps)
    return seconds


def check_tar(root, steps, package, instance):
    # Minimal systems have no xz, so the host unpacks.
    steps.take("install", root.unpack, package, "/opt")
    solve = "export PATH=$(echo /opt/vrpd-*/bin):$PATH\n" + with_daemon(by_vrpctl(instance), "/tmp/state")
    check_answer(steps.take("solve by vrpctl", root.run, solve))
    return steps.report_total("install", "solve by vrpctl")


CHECKS = {"wheel": check_wheel, "deb": check_deb, "tar": check_tar}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=CHECKS)
    parser.add_argument("package", help="the package's file")
    words = parser.parse_args()
    try:
        with BareRoot() as root:
            instance = root.copy(ROOT / "tests" / "data" / INSTANCE)
            seconds = CHECKS[words.kind](root, Steps(words.kind), words.package, instance)
    except Unavailable as reason:
        print(f"skipped: {reason}")
        return 77
    passed = seconds <= GOAL_S
    print(json.dumps({"package": words.kind, "passed": passed}))
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Installs packages into bare Debian 12 systems and times the steps from installation to routes.

Prints one JSON line per step.

    tests/packages/install_packages.py wheel                 the newest wheel of build/packages
    tests/packages/install_packages.py tar FILE.tar.xz       this tar

deb_test.py times the Debian package and prints whether it meets the goal. Exits with 0 if all steps passed and the
goal is met. Exits with 77 (skipped) if there is no package or this machine cannot create bare systems, otherwise
with 1.
"""

import argparse
import json
import sys

import wheel_steps
from bare_root import BareRoot, Unavailable
from newest import newest_package
from paths import ROOT
from solving import by_vrpctl, with_daemon
from steps import GOAL_S, INSTANCE, Steps, check_answer


def check_wheel(root, steps, package, instance):
    return wheel_steps.run_steps(steps, root.run, root.copy(package), instance, "/opt/venv")


def check_tar(root, steps, package, instance):
    # Minimal systems have no xz, so the host unpacks.
    steps.take("install", root.unpack, package, "/opt")
    solve = "export PATH=$(echo /opt/vrpd-*/bin):$PATH\n" + with_daemon(by_vrpctl(instance), "/tmp/state")
    check_answer(steps.take("solve by vrpctl", root.run, solve))
    return steps.report_total("install", "solve by vrpctl")


CHECKS = {"wheel": check_wheel, "tar": check_tar}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=CHECKS)
    parser.add_argument("package", nargs="?", help="install this file (default: the newest of build/packages)")
    arguments = parser.parse_args()
    package = arguments.package or newest_package(arguments.kind)
    if package is None:
        print(f"skipped: no {arguments.kind} in build/packages; ./dev package {arguments.kind} makes it")
        return 77
    try:
        with BareRoot() as root:
            instance = root.copy(ROOT / "tests" / "data" / INSTANCE)
            seconds = CHECKS[arguments.kind](root, Steps(arguments.kind), package, instance)
    except Unavailable as reason:
        print(f"skipped: {reason}")
        return 77
    passed = seconds <= GOAL_S
    print(json.dumps({"package": arguments.kind, "passed": passed}))
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())

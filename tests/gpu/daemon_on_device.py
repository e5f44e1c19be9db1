#!/usr/bin/env python3
"""Checks vrpd on a device: its description of the device, a plan by a shipped network, and a short training job.

Prints one JSON object. Errors go to standard error, with exit code 1. Runs the programs of VRP_BINARY_DIR/bin.

Example:
  VRP_BINARY_DIR=build/dev daemon_on_device.py --device cpu
"""

import argparse
import json
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

from daemon import DATA, Daemon  # noqa: E402

INSTANCE, OPTIMUM = DATA / "E-n22-k4.vrp", 375
EPOCHS = 3


def timed(daemon, *arguments):
    begin = time.monotonic()
    answer = daemon.json(*arguments)[-1]
    return answer, round(time.monotonic() - begin, 3)


def examine(daemon, device):
    info = daemon.json("server", "info")[-1]
    kinds = [one["id"].split(":")[0] for one in info["devices"]]
    if device not in kinds:
        raise AssertionError(f"server info lists the devices {', '.join(kinds)}, wanted {device} among them")
    plan, solve_s = timed(daemon, "solve", INSTANCE, "--model", "gt-mixed", "--strategy", "multi_start")
    cost = plan["cost"]
    if cost < OPTIMUM:
        raise AssertionError(f"{INSTANCE.name}: got a plan of cost {cost}, below the optimum {OPTIMUM}")
    _, train_s = timed(daemon, "train", "--config", ROOT / "configs" / "tiny_1.yaml", "--set", f"training.epochs={EPOCHS}")
    return {"devices": info["devices"], "multi_start_cost": cost, "multi_start_s": solve_s, "train_s": train_s,
            "epochs": EPOCHS}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", help="check this kind of device; default: %(default)s")
    options = parser.parse_args()
    daemon = Daemon(flags=["--device", options.device])
    try:
        print(json.dumps(examine(daemon, options.device)))
        status = daemon.stop()
        if status:
            raise AssertionError(f"vrpd after SIGTERM: got exit code {status}, wanted 0")
    except (AssertionError, RuntimeError) as error:
        sys.exit(f"daemon_on_device: {error}\n{daemon.log_path.read_text()[-2000:]}")
    finally:
        daemon.clean_up()


if __name__ == "__main__":
    main()

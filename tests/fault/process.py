"""Reads the resources of a process from /proc."""

import os
import pathlib
import time

SETTLE_S = 60  # default timeout of wait_until


def resources(pid):
    """Returns memory in MiB, threads, open files and CPU seconds of a process."""
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    status = dict(line.split(":", 1) for line in lines)
    times = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return {"rss_mib": round(int(status["VmRSS"].split()[0]) / 1024, 1),
            "peak_mib": round(int(status["VmHWM"].split()[0]) / 1024, 1),
            "threads": int(status["Threads"]),
            "files": len(os.listdir(f"/proc/{pid}/fd")),
            "cpu_s": round((int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK"), 2)}


def wait_until(read, wanted, timeout_s=SETTLE_S):
    """Returns the value of read() once wanted(value) is true, or the last value after a timeout."""
    until = time.monotonic() + timeout_s
    while True:
        value = read()
        if wanted(value) or time.monotonic() > until:
            return value
        time.sleep(0.1)

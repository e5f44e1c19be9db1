"""The machine that run-gpu-checks runs on: its GPU and driver, tools, and the bundle."""

import glob
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess

NO_DEVICE = "no NVIDIA device"
TOOLS = ("nvidia-smi", "compute-sanitizer", "nsys", "ncu")
MIN_DRIVER = 580  # CUDA 13.0
QUERY = ("name", "driver_version", "memory.total", "compute_cap", "clocks.max.sm", "power.limit", "temperature.gpu")
TOOL_FOLDERS = ("/usr/local/cuda/bin", "/usr/local/cuda/compute-sanitizer", "/usr/local/nvidia/bin",
                *sorted(glob.glob("/opt/nvidia/nsight-compute/*"), reverse=True))


def find_tool(name, root):
    """Returns a tool's path on PATH, in the default folders or in the bundle's own tools/; None if absent."""
    folders = [os.environ.get("PATH", ""), *TOOL_FOLDERS, str(root / "tools")]
    return shutil.which(name, path=os.pathsep.join(folders))


def output_of(*command):
    """Returns a program's output, or "" if it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


class Machine:
    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
        self.smi = find_tool("nvidia-smi", self.root)
        self.devices = self._devices()
        self.bundle = json.loads((self.root / "bundle.json").read_text())

    def _devices(self):
        if self.smi is None:
            return self._devices_of_torch()
        # The driver refuses the whole query if it does not know one of the fields.
        for query in (QUERY, QUERY[:2]):
            text = output_of(self.smi, f"--query-gpu={','.join(query)}", "--format=csv,noheader,nounits")
            rows = [[word.strip() for word in line.split(",")] for line in text.splitlines()]
            found = [dict(zip(query, row, strict=True)) for row in rows if len(row) == len(query)]
            if found:
                return found
        return []

    @staticmethod
    def _devices_of_torch():
        """Returns the devices that torch sees, for machines without nvidia-smi."""
        names = output_of("python3", "-c", "import torch; [print(torch.cuda.get_device_name(i)) "
                                           "for i in range(torch.cuda.device_count())]").splitlines()
        version = re.search(r"Kernel Module\D+([0-9.]+)", _text_of("/proc/driver/nvidia/version"))
        driver = version.group(1) if version else "0"
        return [{"name": name, "driver_version": driver} for name in names]

    def tool(self, name):
        return find_tool(name, self.root)

    def driver(self):
        """Returns the driver's major version."""
        return int(self.devices[0]["driver_version"].split(".")[0])

    def facts(self):
        return {"machine": {"host": platform.node(), "kernel": platform.release(), "cpu": _processor(),
                            "cores": len(os.sched_getaffinity(0)), "python": platform.python_version(),
                            "glibc": platform.libc_ver()[1], "devices": self.devices,
                            "tools": {name: self.tool(name) for name in TOOLS}},
                "driver": self.devices[0]["driver_version"] if self.devices else None,
                "commit": self.bundle.get("commit"), "bundle": self.bundle}


def _text_of(path):
    """Returns the file's text, or "" if it cannot be read."""
    try:
        return pathlib.Path(path).read_text(errors="replace")
    except OSError:
        return ""


def _processor():
    for line in _text_of("/proc/cpuinfo").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def bundle_environment(root):
    """Returns an environment in which the bundle's programs find their libraries.

    Raises ValueError with the reason if that fails.
    """
    try:
        done = subprocess.run([str(pathlib.Path(root).resolve() / "run"), "--environment"], capture_output=True, text=True,
                              timeout=60, check=False)
    except subprocess.TimeoutExpired as error:
        raise ValueError(str(error)) from None
    if done.returncode:
        raise ValueError(done.stderr.strip() or f"run --environment ended with code {done.returncode}")
    return dict(os.environ, **dict(line.split("=", 1) for line in done.stdout.splitlines()))

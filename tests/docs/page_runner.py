"""Runs the blocks of a page in one shell, with a separate daemon."""

import os
import pathlib
import re
import signal
import socket
import subprocess

from page_blocks import blocks_of, missing_line, steps_of

SEPARATOR = "\x1e"
PAGE_TIMEOUT_S = 600  # time limit of all blocks of a page; a busy machine leaves training little time
ADDRESS = re.compile(r"\b127\.0\.0\.1:(\d{4,5})\b")
DAEMON_PORT = "50051"  # the port that the pages give the daemon


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


class Ports:
    """The free ports that replace those of a page. The test daemon's port replaces the usual port."""

    def __init__(self, daemon_address):
        self._ports = {DAEMON_PORT: daemon_address.rpartition(":")[2]}

    def localise(self, text):
        def replace(found):
            port = self._ports.setdefault(found[1], free_port())
            return f"127.0.0.1:{port}"
        return ADDRESS.sub(replace, text)


def script_of(page_text, work, ports):
    """Returns (script, steps). Stores the page's files in `work`, from which the script copies each when it reaches the block."""
    lines = ["set -eu -o pipefail", "trap 'echo \"failed: $BASH_COMMAND\" >&2' ERR"]
    steps = []
    for number, block in enumerate(blocks_of(page_text)):
        if block.file is not None:
            source = work / f".block{number}"
            source.write_text(ports.localise(block.text))
            lines += [f"mkdir -p \"$(dirname '{block.file}')\"", f"cp '{source}' '{block.file}'"]
        if block.is_output:
            steps[-1].shown = block.text.splitlines()
        if not block.runs:
            continue
        for step in steps_of(block):
            command = ports.localise(step.command)
            if step.language == "python":
                source = work / f".block{number}.py"
                source.write_text(command)
                command = f"python3 '{source}'"
            steps.append(step)
            lines += [f"printf '\\n{SEPARATOR}\\n'", f"{{ {command}\n}} 2>&1"]
    return "\n".join(lines) + "\n", steps


def run_page(page, work, daemon_address, environment):
    """Runs the page in the folder `work`. Returns the errors, as texts with the page's lines."""
    work = pathlib.Path(work)
    ports = Ports(daemon_address)
    script, steps = script_of(page.read_text(), work, ports)
    if not steps:
        return []
    output = work / ".output"
    with open(output, "wb") as out, subprocess.Popen(["bash", "-c", script], cwd=work, env=environment, stdout=out,
                                                     stderr=subprocess.STDOUT, start_new_session=True) as process:
        try:
            code = process.wait(timeout=PAGE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            code = f"none after {PAGE_TIMEOUT_S} s"
        # The page's background processes, such as a daemon, are in the session of the shell.
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    printed = output.read_text(errors="replace").split(f"\n{SEPARATOR}\n")[1:]
    if code != 0:
        step = steps[max(0, len(printed) - 1)]
        return [f"{page.name}:{step.line}: exit code {code}: {step.command}\n{printed[-1] if printed else ''}"]
    return [f"{page.name}:{step.line}: `{step.command}` does not print this line in the order shown:\n  {absent}\n"
            f"but:\n{text}" for step, text in zip(steps, printed)
            if (absent := missing_line([ports.localise(line) for line in step.shown], text)) is not None]

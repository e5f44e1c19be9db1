"""Builds the reference of the command line from the programs' help texts."""

import re

from programs import output

HEAD = """\
<!-- Written by docs/tools/write_reference.py from `--help`. Change the help texts there. -->

# The command line

`vrpctl` is the client, `vrpd` the daemon. Each help text begins with examples; `--help` prints it.

## Exit codes of vrpctl

| code | meaning | what to do |
| --- | --- | --- |
| 0 | done | |
| 1 | failed | read the message; the daemon's log has more |
| 2 | wrong usage or input | correct the flag, file or field that the message names |
| 3 | unreachable | start the daemon, or name another with `--remote` or `VRP_REMOTE` |
| 4 | refused | the state or your role does not allow it; the message says why |
| 5 | not found | list what there is |
| 6 | busy | try again after the time that the message gives |
| 7 | no feasible plan, or unserved customers without a prize | look at the reasons in the answer |
| 130 | interrupted | |
"""


def subcommands(help_text):
    found = re.search(r"^Subcommands:\n((?:  .*\n?)*)", help_text, flags=re.MULTILINE)
    return re.findall(r"^  ([a-z][a-z-]*)(?: |$)", found[1], flags=re.MULTILINE) if found else []


def commands(path=()):
    """Yields (words of the command, its help), parents first."""
    text = output("vrpctl", *path, "--help").stdout
    yield path, text
    for name in subcommands(text):
        yield from commands((*path, name))


def page():
    parts = [HEAD]
    for path, text in commands():
        heading = " ".join(("vrpctl", *path))
        parts.append(f"{'#' * min(2 + max(0, len(path) - 1), 3)} {heading}\n\n```text\n{text.rstrip()}\n```\n")
    parts.append(f"## vrpd\n\n```text\n{output('vrpd', '--help').stdout.rstrip()}\n```\n")
    return "\n".join(parts)

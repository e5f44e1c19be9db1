"""Reads the marked code blocks of a documentation page.

A comment on the line above a block marks it:

  <!-- run -->           runs the block; a `console` block has `$ ` before each command and then lines of its output
  <!-- file: NAME -->    writes the block to the file NAME
  <!-- output -->        lines that the last command of the block before it prints
  <!-- not run: WHY -->  leaves the block out

Every shell, console and Python block must have one of the marks `run`, `file` and `not run`.

Blocks share a working directory and a shell, in the order of the page."""

import dataclasses
import re

BLOCK = re.compile(r"^(?:<!-- (?P<mark>[^>]*?) -->\n)?^(?P<fence>```+)(?P<language>\w*)\n(?P<text>.*?)^(?P=fence)$",
                   flags=re.DOTALL | re.MULTILINE)
RUNNABLE = ("sh", "console", "python")


@dataclasses.dataclass
class Block:
    language: str
    text: str
    line: int
    mark: str = ""

    @property
    def runs(self):
        return self.mark == "run"

    @property
    def is_output(self):
        return self.mark == "output"

    @property
    def file(self):
        return self.mark.removeprefix("file: ") if self.mark.startswith("file: ") else None

    @property
    def is_marked(self):
        return self.runs or self.file is not None or self.mark.startswith("not run: ")


@dataclasses.dataclass
class Step:
    """A command of a console block and the lines shown below it, or the whole of another block."""
    command: str
    shown: list
    language: str
    line: int


def blocks_of(text):
    return [Block(found["language"], found["text"], text[:found.start()].count("\n") + 1, found["mark"] or "")
            for found in BLOCK.finditer(text)]


def steps_of(block):
    """Returns the steps of a block that runs."""
    if block.language != "console":
        return [Step(block.text, [], block.language, block.line)]
    steps = []
    for number, line in enumerate(block.text.splitlines(), block.line):
        if line.startswith("$ "):
            steps.append(Step(line[2:], [], "sh", number))
        elif steps and steps[-1].command.endswith("\\") and not steps[-1].shown:
            steps[-1].command += "\n" + line
        elif steps:
            steps[-1].shown.append(line)
    return steps


def comparable(lines):
    """Returns the lines with the routes of each plan sorted and oriented, since neither changes the plan."""
    result, routes = [], []
    for line in [*(line.rstrip() for line in lines), ""]:
        found = re.fullmatch(r"Route \d+: ([^()]+?)(  .*)", line)
        if found is None:
            result += sorted(routes) + [line]
            routes = []
        else:
            stops = found[1].split()
            routes.append("Route: " + " ".join(min(stops, stops[::-1])) + found[2])
    return result[:-1]


def line_pattern(shown):
    """Returns the pattern of a shown line, in which `...` stands for any text."""
    return re.compile(".*".join(re.escape(part) for part in shown.split("...")))


def missing_line(shown, printed):
    """Returns the first line of `shown` that `printed` lacks after the lines before it, or None."""
    rest = comparable(printed.splitlines())
    for line in comparable(shown):
        pattern = line_pattern(line)
        index = next((k for k, candidate in enumerate(rest) if pattern.fullmatch(candidate)), None)
        if index is None:
            return line
        rest = rest[index + 1:]
    return None

"""Reads the help texts of vrpd and vrpctl, as CLI11 prints them."""

import dataclasses
import re


@dataclasses.dataclass
class Option:
    """A flag or positional argument."""

    names: list
    value: str
    text: str
    default: str = ""
    variable: str = ""
    excludes: str = ""
    required: bool = False
    repeats: bool = False


@dataclasses.dataclass
class HelpText:
    """The parts of a help text; `commands` holds pairs of name and description."""

    examples: list = dataclasses.field(default_factory=list)
    description: list = dataclasses.field(default_factory=list)
    usage: str = ""
    arguments: list = dataclasses.field(default_factory=list)
    options: list = dataclasses.field(default_factory=list)
    commands: list = dataclasses.field(default_factory=list)


def take(pattern, text):
    """Returns the first group of `pattern` in `text`, or "", and `text` without the match."""
    match = re.search(pattern, text)
    if not match:
        return "", text
    return match[1], (text[:match.start()] + text[match.end():]).strip()


def parse_option(term, text):
    """Parses a term such as `--remote HOST:PORT=127.0.0.1:50051 (Env:VRP_REMOTE)`."""
    variable, term = take(r" \(Env:(\w+)\)", term)
    excludes, term = take(r" Excludes: (.+)$", term)
    required, term = take(r" (\(required\))", term)
    repeats, term = take(r" (\.\.\.)$", term)
    names, _, value = term.partition(" ")
    _, value = take(r":(\{[^}]*\}|POSITIVE)", value)
    default, value = take(r"=(?![A-Z])(.*)$", value)  # KEY=VALUE has none
    return Option(names.split(","), value, text, default.strip("[]"), variable, excludes, bool(required), bool(repeats))


def entries(lines):
    """Yields pairs of term and description. A long term has its description on the next line."""
    term = None
    for line in lines:
        match = re.fullmatch(r"( +)(\S.*?)(?: {2,}(\S.*))?", line)
        if not match:
            continue
        if term is not None:
            yield term, match[2] if match[3] is None else f"{match[2]} {match[3]}"
            term = None
        elif match[3] is None:
            term = match[2]
        else:
            yield match[2], match[3]
    if term is not None:
        raise ValueError(f"help text: {term!r} has no description")


SECTIONS = ("Examples", "Positionals", "Options", "Subcommands")


def sections(text):
    """Returns the lines of each section by its title; those outside of sections are under "". Groups of options, which
    CLI11 prints indented below a line in brackets, belong to the sections of the same title."""
    found = {title: [] for title in ("", *SECTIONS)}
    current = ""
    for line in text.splitlines():
        title = line.strip().removesuffix(":")
        if line.strip().endswith(":") and title in SECTIONS:
            current = title
        elif line.startswith("[") or line.startswith("  ["):
            continue
        elif current and line and not line.startswith(" "):
            current = ""
            found[""].append(line)
        else:
            found[current].append(line)
    return found


def parse_help(text):
    """Returns the parts of a help text."""
    found = sections(text)
    usage = [line for line in found[""] if line.startswith("Usage: ")]
    if len(usage) != 1:
        raise ValueError(f"help text: got {len(usage)} lines of usage, wanted 1:\n{text}")
    return HelpText(
        examples=[line.removeprefix("  ") for line in found["Examples"] if line.strip()],
        description=[line for line in found[""] if line.strip() and not line.startswith("Usage: ")],
        usage=usage[0].removeprefix("Usage: "),
        arguments=[parse_option(*pair) for pair in entries(found["Positionals"])],
        options=[parse_option(*pair) for pair in entries(found["Options"])],
        commands=list(entries(found["Subcommands"])))

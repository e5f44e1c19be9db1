#!/usr/bin/env python3
"""Writes the manual pages vrpd.1 and vrpctl.1 from the programs' help texts.

    cmake/package/man_pages.py --programs build/package/bin --output FOLDER

The pages are dated by SOURCE_DATE_EPOCH (seconds since 1970), so that equal programs give equal pages.
"""

import argparse
import datetime
import os
import pathlib
import subprocess
import textwrap

from help_text import parse_help

FILES = {
    "vrpd": (("/etc/vrpd/vrpd.yaml", "Configuration of the service vrpd.service. Its comments describe every key."),
             ("/var/lib/vrpd", "State of the service: jobs, checkpoints, models, datasets and matrices.")),
    "vrpctl": (),
}
SIGNALS = (("SIGTERM, SIGINT", "Stop within 20 s. The next start with the same --state-dir continues the jobs."),
           ("SIGHUP", "Read the TLS certificate, its key, the client CA certificates and the tokens again."))


def escape(text):
    """Escapes `text` for roff, so that characters such as - and ' can be copied from the page into a shell."""
    for plain, roff in (("\\", "\\e"), ("-", "\\-"), ("'", "\\(aq"), ("`", "\\(ga"), ("^", "\\(ha"), ("~", "\\(ti")):
        text = text.replace(plain, roff)
    return as_text(text)


def as_text(line):
    """Returns `line` so that roff does not read a full stop at its beginning as a request."""
    return "\\&" + line if line.startswith(".") else line


def paragraph(text):
    """Returns a paragraph in roff, broken between words at 70 characters, escapes included, as mandoc wants at most 80."""
    lines = textwrap.wrap(escape(text), 70, break_long_words=False, break_on_hyphens=False)
    return "".join(as_text(line) + "\n" for line in lines)


def sentence(text):
    """Returns `text` with a full stop."""
    return text if text.endswith((".", "!", "?", ":")) else text + "."


def entry(term, text):
    """Returns a term and the paragraph that describes it."""
    return f".TP\n{term}\n{paragraph(sentence(text))}"


def option_term(option):
    """Returns the names of an option in bold; its value, or the name of an argument, in italics."""
    names = ", ".join(f"\\f{'B' if name.startswith('-') else 'I'}{escape(name)}\\fR" for name in option.names)
    value = f" \\fI{escape(option.value)}\\fR" if option.value else ""
    return names + value + (" ..." if option.repeats else "")


def option_text(option):
    """Returns the description of an option with its default, environment variable and conflicts."""
    text = sentence(option.text)
    if option.required:
        text += " Required."
    if option.default:
        text += f" Default: {option.default}."
    if option.variable:
        text += f" Environment: {option.variable}."
    if option.excludes:
        text += " Not with " + option.excludes.replace(" ", " or ") + "."
    return text


def options(entries):
    return "".join(entry(option_term(option), option_text(option)) for option in entries)


def examples(lines):
    return ".EX\n" + "".join(escape(line) + "\n" for line in lines) + ".EE\n"


def command_section(program, path, text):
    """Returns the subsection of one command of vrpctl."""
    page = f".SS {escape(' '.join([program, *path]))}\n{paragraph(sentence(text.description[0]))}"
    page += f".PP\n{escape(text.usage)}\n" + options(text.arguments)
    page += options(option for option in text.options if "--help" not in option.names)
    return page + (".PP\nExamples:\n.PP\n" + examples(text.examples) if text.examples else "")


class Page:
    """The manual page of one program."""

    def __init__(self, folder, program):
        self.folder = folder
        self.program = program
        self.top = self.help()

    def run(self, *arguments):
        """Returns the output of the program, run without the caller's environment variables VRP_*."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("VRP_")}
        return subprocess.run([self.folder / self.program, *arguments], check=True, capture_output=True, text=True,
                              env=environment).stdout

    def help(self, *path):
        return parse_help(self.run(*path, "--help"))

    def commands(self, text, path=()):
        """Returns the subsections of all commands below `path`; groups of commands have no subsection."""
        sections = ""
        for name, _ in text.commands:
            below = self.help(*path, name)
            if below.commands:
                sections += self.commands(below, (*path, name))
            else:
                sections += command_section(self.program, (*path, name), below)
        return sections

    def render(self, date):
        """Returns the page in roff."""
        name, version = self.program, self.run("--version").split()[1]
        brief = self.top.description[0].split(". ")[0].rstrip(".")
        other = "vrpctl" if name == "vrpd" else "vrpd"
        page = f'.TH {name.upper()} 1 {date} "vrp {version}" "User Commands"\n'
        page += f".SH NAME\n{name} \\- {paragraph(brief[0].lower() + brief[1:])}"
        page += f".SH SYNOPSIS\n{escape(self.top.usage)}\n"
        page += f".SH DESCRIPTION\n{paragraph(' '.join(self.top.description))}"
        page += f".SH OPTIONS\n{options(self.top.options)}"
        if self.top.commands:
            page += f".SH COMMANDS\n{self.commands(self.top)}"
        if name == "vrpd":
            page += ".SH SIGNALS\n" + "".join(entry(*signal) for signal in SIGNALS)
        if FILES[name]:
            page += ".SH FILES\n" + "".join(entry(f"\\fI{escape(path)}\\fR", text) for path, text in FILES[name])
        return page + f".SH EXAMPLES\n{examples(self.top.examples)}.SH SEE ALSO\n.BR {other} (1)\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="read vrpd and vrpctl from this folder")
    parser.add_argument("--output", type=pathlib.Path, required=True, help="write into this folder, created if absent")
    arguments = parser.parse_args()
    epoch = int(os.environ["SOURCE_DATE_EPOCH"])
    date = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%d")
    arguments.output.mkdir(parents=True, exist_ok=True)
    for program in ("vrpd", "vrpctl"):
        (arguments.output / f"{program}.1").write_text(Page(arguments.programs.resolve(), program).render(date))


if __name__ == "__main__":
    main()

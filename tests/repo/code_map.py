#!/usr/bin/env python3
"""Measures how easy the source tree is to navigate.

Usage: tests/repo/code_map.py [ROOT] [--folders | --list FIGURE]

Prints one line per figure:
- files and lines of the code, then of the tests (median, 90th percentile, largest file),
- folder cycles,
- code files outside tests and core/search that mention each term of FACTS, which few files should know,
- comment lines that begin a sentence with a word of AVOIDED.
With --folders, prints one line per folder first. With --list, prints only the files or comments of one figure.
"""

import argparse
import pathlib
import re
import statistics
import subprocess

import include_order

CODE = (".h", ".cc", ".cu", ".cuh")  # endings of code files
TOPS = ("core", "server", "client")  # folders of the programs' code
# Term -> pattern by which a file mentions it.
FACTS = {
    "max_stops": re.compile(r"\bmax_stops\b"),
    "skills": re.compile(r"\bskills\b"),
    "max_distance": re.compile(r"\bmax_distance\b"),
    "pointer network": re.compile(r"ptrnet|pointer.?network", re.IGNORECASE),
    "ConvertInstance": re.compile(r"\bConvertInstance\b"),
}
# Folders whose comments may begin with avoided words.
SKIPPED = ("core/search/", "tests/fuzz/seeds/", "tests/data/")
# Words that no sentence of a comment should begin with.
AVOIDED = ("What", "Of", "That", "Where", "Told", "Twice", "Nobody")
COMMENT_START = re.compile(r"^\s*(?://+|#)\s+(%s)\b" % "|".join(AVOIDED))
COMMENT = re.compile(r"^\s*(?://|#) ")


def tracked(root):
    """Returns the tracked files of `root`, as paths relative to it."""
    out = subprocess.run(["git", "-C", root, "ls-files"], check=True, capture_output=True, text=True)
    return [name for name in out.stdout.splitlines() if (pathlib.Path(root) / name).is_file()]


def read(root, name):
    return (pathlib.Path(root) / name).read_text(encoding="utf-8", errors="replace")


def code_files(root, tops=TOPS):
    return [name for name in tracked(root) if name.endswith(CODE) and name.split("/")[0] in tops]


def line_counts(root, names):
    return {name: read(root, name).count("\n") for name in names}


def summary(counts):
    """Returns "files lines median p90 largest" of line counts by file."""
    values = sorted(counts.values())
    p90 = values[min(len(values) - 1, int(len(values) * 0.9))]
    largest = max(counts, key=counts.get)
    return (f"files={len(values)} lines={sum(values)} median={statistics.median(values):.0f} p90={p90} "
            f"largest={values[-1]} ({largest})")


def files_that_mention(root, pattern):
    """Returns the code files outside tests and core/search whose text matches `pattern`."""
    return [name for name in code_files(root)
            if not name.startswith("core/search/") and pattern.search(read(root, name))]


def begins_a_sentence(lines, number):
    """Returns whether the comment on line `number` begins a sentence, rather than continues that of the line before."""
    before = lines[number - 1].strip() if number else ""
    return not COMMENT.match(before) or before.endswith((".", ":", "?", "!"))


def avoided_starts(root):
    """Returns word -> lines "file:line: text" of comments that begin a sentence with an avoided word."""
    found = {word: [] for word in AVOIDED}
    for name in tracked(root):
        if not name.endswith(CODE + (".txt", ".cmake", ".py", ".proto", ".yaml")) or name.startswith(SKIPPED):
            continue
        lines = read(root, name).splitlines()
        for number, line in enumerate(lines):
            match = COMMENT_START.match(line)
            if match and begins_a_sentence(lines, number):
                found[match.group(1)].append(f"{name}:{number + 1}: {line.strip()}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--folders", action="store_true", help="print one line per folder first")
    parser.add_argument("--list", metavar="FIGURE", choices=[*FACTS, *AVOIDED],
                        help="print the files or lines behind a figure")
    options = parser.parse_args()
    counts = line_counts(options.root, code_files(options.root))
    starts = avoided_starts(options.root)
    if options.list:
        print("\n".join(starts[options.list] if options.list in starts
                        else files_that_mention(options.root, FACTS[options.list])))
        return
    if options.folders:
        for folder in sorted({name.rsplit("/", 1)[0] for name in counts}):
            print(f"{folder}: {summary({n: c for n, c in counts.items() if n.rsplit('/', 1)[0] == folder})}")
    print(f"code: {summary(counts)}")
    print(f"tests: {summary(line_counts(options.root, code_files(options.root, ('tests',))))}")
    print(f"folder cycles: {len(include_order.cycles(options.root))}")
    for name, pattern in FACTS.items():
        print(f"files that mention {name}: {len(files_that_mention(options.root, pattern))}")
    for word, lines in starts.items():
        print(f"comments that begin with {word}: {len(lines)}")


if __name__ == "__main__":
    main()

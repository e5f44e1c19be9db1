#!/usr/bin/env python3
"""Writes the generated pages of docs/reference: API, command line, training settings, formats.

Examples:
  docs/tools/write_reference.py           write all of them (after ./dev build; needs protoc and Debian's python3-protobuf)
  docs/tools/write_reference.py --check   list the pages that differ from what would be written; exit code 1 if there are any

VRP_BINARY_DIR is the build folder; default: build/dev. `vrpd --print-options` writes vrpd-options.md.
"""

import argparse
import sys

import api_reference
import cli_reference
import formats_reference
import settings_reference
from programs import ROOT

REFERENCE = ROOT / "docs" / "reference"


def pages():
    """Returns the text of each generated page by its path below docs/reference."""
    made = {f"api/{name}": text for name, text in api_reference.pages().items()}
    made["cli.md"] = cli_reference.page()
    made["training-settings.md"] = settings_reference.page()
    made["file-formats.md"] = formats_reference.page((REFERENCE / "file-formats.md").read_text())
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    stale = []
    for name, text in pages().items():
        path = REFERENCE / name
        if path.is_file() and path.read_text() == text:
            continue
        stale.append(f"docs/reference/{name}")
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    for name in stale:
        print(f"{'is not up to date' if check else 'written'}: {name}")
    if check and stale:
        sys.exit("run docs/tools/write_reference.py and commit the pages")


if __name__ == "__main__":
    main()

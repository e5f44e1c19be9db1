"""Writes the training configurations that the web page offers, as JSON: [{"name": "tiny_1", "yaml": "..."}], by name.

    python3 presets.py OUTPUT.json FILE.yaml...
"""

import json
import pathlib
import sys


def main():
    files = sorted(map(pathlib.Path, sys.argv[2:]), key=lambda file: file.stem)
    presets = [{"name": file.stem, "yaml": file.read_text(encoding="utf-8")} for file in files]
    pathlib.Path(sys.argv[1]).write_text(json.dumps(presets), encoding="utf-8")


if __name__ == "__main__":
    main()

"""Tests that large folders have a README and that every source has a header or is named in a README."""

import collections
import os
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(os.environ.get("VRP_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
MAX_FILES = 15  # largest number of files of a folder without a README
MAX_LINES = 25  # largest number of lines of a README outside tests
SKIPPED = ("tests/fuzz/seeds", "tests/data")


def folders():
    """Returns folder -> names of its tracked files, for the folders that the tests check."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "core", "server", "client", "tests"], check=True,
                            capture_output=True, text=True)
    found = collections.defaultdict(list)
    for path in map(pathlib.PurePosixPath, listed.stdout.splitlines()):
        folder = path.parent.as_posix()
        if not folder.startswith(SKIPPED) and (ROOT / path).is_file():
            found[folder].append(path.name)
    return found


def readme_text(folder):
    """Returns the READMEs of `folder` and of the folders above it, except the root, as one text."""
    paths = [pathlib.Path(folder), *pathlib.Path(folder).parents]
    return "".join((ROOT / path / "README.md").read_text() for path in paths
                   if path != pathlib.Path(".") and (ROOT / path / "README.md").is_file())


@unittest.skipUnless((ROOT / ".git").exists(), "not a git checkout")
class ReadmeTest(unittest.TestCase):
    def test_large_folders_have_a_readme(self):
        self.assertEqual([folder for folder, names in folders().items()
                          if len(names) > MAX_FILES and "README.md" not in names], [])

    def test_readmes_of_code_are_short(self):
        long = [folder for folder, names in folders().items() if "README.md" in names and not folder.startswith("tests")
                and len((ROOT / folder / "README.md").read_text().splitlines()) > MAX_LINES]
        self.assertEqual(long, [])

    def test_each_source_belongs_to_a_header_or_is_named(self):
        undescribed = []
        for folder, names in folders().items():
            if folder.startswith("tests"):
                continue
            text = readme_text(folder)
            for name in names:
                stem = name.removesuffix(".cc")
                # core/kernels/README.md describes all cuda_*.cc as `cuda_x.cc`.
                word = "cuda_x" if folder.startswith("core/kernels") and stem.startswith("cuda_") else stem
                if name not in (stem, "main.cc") and f"{stem}.h" not in names and not re.search(rf"\b{word}\b", text):
                    undescribed.append(f"{folder}/{name}")
        self.assertEqual(undescribed, [])


if __name__ == "__main__":
    unittest.main()

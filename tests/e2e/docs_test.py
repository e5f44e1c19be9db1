"""Runs the `sh` blocks of docs/*.md in order on a real daemon, and checks that commands and flags in the text exist.

Trainings are shortened by a vrpctl that adds settings."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from daemon import BINARIES, ROOT, Daemon

PAGE_TIMEOUT_S = 280

# Precedes the real one in PATH. Asks it for the method of a training, since each method has other settings.
SHORTENING_VRPCTL = """\
#!/usr/bin/env python3
import json, os, subprocess, sys
real, words = "{real}", sys.argv[1:]
if words[0] == "train" and not {{"--list-presets", "--print-config", "--validate-only"}} & set(words):
    asked = [word for word in words if word != "--detach"]
    asked = asked[:asked.index("--output")] if "--output" in asked else asked
    printed = subprocess.run([real, *asked, "--print-config", "--output", "json"], capture_output=True, text=True)
    method = json.loads(printed.stdout)["training.method"] if printed.returncode == 0 else ""
    short = ["training.batch_size=8", "validation.instances=8"]
    if not any(word.startswith("training.epochs=2000") for word in words):
        short.append("training.epochs=1")
    short.append("supervised.samples=16" if method == "supervised" else "training.batches_per_epoch=2")
    words += [word for setting in short for word in ("--set", setting)]
os.execv(real, [real, *words])
"""


def pages():
    return sorted((ROOT / "docs").glob("*.md"))


def script_of(page):
    """Returns the lines of the page's `sh` blocks."""
    return [line for block in re.findall(r"^```sh\n(.*?)^```$", page.read_text(), flags=re.DOTALL | re.MULTILINE)
            for line in block.splitlines()]


def inline_commands(page):
    """Returns the `vrpctl ...` commands within the text, as words."""
    prose = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    return [found.split() for found in re.findall(r"`(vrpctl [^`]*)`", prose)]


class DocsTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-docs-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "bin").mkdir()
        program = self.folder / "bin" / "vrpctl"
        program.write_text(SHORTENING_VRPCTL.format(real=BINARIES / "vrpctl"))
        program.chmod(0o755)

    def test_runs_the_commands_of_each_page(self):
        self.assertTrue(pages())
        for page in pages():
            lines = script_of(page)
            if not lines:
                continue
            with self.subTest(page.name):
                daemon = Daemon()
                self.addCleanup(daemon.clean_up)
                self.run_page(page, lines, daemon)

    def run_page(self, page, lines, daemon):
        work = self.folder / page.stem
        work.mkdir()
        environment = dict(os.environ, PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}", VRP_REMOTE=daemon.address)
        script = "set -eu -o pipefail\ntrap 'echo \"failed: $BASH_COMMAND\" >&2' ERR\n" + "\n".join(lines)
        done = subprocess.run(["bash", "-c", script], cwd=work, env=environment, capture_output=True, text=True,
                              timeout=PAGE_TIMEOUT_S, check=False)
        self.assertEqual(done.returncode, 0, f"{page.name}: {done.stdout[-3000:]}\n{done.stderr[-3000:]}")

    def test_knows_the_commands_within_the_text(self):
        checked = 0
        for page in pages():
            for words in inline_commands(page):
                with self.subTest(page=page.name, command=" ".join(words)):
                    self.expect_known(words)
                    checked += 1
        self.assertGreater(checked, 3)

    def expect_known(self, words):
        path = []
        for word in words[1:]:
            if not re.fullmatch(r"[a-z][a-z-]*", word):
                break
            path.append(word)
        done = subprocess.run([BINARIES / "vrpctl", *path, "--help"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        for flag in [word for word in words if word.startswith("--")]:
            self.assertIn(flag, done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)

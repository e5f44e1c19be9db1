"""Runs the marked blocks of every page of docs/ on a real daemon, and checks the commands that the text names."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import python_environment  # noqa: E402

python_environment.require_modules("grpc", "numpy")

from daemon import BINARIES, ROOT, Daemon  # noqa: E402
from page_blocks import RUNNABLE, blocks_of  # noqa: E402
from page_runner import run_page  # noqa: E402

CLIENT = ROOT / "client" / "python"
# Generated pages, whose commands are not checked.
GENERATED = ("reference/cli.md", "reference/api/")

# A vrpctl that precedes the real one in PATH and shortens training jobs. It asks the real one for the training method,
# since each method has other settings.
SHORTENING_VRPCTL = """\
#!/usr/bin/env python3
import json, os, subprocess, sys
real, words = "{real}", sys.argv[1:]
if words[:1] == ["train"] and not {{"--list-presets", "--print-config", "--validate-only"}} & set(words):
    asked = [word for word in words if word != "--detach"]
    asked = asked[:asked.index("--output")] if "--output" in asked else asked
    printed = subprocess.run([real, *asked, "--print-config", "--output", "json"], capture_output=True, text=True)
    settings = json.loads(printed.stdout) if printed.returncode == 0 else {{}}
    method = settings.get("training.method", "")
    short = ["training.batch_size=8", "validation.instances=8"]
    if settings.get("model") in ("dispatch", "estimate", "habits"):
        os.execv(real, [real, *words, "--set", "training.epochs=1"])
    if not any(word.startswith("training.epochs=2000") for word in words):
        short.append("training.epochs=1")
    short.append("supervised.samples=16" if method == "supervised" else "training.batches_per_epoch=2")
    words += [word for setting in short for word in ("--set", setting)]
os.execv(real, [real, *words])
"""


def pages():
    return sorted((ROOT / "docs").rglob("*.md"))


def make_package(folder):
    """Copies the Python package into `folder`, with its generated files. Returns the folder, or None without a package."""
    if not (CLIENT / "generate.py").is_file():
        return None
    shutil.copytree(CLIENT / "vrpd", folder / "vrpd", ignore=shutil.ignore_patterns("_generated", "_bin", "__pycache__"))
    subprocess.run([sys.executable, CLIENT / "generate.py", folder / "vrpd"], check=True, capture_output=True, timeout=60)
    return folder


def relative(page):
    return page.relative_to(ROOT / "docs").as_posix()


def inline_commands(page):
    """Returns the `vrpctl ...` commands within the text, as words."""
    prose = re.sub(r"^(```+).*?^\1$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    return [found.split() for found in re.findall(r"`(vrpctl [^`]*)`", prose)]


class PagesTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-docs-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        programs = self.folder / "bin"
        programs.mkdir()
        (programs / "vrpctl").write_text(SHORTENING_VRPCTL.format(real=BINARIES / "vrpctl"))
        (programs / "vrpctl").chmod(0o755)
        (programs / "vrpd").symlink_to(BINARIES / "vrpd")
        # A symbolic link would lose the packages of the virtual environment.
        (programs / "python3").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
        (programs / "python3").chmod(0o755)
        self.package = make_package(self.folder / "python")

    def test_mark_every_shell_and_python_block(self):
        unmarked = [f"{relative(page)}:{block.line}" for page in pages() for block in blocks_of(page.read_text())
                    if block.language in RUNNABLE and not block.is_marked]
        self.assertEqual(unmarked, [])

    def test_have_marked_blocks_that_run_and_print_what_they_show(self):
        chosen = os.environ.get("VRP_DOCS_PAGE", "")
        ran = 0
        for page in pages():
            blocks = [block for block in blocks_of(page.read_text()) if block.runs]
            if not blocks or chosen not in relative(page):
                continue
            if self.package is None and any(block.language == "python" for block in blocks):
                print(f"skipped: {relative(page)}: there is no client/python")
                continue
            with self.subTest(relative(page)):
                self.run_page(page)
                ran += 1
        self.assertGreater(ran, 0)

    def run_page(self, page):
        work = self.folder / relative(page).replace("/", "-")
        work.mkdir()
        daemon = Daemon()
        self.addCleanup(daemon.clean_up)
        environment = dict(os.environ, PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}", HOME=str(work),
                           VRP_REMOTE=daemon.address, PYTHONPATH=str(self.package or ""), VRP_BINARY_DIR=str(BINARIES.parent),
                           XDG_RUNTIME_DIR=str(work), VRPD_IDLE_S="2")
        start = time.monotonic()
        errors = run_page(page, work, daemon.address, environment)
        print(f"{relative(page)}: {time.monotonic() - start:.1f} s")
        daemon.clean_up()
        if errors:
            self.fail("\n".join(errors))

    def test_name_only_commands_that_vrpctl_knows(self):
        checked = 0
        for page in pages():
            if relative(page).startswith(GENERATED):
                continue
            for words in inline_commands(page):
                with self.subTest(page=relative(page), command=" ".join(words)):
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

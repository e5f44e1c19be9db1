"""Tests that the man pages agree with the programs' help texts and are correct roff."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("VRP_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
PROGRAMS = pathlib.Path(os.environ.get("VRP_BINARY_DIR", ROOT / "build" / "dev")) / "bin"
TOOL = ROOT / "cmake" / "package"
sys.path.insert(0, str(TOOL))

from help_text import parse_help, parse_option  # pylint: disable=wrong-import-position


def needs(name):
    return unittest.skipUnless(shutil.which(name), f"skipped: {name} is not installed")


def help_of(program, *path):
    return subprocess.run([PROGRAMS / program, *path, "--help"], check=True, capture_output=True, text=True).stdout


def commands(*path):
    """Yields the paths of all commands at or below `path` of vrpctl that have no subcommands."""
    text = parse_help(help_of("vrpctl", *path))
    if not text.commands:
        yield path
    for name, _ in text.commands:
        yield from commands(*path, name)


class ManPagesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-man-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.write(cls.folder)

    @staticmethod
    def write(folder, **variables):
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "1763000000", **variables}
        subprocess.run([sys.executable, TOOL / "man_pages.py", "--programs", PROGRAMS, "--output", folder], check=True, env=environment)

    def plain(self, name):
        """Returns the page with plain dashes and without fonts."""
        return re.sub(r"\\f[BIR]", "", (self.folder / name).read_text().replace("\\-", "-"))

    def test_describe_every_command_and_flag(self):
        page = self.plain("vrpctl.1")
        sections = dict(re.findall(r"(?ms)^\.SS vrpctl ([\w -]+)$(.*?)(?=^\.S[SH] )", page))
        self.assertEqual(set(sections), {" ".join(path) for path in commands()})
        for path, section in sections.items():
            flags = set(re.findall(r"(?m)^ +(--[a-z-]+)", help_of("vrpctl", *path.split())))
            described = set(re.findall(r"(?m)^(--[a-z-]+)", section))
            self.assertEqual(described, flags, path)

    def test_describe_every_option_of_the_daemon(self):
        flags = set(re.findall(r"(?m)^ +(?:-h,)?(--[a-z-]+)", help_of("vrpd")))
        described = set(re.findall(r"(?m)^(?:-h, )?(--[a-z-]+)", self.plain("vrpd.1")))
        self.assertEqual(described, flags)

    def test_depend_on_neither_the_day_nor_the_callers_settings(self):
        with tempfile.TemporaryDirectory() as again:
            self.write(again, VRP_REMOTE="elsewhere:1", COLUMNS="40", TZ="Asia/Tokyo")
            for name in ("vrpd.1", "vrpctl.1"):
                self.assertEqual((pathlib.Path(again) / name).read_bytes(), (self.folder / name).read_bytes())

    @needs("mandoc")
    def test_pass_mandocs_check(self):
        for page in sorted(self.folder.iterdir()):
            done = subprocess.run(["mandoc", "-Tlint", page], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))


class HelpTextTest(unittest.TestCase):
    def test_distinguishes_a_default_from_a_placeholder(self):
        remote = parse_option("--remote HOST:PORT=127.0.0.1:50051 (Env:VRP_REMOTE)", "Address")
        self.assertEqual((remote.names, remote.value, remote.default, remote.variable),
                         (["--remote"], "HOST:PORT", "127.0.0.1:50051", "VRP_REMOTE"))
        label = parse_option("--label KEY=VALUE ...", "Label")
        self.assertEqual((label.value, label.default, label.repeats), ("KEY=VALUE", "", True))
        output = parse_option("--output WORD:{table,json}=table", "Form")
        self.assertEqual((output.value, output.default), ("WORD", "table"))

    def test_reads_long_terms_and_groups_of_options(self):
        text = parse_help("Examples:\n  x --a 1\n\nDo it\nUsage: x [OPTIONS]\n\nOptions:\n"
                          "  --a N                 First\n  --a-very-long-name-of-a-flag FILE\n                        Second\n"
                          "[Option Group: g]\n   \n  [Exactly 1 of the following options is required]\n  Options:\n    --c      Third\n")
        self.assertEqual([(option.names[0], option.text) for option in text.options],
                         [("--a", "First"), ("--a-very-long-name-of-a-flag", "Second"), ("--c", "Third")])
        self.assertEqual((text.examples, text.description, text.usage), (["x --a 1"], ["Do it"], "x [OPTIONS]"))

    def test_refuses_a_flag_without_description(self):
        with self.assertRaisesRegex(ValueError, "'--a N' has no description"):
            parse_help("Do it\nUsage: x\n\nOptions:\n  --a N\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)

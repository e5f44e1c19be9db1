#!/usr/bin/env python3
"""Tests that no two sources of a unity build define the same name."""

import os
import pathlib
import tempfile
import unittest

import unity_names

SOURCE = "namespace vrp {\nnamespace {\n\n%s\n\n}  // namespace\n}  // namespace vrp\n"


class UnityNamesTest(unittest.TestCase):
    def findings(self, cmake, sources):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "core").mkdir()
            (root / "core" / "CMakeLists.txt").write_text(cmake)
            for name, text in sources.items():
                (root / "core" / name).write_text(SOURCE % text)
            return list(unity_names.findings(root))

    def test_finds_none_in_the_repository(self):
        root = os.environ.get("VRP_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2])
        self.assertEqual(list(unity_names.findings(root)), [])

    def test_reports_names_defined_by_two_sources(self):
        for text in ("int Count() {", "class Count {", "constexpr int kCount = 1;", "using Count = int;"):
            found = self.findings("vrp_add_library(vrp_a UNITY 8\n  SOURCES a.cc b.cc)\n", {"a.cc": text, "b.cc": text})
            self.assertEqual(len(found), 1, text)
            self.assertIn("Count is in a.cc and in b.cc", found[0])

    def test_ignores_libraries_without_unity_builds(self):
        same = {"a.cc": "int Count() {", "b.cc": "int Count() {"}
        self.assertEqual(self.findings("vrp_add_library(vrp_a\n  SOURCES a.cc b.cc)\n", same), [])

    def test_treats_tests_as_unity_builds(self):
        same = {"a.cc": "int Count() {", "b.cc": "int Count() {"}
        self.assertEqual(len(self.findings("vrp_add_test(a_test\n  SOURCES a.cc b.cc)\n", same)), 1)


if __name__ == "__main__":
    unittest.main()

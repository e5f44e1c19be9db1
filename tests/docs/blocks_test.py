"""Tests the reader of documentation pages."""

import unittest

from page_blocks import blocks_of, missing_line, steps_of

PAGE = """\
Text.

<!-- file: a.json -->
```json
{"a": 1}
```

<!-- run -->
```console
$ one \\
  two
shown 1 ...
$ three
```

```sh
unmarked
```
"""


class BlocksTest(unittest.TestCase):
    def test_reads_marks_languages_and_lines(self):
        blocks = blocks_of(PAGE)
        self.assertEqual([(block.language, block.line, block.file, block.runs, block.is_marked) for block in blocks],
                         [("json", 3, "a.json", False, True), ("console", 8, None, True, True), ("sh", 16, None, False, False)])

    def test_separates_commands_from_their_output(self):
        steps = steps_of(blocks_of(PAGE)[1])
        self.assertEqual([(step.command, step.shown) for step in steps],
                         [("one \\\n  two", ["shown 1 ..."]), ("three", [])])

    def test_accepts_omitted_lines_and_dots_for_any_text(self):
        self.assertIsNone(missing_line(["first", "cost ... ms"], "first\nmore\ncost 12 ms\n"))

    def test_names_the_first_line_that_is_not_printed_in_order(self):
        self.assertEqual(missing_line(["b", "a"], "a\nb\n"), "a")
        self.assertEqual(missing_line(["cost 12"], "cost 13\n"), "cost 12")

    def test_compares_routes_without_their_order_and_direction(self):
        printed = "Route 1: 4 5  distance 3\nRoute 2: 3 2 1  distance 9\n"
        self.assertIsNone(missing_line(["Route 1: 1 2 3  distance 9", "Route 2: 5 4  distance 3"], printed))
        self.assertIsNotNone(missing_line(["Route 1: 1 3 2  distance 9"], printed))


if __name__ == "__main__":
    unittest.main(verbosity=2)

"""What the table says; run with `python3 -m unittest` in this directory."""

import argparse
import unittest
from pathlib import Path

from front_end_table import Row, markdown

ARGUMENTS = argparse.Namespace(repeat=3, clock="processor")


def row(found: int, lowered: int, failures: list[dict]) -> Row:
    report = {"units": 2, "lines": 12345, "functions": {"found": found, "lowered": lowered}, "failures": failures}
    return Row("pixz", Path("/programs/pixz"), report, our_seconds=0.5, gcc_seconds=2.0)


class Table(unittest.TestCase):
    def test_a_row_has_shares_and_the_ratio_to_gcc(self):
        self.assertIn("| pixz | 2 | 12.3 | 8 | 6 | 75.00 | 0.50 | 2.00 | 0.25 |",
                      list(markdown([row(8, 6, [])], ARGUMENTS)))

    def test_a_share_is_never_rounded_up_to_all(self):
        self.assertIn(" 99.99 ", "\n".join(markdown([row(1_000_000, 999_999, [])], ARGUMENTS)))

    def test_failures_are_counted_by_reason_and_named_with_their_place(self):
        failure = {"file": "/programs/pixz/src/list.c", "line": 3, "column": 1, "function": "f", "reason": "too deep"}
        lines = list(markdown([row(2, 1, [failure])], ARGUMENTS))
        self.assertIn("| 1 | too deep |", lines)
        self.assertIn("- src/list.c:3:1 `f`: too deep", lines)


if __name__ == "__main__":
    unittest.main()

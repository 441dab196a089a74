"""What the table and the check say; run with `python3 -m unittest` in this directory."""

import unittest

from check import differences
from matching import cause, compare
from measure import Cost
from table import Row, markdown

MANIFEST = {"races": [
    {"kind": "forgotten lock", "file": "a/cache.c", "function": "cache_add", "variable": "total",
     "expression": "object->total", "lines": [7]},
    {"kind": "counter without a lock", "file": "a/cache.c", "function": "cache_sum", "variable": "cache_sum_calls",
     "expression": "cache_sum_calls", "lines": [30]}]}


def report(location: str, *accesses: tuple[str, int, str]) -> dict:
    return {"location": location,
            "accesses": [{"file": file, "line": line, "function": function} for file, line, function in accesses]}


def row(name: str, functions: int, seconds: float, comparison=None) -> Row:
    return Row(name, functions, functions * 50, Cost(seconds / 2, seconds, 80_000_000), Cost(1.0, 0.5, 0), 4, comparison)


class Matching(unittest.TestCase):
    def test_a_race_is_found_by_its_line_and_its_variable(self):
        found = compare([report("cache->total", ("a/cache.c", 7, "cache_add"), ("a/cache.c", 9, "cache_get"))], MANIFEST)
        self.assertEqual([race["variable"] for race in found.found], ["total"])
        self.assertEqual([race["variable"] for race in found.missed], ["cache_sum_calls"])
        self.assertEqual(found.unplanted, [])

    def test_another_variable_in_a_planted_line_is_not_the_planted_race(self):
        found = compare([report("cache.limit", ("a/cache.c", 7, "cache_add"))], MANIFEST)
        self.assertEqual(len(found.missed), 2)
        self.assertEqual(len(found.unplanted), 1)

    def test_the_cause_of_a_report_is_where_it_is(self):
        self.assertEqual(cause(report("x", ("a/service.c", 1, "a_start"))), "threads and jobs")
        self.assertEqual(cause(report("x", ("a/cache.c", 1, "cache_dispose"))), "after joining")
        self.assertEqual(cause(report("x", ("a/cache.c", 1, "cache_create"))), "objects of one thread")
        self.assertEqual(cause(report("x", ("a/cache.c", 1, "cache_add"))), "locks")


class Check(unittest.TestCase):
    def test_missed_races_and_reports_that_nobody_knows_are_complaints(self):
        comparison = compare([report("cache.limit", ("a/cache.c", 8, "cache_add"))], MANIFEST)
        known = {"threads and jobs": 0, "after joining": 0, "objects of one thread": 0, "locks": 1}
        self.assertEqual(len(differences(comparison, known)), 2)
        self.assertEqual(len(differences(comparison, {**known, "locks": 0})), 3)


class Table(unittest.TestCase):
    def test_growth_is_the_time_per_function_over_that_of_the_smallest(self):
        nothing = compare([], {"races": []})
        rows = [row("small", 1000, 1.0, nothing), row("large", 10_000, 15.0, nothing), row("sqlite3.c", 4000, 16.0)]
        lines = list(markdown(rows, 3))
        self.assertIn("| small | 1000 | 50.0 | 0.50 | 1.00 | 80 | 1.00 | 1.00 | 20.0 | 0.50 | 0 | 0 | 0 |", lines)
        self.assertIn("| large | 10000 | 500.0 | 7.50 | 15.00 | 80 | 1.50 | 1.50 | 30.0 | 0.50 | 0 | 0 | 0 |", lines)
        self.assertIn("| sqlite3.c | 4000 | 200.0 | 8.00 | 16.00 | 80 | 4.00 | – | 80.0 | 0.50 | – | – | 4 |", lines)

    def test_missed_races_are_named(self):
        text = "\n".join(markdown([row("small", 100, 1.0, compare([], MANIFEST))], 1))
        self.assertIn("- missed: a/cache.c:7 `object->total` in `cache_add` (forgotten lock)", text)


if __name__ == "__main__":
    unittest.main()

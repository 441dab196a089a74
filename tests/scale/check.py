#!/usr/bin/env python3
"""Checks a small generated program: every planted race is reported, and little else.

A report in which nothing was planted is wrong: ThreadSanitizer sees none of them. How many there are
today, and why, is stated in `KNOWN`; more of them end this script with status 1.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

from generate import write_program
from matching import CAUSES, Comparison, cause, compare, read_manifest
from measure import MeasureError, check, racelens_binary

#: Small enough for a few seconds, with races of every kind.
FUNCTIONS = 600
FUNCTIONS_PER_RACE = 20
SECONDS = 120.0
#: Reports without a planted race, by cause.
KNOWN = {
    # What a thread gets with its start, what it leaves for the one that joins it, jobs that change hands.
    "threads and jobs": 3,
    "after joining": 0,
    # Made, used and freed by one thread, by functions that others call for shared objects.
    "objects of one thread": 8,
    # New members of a list whose head is reported above: what is published there counts as published without order.
    "locks": 3,
}


def main() -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--racelens", type=Path, metavar="PATH",
                        help="the program to check (default: what `cargo build --release` makes)")
    arguments = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory() as directory:
            write_program(FUNCTIONS, Path(directory), functions_per_race=FUNCTIONS_PER_RACE)
            report, _ = check(racelens_binary(arguments.racelens), Path(directory), SECONDS)
            comparison = compare(report["races"], read_manifest(Path(directory)))
    except MeasureError as error:
        print(error, file=sys.stderr)
        return 1
    complaints = differences(comparison, KNOWN)
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    print(f"{len(comparison.found)} planted races are reported, and {len(comparison.unplanted)} others "
          f"(known: {sum(KNOWN.values())})")
    return 1 if complaints else 0


def differences(comparison: Comparison, known: dict[str, int]) -> list[str]:
    """What is worse than stated, in sentences."""
    found = [f"missed: {race['file']}:{race['lines'][0]} {race['expression']} ({race['kind']})" for race in comparison.missed]
    counts = Counter(cause(report) for report in comparison.unplanted)
    for name in CAUSES:
        if counts[name] > known[name]:
            example = next(report for report in comparison.unplanted if cause(report) == name)
            place = example["accesses"][0]
            found.append(f"{counts[name]} reports for the cause `{name}`, known are {known[name]}; "
                         f"for example {example['location']} at {place['file']}:{place['line']}")
    return found


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Measures how the cost of `racelens check` grows with the size of a program.

Writes programs with `generate.py` and checks each in a process of its own; then sqlite3.c, which
`tests/real/fetch.py` brings. Prints a Markdown table with seconds, peak memory, seconds per function
and per 1,000 lines, which planted races were reported and what else was. `gcc -fsyntax-only` reads the
same files in the same run, for comparison.

Of N runs in turn the smallest seconds count: a busy machine adds to them and never takes away. Seconds
per function are processor seconds (user and system, those of the preprocessor included).
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Sequence

from generate import DATABASE, write_program
from matching import CAUSES, Comparison, cause, compare, read_manifest
from measure import Cost, MeasureError, check, racelens_binary, syntax_checks

WORK = Path(__file__).resolve().parent / ".work"
REAL = Path(__file__).resolve().parents[1] / "real" / ".work"
SQLITE = "libsqlite3-sys"


def main() -> int:
    """Runs the command line; the status is 1 if a program could not be measured or costs too much."""
    arguments = parse_arguments()
    rows: list[Row] = []
    try:
        racelens = racelens_binary(arguments.racelens)
        for size in arguments.sizes:
            print(f"measuring {size} functions", file=sys.stderr, flush=True)
            rows.append(measure_generated(size, racelens, arguments))
        if arguments.sqlite:
            print("measuring sqlite3.c", file=sys.stderr, flush=True)
            rows.append(measure_sqlite(racelens, arguments))
    except MeasureError as error:
        print(error, file=sys.stderr)
    print("\n".join(markdown(rows, arguments.repeat)))
    expected = len(arguments.sizes) + arguments.sqlite
    steep = [row.name for row in rows if row.planted and row.growth(rows) > arguments.fail_above]
    if steep:
        print(f"time per function grows by more than {arguments.fail_above}: {', '.join(steep)}", file=sys.stderr)
    return 1 if steep or len(rows) < expected else 0


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="*", default=[1250, 5000, 20000], metavar="N",
                        help="how many functions the generated programs have (default: %(default)s)")
    parser.add_argument("--racelens", type=Path, metavar="PATH",
                        help="the program to measure (default: what `cargo build --release` makes)")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="how often each is run (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the generated programs (default: %(default)s)")
    parser.add_argument("--into", type=Path, default=WORK, metavar="DIR",
                        help="where generated programs go (default: .work beside this script)")
    parser.add_argument("--real", type=Path, default=REAL, metavar="DIR",
                        help="where fetch.py put sqlite3.c (default: tests/real/.work)")
    parser.add_argument("--no-sqlite", dest="sqlite", action="store_false", help="generated programs only")
    parser.add_argument("--timeout", type=float, default=600.0, metavar="SECONDS",
                        help="how long one run may take (default: %(default)s)")
    parser.add_argument("--fail-above", type=float, default=float("inf"), metavar="RATIO",
                        help="end with status 1 if the time per function is so many times that of the smallest size")
    arguments = parser.parse_args()
    if arguments.repeat < 1:
        parser.error("--repeat needs at least 1")
    return arguments


@dataclass(frozen=True)
class Row:
    """What was measured of one program."""

    name: str
    functions: int
    lines: int
    ours: Cost
    gcc: Cost
    reports: int
    #: Absent where nobody knows which races there are.
    planted: Comparison | None = None

    @property
    def milliseconds(self) -> float:
        """Processor time for each function."""
        return 1000.0 * self.ours.processor / self.functions

    def growth(self, rows: Sequence["Row"]) -> float:
        """The time per function, over that of the smallest generated program."""
        return self.milliseconds / min((row for row in rows if row.planted), key=lambda row: row.functions).milliseconds


def measure_generated(size: int, racelens: Path, arguments: argparse.Namespace) -> Row:
    """Writes a program and measures it."""
    directory = arguments.into.resolve() / str(size)
    program = write_program(size, directory, arguments.seed)
    races, ours, gcc, _ = measure(directory, racelens, arguments)
    return Row(f"generated, {size:,}", program.functions, program.lines, ours, gcc, len(races),
               compare(races, read_manifest(directory)))


def measure_sqlite(racelens: Path, arguments: argparse.Namespace) -> Row:
    """Measures sqlite3.c."""
    directory = arguments.real.resolve() / SQLITE
    if not (directory / DATABASE).exists():
        raise MeasureError(f"{directory / DATABASE} is missing; run tests/real/fetch.py --into {arguments.real} --only {SQLITE}")
    races, ours, gcc, functions = measure(directory, racelens, arguments)
    with (directory / "sqlite3" / "sqlite3.c").open("rb") as source:
        lines = sum(1 for _ in source)
    return Row("sqlite3.c", functions, lines, ours, gcc, len(races))


def measure(directory: Path, racelens: Path, arguments: argparse.Namespace) -> tuple[list, Cost, Cost, int]:
    """Checks a program several times, in turn with gcc: reports, the least that either took, functions."""
    ours, theirs = [], []
    for _ in range(arguments.repeat):
        report, cost = check(racelens, directory, arguments.timeout)
        ours.append(cost)
        theirs.append(syntax_checks(directory / DATABASE, arguments.timeout))
    return report["races"], least(ours), least(theirs), report["stats"]["functions"]


def least(costs: Sequence[Cost]) -> Cost:
    """The smallest of each."""
    return Cost(min(c.wall for c in costs), min(c.processor for c in costs), min(c.peak for c in costs))


def markdown(rows: Sequence[Row], repeat: int) -> Iterator[str]:
    """The table, then what was missed and what came unasked."""
    yield f"The least of {repeat} runs. s: elapsed and processor seconds; growth: ms per function over those of the smallest size."
    yield ""
    yield ("| program | functions | kLOC | s | processor s | peak MB | ms per function | growth | ms per kLOC | gcc s "
           "| planted | found | other reports |")
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    for row in rows:
        yield table_line(row, rows)
    for row in rows:
        if row.planted:
            yield from details(row)


def table_line(row: Row, rows: Sequence[Row]) -> str:
    """One row of the table."""
    growth = planted = found = "–"
    others = row.reports
    if row.planted:
        growth = f"{row.growth(rows):.2f}"
        planted, found = len(row.planted.found) + len(row.planted.missed), len(row.planted.found)
        others = len(row.planted.unplanted)
    kloc = row.lines / 1000
    return (f"| {row.name} | {row.functions} | {kloc:.1f} | {row.ours.wall:.2f} | {row.ours.processor:.2f} "
            f"| {row.ours.peak / 1e6:.0f} | {row.milliseconds:.2f} | {growth} | {1000 * row.ours.processor / kloc:.1f} "
            f"| {row.gcc.processor:.2f} | {planted} | {found} | {others} |")


def details(row: Row) -> Iterator[str]:
    """What was missed, and why the other reports came."""
    if not row.planted.missed and not row.planted.unplanted:
        return
    yield from ("", f"### {row.name}", "")
    for race in row.planted.missed:
        yield f"- missed: {race['file']}:{race['lines'][0]} `{race['expression']}` in `{race['function']}` ({race['kind']})"
    counts = Counter(cause(report) for report in row.planted.unplanted)
    for name in CAUSES:
        if counts[name]:
            yield f"- {counts[name]} other reports: {name}"


if __name__ == "__main__":
    sys.exit(main())

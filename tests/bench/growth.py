"""How cost grows with the size of a program: generated programs, each ten times as large as the one before."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Iterator, Sequence

import chart
import cold
import edits
from neighbours import Cost, write_program

#: What `tests/scale/generate.py` writes for a function, on average.
LINES_PER_FUNCTION = 50
#: RELAY took 72 hours for 4.5 million lines.
RELAY_LINES_PER_HOUR = 4_500_000 / 72
SECONDS_PER_HOUR = 3600


@dataclass(frozen=True)
class Row:
    """What was measured of one size."""

    lines: int
    functions: int
    ours: Cost
    gcc: Cost
    edits: dict[str, Any]

    @property
    def lines_per_hour(self) -> float:
        return self.lines / self.ours.wall * SECONDS_PER_HOUR

    def figures(self) -> dict[str, Any]:
        return asdict(self)


def measure(lines: int, directory: Path, plan: cold.Plan, body_edits: Path, count: int) -> Row:
    """Writes a program of about so many lines, checks it from scratch and makes so many edits in it."""
    program = write_program(lines // LINES_PER_FUNCTION, directory)
    from_scratch = cold.measure(str(lines), directory, (), plan)
    found = edits.measure(body_edits, directory, count, plan.timeout)
    return Row(program.lines, program.functions, from_scratch.ours, from_scratch.gcc, found)


def markdown(rows: Sequence[Row]) -> Iterator[str]:
    """The table; growth is over the row before."""
    yield ("| lines | functions | cold s | gcc s | peak MB | bytes per function | edit median ms | growth | edit 99 % ms | growth "
           "| lines an hour | beside RELAY |")
    yield "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    for before, row in zip((None, *rows), rows):
        found = row.edits["edits"]
        yield (f"| {row.lines:,} | {row.functions:,} | {row.ours.wall:.2f} | {row.gcc.wall:.2f} | {row.ours.peak / 1e6:,.0f} "
               f"| {row.ours.peak / row.functions:,.0f} "
               f"| {found['median_ms']:.1f} | {growth(before, row, 'median_ms')} | {found['p99_ms']:.1f} "
               f"| {growth(before, row, 'p99_ms')} | {row.lines_per_hour:,.0f} "
               f"| {row.lines_per_hour / RELAY_LINES_PER_HOUR:,.0f}× |")


def growth(before: Row | None, row: Row, figure: str) -> str:
    """How many times a figure is that of the size before."""
    if before is None:
        return "–"
    return f"{row.edits['edits'][figure] / before.edits['edits'][figure]:.2f}"


def picture(rows: Sequence[Row]) -> str:
    """Time from scratch and after an edit, over the size."""
    series = {
        "from scratch": [(row.lines, 1000 * row.ours.wall) for row in rows],
        "gcc -fsyntax-only": [(row.lines, 1000 * row.gcc.wall) for row in rows],
        "edit, median": [(row.lines, row.edits["edits"]["median_ms"]) for row in rows],
        "edit, 99 %": [(row.lines, row.edits["edits"]["p99_ms"]) for row in rows],
    }
    return chart.lines("Growth with the size of the program", "lines of C", "ms", series)

"""Whole programs from scratch: `racelens check` beside `gcc -fsyntax-only` over the same units with as many jobs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Iterator, Sequence

import chart
from neighbours import DATABASE, Cost, MeasureError, check, least, syntax_checks

#: Programs that others call from threads of their own.
LIBRARIES = ("libsqlite3-sys", "libgit2-sys", "libuv-sys2")
EXPORTED = ("--entries", "exported")


@dataclass(frozen=True)
class Row:
    """What was measured of one program."""

    name: str
    units: int
    functions: int
    ours: Cost
    gcc: Cost

    @property
    def ratio(self) -> float:
        """Our time over gcc's."""
        return self.ours.wall / self.gcc.wall

    def figures(self) -> dict[str, Any]:
        return {**asdict(self), "ratio": self.ratio}


def measure(name: str, directory: Path, racelens: Path, jobs: int, repeat: int, timeout: float) -> Iterator[Row]:
    """Checks a program several times, in turn with gcc; a library also with every function that others can call."""
    if not (directory / DATABASE).exists():
        raise MeasureError(f"{directory / DATABASE} is missing; run tests/real/fetch.py --only {name}")
    variants = {name: ()}
    if name in LIBRARIES:
        variants[f"{name}, exported"] = EXPORTED
    ours: dict[str, list[Cost]] = {label: [] for label in variants}
    theirs: list[Cost] = []
    sizes: dict[str, dict] = {}
    for _ in range(repeat):
        theirs.append(syntax_checks(directory / DATABASE, timeout, jobs))
        for label, options in variants.items():
            report, cost = check(racelens, directory, timeout, ("--jobs", str(jobs), *options))
            ours[label].append(cost)
            sizes[label] = report["stats"]
    for label, costs in ours.items():
        stats = sizes[label]
        yield Row(label, stats["units"], stats["functions"], least(costs), least(theirs))


def markdown(rows: Sequence[Row]) -> Iterator[str]:
    """The table; a ratio below 1 is faster than gcc."""
    yield "| program | units | functions | racelens s | gcc s | ratio | racelens processor s | gcc processor s | peak MB |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
    for row in rows:
        yield (f"| {row.name} | {row.units} | {row.functions} | {row.ours.wall:.2f} | {row.gcc.wall:.2f} | {row.ratio:.2f} "
               f"| {row.ours.processor:.2f} | {row.gcc.processor:.2f} | {row.ours.peak / 1e6:.0f} |")


def picture(rows: Sequence[Row]) -> str:
    """Our time and gcc's side by side."""
    groups = [(row.name, (row.ours.wall, row.gcc.wall)) for row in rows]
    return chart.bars("From scratch, elapsed seconds", ("racelens check", "gcc -fsyntax-only"), groups, "s")

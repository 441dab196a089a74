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
class Plan:
    """How programs are checked from scratch."""

    racelens: Path
    jobs: int
    repeat: int
    timeout: float


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


def variants(names: Sequence[str]) -> Iterator[tuple[str, str, Sequence[str]]]:
    """The programs with how each is called here and checked; a library also with every function that others can call."""
    for name in names:
        yield name, name, ()
        if name in LIBRARIES:
            yield name, f"{name}, exported", EXPORTED


def measure(label: str, directory: Path, options: Sequence[str], plan: Plan) -> Row:
    """Checks a program several times, in turn with gcc."""
    if not (directory / DATABASE).exists():
        raise MeasureError(f"{directory / DATABASE} is missing; run tests/real/fetch.py --only {directory.name}")
    ours, theirs = [], []
    for _ in range(plan.repeat):
        theirs.append(syntax_checks(directory / DATABASE, plan.timeout, plan.jobs))
        report, cost = check(plan.racelens, directory, plan.timeout, ("--jobs", str(plan.jobs), *options))
        ours.append(cost)
    return Row(label, report["stats"]["units"], report["stats"]["functions"], least(ours), least(theirs))


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

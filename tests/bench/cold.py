"""Whole programs from scratch: Racelens beside `gcc -fsyntax-only` over the same units with as many jobs.

`racelens stats` does all that `check` does but print the report. It knows its own peak of memory: that which the system
tells of an ended process begins with the memory of the process that started it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Iterator, Sequence

import chart
from neighbours import DATABASE, Cost, MeasureError, least, printed_json, syntax_checks

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
    #: Seconds of each stage, in the last run.
    stages: dict[str, float]

    @property
    def ratio(self) -> float:
        """Our time over gcc's."""
        return self.ours.wall / self.gcc.wall

    def share(self, stage: str) -> float:
        """The part of a stage in all of them."""
        return self.stages.get(stage, 0.0) / (sum(self.stages.values()) or 1.0)

    def large_stages(self) -> list[str]:
        """Those that take a tenth or more, in their order."""
        return [stage for stage in self.stages if self.share(stage) >= 0.1]

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
        stats, cost = check(plan, directory, options)
        ours.append(cost)
    program, stages = stats["program"], stats["stages"]
    return Row(label, program["units"], program["functions"], least(ours), least(theirs),
               {stage["stage"]: stage["seconds"] for stage in stages})


def check(plan: Plan, directory: Path, options: Sequence[str]) -> tuple[dict[str, Any], Cost]:
    """Checks a program once: what Racelens says of that, and what it took."""
    command = [str(plan.racelens), "stats", "--format", "json", "--jobs", str(plan.jobs), *options]
    stats, cost = printed_json(command, directory, plan.timeout)
    return stats, replace(cost, peak=stats["memory"]["peak_bytes"] or cost.peak)


def markdown(rows: Sequence[Row]) -> Iterator[str]:
    """The table; a ratio below 1 is faster than gcc."""
    yield "| program | units | functions | racelens s | gcc s | ratio | racelens processor s | gcc processor s | peak MB |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
    for row in rows:
        yield (f"| {row.name} | {row.units} | {row.functions} | {row.ours.wall:.2f} | {row.gcc.wall:.2f} | {row.ratio:.2f} "
               f"| {row.ours.processor:.2f} | {row.gcc.processor:.2f} | {row.ours.peak / 1e6:.0f} |")
    large = list(dict.fromkeys(stage for row in rows for stage in row.large_stages()))
    yield from ("", "The stages of it that take a tenth or more somewhere, in percent of all stages:", "")
    yield f"| program | {' | '.join(large)} |"
    yield "|---" + "|--:" * len(large) + "|"
    for row in rows:
        yield f"| {row.name} | {' | '.join(f'{100 * row.share(stage):.0f}' for stage in large)} |"


def picture(rows: Sequence[Row]) -> str:
    """Our time and gcc's side by side."""
    groups = [(row.name, (row.ours.wall, row.gcc.wall)) for row in rows]
    return chart.bars("From scratch, elapsed seconds", ("racelens", "gcc -fsyntax-only"), groups, "s")

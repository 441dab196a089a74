"""Edits of function bodies inside one process: until all diagnostics are current, without the preprocessor."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterator, Sequence

from neighbours import printed_json


def measure(binary: Path, directory: Path, edits: int, timeout: float, of_functions: bool = False) -> dict[str, Any]:
    """Runs `body_edits` over the program in a directory; with `of_functions` functions come or get other names."""
    # Some of the time is for reading the program.
    budget = str(int(timeout / 3))
    flags = ["--functions"] if of_functions else []
    return printed_json([str(binary), *flags, str(edits), str(directory), budget], directory, timeout)[0]


def markdown(rows: Sequence[tuple[str, dict[str, Any]]]) -> Iterator[str]:
    """A row for each program, then each kind of edit."""
    yield "| program | lines | functions | edits | median ms | 90 % ms | 99 % ms | longest ms | from scratch ms | from scratch / median |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    for name, found in rows:
        edits = found["edits"]
        yield (f"| {name} | {found['source_lines']:,} | {found['functions']:,} | {edits['count']} | {edits['median_ms']:.1f} "
               f"| {edits['p90_ms']:.1f} | {edits['p99_ms']:.1f} | {edits['most_ms']:.1f} | {found['from_scratch_ms']:,.0f} "
               f"| {found['from_scratch_over_median']:,.0f} |")
    kinds = sorted({kind for _, found in rows for kind in found["by_kind"]})
    if not kinds:
        return
    yield from ("", "Median and 99th percentile by kind of edit, in ms:", "")
    yield f"| program | {' | '.join(kinds)} |"
    yield "|---" + "|--:" * len(kinds) + "|"
    for name, found in rows:
        yield f"| {name} | {' | '.join(kind_cell(found['by_kind'].get(kind)) for kind in kinds)} |"


def kind_cell(found: dict[str, Any] | None) -> str:
    """Median and 99th percentile of one kind; some programs have no place for it."""
    return f"{found['median_ms']:.1f}, {found['p99_ms']:.1f}" if found else "–"

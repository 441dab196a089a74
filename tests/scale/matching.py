"""Compares what Racelens reports with the races that were planted."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generate import MANIFEST


@dataclass(frozen=True)
class Comparison:
    """Which planted races were reported, which were not, and what else was."""

    found: list[dict[str, Any]]
    missed: list[dict[str, Any]]
    #: Reports in which no access is a planted one.
    unplanted: list[dict[str, Any]]


def compare(reported: list[dict[str, Any]], manifest: dict[str, Any]) -> Comparison:
    """A planted race is found if a report has an access in its line, to its variable."""
    places = {(race["file"], line): number for number, race in enumerate(manifest["races"]) for line in race["lines"]}
    found: set[int] = set()
    unplanted = []
    for report in reported:
        numbers = {places.get((access["file"], access["line"])) for access in report["accesses"]} - {None}
        numbers = {number for number in numbers if names_variable(report, manifest["races"][number]["variable"])}
        found |= numbers
        if not numbers:
            unplanted.append(report)
    races = list(enumerate(manifest["races"]))
    return Comparison([race for number, race in races if number in found],
                      [race for number, race in races if number not in found], unplanted)


def names_variable(report: dict[str, Any], variable: str) -> bool:
    """Whether a report is about this member or global; the rest of its location may be spelt in several ways."""
    last = report["location"].replace("->", ".").rpartition(".")[2]
    return last.partition("[")[0] == variable


def read_manifest(directory: Path) -> dict[str, Any]:
    """The races that were planted in the program in `directory`."""
    return json.loads((directory / MANIFEST).read_text())


#: Why a report that was not planted comes, by where it is; the first that fits counts.
CAUSES = ("threads and jobs", "after joining", "objects of one thread", "locks")


def cause(report: dict[str, Any]) -> str:
    """What Racelens would have to know to leave out this report. `locks`: nothing but which locks are held."""
    functions = {access["function"] for access in report["accesses"]}
    if any(access["file"].endswith("/service.c") for access in report["accesses"]):
        return "threads and jobs"
    if any(function.endswith(("_dispose", "_tree_free")) for function in functions):
        return "after joining"
    if any(function.endswith(("_create", "_destroy")) or function == "list_init" for function in functions):
        return "objects of one thread"
    return "locks"

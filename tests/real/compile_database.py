"""Compile commands: reading and writing databases, and what is asked of the compiler for one unit."""

from __future__ import annotations

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Sequence

#: Options that only write make dependencies; `True` says that a separate argument follows.
DEPENDENCY_OPTIONS = {"-M": False, "-MM": False, "-MD": False, "-MMD": False, "-MP": False,
                      "-MG": False, "-MF": True, "-MT": True, "-MQ": True}

#: Options that say which language a preprocessed file is in; all others cost time or change nothing.
DIALECT_OPTIONS = ("-std=", "-ansi", "-f", "-m")

#: Debug information changes what `-E` prints (`-g3` keeps the macros) and nothing that is measured.
DEBUG_OPTIONS = ("-g", "-ggdb", "-gdwarf", "-gz", "-gsplit")


@dataclass(frozen=True)
class Unit:
    """One translation unit: where its compiler runs, with which arguments, on which file."""

    directory: Path
    arguments: tuple[str, ...]
    file: str

    def source(self) -> Path:
        """The absolute path of the file; `..` is resolved, so that equal files compare equal."""
        return Path(os.path.normpath(self.directory / self.file))

    def syntax_check(self) -> list[str]:
        """The command that checks the unit and writes nothing."""
        return [*self._without_output(), "-fsyntax-only", "-w"]

    def preprocess(self, output: Path) -> list[str]:
        """The command that writes the preprocessed unit, with its line markers, to `output`."""
        options = [o for o in self._without_output() if not o.startswith(DEBUG_OPTIONS)]
        return [*options, "-E", "-w", "-o", str(output)]

    def syntax_check_preprocessed(self, preprocessed: Path) -> list[str]:
        """The command that checks a preprocessed unit, without the warnings that would cost gcc time."""
        compiler, *options = self.arguments
        dialect = [option for option in options if option.startswith(DIALECT_OPTIONS)]
        return [compiler, *dialect, "-fpreprocessed", "-fsyntax-only", "-w", str(preprocessed)]

    def _without_output(self) -> list[str]:
        kept: list[str] = []
        remaining = iter(without_dependency_options(self.arguments))
        for argument in remaining:
            if argument == "-o":
                next(remaining, None)
            elif argument != "-c" and not argument.startswith("-o"):
                kept.append(argument)
        return kept


@dataclass(frozen=True)
class Rejection:
    """A unit that the compiler itself refuses, with the first thing it said."""

    unit: Unit
    reason: str


def without_dependency_options(arguments: Iterable[str]) -> list[str]:
    """Drops `-MD -MF x.d` and the like: they write files, and say nothing about the unit."""
    kept: list[str] = []
    remaining = iter(arguments)
    for argument in remaining:
        if argument in DEPENDENCY_OPTIONS:
            if DEPENDENCY_OPTIONS[argument]:
                next(remaining, None)
        elif not argument.startswith(("-MF", "-MT", "-MQ", "-Wp,-MD", "-Wp,-MMD")):
            kept.append(argument)
    return kept


def one_per_source(units: Iterable[Unit]) -> list[Unit]:
    """Keeps the first command of each source, sorted by path.

    Build systems compile a file twice for a static and a shared library; measuring it twice would
    count its functions twice.
    """
    first: dict[Path, Unit] = {}
    for unit in units:
        first.setdefault(unit.source(), unit)
    return [first[path] for path in sorted(first)]


def split_by_syntax(units: Sequence[Unit], jobs: int) -> tuple[list[Unit], list[Rejection]]:
    """Asks the compiler to check every unit; returns those it accepts and those it refuses."""
    accepted: list[Unit] = []
    rejected: list[Rejection] = []
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        for unit, reason in zip(units, pool.map(_syntax_error, units)):
            if reason is None:
                accepted.append(unit)
            else:
                rejected.append(Rejection(unit, reason))
    return accepted, rejected


def _syntax_error(unit: Unit) -> str | None:
    try:
        run = subprocess.run(unit.syntax_check(), cwd=unit.directory, capture_output=True,
                             text=True, errors="replace", check=False)
    except OSError as error:
        return str(error)
    if run.returncode == 0:
        return None
    lines = run.stderr.splitlines()
    return next((line for line in lines if "error:" in line), lines[0] if lines else "no message")


def write_database(path: Path, units: Iterable[Unit]) -> None:
    """Writes the database in one step, so that a file that exists is always complete."""
    entries = [{"directory": str(unit.directory), "file": unit.file,
                "arguments": list(unit.arguments)} for unit in units]
    partial = path.with_name(path.name + ".partial")
    partial.write_text(json.dumps(entries, indent=1) + "\n")
    partial.replace(path)


def read_database(path: Path) -> list[Unit]:
    """Reads a database that `write_database` wrote."""
    return [Unit(Path(entry["directory"]), tuple(entry["arguments"]), entry["file"])
            for entry in json.loads(path.read_text())]

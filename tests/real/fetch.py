#!/usr/bin/env python3
"""Brings real C programs here and gives each a compile_commands.json.

Each program ends up in DIR/NAME with its database beside the sources. Nothing is compiled: crates
are described in `programs.py`, Debian's source packages answer a dry run of make. Every unit of a
database passes `gcc -fsyntax-only`; those that do not are left out and named. What is there already
is kept, so an interrupted run goes on where it stopped.

Needs cargo for the crates and apt for the rest; as root, missing Debian packages are installed.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import sys
from pathlib import Path

from compile_database import Rejection, Unit, one_per_source, read_database, split_by_syntax, write_database
from dry_run import units_of_dry_run
from programs import PROGRAMS, Crate, DebianSource, Program
from sources import DebianSources, FetchError, ensure_packages, fetch_crate, run

DEFAULT_DIRECTORY = Path(__file__).resolve().parent / ".work"
DATABASE = "compile_commands.json"
#: Stands in each directory made here; holds the fingerprint of the recipe once the program is complete.
MARKER = ".racelens-real-program"


def main() -> int:
    """Runs the command line; the status is 1 when a program could not be brought."""
    arguments = parse_arguments()
    if arguments.list:
        for program in PROGRAMS:
            print(f"{program.name} {program.version}")
        return 0
    workspace = Workspace(arguments.into.resolve(), arguments.jobs)
    failed = False
    for program in PROGRAMS:
        if arguments.only and program.name not in arguments.only:
            continue
        try:
            print(f"{program.name} {program.version}: {workspace.bring(program)}", flush=True)
        except FetchError as error:
            failed = True
            print(f"{program.name}: {error}", file=sys.stderr, flush=True)
    return 1 if failed else 0


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--into", type=Path, default=DEFAULT_DIRECTORY, metavar="DIR",
                        help="where the programs go (default: .work beside this script)")
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=[p.name for p in PROGRAMS],
                        help="only these programs")
    parser.add_argument("--list", action="store_true", help="name the programs and their versions, and stop")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N",
                        help="how many compilers check syntax at the same time (default: all cores)")
    return parser.parse_args()


class Workspace:
    """The directory that holds the programs, and the scratch files of fetching them."""

    def __init__(self, root: Path, jobs: int) -> None:
        self._root = root
        self._jobs = jobs
        self._scratch = root / ".scratch"
        self._debian = DebianSources(self._scratch)
        self._scratch.mkdir(parents=True, exist_ok=True)

    def bring(self, program: Program) -> str:
        """Makes sure that a program is there, and says what was done in a few words."""
        directory = self._root / program.name
        database = directory / DATABASE
        marker = directory / MARKER
        if marker.exists() and marker.read_text() == fingerprint(program, directory):
            return f"{len(read_database(database))} units, there already"
        ensure_packages(program.packages)
        self._fetch(program, directory)
        units = self._units(program, directory)
        accepted, rejected = split_by_syntax(one_per_source(units), self._jobs)
        if not accepted:
            raise FetchError(f"no unit of {len(units)} passes gcc's syntax check; "
                             f"the first says: {rejected[0].reason if rejected else 'nothing was found'}")
        write_database(database, accepted)
        marker.write_text(fingerprint(program, directory))
        return describe(accepted, rejected)

    def _fetch(self, program: Program, directory: Path) -> None:
        """Unpacks the sources anew: what a recipe of another day left there must not leak into this one."""
        if directory.exists():
            if not (directory / MARKER).exists():
                raise FetchError(f"{directory} exists and was not made by this script; "
                                 "move it away, or choose another place with --into")
            shutil.rmtree(directory)
        partial = self._scratch / f"{program.name}.partial"
        if partial.exists():
            shutil.rmtree(partial)
        match program:
            case Crate():
                fetch_crate(program.name, program.version, partial, self._scratch)
            case DebianSource():
                self._debian.fetch(program.name, program.tarball, program.sha256, partial)
        (partial / MARKER).touch()
        partial.rename(directory)

    def _units(self, program: Program, directory: Path) -> list[Unit]:
        log = self._scratch / f"{program.name}.log"
        log.unlink(missing_ok=True)
        match program:
            case Crate():
                return units_of_crate(program, directory, log)
            case DebianSource():
                for command in program.prepare:
                    run(command, cwd=directory, log=log)
                output = run(["make", "--dry-run", "--print-directory", "V=1", *program.make],
                             cwd=directory, log=log)
                return units_of_dry_run(output, directory)


def units_of_crate(crate: Crate, directory: Path, log: Path) -> list[Unit]:
    """Writes the headers that a crate needs and lists its units from the table."""
    for path, text in crate.headers:
        header = directory / path
        header.parent.mkdir(parents=True, exist_ok=True)
        header.write_text(text)
    for command in crate.prepare:
        run(command, cwd=directory / crate.prepare_in, log=log)
    excluded = {path for glob in crate.exclude for path in directory.glob(glob)}
    units = []
    for glob in crate.sources:
        found = sorted(set(directory.glob(glob)) - excluded)
        if not found:
            raise FetchError(f"`{glob}` matches no file of {crate.name} {crate.version}; correct the table")
        for path in found:
            source = str(path.relative_to(directory))
            include = [f"-I{name}" for name in crate.include]
            units.append(Unit(directory, ("gcc", *include, *crate.options, "-c", source), source))
    return units


def fingerprint(program: Program, directory: Path) -> str:
    """Changes with the recipe and the place, which databases name: an edited or moved program is done again."""
    return hashlib.sha256(f"{program!r} in {directory}".encode()).hexdigest()


def describe(accepted: list[Unit], rejected: list[Rejection]) -> str:
    """How many units there are, and each that gcc refused with its reason."""
    lines = [f"{len(accepted)} units"]
    lines += [f"  left out {rejection.unit.source()}: {rejection.reason}" for rejection in rejected]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Compares the functions that Racelens analyses in real programs with those that gcc compiles.

A share of "found" functions says nothing about functions that were not found. gcc knows them all:
`-aux-info` lists every definition of a unit. Prints, for each program that `fetch.py` brought, how
many names gcc has and which of them Racelens lacks; ends with status 1 if there is one.

Run `front_end_table.py` first: it stores the preprocessed files that both sides read.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from front_end_table import SAMPLE
from programs import PROGRAMS

DEFINITION = re.compile(r"/\* ([^:]*):\d+:[NO]F \*/ (.*)")
ANALYSED = re.compile(r"^fn ([\w$]+)\(", re.MULTILINE)


def main() -> int:
    """Compares program by program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = Path(__file__).resolve().parent
    parser.add_argument("--into", type=Path, default=here / ".work", help="where fetch.py put the programs")
    parser.add_argument("--racelens", type=Path, default=here.parents[1] / "target" / "release" / "racelens")
    parser.add_argument("--sample", action="store_true", help=f"only {' and '.join(SAMPLE)}, for quick runs")
    arguments = parser.parse_args()
    names = SAMPLE if arguments.sample else [program.name for program in PROGRAMS]
    lacks = False
    for name in names:
        files = sorted((arguments.into / ".preprocessed" / name).glob("*.i"))
        if not files:
            print(f"{name}: no preprocessed files; run front_end_table.py first")
            lacks = True
            continue
        compiled = set().union(*(compiled_functions(file) for file in files))
        missing = sorted(compiled - analysed_functions(arguments.racelens, files))
        print(f"{name}: {len(compiled)} functions, {len(missing)} missing {' '.join(missing)}".rstrip())
        lacks |= bool(missing)
    return 1 if lacks else 0


def compiled_functions(file: Path) -> set[str]:
    """The functions outside the system's headers that gcc finds in a preprocessed file."""
    with tempfile.NamedTemporaryFile() as listing:
        command = ["gcc", "-fpreprocessed", "-fsyntax-only", "-w", "-aux-info", listing.name, str(file)]
        subprocess.run(command, check=True, capture_output=True)
        text = Path(listing.name).read_text(encoding="utf-8", errors="replace")
    definitions = (DEFINITION.match(line) for line in text.splitlines())
    return {declared_name(found[2]) for found in definitions if found and not found[1].startswith("/usr/")}


def declared_name(declaration: str) -> str:
    """The name in `extern int name (void);` or `extern int (*name (void)) (int);`."""
    bracket = declaration.index("(")
    rest = declaration[bracket + 2:] if declaration[bracket:bracket + 2] == "(*" else declaration
    return re.search(r"(\w+) \(", rest)[1]


def analysed_functions(racelens: Path, files: list[Path]) -> set[str]:
    """The functions that have a body in the intermediate representation."""
    command = [str(racelens), "dump", "ir", "--plain", "--preprocessed", *map(str, files)]
    return set(ANALYSED.findall(subprocess.run(command, check=True, capture_output=True, text=True).stdout))


if __name__ == "__main__":
    sys.exit(main())

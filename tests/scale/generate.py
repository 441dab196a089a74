#!/usr/bin/env python3
"""Writes a multithreaded C program of any size, with races whose places are known.

The program looks like real ones: modules with structs, lists, tables of functions and locks of several
kinds, which call each other in layers; groups of modules with threads of their own. One function in a
hundred forgets a lock, or takes a wrong one; `races.json` tells where. All other code has no race.
The same size and seed give the same program. Beside the sources stands a compile_commands.json.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

import common_files
import threads
from module import Module
from planting import Planted
from words import module_name

MANIFEST = "races.json"
DATABASE = "compile_commands.json"
#: How many functions a module has, and how many modules share threads.
MODULE_FUNCTIONS = 50
GROUP_MODULES = 4
#: One race for so many functions; with fewer than the second number, a module runs out of fields to race for.
FUNCTIONS_PER_RACE = 100
FEWEST_PER_RACE = 15
SMALLEST = 60


def main() -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--functions", type=int, required=True, metavar="N", help=f"how many functions, at least {SMALLEST}")
    parser.add_argument("--into", type=Path, required=True, metavar="DIR", help="where the program goes")
    parser.add_argument("--functions-per-race", type=int, default=FUNCTIONS_PER_RACE, metavar="N",
                        help="one function in so many has a race (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives another program (default: %(default)s)")
    arguments = parser.parse_args()
    if arguments.functions < SMALLEST:
        parser.error(f"--functions needs at least {SMALLEST}")
    if arguments.functions_per_race < FEWEST_PER_RACE:
        parser.error(f"--functions-per-race needs at least {FEWEST_PER_RACE}")
    try:
        written = write_program(arguments.functions, arguments.into, arguments.seed, arguments.functions_per_race)
    except ForeignDirectory as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{written.functions} functions, {written.lines} lines, {len(written.races)} races in {arguments.into}")
    return 0


class ForeignDirectory(Exception):
    """The directory holds something that was not written here."""


@dataclass(frozen=True)
class Program:
    """What was written."""

    functions: int
    lines: int
    races: list[Planted]


def write_program(functions: int, directory: Path, seed: int = 1,
                  functions_per_race: int = FUNCTIONS_PER_RACE) -> Program:
    """Writes a program, its manifest and its database of compile commands."""
    if directory.exists() and any(directory.iterdir()):
        if not (directory / MANIFEST).exists():
            raise ForeignDirectory(f"{directory} is not empty and was not written by this script; name another place")
        shutil.rmtree(directory)
    files, races = program_files(functions, seed, functions_per_race)
    for path, text in files.items():
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_text(text)
    lines = sum(text.count("\n") for text in files.values())
    manifest = {"functions": functions, "lines": lines, "seed": seed, "races": [asdict(race) for race in races]}
    (directory / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n")
    (directory / DATABASE).write_text(json.dumps([
        {"directory": str(directory.resolve()), "file": path, "arguments": compile_command(path)}
        for path in files if path.endswith(".c")], indent=1) + "\n")
    return Program(functions, lines, races)


def compile_command(path: str) -> list[str]:
    """How one file is compiled, in the program's directory."""
    return ["gcc", "-std=gnu11", "-pthread", "-I.", "-Wall", "-c", path]


def program_files(functions: int, seed: int, functions_per_race: int = FUNCTIONS_PER_RACE) -> tuple[dict[str, str], list[Planted]]:
    """All files by path, and the races in them."""
    rng = Random(f"{seed}/program")
    budgets = module_budgets(functions)
    files = dict(common_files.FILES)
    groups: list[tuple[str, list[Module]]] = []
    races: list[Planted] = []
    for first in range(0, len(budgets), GROUP_MODULES):
        number = len(groups)
        name = f"group{number}"
        below = lower_groups(groups, rng)
        modules: list[Module] = []
        for at, budget in enumerate(budgets[first:first + GROUP_MODULES], start=first):
            # Spread evenly over the modules.
            due = functions // functions_per_race * (at + 1) // len(budgets) - len(races)
            prefix = module_name(at)
            uses = modules[-2:] + [rng.choice(group) for _, group in below]
            module = Module(name, prefix, budget, due, len(races), uses, Random(f"{seed}/{prefix}"))
            races += module.races
            modules.append(module)
            files[module.source] = text_of(module.source_lines)
            files[module.header] = text_of(module.header_lines)
        files[f"{name}/service.c"] = text_of(threads.service(name, modules, workers=2 + number % 3))
        files[f"{name}/service.h"] = text_of(threads.service_header(name))
        groups.append((name, modules))
    files["main.c"] = text_of(threads.main_file([name for name, _ in groups]))
    return files, races


def module_budgets(functions: int) -> list[int]:
    """How many functions each module gets, so that the program has exactly as many as asked for."""
    own = functions - common_files.FUNCTIONS - threads.MAIN_FUNCTIONS
    modules = max(1, round(own / (MODULE_FUNCTIONS + threads.SERVICE_FUNCTIONS / GROUP_MODULES)))
    groups = -(-modules // GROUP_MODULES)
    left = own - groups * threads.SERVICE_FUNCTIONS
    return [left // modules + (at < left % modules) for at in range(modules)]


def lower_groups(groups: list, rng: Random) -> list:
    """The groups that a new one uses: some early ones, which many use, and any; so layers grow slowly."""
    found = []
    for _ in range(min(3, len(groups))):
        early = rng.random() < 0.5
        found.append(groups[rng.randrange(min(len(groups), 8) if early else len(groups))])
    return found


def text_of(lines: list[str]) -> str:
    """Lines as a file's text."""
    return "\n".join(lines).rstrip("\n") + "\n"


if __name__ == "__main__":
    sys.exit(main())

"""Reads the compile commands out of what `make --dry-run --print-directory` prints.

Nothing is compiled: every recipe line is taken apart as a shell would, and the simple commands that
call a C compiler on a C file become units. Understood beside plain calls: `cd DIR && cc …`, recipes
joined by `;` and `&&`, continued lines, libtool's compile mode, and automake's
`` `test -f 'x.c' || echo './'`x.c ``.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import Iterable, Iterator

from compile_database import Unit, without_dependency_options

COMPILERS = re.compile(r"^(?:.*/)?(?:cc|c99|c11|gcc|clang|x86_64-linux-gnu-gcc)(?:-\d+)?$")
ENTERING = re.compile(r"^make(?:\[\d+\])?: Entering directory '(.*)'$")
LEAVING = re.compile(r"^make(?:\[\d+\])?: Leaving directory '.*'$")
AUTOMAKE_SOURCE = re.compile(r"`test -f '([^']*)' \|\| echo '([^']*)'`(\S+)")
SHELL_KEYWORDS = {"if", "then", "else", "do", "!", "{"}


def units_of_dry_run(output: str, root: Path) -> list[Unit]:
    """All units that a dry run started in `root` would compile, in its order."""
    directories = [root]
    units: list[Unit] = []
    for line in _joined_lines(output):
        if entered := ENTERING.match(line):
            directories.append(Path(entered[1]))
        elif LEAVING.match(line):
            if len(directories) > 1:
                directories.pop()
        else:
            units.extend(_units_of_recipe(line, directories[-1]))
    return units


def _joined_lines(output: str) -> Iterator[str]:
    """Recipe lines, with a backslash at the end of a line joined to the next."""
    pending = ""
    for line in output.splitlines():
        if line.endswith("\\"):
            pending += line[:-1] + " "
        else:
            yield pending + line
            pending = ""
    if pending:
        yield pending


def _units_of_recipe(line: str, directory: Path) -> Iterator[Unit]:
    # Most lines name no C file; they need not be valid shell either.
    if ".c" not in line:
        return
    current = directory
    line = AUTOMAKE_SOURCE.sub(lambda found: _automake_source(found, directory), line)
    for command in _simple_commands(line):
        if command[0] == "cd" and len(command) == 2:
            current = Path(os.path.normpath(current / command[1]))
        elif unit := _unit_of_command(command, current):
            yield unit


def _automake_source(found: re.Match[str], directory: Path) -> str:
    tested, prefix, source = found.groups()
    return source if (directory / tested).exists() else prefix + source


def _simple_commands(line: str) -> Iterator[list[str]]:
    """The simple commands of a shell line, without keywords, assignments and redirections."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|()<>")
    lexer.whitespace_split = True
    lexer.commenters = ""
    command: list[str] = []
    try:
        for token in lexer:
            if token and set(token) <= set(";&|()"):
                if command:
                    yield command
                command = []
            elif command or (token not in SHELL_KEYWORDS and not re.match(r"^\w+=", token)):
                command.append(token)
    except ValueError:
        # An unbalanced quote: text for a human, which no compiler call contains.
        return
    if command:
        yield command


def _unit_of_command(command: list[str], directory: Path) -> Unit | None:
    arguments = list(_before_redirection(_without_libtool(command)))
    if not arguments or not COMPILERS.match(arguments[0]):
        return None
    sources = [a for a in arguments[1:] if a.endswith(".c") and not a.startswith("-")]
    if len(sources) != 1 or "-E" in arguments:
        return None
    return Unit(directory, tuple(without_dependency_options(arguments)), sources[0])


def _without_libtool(command: list[str]) -> list[str]:
    """`sh libtool --tag=CC --mode=compile gcc …` calls `gcc …`."""
    if "--mode=compile" not in command:
        return command
    rest = command[command.index("--mode=compile") + 1:]
    return [argument for argument in rest if argument not in ("-static", "-shared", "-prefer-pic")]


def _before_redirection(command: Iterable[str]) -> Iterator[str]:
    for argument in command:
        if argument and set(argument) <= set("<>&"):
            return
        yield argument

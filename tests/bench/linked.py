"""Several real programs as one project: one folder with one compile_commands.json for all of them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Sequence

from neighbours import DATABASE, MeasureError


def link(programs: Sequence[Path], into: Path) -> Path:
    """Copies the programs into a folder, which then has the units of all of them; what is there already is made anew."""
    if into.exists():
        shutil.rmtree(into)
    into.mkdir(parents=True)
    units = []
    for program in programs:
        if not (program / DATABASE).exists():
            raise MeasureError(f"{program} is not there: python3 tests/real/fetch.py --only {program.name}")
        copy = into / program.name
        shutil.copytree(program, copy, symlinks=True)
        database = (program / DATABASE).read_text()
        # Directories and flags name the folder that the program was fetched into.
        units += json.loads(database.replace(json.dumps(str(program))[1:-1], json.dumps(str(copy))[1:-1]))
        # The nearest database is the one that counts.
        (copy / DATABASE).unlink()
    (into / DATABASE).write_text(json.dumps(units, indent=1))
    return into

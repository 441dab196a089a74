"""Running commands and measuring what they take."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Sequence

# The databases of compile commands and the building of Racelens are those of the real programs.
sys.path.append(str(Path(__file__).resolve().parents[1] / "real"))

from compile_database import Unit, read_database  # noqa: E402
from front_end_table import MeasureError, build_racelens, existing  # noqa: E402

# What was kept by an earlier run would make the next one look faster than it is.
os.environ.setdefault("RACELENS_CACHE_DIR", "")

#: `racelens check` ends with these when it did its work: without races, and with some.
FINISHED = (0, 1)


@dataclass(frozen=True)
class Cost:
    """What a process took, with the processes that it started and waited for."""

    wall: float
    processor: float
    #: In bytes.
    peak: int


def racelens_binary(named: Path | None) -> Path:
    """The binary that the user named, or the one that cargo builds."""
    return existing(named) if named else build_racelens()


def check(racelens: Path, directory: Path, timeout: float) -> tuple[dict[str, Any], Cost]:
    """Runs `racelens check` over the program in a directory."""
    return printed_json([str(racelens), "check", "--format", "json"], directory, timeout, FINISHED)


def printed_json(command: Sequence[str], directory: Path, timeout: float,
                 finished: Sequence[int] = (0,)) -> tuple[Any, Cost]:
    """Runs a command that prints JSON, and ends with one of these statuses when it did its work."""
    with tempfile.TemporaryFile("w+") as output:
        status, cost = measured(command, directory, timeout, output)
        output.seek(0)
        text = output.read()
    if status not in finished:
        raise MeasureError(f"`{' '.join(command)}` in {directory} ended with status {status}; run it alone to see why")
    return json.loads(text), cost


def syntax_checks(database: Path, timeout: float, jobs: int = 1) -> Cost:
    """Lets gcc check every file of a program, so many of them at the same time."""
    start = time.perf_counter()
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        costs = list(pool.map(lambda unit: syntax_check(unit, timeout), read_database(database)))
    return Cost(time.perf_counter() - start, sum(c.processor for c in costs), max(c.peak for c in costs))


def syntax_check(unit: Unit, timeout: float) -> Cost:
    """Lets gcc check one file."""
    status, cost = measured(unit.syntax_check(), unit.directory, timeout, subprocess.DEVNULL)
    if status != 0:
        raise MeasureError(f"gcc refuses {unit.source()}")
    return cost


def measured(command: Sequence[str], directory: Path, timeout: float, stdout: Any) -> tuple[int, Cost]:
    """Runs a command to its end, or ends it when its time is over."""
    start = time.perf_counter()
    try:
        process = subprocess.Popen(command, cwd=directory, stdout=stdout)
    except OSError as error:
        raise MeasureError(f"`{command[0]}` does not start: {error}") from error
    late = threading.Event()

    def end() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(timeout, end)
    timer.start()
    _, status, usage = os.wait4(process.pid, 0)
    timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    if late.is_set():
        raise MeasureError(f"`{' '.join(command)}` in {directory} was not done after {timeout:.0f} s")
    # Linux counts the peak in units of 1024 bytes.
    cost = Cost(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)
    return process.returncode, cost

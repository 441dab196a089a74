#!/usr/bin/env python3
"""Measures how much of real programs our front end understands, and how fast beside gcc.

Prints a Markdown table with one row for each program that `fetch.py` brought: how many functions
were found, how many of them reached the analysis, and the seconds that took beside gcc's; then
every function that did not, with the reason.

The functions come from `racelens index --database`, the way that users go. How the seconds come
about: each unit is preprocessed once by gcc, outside the measurement. Then, N
times in turn, `racelens index` reads all the preprocessed files with one job, and
`gcc -fsyntax-only` reads the same files, one process after the other. Both run on one core; the
table has the medians. Seconds are processor time (user and system, with child processes), which a
busy machine disturbs less; `--clock wall` takes elapsed time instead. Both include starting the
processes, of which gcc needs one for each file.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator, Sequence

from compile_database import Unit, read_database
from fetch import DATABASE, DEFAULT_DIRECTORY
from programs import PROGRAMS

# What was kept by an earlier run would make the next one look faster than it is.
os.environ.setdefault("RACELENS_CACHE_DIR", "")

WORKSPACE = Path(__file__).resolve().parents[2]
SAMPLE = ("libsqlite3-sys", "pixz")
#: A Rust program that panics ends with this status.
PANIC_STATUS = 101


class MeasureError(Exception):
    """Something a user can act on: the message says what happened and what to do."""


def main() -> int:
    """Runs the command line; the status is 1 when a program could not be measured or fell below the bar."""
    arguments = parse_arguments()
    try:
        racelens = existing(arguments.racelens) if arguments.racelens else build_racelens()
    except MeasureError as error:
        print(error, file=sys.stderr)
        return 1
    rows: list[Row] = []
    failed = False
    for name in selected_programs(arguments):
        print(f"measuring {name}", file=sys.stderr, flush=True)
        try:
            rows.append(measure(name, arguments, racelens))
        except MeasureError as error:
            failed = True
            print(f"{name}: {error}", file=sys.stderr, flush=True)
    if rows:
        print("\n".join(markdown(rows, arguments)))
    below = [row.name for row in rows if row.share < arguments.fail_below]
    if below:
        print(f"below {arguments.fail_below} % of functions: {', '.join(below)}", file=sys.stderr)
    return 1 if failed or below or not rows else 0


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--into", type=Path, default=DEFAULT_DIRECTORY, metavar="DIR",
                        help="where fetch.py put the programs (default: .work beside this script)")
    parser.add_argument("--racelens", type=Path, metavar="PATH",
                        help="the program to measure (default: what `cargo build --release` makes)")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--only", nargs="+", metavar="NAME", choices=[p.name for p in PROGRAMS],
                       help="only these programs")
    which.add_argument("--sample", action="store_true", help=f"only {' and '.join(SAMPLE)}, for quick runs")
    parser.add_argument("--repeat", type=int, default=3, metavar="N",
                        help="how often each side is timed (default: %(default)s)")
    parser.add_argument("--clock", choices=["processor", "wall"], default="processor",
                        help="which seconds to compare (default: %(default)s)")
    parser.add_argument("--fail-below", type=float, default=0.0, metavar="PERCENT",
                        help="end with status 1 if a program has a smaller share of lowered functions")
    arguments = parser.parse_args()
    if arguments.repeat < 1:
        parser.error("--repeat needs at least 1")
    return arguments


def selected_programs(arguments: argparse.Namespace) -> list[str]:
    """The names to measure, in the order of the table of programs."""
    wanted = SAMPLE if arguments.sample else arguments.only
    return [program.name for program in PROGRAMS if not wanted or program.name in wanted]


def existing(binary: Path) -> Path:
    """The absolute path of the binary that the user named; it runs in the programs' directories."""
    if not os.access(binary, os.X_OK):
        raise MeasureError(f"{binary} is not there or cannot be executed; correct its path")
    return binary.resolve()


def build_racelens() -> Path:
    """Builds the release binary and returns where cargo put it."""
    return build_binary("racelens", "racelens")


def build_binary(package: str, name: str) -> Path:
    """Builds a binary of one of our packages and returns where cargo put it."""
    command = ["cargo", "build", "--release", "--package", package, "--bin", name,
               "--message-format=json-render-diagnostics"]
    try:
        build = subprocess.run(command, cwd=WORKSPACE, stdout=subprocess.PIPE, text=True, check=False)
    except FileNotFoundError as error:
        raise MeasureError(f"cargo is not installed; install it, or name a binary with --{name}") from error
    if build.returncode != 0:
        raise MeasureError(f"{name} does not build, see above; or name a binary with --{name}")
    for line in build.stdout.splitlines():
        message = json.loads(line)
        if message.get("executable") and message.get("target", {}).get("name") == name:
            return Path(message["executable"])
    raise MeasureError(f"cargo built no binary named {name}; name one with --{name}")


@dataclass(frozen=True)
class Row:
    """What was measured of one program."""

    name: str
    root: Path
    report: dict[str, Any]
    our_seconds: float
    gcc_seconds: float

    @property
    def found(self) -> int:
        return self.report["functions"]["found"]

    @property
    def lowered(self) -> int:
        return self.report["functions"]["lowered"]

    @property
    def share(self) -> float:
        """The lowered functions, in percent of those found."""
        return percent(self.lowered, self.found)


def measure(name: str, arguments: argparse.Namespace, racelens: Path) -> Row:
    """Preprocesses a program and times both sides over the result, in turn."""
    root = arguments.into.resolve() / name
    database = root / DATABASE
    if not database.exists():
        raise MeasureError(f"{database} is missing; run fetch.py --into {arguments.into} --only {name}")
    directory = arguments.into.resolve() / ".preprocessed" / name
    preprocessed = preprocess(read_database(database), database, directory)

    index = [str(racelens), "index", "--format", "json"]
    report, _ = timed_index([*index, "--database", str(database)], root, arguments.clock)
    if report["units"] != len(preprocessed):
        raise MeasureError(f"racelens read {report['units']} of the {len(preprocessed)} units of {database}")
    checks = [(unit.syntax_check_preprocessed(path), unit.directory) for unit, path in preprocessed]
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(arguments.repeat):
        timed_report, seconds = timed_index([*index, "--jobs", "1", "--preprocessed", str(directory)],
                                            root, arguments.clock)
        # Seconds for other work than the row shows would mean nothing.
        # (The number of functions may differ a little: here a header can have several relative
        # names, and then its functions count once for each.)
        if timed_report["units"] != report["units"]:
            raise MeasureError(f"racelens reports {report['units']} units from the database and "
                               f"{timed_report['units']} from {directory}; they should be equal")
        ours.append(seconds)
        theirs.append(sum(timed_check(command, where, arguments.clock) for command, where in checks))
    return Row(name, root, report, statistics.median(ours), statistics.median(theirs))


def preprocess(units: Sequence[Unit], database: Path, directory: Path) -> list[tuple[Unit, Path]]:
    """Stores `gcc -E` of every unit, unless that is there and newer than the database."""
    names = [f"{number:04}-{Path(unit.file).stem}.i" for number, unit in enumerate(units)]
    pairs = [(unit, directory / name) for unit, name in zip(units, names)]
    complete = directory.with_name(directory.name + ".complete")
    if complete.exists() and complete.stat().st_mtime > database.stat().st_mtime:
        return pairs
    if directory.exists():
        shutil.rmtree(directory)
    directory.mkdir(parents=True)
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for _ in pool.map(lambda pair: preprocess_one(*pair), pairs):
            pass
    complete.touch()
    return pairs


def preprocess_one(unit: Unit, output: Path) -> None:
    """Stores `gcc -E` of one unit."""
    done = subprocess.run(unit.preprocess(output), cwd=unit.directory, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MeasureError(f"gcc cannot preprocess {unit.source()}: {done.stderr.strip()[:500]}\n"
                           "fetch the program anew with fetch.py")


def timed_index(command: Sequence[str], root: Path, clock: str) -> tuple[dict[str, Any], float]:
    """Runs `racelens index` and returns its report and its seconds."""
    with tempfile.TemporaryFile("w+") as output:
        status, seconds = timed(command, root, clock, output)
        output.seek(0)
        text = output.read()
    shown = " ".join(command)
    if status < 0 or status == PANIC_STATUS:
        raise MeasureError(f"`{shown}` crashed with status {status}; run it alone to see why")
    try:
        report = json.loads(text)
        report["units"], report["lines"], report["functions"]["found"], report["functions"]["lowered"]
    except (ValueError, KeyError, TypeError) as error:
        raise MeasureError(f"`{shown}` ended with status {status} and printed no report ({error!r})") from error
    return report, seconds


def timed_check(command: Sequence[str], directory: Path, clock: str) -> float:
    """Runs gcc over one preprocessed file and returns its seconds."""
    status, seconds = timed(command, directory, clock, subprocess.DEVNULL, subprocess.DEVNULL)
    if status != 0:
        raise MeasureError(f"gcc refuses a file that it preprocessed itself: `{' '.join(command)}`")
    return seconds


def timed(command: Sequence[str], directory: Path, clock: str, stdout: Any,
          stderr: Any = None) -> tuple[int, float]:
    """Runs a command on one core; returns its status and its seconds, those of its children included."""
    start = time.perf_counter()
    try:
        process = subprocess.Popen([*on_one_core(), *command], cwd=directory, stdout=stdout, stderr=stderr)
    except OSError as error:
        raise MeasureError(f"`{command[0]}` does not start: {error}") from error
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, wall if clock == "wall" else usage.ru_utime + usage.ru_stime


def on_one_core() -> list[str]:
    """The prefix that keeps a command on the last core that is ours, where taskset exists."""
    if not shutil.which("taskset"):
        return []
    return ["taskset", "--cpu-list", str(max(os.sched_getaffinity(0)))]


def markdown(rows: Sequence[Row], arguments: argparse.Namespace) -> Iterator[str]:
    """The table, then what was not lowered, then what racelens noted."""
    yield f"Medians of {arguments.repeat} runs, {arguments.clock} seconds, one core."
    yield ""
    yield "| program | units | kLOC preprocessed | functions | lowered | share % | our s | gcc s | ratio |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
    for row in rows:
        yield table_line(row.name, row.report["units"], row.report["lines"], row.found, row.lowered,
                         row.our_seconds, row.gcc_seconds)
    if len(rows) > 1:
        yield table_line("**all**", *(sum(column) for column in zip(*(
            (row.report["units"], row.report["lines"], row.found, row.lowered, row.our_seconds, row.gcc_seconds)
            for row in rows))))
    yield from failures(rows)
    for row in rows:
        if notes := row.report.get("notes"):
            yield from ("", f"### Notes on {row.name}", "", *(f"- {note}" for note in notes))


def table_line(name: str, units: int, lines: int, found: int, lowered: int, ours: float, gcc: float) -> str:
    """One row; the ratio is our seconds over gcc's, so less than 1 is faster."""
    ratio = f"{ours / gcc:.2f}" if gcc else "–"
    # Rounded down, so that 100 means all.
    share = int(percent(lowered, found) * 100) / 100
    return (f"| {name} | {units} | {lines / 1000:.1f} | {found} | {lowered} | {share:.2f} "
            f"| {ours:.2f} | {gcc:.2f} | {ratio} |")


def percent(part: int, whole: int) -> float:
    """A share in percent; all of nothing is 100."""
    return 100.0 * part / whole if whole else 100.0


def failures(rows: Sequence[Row]) -> Iterator[str]:
    """How often each reason occurs, then every failure with its place."""
    reasons = Counter(failure["reason"] for row in rows for failure in row.report.get("failures", []))
    if not reasons:
        yield from ("", "No failures.")
        return
    yield from ("", f"## Failures ({reasons.total()})", "", "| times | reason |", "|--:|---|")
    for reason, times in sorted(reasons.items(), key=lambda item: (-item[1], item[0])):
        yield f"| {times} | {reason} |".replace("\n", " ")
    for row in rows:
        if found := row.report.get("failures"):
            yield from ("", f"### {row.name} ({len(found)})", "")
            yield from (failure_line(failure, row.root) for failure in found)


def failure_line(failure: dict[str, Any], root: Path) -> str:
    """`file:line:column function: reason`, with the file below the program's directory where it is."""
    file = failure["file"].removeprefix(f"{root}/")
    function = f" `{failure['function']}`" if failure.get("function") else ""
    return f"- {file}:{failure['line']}:{failure['column']}{function}: {failure['reason']}".replace("\n", " ")


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs the fuzzing targets until each has used its processor time, and prints what came of it as a table."""

from __future__ import annotations

import argparse
import datetime
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
TRIPLE = "x86_64-unknown-linux-gnu"
# What the seeds and the dictionary of a target are called. Those come last whose runs are the longest.
KINDS = {
    "front_end": "c",
    "project_files": "project",
    "lsp_messages": "lsp",
    "kiss": "c",
    "summaries": "c",
    "edits": "c",
}
# What the fuzzer calls the inputs that it found something with. It also keeps slow ones, which are no findings.
FINDINGS = ("crash-", "timeout-", "oom-", "leak-")
PROGRESS = re.compile(r"^#(\d+)\s.*?\bcov: (\d+)", re.MULTILINE)
EXECUTED = re.compile(r"^stat::number_of_executed_units:\s*(\d+)", re.MULTILINE)


@dataclass
class Outcome:
    """What one target came to."""

    target: str
    cpu_seconds: float = 0.0
    executions: int = 0
    coverage: int = 0
    findings: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Places:
    """Where the fuzzer's program is, and where it keeps what it finds."""

    binaries: Path
    corpus: Path
    artifacts: Path
    logs: Path


def main() -> int:
    arguments = parse_arguments()
    places = Places(arguments.binaries, FOLDER / "corpus", FOLDER / "artifacts", FOLDER / "target" / "logs")
    for target in arguments.targets:
        if not (places.binaries / target).is_file():
            print(f"there is no {places.binaries / target}: build it as README.md says", file=sys.stderr)
            return 2

    deadline = time.monotonic() + 60 * arguments.wall_minutes

    def run(target: str) -> Outcome:
        outcome = fuzz(target, 60 * arguments.cpu_minutes, places, deadline)
        print(f"{target}: {described(outcome)}", flush=True)
        return outcome

    with ThreadPoolExecutor(arguments.at_once) as pool:
        outcomes = list(pool.map(run, arguments.targets))
    print(f"\n{datetime.date.today()}:\n")
    print("\n".join(table(outcomes)))
    return 1 if any(outcome.findings for outcome in outcomes) else 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", default=list(KINDS), metavar="TARGET", help="all, if none is named")
    parser.add_argument("--cpu-minutes", type=float, default=30, help="processor time of each target (30)")
    parser.add_argument("--wall-minutes", type=float, default=24 * 60, help="when all end, whatever they have used (a day)")
    parser.add_argument("--at-once", type=int, default=1, help="how many targets run at the same time (1)")
    parser.add_argument("--binaries", type=Path, default=FOLDER / "target" / TRIPLE / "release", help="where `cargo fuzz build` puts the targets")
    arguments = parser.parse_args()
    unknown = [target for target in arguments.targets if target not in KINDS]
    if unknown:
        parser.error(f"{unknown[0]} is no target; there are {', '.join(KINDS)}")
    return arguments


def fuzz(target: str, cpu_seconds: float, places: Places, deadline: float, poll: float = 1.0) -> Outcome:
    """One target, until it has used its time or found something, or there is no more time. The corpus is kept, so that a later run goes on from it."""
    corpus, artifacts = places.corpus / target, places.artifacts / target
    for folder in (corpus, artifacts, places.logs):
        folder.mkdir(parents=True, exist_ok=True)
    known = findings_in(artifacts)
    outcome = Outcome(target)
    log = places.logs / f"{target}.log"
    # A fuzzer that ends early without a finding is started again, with what is left of its time.
    while outcome.cpu_seconds < cpu_seconds and not outcome.findings and time.monotonic() < deadline:
        with log.open("wb") as output:
            process = subprocess.Popen(command(target, corpus, artifacts, places), stdout=output, stderr=subprocess.STDOUT,
                                       env=environment(target), cwd=places.logs)
            used, status = until(process, cpu_seconds - outcome.cpu_seconds, deadline, poll)
        text = log.read_text(errors="replace")
        executions, coverage = figures(text)
        outcome.cpu_seconds += used
        outcome.executions += executions
        outcome.coverage = max(outcome.coverage, coverage)
        outcome.findings = sorted(findings_in(artifacts) - known)
        # One that was asked to end before it could listen just ends.
        if status not in (0, -signal.SIGUSR1) and not outcome.findings:
            outcome.findings = [f"ended with status {status}, see {log}"]
    return outcome


def command(target: str, corpus: Path, artifacts: Path, places: Places) -> list[str]:
    kind = KINDS[target]
    return [
        str(places.binaries / target), str(corpus), str(FOLDER / "seeds" / kind),
        f"-dict={FOLDER / 'dictionaries' / f'{kind}.dict'}", f"-artifact_prefix={artifacts}/",
        # In seconds on the wall, of a process that may have to wait for others.
        "-timeout=120", "-report_slow_units=120", "-print_final_stats=1",
    ]


def environment(target: str) -> dict[str, str]:
    """That of this process, but no compiler is started for the files that messages name."""
    return {**os.environ, "PATH": ""} if target == "lsp_messages" else dict(os.environ)


def until(process: subprocess.Popen, cpu_seconds: float, deadline: float, poll: float) -> tuple[float, int]:
    """Lets a process use that much processor time, then asks it to end. What it has used, and its status."""
    asked = False
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage.ru_utime + usage.ru_stime, process.returncode
        if not asked and (cpu_seconds_of(process.pid) >= cpu_seconds or time.monotonic() >= deadline):
            # The fuzzer ends in good order, with its figures.
            process.send_signal(signal.SIGUSR1)
            asked = True
        time.sleep(poll)


def cpu_seconds_of(pid: int) -> float:
    # The name of the program, in brackets, may have spaces in it.
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def findings_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.name.startswith(FINDINGS)}


def figures(log: str) -> tuple[int, int]:
    """How many inputs were executed, and how many edges of the program they reached."""
    progress = [(int(executions), int(coverage)) for executions, coverage in PROGRESS.findall(log)]
    executed = EXECUTED.findall(log)
    executions = int(executed[-1]) if executed else max((count for count, _ in progress), default=0)
    return executions, max((coverage for _, coverage in progress), default=0)


def described(outcome: Outcome) -> str:
    found = ", ".join(outcome.findings) or "nothing found"
    return f"{outcome.cpu_seconds / 60:.1f} CPU minutes, {outcome.executions} executions, {outcome.coverage} edges, {found}"


def table(outcomes: list[Outcome]):
    yield "| target | CPU minutes | executions | edges reached | findings |"
    yield "|---|--:|--:|--:|---|"
    for outcome in outcomes:
        yield (f"| `{outcome.target}` | {outcome.cpu_seconds / 60:.1f} | {outcome.executions:,} | {outcome.coverage:,} "
               f"| {', '.join(outcome.findings) or 'none'} |")


if __name__ == "__main__":
    sys.exit(main())

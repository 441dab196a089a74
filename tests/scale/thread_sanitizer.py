"""Runs a generated program under ThreadSanitizer and says which lines it saw racing."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

OPTIONS = ("-std=gnu11", "-pthread", "-I.", "-Wall", "-Werror")
FRAME = re.compile(r"#\d+ \S+ ([^\s:/][^\s:]*\.[ch]):(\d+)")


def build(directory: Path, output: Path, *options: str) -> str:
    """Compiles and links the program in a directory; returns what gcc complains about."""
    sources = sorted(str(path.relative_to(directory)) for path in directory.rglob("*.c"))
    done = subprocess.run(["gcc", *OPTIONS, *options, "-o", str(output), *sources], cwd=directory, capture_output=True,
                          text=True, check=False)
    return done.stderr if done.returncode != 0 or done.stderr else ""


def racing_lines(program: Path, rounds: int, seconds: float) -> list[list[tuple[str, int]]] | None:
    """For each race that was seen, the file and line of both accesses; nothing where instrumented programs cannot run."""
    environment = {**os.environ, "TSAN_OPTIONS": "exitcode=0"}
    done = subprocess.run([str(program), str(rounds)], capture_output=True, text=True, timeout=seconds, env=environment,
                          check=False)
    if done.returncode != 0:
        return None
    return [accesses(report) for report in done.stderr.split("WARNING: ThreadSanitizer: ")[1:]]


def accesses(report: str) -> list[tuple[str, int]]:
    """The innermost place in the program's own files, for each of the two stacks that a report begins with."""
    found = []
    for stack in report.split("\n\n")[:2]:
        if frame := FRAME.search(stack):
            found.append((frame[1], int(frame[2])))
    return found

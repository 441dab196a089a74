#!/usr/bin/env python3
"""Prints a table: how long language servers take from an edit to its diagnostics, on the same files in one run.

    python3 tests/editors/latency/table.py \\
        --server "racelens=target/release/racelens lsp" \\
        --server "clangd=clangd --background-index=false" \\
        sqlite3.c redis/src/networking.c

A server is a name and a command line, which may be that of any language server. The root of a file's
program is the nearest folder above it with a compile_commands.json. In turn an edit breaks a statement of a function
and the next one mends it; the functions are spread over the file. The servers take turns file by file, so that all
meet the same machine.
"""

import argparse
import json
import shlex
import sys
import tempfile
from pathlib import Path

from measure import Plan, Result, measure
from probes import with_probes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", action="append", required=True, metavar="NAME=COMMAND", type=named_command)
    parser.add_argument("--edits", type=int, default=100, help="how many edits to make in each file (default 100)")
    parser.add_argument("--places", type=int, default=10, help="in how many functions of a file (default 10)")
    parser.add_argument("--budget", type=float, default=240, help="stop after that many seconds of answers (default 240)")
    parser.add_argument("--patience", type=float, default=600, help="how many seconds to wait for an answer (default 600)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there, for programs")
    parser.add_argument("file", nargs="+", type=Path)
    arguments = parser.parse_args()
    plan = Plan(arguments.edits, arguments.budget, arguments.patience)
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for file in (file.resolve() for file in arguments.file):
            probed = with_probes(file.read_text(encoding="utf-8", errors="replace"), arguments.places)
            for name, command in arguments.server:
                print(f"{name} on {file.name} …", file=sys.stderr)
                log = Path(folder) / f"{name}.log"
                results.append(measure(name, command, file, program_root(file), probed, plan, log))
    if arguments.json:
        arguments.json.write_text(json.dumps([figures(result) for result in results], indent=1) + "\n")
    print(table(results))
    return 0


def named_command(text: str) -> tuple[str, list[str]]:
    name, equals, command = text.partition("=")
    if not equals or not command.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=COMMAND")
    words = shlex.split(command)
    # The server runs in the program's folder, where a relative path would mean something else.
    if "/" in words[0]:
        words[0] = str(Path(words[0]).resolve())
    return name, words


def program_root(file: Path) -> Path:
    return next((folder for folder in file.parents if (folder / "compile_commands.json").exists()), file.parent)


def figures(result: Result) -> dict:
    """What the table shows of one server on one file, times in seconds."""
    return {"server": result.server, "file": str(result.file), "lines": result.lines, "first": result.first_seconds,
            "median": result.percentile(0.5), "p99": result.percentile(0.99), "edits": len(result.latencies),
            "peak_mebibytes": result.memory_mebibytes}


def table(results: list[Result]) -> str:
    rows = [
        "| file | lines | server | p50 | p99 | p99 / p50 | first diagnostics | edits | peak memory |",
        "|---|---:|---|---:|---:|---:|---:|---:|---:|",
    ]
    for result in results:
        median, last = result.percentile(0.5), result.percentile(0.99)
        memory = "–" if result.memory_mebibytes is None else f"{result.memory_mebibytes:,} MiB"
        rows.append(
            f"| {result.file.name} | {result.lines:,} | {result.server} | {median * 1000:,.0f} ms "
            f"| {last * 1000:,.0f} ms | {last / median:.1f} | {result.first_seconds:.1f} s "
            f"| {len(result.latencies)} | {memory} |"
        )
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())

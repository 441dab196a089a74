#!/usr/bin/env python3
"""Measures Racelens beside its peers in one run, and writes the tables as Markdown and the plots as SVG.

    python3 tests/bench/run.py            # everything, more than an hour on two cores
    python3 tests/bench/run.py --quick    # the same on small programs, about a minute
    python3 tests/bench/run.py --parts cold growth

Real programs come through tests/real/fetch.py, by package name; generated ones through tests/scale. Of several runs in
turn the least counts: a busy machine adds to the time and never takes away. What cannot be measured is said, and makes
the status 1; the rest is measured all the same.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Callable, Iterable

import client
import cold
import edits
import growth
import linked
import machine
import warm
from neighbours import (FETCH, REAL_PROGRAMS, WORKSPACE, MeasureError, build_binary, existing, racelens_binary,
                        write_program)

WORK = Path(__file__).resolve().parent / ".work"
GENERATED = "generated"
LINKED = "linked"


@dataclass(frozen=True)
class Sizes:
    """How much is measured."""

    #: Real programs that are checked from scratch.
    cold: tuple[str, ...]
    #: Files that a client edits, by program.
    edited_files: tuple[tuple[str, str], ...]
    #: Real programs whose functions are edited in the process.
    edited_programs: tuple[str, ...]
    #: Real programs that are edited as one project.
    linked_programs: tuple[str, ...]
    #: Lines of the generated program that is edited beside them.
    edited_lines: int
    #: Lines of generated programs.
    growth: tuple[int, ...]
    repeat: int
    client_edits: int
    edits: int


FULL = Sizes(
    cold=("redis", "libuv-sys2", "libsqlite3-sys", "libgit2-sys", "memcached"),
    edited_files=(("libsqlite3-sys", "sqlite3/sqlite3.c"), ("memcached", "memcached.c"), ("redis", "src/networking.c")),
    edited_programs=("redis", "libsqlite3-sys"),
    linked_programs=("memcached", "pixz", "silversearcher-ag", "libuv-sys2", "lmdb-master-sys", "zstd-sys",
                     "libmimalloc-sys"),
    edited_lines=100_000,
    growth=(10_000, 100_000, 1_000_000),
    repeat=3,
    client_edits=100,
    # The slowest edits of the linked programs are among the later ones: 200 would show less than there is.
    edits=400,
)
QUICK = Sizes(
    cold=("memcached", "libuv-sys2"),
    edited_files=(("memcached", "memcached.c"),),
    edited_programs=("memcached",),
    linked_programs=("memcached", "libuv-sys2"),
    edited_lines=5_000,
    growth=(5_000, 10_000, 20_000),
    repeat=1,
    client_edits=10,
    edits=16,
)


def main() -> int:
    """Runs the command line; the status is 1 if something could not be measured."""
    arguments = parse_arguments()
    bench = Bench(arguments, sizes(arguments))
    try:
        bench.prepare()
        for part in arguments.parts:
            PARTS[part](bench)
    except MeasureError as error:
        bench.fail(str(error))
    bench.write()
    print(bench.text())
    return 1 if bench.failures else 0


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small programs and few edits, to see that it works")
    parser.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS), metavar="PART",
                        help=f"only some of: {' '.join(PARTS)}")
    parser.add_argument("--repeat", type=int, metavar="N", help=f"how often each run from scratch is made (default: {FULL.repeat})")
    parser.add_argument("--edits", type=int, metavar="N",
                        help=f"how many edits are made and taken back in each program (default: {FULL.edits})")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N",
                        help="how many threads Racelens has, and how many compilers run at once (default: one for each core)")
    parser.add_argument("--into", type=Path, default=WORKSPACE / "target" / "bench", metavar="DIR",
                        help="where the tables and plots go (default: target/bench)")
    parser.add_argument("--racelens", type=Path, metavar="PATH",
                        help="the program to measure (default: what `cargo build --release` makes)")
    parser.add_argument("--body_edits", type=Path, metavar="PATH",
                        help="the program that edits inside of a process (default: what `cargo build --release` makes)")
    parser.add_argument("--timeout", type=float, default=1800.0, metavar="SECONDS",
                        help="how long one command may take (default: %(default)s)")
    return parser.parse_args()


def sizes(arguments: argparse.Namespace) -> Sizes:
    """How much is measured, with what the command line says about it."""
    chosen = QUICK if arguments.quick else FULL
    given = {name: getattr(arguments, name) for name in ("repeat", "edits") if getattr(arguments, name) is not None}
    return replace(chosen, **given)


@dataclass
class Bench:
    """A run: what is measured, and what came of it."""

    arguments: argparse.Namespace
    sizes: Sizes
    sections: list[list[str]] = field(default_factory=list)
    pictures: dict[str, str] = field(default_factory=dict)
    figures: dict[str, Any] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    machine: str = field(default_factory=machine.description)
    racelens: Path = field(init=False)
    body_edits: Path = field(init=False)

    def prepare(self) -> None:
        """Builds what is measured, and fetches the real programs."""
        named = self.arguments.body_edits
        self.racelens = racelens_binary(self.arguments.racelens)
        self.body_edits = existing(named) if named else build_binary("racelens-tests", "body_edits")
        wanted = {"cold": self.sizes.cold, "warm": self.sizes.cold, "edits": self.sizes.edited_programs + self.sizes.linked_programs,
                  "client": [program for program, _ in self.sizes.edited_files]}
        names = dict.fromkeys(name for part in self.arguments.parts for name in wanted.get(part, ()))
        if names and subprocess.run([sys.executable, str(FETCH), "--only", *names], stdout=sys.stderr, check=False).returncode:
            self.fail("not every program could be fetched, see above")

    def cold(self) -> None:
        """Real programs from scratch, beside gcc."""
        rows: list[cold.Row] = []
        for name, label, options in cold.variants(self.sizes.cold):
            row = self.attempt(f"{label} from scratch",
                               lambda: cold.measure(label, REAL_PROGRAMS / name, options, self.plan()))
            if row:
                rows.append(row)
        if rows:
            self.add("cold", "From scratch, beside gcc",
                     f"Racelens and `gcc -fsyntax-only` over the same units, {self.arguments.jobs} jobs each. "
                     "*exported*: threads may call every function that other files can call.",
                     cold.markdown(rows), [row.figures() for row in rows], cold.picture(rows))

    def warm(self) -> None:
        """Real programs for the second time."""
        rows: list[warm.Row] = []
        for name in self.sizes.cold:
            row = self.attempt(f"the second start on {name}", lambda: warm.measure(
                name, REAL_PROGRAMS / name, self.racelens, self.sizes.repeat, self.arguments.timeout))
            if row:
                rows.append(row)
        if rows:
            self.add("warm", "The second start, beside the first",
                     "`racelens check --format json`, and the language server until its first diagnostics, with an empty cache "
                     "and again when nothing has changed. A library that starts no thread has nothing to show.",
                     warm.markdown(rows), [row.figures() for row in rows])

    def client(self) -> None:
        """Edits as a client sees them, beside clangd."""
        files = [REAL_PROGRAMS / program / file for program, file in self.sizes.edited_files]
        found = self.attempt("edits at the client", lambda: client.measure(
            self.racelens, files, self.sizes.client_edits, self.arguments.timeout / 10))
        if found:
            table, figures = found
            self.add("client", "From an edit to its diagnostics, at the client",
                     "With the preprocessor and the pause in which further typing is waited for. Racelens looks at the "
                     "whole program, clangd at the file.",
                     table.splitlines(), figures, client.picture(figures))

    def edits(self) -> None:
        """Edits inside of the process."""
        programs = [(name, REAL_PROGRAMS / name) for name in self.sizes.edited_programs]
        generated = WORK / GENERATED / str(self.sizes.edited_lines)
        write_program(self.sizes.edited_lines // growth.LINES_PER_FUNCTION, generated)
        programs.append((f"generated, {self.sizes.edited_lines:,} lines", generated))
        together = [REAL_PROGRAMS / name for name in self.sizes.linked_programs]
        linked_folder = self.attempt("linking programs", lambda: linked.link(together, WORK / LINKED))
        if linked_folder:
            programs.append((f"{len(together)} programs", linked_folder))
        rows: list[tuple[str, dict[str, Any]]] = []
        function_rows: list[tuple[str, dict[str, Any]]] = []
        for name, directory in programs:
            every = self.sizes.edits
            for known, of_functions, count in [(rows, False, every), (function_rows, True, max(every // 8, 1))]:
                what = "functions" if of_functions else "edits"
                found = self.attempt(f"{what} of {name}", lambda: edits.measure(
                    self.body_edits, directory, count, self.arguments.timeout, of_functions))
                if found:
                    known.append((name, found))
        if rows:
            self.add("edits", "From an edit in a body to current diagnostics, inside of the process",
                     "Without the preprocessor, beside reading and checking the same program from scratch in the same "
                     "process. Every edit is taken back, which counts as an edit too.",
                     edits.markdown(rows), dict(rows))
        if function_rows:
            self.add("functions", "From a function that comes or gets another name to current diagnostics, inside of the process",
                     "As above, of an eighth of the edits.",
                     edits.markdown(function_rows), dict(function_rows))

    def growth(self) -> None:
        """Programs of growing size; the largest has a million lines."""
        rows: list[growth.Row] = []
        for lines in self.sizes.growth:
            row = self.attempt(f"{lines:,} lines", lambda: growth.measure(
                lines, WORK / GENERATED / str(lines), self.plan(), self.body_edits, self.sizes.edits))
            if row:
                rows.append(row)
        if rows:
            self.add("growth", "Growth with the size of the program",
                     "Generated programs, from scratch and edited inside of the process. Growth is over the size before; "
                     f"RELAY's speed is taken as {growth.RELAY_LINES_PER_HOUR:,.0f} lines an hour.",
                     growth.markdown(rows), [row.figures() for row in rows], growth.picture(rows))

    def plan(self) -> cold.Plan:
        """How programs are checked from scratch."""
        return cold.Plan(self.racelens, self.arguments.jobs, self.sizes.repeat, self.arguments.timeout)

    def attempt(self, what: str, measure: Callable[[], Any]) -> Any:
        """What was measured, or nothing and a word about it."""
        print(f"measuring {what}", file=sys.stderr, flush=True)
        try:
            return measure()
        except MeasureError as error:
            self.fail(f"{what}: {error}")
            return None

    def fail(self, message: str) -> None:
        """Keeps what could not be measured, and says it at once."""
        print(message, file=sys.stderr, flush=True)
        self.failures.append(message)

    def add(self, name: str, title: str, explanation: str, table: Iterable[str], figures: Any,
            picture: str | None = None) -> None:
        """Takes a section of the result, and writes everything that there is, should the rest not come to its end."""
        section = [f"## {title}", "", explanation, "", *table]
        if picture:
            self.pictures[f"{name}.svg"] = picture
            section += ["", f"![{title}]({name}.svg)"]
        self.sections.append(section)
        self.figures[name] = figures
        self.write()

    def text(self) -> str:
        """All tables as one page."""
        repeat = self.sizes.repeat
        runs = "one run each" if repeat == 1 else f"the least of {repeat} runs"
        lines = ["# What Racelens costs", "", self.machine, "",
                 f"From scratch: {runs}.", ""]
        for section in self.sections:
            lines += [*section, ""]
        if self.failures:
            lines += ["## Not measured", "", *(f"- {failure}" for failure in self.failures), ""]
        return "\n".join(lines)

    def write(self) -> None:
        """Writes the page, the plots, and the figures for programs."""
        into = self.arguments.into
        into.mkdir(parents=True, exist_ok=True)
        (into / "bench.md").write_text(self.text(), encoding="utf-8")
        for name, picture in self.pictures.items():
            (into / name).write_text(picture, encoding="utf-8")
        figures = {"machine": self.machine, "failures": self.failures, **self.figures}
        (into / "figures.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


#: In the order in which they are measured.
PARTS: dict[str, Callable[[Bench], None]] = {
    "cold": Bench.cold, "warm": Bench.warm, "client": Bench.client, "edits": Bench.edits, "growth": Bench.growth,
}

if __name__ == "__main__":
    sys.exit(main())

"""Edit latency as a client sees it, beside clangd: runs the latency benchmark of the editors."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Sequence

import chart
from neighbours import LATENCY, MeasureError

CLANGD = "clangd=clangd --background-index=false"


def servers(racelens: Path) -> list[str]:
    """Ours, and clangd where it is installed."""
    ours = f"racelens={racelens} lsp"
    return [ours, CLANGD] if shutil.which("clangd") else [ours]


def measure(racelens: Path, files: Sequence[Path], edits: int, budget: float) -> tuple[str, list[dict[str, Any]]]:
    """The table as Markdown, and its figures."""
    with tempfile.TemporaryDirectory() as folder:
        figures = Path(folder) / "figures.json"
        command = [sys.executable, str(LATENCY), "--json", str(figures), "--edits", str(edits), "--budget", str(budget)]
        for server in servers(racelens):
            command += ["--server", server]
        done = subprocess.run([*command, *map(str, files)], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            raise MeasureError("the latency could not be measured, see above")
        return done.stdout.strip(), json.loads(figures.read_text())


def picture(figures: Sequence[dict[str, Any]]) -> str:
    """The medians of all servers, file by file."""
    names = list(dict.fromkeys(found["server"] for found in figures))
    by_file: dict[str, dict[str, float]] = {}
    for found in figures:
        by_file.setdefault(Path(found["file"]).name, {})[found["server"]] = 1000 * found["median"]
    groups = [(file, [medians.get(name) for name in names]) for file, medians in by_file.items()]
    return chart.bars("From an edit to its diagnostics at the client, median", names, groups, "ms")

"""What the benchmarks use of the folders beside this one: real programs, generated ones, and how commands are measured."""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "real"), str(TESTS / "scale")]

from fetch import DATABASE, DEFAULT_DIRECTORY as REAL_PROGRAMS  # noqa: E402
from front_end_table import MeasureError, build_binary, existing  # noqa: E402
from generate import write_program  # noqa: E402
from measure import Cost, printed_json, racelens_binary, syntax_checks  # noqa: E402
from table import least  # noqa: E402

FETCH = TESTS / "real" / "fetch.py"
LATENCY = TESTS / "editors" / "latency" / "table.py"
WORKSPACE = TESTS.parent

__all__ = ["Cost", "DATABASE", "FETCH", "LATENCY", "MeasureError", "REAL_PROGRAMS", "WORKSPACE", "build_binary",
           "existing", "least", "printed_json", "racelens_binary", "syntax_checks", "write_program"]

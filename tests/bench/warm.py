"""The second start on a program that has not changed, beside the first one: `racelens check`, and the language server until
it shows its first diagnostics.

The first run begins with an empty cache and fills it. Its report must be that of the second, but for the time that it took."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Iterator, Sequence

from neighbours import Cost, MeasureError, printed_json

#: `racelens check` ends with these when it did its work: without races, and with some.
FINISHED = (0, 1)


@dataclass(frozen=True)
class Row:
    """What was measured of one program."""

    name: str
    cold: Cost
    warm: Cost
    #: Seconds until the server shows something; none if there is nothing to show.
    cold_shown: float | None
    warm_shown: float | None
    #: What is kept, in bytes.
    kept: int

    @property
    def ratio(self) -> float:
        """How many times faster the second check is."""
        return self.cold.wall / self.warm.wall

    @property
    def shown_ratio(self) -> float | None:
        """The same for the language server."""
        return self.cold_shown / self.warm_shown if self.cold_shown and self.warm_shown else None

    def figures(self) -> dict[str, Any]:
        return {**asdict(self), "ratio": self.ratio, "shown_ratio": self.shown_ratio}


def measure(name: str, directory: Path, racelens: Path, repeat: int, timeout: float) -> Row:
    """Checks a program twice or more, and opens it in the server as often."""
    with tempfile.TemporaryDirectory() as kept, tempfile.TemporaryDirectory() as kept_by_server:
        command = [str(racelens), "check", "--format", "json", "--cache-dir", kept]
        report, cold = printed_json(command, directory, timeout, FINISHED)
        warm = []
        for _ in range(max(repeat, 2)):
            again, cost = printed_json(command, directory, timeout, FINISHED)
            if without_time(again) != without_time(report):
                raise MeasureError(f"the second report on {name} is another one than the first")
            warm.append(cost)
        # Its first start must not find the units that the check has kept.
        server = [str(racelens), "lsp", "--cache-dir", kept_by_server]
        shown = [first_diagnostics(server, directory, timeout) if report["races"] else None for _ in range(2)]
        size = sum(file.stat().st_size for file in Path(kept).rglob("*") if file.is_file())
        return Row(name, cold, min(warm, key=lambda cost: cost.wall), *shown, size)


def without_time(report: dict[str, Any]) -> dict[str, Any]:
    """The report without what differs from run to run."""
    return {**report, "stats": {**report["stats"], "seconds": None}}


def first_diagnostics(command: Sequence[str], directory: Path, timeout: float) -> float:
    """Seconds from the start of a server until it shows something; it goes on until it has kept what it found."""
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=directory, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    shown: float | None = None
    try:
        folder = {"uri": directory.resolve().as_uri(), "name": directory.name}
        send(process, {"id": 1, "method": "initialize",
                       "params": {"processId": None, "capabilities": {}, "workspaceFolders": [folder]}})
        while receive(process).get("id") != 1:
            pass
        send(process, {"method": "initialized", "params": {}})
        while time.perf_counter() - start < timeout:
            message = receive(process)
            params = message.get("params") or {}
            if message.get("method") == "textDocument/publishDiagnostics" and params["diagnostics"] and shown is None:
                shown = time.perf_counter() - start
            if message.get("method") == "racelens/status" and params["state"] == "ready" and shown is not None:
                break
        send(process, {"id": 2, "method": "shutdown"})
        while receive(process).get("id") != 2:
            pass
        send(process, {"method": "exit"})
        process.wait(timeout)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise MeasureError(f"the server does not answer: {error}") from error
    finally:
        process.kill()
        process.wait()
    if shown is None:
        raise MeasureError("the server shows nothing")
    return shown


def send(process: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    """Sends one message to a server."""
    assert process.stdin
    text = json.dumps({"jsonrpc": "2.0", **message}).encode()
    process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
    process.stdin.flush()


def receive(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    """The next message of a server."""
    assert process.stdout
    length = 0
    while line := process.stdout.readline().strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    if not length:
        raise ValueError("it has ended")
    return json.loads(process.stdout.read(length))


def markdown(rows: Sequence[Row]) -> Iterator[str]:
    """The table."""
    yield ("| program | first s | second s | ratio | first processor s | second processor s "
           "| server, first s | second s | ratio | kept MB |")
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    for row in rows:
        yield (f"| {row.name} | {row.cold.wall:.2f} | {row.warm.wall:.3f} | {row.ratio:.0f} | {row.cold.processor:.2f} "
               f"| {row.warm.processor:.3f} | {number(row.cold_shown, 2)} | {number(row.warm_shown, 3)} "
               f"| {number(row.shown_ratio, 0)} | {row.kept / 1e6:.1f} |")


def number(value: float | None, digits: int) -> str:
    """A number, or a dash where there is none."""
    return "–" if value is None else f"{value:.{digits}f}"

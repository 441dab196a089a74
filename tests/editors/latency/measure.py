"""Measures one server on one file: from an edit that leaves the client to the diagnostics that reach it."""

import time
from dataclasses import dataclass
from pathlib import Path

from connection import Connection
from probes import Probed

# A person does not type the next character the moment the diagnostics appear.
PAUSE_SECONDS = 0.2


@dataclass(frozen=True)
class Result:
    server: str
    file: Path
    lines: int
    first_seconds: float
    #: Of every edit, in seconds.
    latencies: list[float]
    memory_mebibytes: int | None

    def percentile(self, share: float) -> float:
        return percentile(self.latencies, share)


def percentile(values: list[float], share: float) -> float:
    """The smallest value that is not below `share` of all values."""
    ordered = sorted(values)
    rank = -(-share * len(ordered) // 1)
    return ordered[max(0, int(rank) - 1)]


@dataclass(frozen=True)
class Plan:
    edits: int
    #: No further edit is made when all edits of the file together took that long.
    budget_seconds: float
    #: How long to wait for one answer, the first one included, which may need the whole program.
    patience_seconds: float


def measure(server: str, command: list[str], file: Path, root: Path, probed: Probed, plan: Plan, log: Path) -> Result:
    connection = Connection(command, root, log)
    try:
        connection.initialize()
        uri = file.as_uri()
        # Servers that send only news would say nothing about a file without fault.
        document = {"uri": uri, "languageId": "c", "version": 1, "text": probed.broken_text()}
        sent = connection.notify("textDocument/didOpen", {"textDocument": document})
        first = _diagnostics(connection, uri, 1, plan.patience_seconds) - sent
        latencies: list[float] = []
        while len(latencies) < plan.edits and sum(latencies) < plan.budget_seconds:
            time.sleep(PAUSE_SECONDS)
            edit = len(latencies) + 1
            version = edit + 1
            sent = connection.notify(
                "textDocument/didChange",
                {"textDocument": {"uri": uri, "version": version}, "contentChanges": [probed.change(edit)]},
            )
            latencies.append(_diagnostics(connection, uri, version, plan.patience_seconds) - sent)
        memory = connection.peak_memory_mebibytes()
    finally:
        connection.close()
    return Result(server, file, probed.text.count("\n") + 1, first, latencies, memory)


def _diagnostics(connection: Connection, uri: str, version: int, patience: float) -> float:
    """When the diagnostics of that version arrived; a server that tells no version is taken at its word."""

    def wanted(message: dict) -> bool:
        if message.get("method") != "textDocument/publishDiagnostics":
            return False
        parameters = message["params"]
        return parameters["uri"] == uri and parameters.get("version", version) == version

    return connection.wait_for(wanted, patience).arrived

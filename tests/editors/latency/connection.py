"""A connection with a language server over its standard input and output, with the time of each message."""

import itertools
import json
import os
import queue
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

# What was kept by an earlier run would make the next one look faster than it is.
os.environ.setdefault("RACELENS_CACHE_DIR", "")

CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "window": {"workDoneProgress": True},
    "workspace": {"configuration": True, "workspaceFolders": True},
    "textDocument": {
        "synchronization": {"didSave": True},
        "publishDiagnostics": {"relatedInformation": True, "versionSupport": True, "dataSupport": True},
    },
}


class ServerEnded(Exception):
    """The server closed its output, with what it last wrote to standard error."""


@dataclass(frozen=True)
class Message:
    """What the server sent, and when it had arrived."""

    content: dict
    arrived: float


class Connection:
    def __init__(self, command: list[str], root: Path, log: Path):
        self._log = log
        with log.open("wb") as stderr:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, cwd=root
            )
        self._ids = itertools.count(1)
        self._writing = threading.Lock()
        self._messages: queue.Queue[Message | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self._root = root

    def initialize(self, options: dict | None = None) -> dict:
        uri = self._root.as_uri()
        parameters = {
            "processId": os.getpid(),
            "rootUri": uri,
            "workspaceFolders": [{"uri": uri, "name": self._root.name}],
            "capabilities": CAPABILITIES,
            "initializationOptions": options or {},
        }
        answer = self.request("initialize", parameters, timeout=60)
        self.notify("initialized", {})
        return answer

    def notify(self, method: str, parameters: dict | None) -> float:
        """Sends a notification and returns the moment before the first byte left."""
        moment = time.perf_counter()
        self._write({"method": method, "params": parameters})
        return moment

    def request(self, method: str, parameters: dict | None, timeout: float) -> dict:
        identity = next(self._ids)
        self._write({"id": identity, "method": method, "params": parameters})
        return self.wait_for(lambda message: message.get("id") == identity and "method" not in message, timeout).content

    def wait_for(self, wanted, timeout: float) -> Message:
        """The next message that is wanted; those before it are dropped."""
        end = time.perf_counter() + timeout
        while True:
            try:
                message = self._messages.get(timeout=max(0.0, end - time.perf_counter()))
            except queue.Empty:
                raise TimeoutError(f"the server sent nothing of the kind within {timeout:.0f} s") from None
            if message is None:
                raise ServerEnded(self._log.read_text(errors="replace")[-2000:])
            if wanted(message.content):
                return message

    def peak_memory_mebibytes(self) -> int | None:
        """The largest resident set so far, where the system tells it; a server may be started by a wrapper."""
        return max((peak for peak in map(_peak_memory, _with_children(self._process.pid)) if peak is not None), default=None)

    def close(self) -> None:
        try:
            self.request("shutdown", None, timeout=10)
            self.notify("exit", None)
            self._process.wait(timeout=10)
        except (TimeoutError, ServerEnded, OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        finally:
            self._process.stdin.close()
            self._process.stdout.close()

    def _write(self, content: dict) -> None:
        body = json.dumps({"jsonrpc": "2.0", **content}).encode()
        with self._writing:
            self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            self._process.stdin.flush()

    def _read(self) -> None:
        stream = self._process.stdout
        while (length := _content_length(stream)) is not None:
            body = stream.read(length)
            arrived = time.perf_counter()
            content = json.loads(body)
            if "method" in content and "id" in content:
                self._answer(content)
            self._messages.put(Message(content, arrived))
        self._messages.put(None)

    def _answer(self, request: dict) -> None:
        """Servers ask for settings, progress and registrations; all of them are content with nothing."""
        result = None
        if request["method"] == "workspace/configuration":
            result = [None] * len(request["params"]["items"])
        self._write({"id": request["id"], "result": result})


def _with_children(process: int) -> list[int]:
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        children = []
    return [process, *(inner for child in children for inner in _with_children(int(child)))]


def _peak_memory(process: int) -> int | None:
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return None
    lines = (line.split() for line in status.splitlines() if line.startswith("VmHWM"))
    return next((int(words[1]) // 1024 for words in lines), None)


def _content_length(stream) -> int | None:
    """Reads a header; None at the end of the stream."""
    length = None
    while (line := stream.readline()) not in (b"\r\n", b"\n"):
        if not line:
            return None
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return length

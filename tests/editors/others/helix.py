#!/usr/bin/env python3
"""Racelens in Helix, on the demo: Helix runs in a terminal of its own, and what it draws is read.

Usage: helix.py DEMO CONFIGURATION HELIX...   (with RACELENS_SERVER)
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from pathlib import Path

PATIENCE_SECONDS = 60
#: What Helix draws, one after the other, and the keys that are pressed then.
STORY = [
    ("a race is shown", "possible data race", b" a"),
    ("a race can be verified", "Verify the race on", b""),
]
LANGUAGES = """
[language-server.racelens]
command = "{server}"
args = ["lsp"]

[[language]]
name = "c"
language-servers = ["racelens"]
"""


def main() -> int:
    demo, configuration, *helix = sys.argv[1:]
    folder = Path(configuration) / "helix"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "languages.toml").write_text(LANGUAGES.format(server=os.environ["RACELENS_SERVER"]))
    source = Path(demo) / "cache.c"
    lines = source.read_text().split("\n")
    racing = next(number for number, line in enumerate(lines, 1) if "return cache->lookups" in line)
    environment = {**os.environ, "XDG_CONFIG_HOME": configuration, "XDG_CACHE_HOME": configuration, "TERM": "xterm-256color"}
    steps = run(helix + [f"{source}:{racing}:12"], demo, environment)
    for (title, wanted, _), drawn in zip(STORY, steps):
        if wanted not in drawn:
            print(f"helix: FAILED, {title}: it is not in {drawn[-2000:]}")
            return 1
        print(f"helix: ok, {title}")
    return 0


def run(command: list[str], folder: str, environment: dict[str, str]) -> list[str]:
    """Runs a program in a terminal through the story. What it has drawn at each step, until patience ends."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execvpe(command[0], command, environment)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 160, 0, 0))
    steps = []
    for _, wanted, keys in STORY:
        steps.append(drawn_until(terminal, wanted))
        os.write(terminal, keys)
    os.kill(process, signal.SIGTERM)
    os.waitpid(process, 0)
    return steps


def drawn_until(terminal: int, wanted: str) -> str:
    """What is drawn until something is there, or patience ends."""
    drawn = b""
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end and wanted not in text_of(drawn):
        ready, _, _ = select.select([terminal], [], [], 0.2)
        if ready:
            try:
                drawn += os.read(terminal, 65536)
            except OSError:
                break
    return text_of(drawn)


def text_of(drawn: bytes) -> str:
    """What was drawn without the sequences that move and colour."""
    return re.sub(r"\x1b(\[[0-9;:?>=<]*[a-zA-Z]|[()][A-Z0-9]|[=>78])", "", drawn.decode(errors="replace"))


if __name__ == "__main__":
    sys.exit(main())

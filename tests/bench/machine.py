"""Where and when something was measured."""

from __future__ import annotations

import datetime
import os
import platform
import re
import shutil
import subprocess


def description(now: datetime.datetime | None = None) -> str:
    """The date, the machine, how busy it was, and the versions of the tools beside us, in one line."""
    now = now or datetime.datetime.now(datetime.timezone.utc)
    load = os.getloadavg()[0]
    versions = [version for version in (version_of("gcc"), version_of("clangd")) if version]
    return (f"Measured on {now:%Y-%m-%d}: {os.cpu_count()} cores ({processor()}), {memory()}, "
            f"load {load:.1f} at the beginning; {', '.join(versions)}.")


def processor() -> str:
    """The name of the processor, as the kernel tells it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            found = re.search(r"^model name\s*:\s*(.+)$", file.read(), re.MULTILINE)
    except OSError:
        found = None
    return found.group(1).strip() if found else platform.machine()


def memory() -> str:
    """How much memory there is."""
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return f"{pages * size / 1e9:.0f} GB"


def version_of(tool: str) -> str | None:
    """`gcc 12.2.0`; `None` if the tool is not there."""
    if not shutil.which(tool):
        return None
    shown = subprocess.run([tool, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"\d+\.\d+(\.\d+)?", shown)
    return f"{tool} {found.group()}" if found else tool

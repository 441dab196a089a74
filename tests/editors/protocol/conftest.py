"""Each test has a copy of the demo and a server of its own."""

import shutil
from pathlib import Path

import pytest
import pytest_asyncio

from session import DEMO, SERVER, Session

LAST = "test_every_announced_capability_was_used"


def pytest_sessionstart() -> None:
    if shutil.which(SERVER) is None:
        pytest.exit(f"{SERVER} is not a program; build it, or name another in RACELENS_SERVER", returncode=2)


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    return Path(shutil.copytree(DEMO, tmp_path / "demo"))


@pytest_asyncio.fixture
async def session(demo: Path):
    session = await Session.start(demo)
    session.open("cache.c")
    await session.ready()
    yield session
    await session.stop()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The test that looks back on all others runs last, and not at all if only some of them run."""
    last = [item for item in items if item.name == LAST]
    items[:] = [item for item in items if item.name != LAST]
    chosen = config.getoption("keyword") or any("::" in argument or ".py" in argument for argument in config.args)
    if chosen:
        config.hook.pytest_deselected(items=last)
    else:
        items.extend(last)

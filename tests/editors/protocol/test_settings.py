"""Settings, at the start and while the server runs."""

import asyncio

from lsprotocol import types

from session import Session


def change_settings(session: Session, settings: dict) -> None:
    session.client.set_configuration({"racelens": settings})
    session.notify("workspace/didChangeConfiguration", types.DidChangeConfigurationParams({"racelens": settings}))


async def test_races_of_a_low_rank_can_be_left_out_without_a_restart(session: Session):
    change_settings(session, {"minRank": 100})
    await session.until("nothing is shown", lambda: not session.diagnostics("cache.c", "cache.lookups"))
    change_settings(session, {"minRank": 0})
    await session.until("all is shown", lambda: session.diagnostics("cache.c", "cache.lookups"))


async def test_on_save_means_not_before(demo):
    session = await Session.start(demo, settings={"run": "onSave"})
    session.open("cache.c")
    await session.ready()
    session.replace("cache.c", "cache->lookups ?", "1 ?")
    session.replace("cache.c", "/ cache->lookups", "/ 1")
    await asyncio.sleep(1)
    assert session.diagnostics("cache.c", "cache.lookups")
    session.save("cache.c")
    await session.until("the race is gone", lambda: not session.diagnostics("cache.c", "cache.lookups"))
    await session.stop()


async def test_manual_means_on_command(demo):
    session = await Session.start(demo, settings={"run": "manual"})
    session.open("cache.c")
    await session.execute("racelens.checkNow")
    await session.until("races are shown", lambda: session.diagnostics("cache.c", "cache.lookups"))
    session.replace("cache.c", "cache->lookups ?", "1 ?")
    session.replace("cache.c", "/ cache->lookups", "/ 1")
    session.save("cache.c")
    await asyncio.sleep(1)
    assert session.diagnostics("cache.c", "cache.lookups")
    await session.execute("racelens.checkNow")
    await session.until("the race is gone", lambda: not session.diagnostics("cache.c", "cache.lookups"))
    await session.stop()


async def test_a_setting_that_is_wrong_is_said_and_costs_only_itself(demo):
    session = await Session.start(demo, settings={"run": "sometimes"})
    session.open("cache.c")
    await session.ready()
    assert session.diagnostics("cache.c", "cache.lookups")
    assert any("racelens.run" in message.message for message in session.client.log_messages)
    await session.stop()


async def test_the_start_shows_its_progress(session: Session):
    kinds = [[type(step).__name__ for step in steps] for steps in session.client.progress_reports.values()]
    assert kinds, "there was no progress"
    for steps in kinds:
        assert steps[0] == "WorkDoneProgressBegin"
        assert steps[-1] == "WorkDoneProgressEnd"

"""Commands of the server, and its list of races."""

import pytest
from pygls.exceptions import JsonRpcException
from session import Session


async def test_an_access_is_explained(session: Session):
    position = session.position("cache.c", "return cache->lookups", len("return "))
    place = {"line": position.line, "character": position.character}
    text = await session.execute("racelens.explain", session.uri("cache.c"), place)
    assert "cache->lookups" in text
    assert "no lock" in text


async def test_a_race_is_explained_by_its_id(session: Session):
    [race] = [race for race in await session.races() if race.location_name == "cache.lookups"]
    text = await session.execute("racelens.explain", race.id)
    assert "lookups" in text
    assert "cache->stats_lock" in text


async def test_a_check_can_be_asked_for(session: Session):
    before = session.states[-1]["checks"]
    await session.execute("racelens.checkNow")
    await session.ready(checks=before + 1)


async def test_after_a_restart_all_is_found_again(session: Session):
    races = {race.id for race in await session.races()}
    before = session.states[-1]["checks"]
    await session.execute("racelens.restart")
    await session.ready(checks=before + 1)
    assert {race.id for race in await session.races()} == races


async def test_a_race_has_all_that_an_editor_shows_of_it(session: Session):
    [race] = [race for race in await session.races() if race.location_name == "cache.lookups"]
    assert (race.tier, race.kind) == ("possible", "race")
    assert 0 <= race.rank <= 100
    assert "cache.lookups" in race.message
    first, second = race.accesses[:2]
    assert (first.write, first.thread, first.locks, first.function) == (True, "worker", ["cache->stats_lock"], "cache_get")
    assert (second.write, second.thread, second.locks, second.function) == (False, "main", [], "cache_miss_rate")
    assert first.uri == session.uri("cache.c")
    assert first.range.start.line == session.position("cache.c", "cache->lookups++").line


@pytest.mark.parametrize("command", ["racelens.unknown", "", "racelens.explain"])
async def test_a_command_that_makes_no_sense_is_refused(session: Session, command: str):
    with pytest.raises(JsonRpcException):
        await session.execute(command, 17)
    assert session.diagnostics("cache.c", "cache.lookups")

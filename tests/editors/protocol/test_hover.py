"""What a person is told who points at a place."""

from lsprotocol import types

from session import Session


async def hover_at(session: Session, file: str, text: str, offset: int = 0) -> str:
    hover = await session.ask("textDocument/hover", types.HoverParams(**session.at(file, text, offset)))
    return "" if hover is None else hover.contents.value


async def test_an_access_tells_its_locks_and_threads(session: Session):
    text = await hover_at(session, "cache.c", "cache->lookups++", len("cache->l"))
    assert "cache->stats_lock" in text
    assert "worker" in text


async def test_an_access_without_a_lock_says_so(session: Session):
    text = await hover_at(session, "cache.c", "return cache->lookups", len("return cache->l"))
    assert "no lock" in text
    assert "main" in text


async def test_a_place_of_which_nothing_is_known_has_no_hover(session: Session):
    assert await hover_at(session, "cache.c", "/* Reads the totals") == ""


async def test_hovers_follow_the_text_that_is_not_saved(session: Session):
    session.replace("cache.c", "    return cache->lookups", "    pthread_mutex_lock(&cache->stats_lock);\n    return cache->lookups")
    text = await hover_at(session, "cache.c", "return cache->lookups", len("return cache->l"))
    assert "cache->stats_lock" in text

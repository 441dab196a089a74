"""Lenses over functions: the threads that run them."""

from lsprotocol import types

from session import Session


async def test_a_lens_names_the_threads_of_a_function_when_it_is_resolved(session: Session):
    params = types.CodeLensParams(text_document=session.identify("cache.c"))
    lenses = await session.ask("textDocument/codeLens", params)
    titles = {}
    for lens in lenses:
        resolved = await session.ask("codeLens/resolve", lens)
        assert resolved.range == lens.range
        titles[resolved.range.start.line] = resolved.command.title
    assert "worker" in titles[session.position("cache.c", "int cache_get").line]
    assert "main" in titles[session.position("cache.c", "double cache_miss_rate").line]


async def test_lenses_can_be_switched_off(demo):
    session = await Session.start(demo, settings={"codeLens": False})
    session.open("cache.c")
    await session.ready()
    params = types.CodeLensParams(text_document=session.identify("cache.c"))
    assert not await session.ask("textDocument/codeLens", params)
    await session.stop()

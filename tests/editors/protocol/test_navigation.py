"""Ways from one place to another, and marks in the text."""

from lsprotocol import types

from session import Session


async def test_a_lock_that_is_released_leads_to_where_it_was_taken(session: Session):
    params = types.DefinitionParams(**session.at("cache.c", "stats_lock);\n    return entry"))
    found = await session.ask("textDocument/definition", params)
    assert [place.range.start.line for place in found] == [session.position("cache.c", "pthread_mutex_lock(&cache->stats").line]


async def test_the_call_hierarchy_goes_both_ways(session: Session):
    params = types.CallHierarchyPrepareParams(**session.at("cache.c", "cache_get(struct"))
    [item] = await session.ask("textDocument/prepareCallHierarchy", params)
    assert item.name == "cache_get"
    incoming = await session.ask("callHierarchy/incomingCalls", types.CallHierarchyIncomingCallsParams(item=item))
    assert [call.from_.name for call in incoming] == ["worker"]
    outgoing = await session.ask("callHierarchy/outgoingCalls", types.CallHierarchyOutgoingCallsParams(item=item))
    assert [call.to.name for call in outgoing] == ["bucket_of", "find"]


async def test_hints_are_shown_when_they_are_wanted(demo):
    session = await Session.start(demo, settings={"inlayHints": True})
    session.open("cache.c")
    await session.ready()
    whole = types.Range(types.Position(0, 0), types.Position(999, 0))
    params = types.InlayHintParams(text_document=session.identify("cache.c"), range=whole)
    hints = await session.ask("textDocument/inlayHint", params)
    assert "holds cache->locks[index]" in {hint.label for hint in hints}
    await session.stop()


async def test_shared_variables_are_highlighted_when_that_is_wanted(demo):
    session = await Session.start(demo, settings={"semanticHighlighting": True})
    session.open("main.c")
    await session.ready()
    params = types.SemanticTokensParams(text_document=session.identify("main.c"))
    tokens = await session.ask("textDocument/semanticTokens/full", params)
    first = session.position("main.c", "cache.closing")
    assert list(tokens.data[:3]) == [first.line, first.character, len("cache.closing")]
    await session.stop()

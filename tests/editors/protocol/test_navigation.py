"""From one place to others: to where a lock was taken, to callers and callees."""

from lsprotocol import types

from session import Session


async def test_a_lock_that_is_released_leads_to_where_it_was_taken(session: Session):
    at = session.at("cache.c", "pthread_mutex_unlock(&cache->stats_lock)", len("pthread_mutex_unlock(&cache->s"))
    found = await session.ask("textDocument/definition", types.DefinitionParams(**at))
    taken = session.position("cache.c", "pthread_mutex_lock(&cache->stats_lock)")
    assert [(place.uri, place.range.start.line) for place in found] == [(session.uri("cache.c"), taken.line)]


async def test_other_names_are_left_to_other_servers(session: Session):
    params = types.DefinitionParams(**session.at("cache.c", "bucket_of(key)"))
    assert not await session.ask("textDocument/definition", params)


async def test_callers_and_callees_of_a_function_in_other_files(session: Session):
    params = types.CallHierarchyPrepareParams(**session.at("cache.c", "cache_get"))
    [item] = await session.ask("textDocument/prepareCallHierarchy", params)
    assert item.name == "cache_get"
    incoming = await session.ask("callHierarchy/incomingCalls", types.CallHierarchyIncomingCallsParams(item))
    assert [(call.from_.name, call.from_.uri) for call in incoming] == [("worker", session.uri("main.c"))]
    assert incoming[0].from_ranges[0].start.line == session.position("main.c", "cache_get(").line
    outgoing = await session.ask("callHierarchy/outgoingCalls", types.CallHierarchyOutgoingCallsParams(item))
    assert {"bucket_of", "find"} <= {call.to.name for call in outgoing}


async def test_a_comment_that_accepts_a_race_leads_to_the_other_access(session: Session):
    session.replace("cache.c", "    cache->lookups++;", "    cache->lookups++; // racelens: benign -- a test")
    links = await session.ask("textDocument/documentLink", types.DocumentLinkParams(session.identify("cache.c")))
    line = session.position("cache.c", "return cache->lookups").line + 1
    assert [link.target.split(",")[0] for link in links] == [f"{session.uri('cache.c')}#L{line}"]
    assert links[0].range.start.line == session.position("cache.c", "cache->lookups++").line

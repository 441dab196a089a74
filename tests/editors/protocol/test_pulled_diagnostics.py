"""Diagnostics for a client that asks for them."""

from lsprotocol import types

from session import Session


async def test_a_document_is_reported_once_and_then_unchanged(demo):
    session = await Session.start(demo, settings={"diagnostics": "pull"})
    session.open("cache.c")
    await session.ready()
    assert not session.diagnostics("cache.c"), "pushed and pulled at once, everything would be shown twice"
    params = types.DocumentDiagnosticParams(session.identify("cache.c"))
    report = await session.ask("textDocument/diagnostic", params)
    assert report.kind == "full"
    assert len([each for each in report.items if "cache.lookups" in each.message]) == 2
    params.previous_result_id = report.result_id
    assert (await session.ask("textDocument/diagnostic", params)).kind == "unchanged"
    session.replace("cache.c", "cache->lookups ?", "1 ?")
    session.replace("cache.c", "/ cache->lookups", "/ 1")
    report = await session.ask("textDocument/diagnostic", params)
    assert report.kind == "full"
    assert not [each for each in report.items if "cache.lookups" in each.message]
    await session.stop()


async def test_the_workspace_is_reported_with_files_that_are_not_open(demo):
    session = await Session.start(demo, settings={"diagnostics": "pull"})
    await session.ready()
    report = await session.ask("workspace/diagnostic", types.WorkspaceDiagnosticParams(previous_result_ids=[]))
    items = {item.uri: item for item in report.items}
    assert {session.uri("cache.c"), session.uri("main.c")} <= set(items)
    known = [types.PreviousResultId(uri, item.result_id) for uri, item in items.items()]
    again = types.WorkspaceDiagnosticParams(previous_result_ids=known)
    report = await session.ask("workspace/diagnostic", again)
    assert all(item.kind == "unchanged" for item in report.items)
    await session.stop()

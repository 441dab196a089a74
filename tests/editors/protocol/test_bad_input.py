"""Input that makes no sense is answered as the protocol says, and the server goes on."""

import shutil

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from raw_connection import INITIALIZE, Raw
from session import Session


async def still_works(session: Session) -> None:
    params = types.HoverParams(**session.at("cache.c", "cache->lookups++", len("cache->l")))
    hover = await session.ask("textDocument/hover", params)
    assert "stats_lock" in hover.contents.value


async def test_an_unknown_method_is_said_to_be_unknown(session: Session):
    with pytest.raises(JsonRpcException) as problem:
        await session.client.protocol.send_request_async("textDocument/noSuchThing", {})
    assert problem.value.code == -32601
    session.client.protocol.notify("noSuchNotification", {})
    await still_works(session)


@pytest.mark.parametrize("position", [types.Position(10_000, 0), types.Position(0, 10_000), types.Position(2**31 - 1, 2**31 - 1)])
async def test_a_position_past_the_end_is_nowhere(session: Session, position: types.Position):
    assert await session.ask("textDocument/hover", types.HoverParams(session.identify("cache.c"), position)) is None
    await still_works(session)


@pytest.mark.parametrize("uri", ["untitled:Untitled-1", "https://example.org/a.c", "file:///no/such/file.c"])
async def test_documents_that_are_no_files_do_no_harm(session: Session, uri: str):
    item = types.TextDocumentItem(uri=uri, language_id="c", version=1, text="int x;\n")
    session.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    identifier = types.TextDocumentIdentifier(uri)
    await session.ask("textDocument/hover", types.HoverParams(identifier, types.Position(0, 4)))
    session.client.text_document_did_close(types.DidCloseTextDocumentParams(identifier))
    await still_works(session)


async def test_a_request_before_the_start_is_refused():
    raw = await Raw.start()
    raw.request(1, "textDocument/hover", {"textDocument": {"uri": "file:///a.c"}, "position": {"line": 0, "character": 0}})
    assert (await raw.answer(1))["error"]["code"] == -32002
    raw.request(2, "initialize", INITIALIZE)
    assert "result" in await raw.answer(2)
    await raw.finish()


async def test_a_request_after_the_end_is_refused():
    raw = await Raw.start()
    raw.request(1, "initialize", INITIALIZE)
    await raw.answer(1)
    raw.request(2, "shutdown")
    await raw.answer(2)
    raw.request(3, "textDocument/hover", {"textDocument": {"uri": "file:///a.c"}, "position": {"line": 0, "character": 0}})
    assert (await raw.answer(3))["error"]["code"] == -32600
    raw.notify("exit")
    assert await raw.exit_code() == 0


async def test_parameters_of_the_wrong_shape_are_refused():
    raw = await Raw.start()
    raw.request(1, "initialize", INITIALIZE)
    await raw.answer(1)
    raw.request(2, "textDocument/hover", {"position": "here"})
    assert (await raw.answer(2))["error"]["code"] == -32602
    await raw.finish()


async def test_an_exit_without_a_shutdown_is_a_failure():
    raw = await Raw.start()
    raw.request(1, "initialize", INITIALIZE)
    await raw.answer(1)
    raw.notify("exit")
    assert await raw.exit_code() == 1


async def test_what_is_no_json_is_answered_and_forgotten():
    raw = await Raw.start()
    raw.send(b'{"jsonrpc": "2.0", "id": 1, "method":')
    assert (await raw.answer(None))["error"]["code"] == -32700
    raw.request(2, "initialize", INITIALIZE)
    assert "result" in await raw.answer(2)
    await raw.finish()


def hover(uri: str) -> dict:
    return {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}


async def test_a_client_that_never_answers_is_served_all_the_same(demo):
    raw = await Raw.start()
    asked = {"window": {"workDoneProgress": True}, "workspace": {"configuration": True, "didChangeWatchedFiles": {"dynamicRegistration": True}}}
    folder = {"uri": demo.as_uri(), "name": "demo"}
    raw.request(1, "initialize", {**INITIALIZE, "capabilities": asked, "workspaceFolders": [folder]})
    await raw.answer(1)
    raw.notify("initialized", {})
    uri = (demo / "cache.c").as_uri()
    published = await raw.receive(
        lambda message: message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri
    )
    assert published["params"]["diagnostics"]
    await raw.finish()


async def test_a_cancelled_request_is_answered(demo):
    raw = await Raw.start()
    raw.request(1, "initialize", {**INITIALIZE, "rootUri": demo.as_uri()})
    await raw.answer(1)
    raw.notify("initialized", {})
    uri = (demo / "cache.c").as_uri()
    open_questions = set(range(2, 22))
    for identity in sorted(open_questions):
        raw.request(identity, "textDocument/hover", hover(uri))
        raw.notify("$/cancelRequest", {"id": identity})
    while open_questions:
        answer = await raw.receive(lambda message: message.get("id") in open_questions and "method" not in message)
        assert "result" in answer or answer["error"]["code"] == -32800
        open_questions.remove(answer["id"])
    await raw.finish()


async def test_a_huge_document_is_taken(demo):
    session = await Session.start(demo)
    await session.ready()
    session.open("cache.c", (demo / "cache.c").read_text() + "/* " + "long " * 2_000_000 + "*/\n")
    await session.until("its races are shown", lambda: session.diagnostics("cache.c", "cache.lookups"))
    await still_works(session)
    await session.stop()


async def test_a_workspace_that_is_deleted_takes_nothing_with_it(session: Session):
    shutil.rmtree(session.root)
    gone = [types.FileEvent(session.uri(name), types.FileChangeType.Deleted) for name in ("cache.c", "cache.h", "main.c")]
    session.notify("workspace/didChangeWatchedFiles", types.DidChangeWatchedFilesParams(gone))
    session.change("cache.c", types.TextDocumentContentChangeWholeDocument(text="int x;\n"))
    session.close("cache.c")
    await session.ask("racelens/races")

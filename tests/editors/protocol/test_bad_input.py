"""Input that makes no sense is answered as the protocol says, and the server goes on."""

import asyncio
import json

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from session import PATIENCE, SERVER, Session


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


class Raw:
    """A connection below any client library."""

    @classmethod
    async def start(cls) -> "Raw":
        raw = cls()
        pipe = asyncio.subprocess.PIPE
        raw.process = await asyncio.create_subprocess_exec(SERVER, "lsp", stdin=pipe, stdout=pipe)
        return raw

    def send(self, body: bytes) -> None:
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    async def answer(self, identity) -> dict:
        while True:
            header = await asyncio.wait_for(self.process.stdout.readuntil(b"\r\n\r\n"), PATIENCE)
            fields = dict(line.split(b": ", 1) for line in header.strip().split(b"\r\n"))
            message = json.loads(await self.process.stdout.readexactly(int(fields[b"Content-Length"])))
            if message.get("id") == identity and "method" not in message:
                return message

    def request(self, identity, method: str, params=None) -> None:
        message = {"jsonrpc": "2.0", "id": identity, "method": method}
        self.send(json.dumps(message if params is None else {**message, "params": params}).encode())

    def notify(self, method: str) -> None:
        self.send(json.dumps({"jsonrpc": "2.0", "method": method}).encode())

    async def exit_code(self) -> int:
        return await asyncio.wait_for(self.process.wait(), PATIENCE)


INITIALIZE = {"processId": None, "rootUri": None, "capabilities": {}}


async def test_a_request_before_the_start_is_refused():
    raw = await Raw.start()
    raw.request(1, "textDocument/hover", {"textDocument": {"uri": "file:///a.c"}, "position": {"line": 0, "character": 0}})
    assert (await raw.answer(1))["error"]["code"] == -32002
    raw.request(2, "initialize", INITIALIZE)
    assert "result" in await raw.answer(2)
    raw.request(3, "shutdown")
    await raw.answer(3)
    raw.notify("exit")
    assert await raw.exit_code() == 0


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
    raw.request(3, "shutdown")
    assert "error" not in await raw.answer(3)
    raw.notify("exit")
    assert await raw.exit_code() == 0


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
    raw.request(3, "shutdown")
    await raw.answer(3)
    raw.notify("exit")
    assert await raw.exit_code() == 0

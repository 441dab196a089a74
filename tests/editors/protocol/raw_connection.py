"""A connection below any client library: it can say what no library would, and can keep silent."""

import asyncio
import json

from session import PATIENCE, SERVER

INITIALIZE = {"processId": None, "rootUri": None, "capabilities": {}}


class Raw:
    @classmethod
    async def start(cls) -> "Raw":
        raw = cls()
        pipe = asyncio.subprocess.PIPE
        raw.process = await asyncio.create_subprocess_exec(SERVER, "lsp", stdin=pipe, stdout=pipe)
        return raw

    def send(self, body: bytes) -> None:
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    async def receive(self, wanted) -> dict:
        """The next message that is wanted; those before it are dropped, and never answered."""
        while True:
            header = await asyncio.wait_for(self.process.stdout.readuntil(b"\r\n\r\n"), PATIENCE)
            fields = dict(line.split(b": ", 1) for line in header.strip().split(b"\r\n"))
            message = json.loads(await self.process.stdout.readexactly(int(fields[b"Content-Length"])))
            if wanted(message):
                return message

    async def answer(self, identity) -> dict:
        return await self.receive(lambda message: message.get("id") == identity and "method" not in message)

    def request(self, identity, method: str, params=None) -> None:
        self._call({"id": identity, "method": method}, params)

    def notify(self, method: str, params=None) -> None:
        self._call({"method": method}, params)

    async def finish(self) -> None:
        """Ends the conversation as the protocol says, and the server has to agree."""
        self.request("last", "shutdown")
        assert "error" not in await self.answer("last")
        self.notify("exit")
        assert await self.exit_code() == 0

    async def exit_code(self) -> int:
        return await asyncio.wait_for(self.process.wait(), PATIENCE)

    def _call(self, message: dict, params) -> None:
        self.send(json.dumps({"jsonrpc": "2.0", **message, **({} if params is None else {"params": params})}).encode())

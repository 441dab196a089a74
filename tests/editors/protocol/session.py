"""One conversation with the server about a copy of the demo, in the words of the tests."""

import asyncio
import os
import subprocess
import json
from collections.abc import Callable
from pathlib import Path

from lsprotocol import types
from pytest_lsp import LanguageClient, client_capabilities, make_test_lsp_client

import announced

PATIENCE = 20.0
REPOSITORY = Path(__file__).parents[3]
DEMO = REPOSITORY / "tests" / "demo"
SERVER = os.environ.get("RACELENS_SERVER", str(REPOSITORY / "target" / "debug" / "racelens"))

#: Everything that any test of the run used with success, and everything that was announced to any.
USED: set[str] = set()
ANNOUNCED: set[str] = set()


class Session:
    def __init__(self, client: LanguageClient, root: Path):
        self.client = client
        self.root = root
        self.states: list[dict] = []
        self.registered: list[str] = []
        self.versions: dict[str, int] = {}
        self.texts: dict[str, str] = {}
        self.capabilities: types.ServerCapabilities | None = None

    @classmethod
    async def start(cls, root: Path, *, settings: dict | None = None, encodings: list[str] | None = None,
                    adjust: Callable[[types.ClientCapabilities], None] | None = None) -> "Session":
        """Starts a server for a folder. `adjust` may change what the client can do, which is what VS Code can."""
        client = make_test_lsp_client()
        session = cls(client, root)
        session._listen()
        await client.start_io(SERVER, "lsp")
        capabilities = _capabilities(encodings)
        if adjust:
            adjust(capabilities)
        result = await client.initialize_session(
            types.InitializeParams(
                capabilities=capabilities,
                workspace_folders=[types.WorkspaceFolder(uri=root.as_uri(), name=root.name)],
                initialization_options=settings or {},
            )
        )
        client.set_configuration({"racelens": settings or {}})
        session.capabilities = result.capabilities
        plain = client.protocol._converter.unstructure(result.capabilities, types.ServerCapabilities)
        ANNOUNCED.update(announced.announced(plain))
        return session

    async def stop(self) -> None:
        await self.client.shutdown_session()
        await self.client.stop()

    # What the server says by itself.

    async def ready(self, checks: int | None = None) -> dict:
        """Waits until the server is ready, after so many checks if that is said."""
        return await self.until(
            "the server is ready",
            lambda: next((state for state in reversed(self.states[-1:]) if state["state"] == "ready"
                          and (checks is None or state["checks"] >= checks)), None),
        )

    async def until(self, what: str, question: Callable):
        """Waits until `question` gives something true, and gives that."""
        end = asyncio.get_running_loop().time() + PATIENCE
        while not (found := question()):
            if asyncio.get_running_loop().time() > end:
                raise TimeoutError(f"waited in vain until {what}; the last states: {self.states[-3:]}")
            await asyncio.sleep(0.02)
        return found

    def diagnostics(self, file: str, about: str = "") -> list[types.Diagnostic]:
        found = self.client.diagnostics.get(self.uri(file), [])
        return [diagnostic for diagnostic in found if about in diagnostic.message]

    # Documents.

    def uri(self, file: str) -> str:
        return (self.root / file).as_uri()

    def identify(self, file: str) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(uri=self.uri(file))

    def open(self, file: str, text: str | None = None) -> None:
        self.texts[file] = (self.root / file).read_text() if text is None else text
        self.versions[file] = 1
        document = types.TextDocumentItem(uri=self.uri(file), language_id="c", version=1, text=self.texts[file])
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=document))
        USED.add("textDocument/didOpen")

    def change(self, file: str, *changes: types.TextDocumentContentChangeEvent) -> None:
        self.versions[file] += 1
        document = types.VersionedTextDocumentIdentifier(uri=self.uri(file), version=self.versions[file])
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(text_document=document, content_changes=list(changes))
        )
        USED.add("textDocument/didChange")

    def replace(self, file: str, old: str, new: str) -> None:
        """Changes the first occurrence of a text, by a range."""
        start = self.position(file, old)
        end = self.position(file, old, len(old))
        self.texts[file] = self.texts[file].replace(old, new, 1)
        self.change(file, types.TextDocumentContentChangePartial(range=types.Range(start, end), text=new))

    def save(self, file: str) -> None:
        (self.root / file).write_text(self.texts[file])
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(text_document=self.identify(file)))
        USED.add("textDocument/didSave")

    def close(self, file: str) -> None:
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(text_document=self.identify(file)))
        USED.add("textDocument/didClose")

    def position(self, file: str, text: str, offset: int = 0) -> types.Position:
        """Where a text first occurs. The demo is ASCII, in which all encodings agree."""
        content = self.texts[file] if file in self.texts else (self.root / file).read_text()
        at = content.index(text) + offset
        before = content[:at]
        return types.Position(before.count("\n"), at - (before.rfind("\n") + 1))

    def at(self, file: str, text: str, offset: int = 0) -> dict:
        return {"text_document": self.identify(file), "position": self.position(file, text, offset)}

    # Questions.

    async def ask(self, method: str, params=None):
        """Any request; that it was answered is remembered."""
        answer = await asyncio.wait_for(self.client.protocol.send_request_async(method, params), PATIENCE)
        USED.add(method)
        return answer

    async def execute(self, name: str, *arguments):
        params = types.ExecuteCommandParams(command=name, arguments=list(arguments) or None)
        answer = await self.ask("workspace/executeCommand", params)
        USED.add(announced.command(name))
        return answer

    async def races(self) -> list:
        return (await self.ask("racelens/races")).races

    def notify(self, method: str, params) -> None:
        self.client.protocol.notify(method, params)
        USED.add(method)

    def _listen(self) -> None:
        @self.client.feature("racelens/status")
        def status(params) -> None:
            self.states.append({name: getattr(params, name) for name in ("state", "races", "violations", "checks")})

        @self.client.feature(types.CLIENT_REGISTER_CAPABILITY)
        def register(params: types.RegistrationParams) -> None:
            for registration in params.registrations:
                self.registered.append(registration.method)
                ANNOUNCED.update(announced.registered(registration.method, registration.register_options))

        for refresh in (types.WORKSPACE_CODE_LENS_REFRESH, types.WORKSPACE_INLAY_HINT_REFRESH,
                        types.WORKSPACE_SEMANTIC_TOKENS_REFRESH):
            self.client.feature(refresh)(lambda *_: None)


def _capabilities(encodings: list[str] | None) -> types.ClientCapabilities:
    """What the newest VS Code and Neovim that the client library knows can do, together."""
    capabilities = client_capabilities("visual-studio-code")
    newer = client_capabilities("neovim")
    text, newer_text = capabilities.text_document, newer.text_document
    for name in ("inlay_hint", "diagnostic"):
        setattr(text, name, getattr(newer_text, name))
    capabilities.workspace.inlay_hint = newer.workspace.inlay_hint
    kinds = [types.PositionEncodingKind(name) for name in encodings or ["utf-16"]]
    capabilities.general = types.GeneralClientCapabilities(position_encodings=kinds)
    return capabilities


def races_on_the_command_line(root: Path) -> list[dict]:
    """What the editor has to agree with."""
    result = subprocess.run([SERVER, "check", ".", "--format", "json"], cwd=root, capture_output=True, text=True, check=False)
    assert result.returncode == 1, result.stderr
    return json.loads(result.stdout)["races"]

"""Quick fixes: what they change, and that the race is then gone."""

import subprocess

import announced
import pytest
from lsprotocol import types
from session import USED, Session


Offer = types.CodeAction | types.Command


async def offers_at(session: Session, file: str, about: str) -> list[Offer]:
    end = session.diagnostics(file, about)[-1]
    context = types.CodeActionContext(diagnostics=[end])
    params = types.CodeActionParams(session.identify(file), end.range, context)
    offers = await session.ask("textDocument/codeAction", params)
    USED.update(announced.action_kind(action.kind) for action in actions(offers) if action.kind)
    return offers


def actions(offers: list[Offer]) -> list[types.CodeAction]:
    """Those that change text; others only run a command."""
    return [offer for offer in offers if isinstance(offer, types.CodeAction)]


def applied(session: Session, edit: types.WorkspaceEdit) -> dict[str, str]:
    """The texts of all files after an edit, by name."""
    changes = dict(edit.changes or {})
    for change in edit.document_changes or []:
        changes.setdefault(change.text_document.uri, []).extend(change.edits)
    texts = {path.name: path.read_text() for path in session.root.glob("*.[ch]")}
    for uri, edits in changes.items():
        name = uri.rsplit("/", 1)[1]
        lines = texts[name].splitlines(keepends=True)
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line))
        for each in sorted(edits, key=lambda each: (each.range.start.line, each.range.start.character), reverse=True):
            start = starts[each.range.start.line] + each.range.start.character
            end = starts[each.range.end.line] + each.range.end.character
            texts[name] = texts[name][:start] + each.new_text + texts[name][end:]
    return texts


async def test_a_race_can_be_fixed_accepted_and_explained(session: Session):
    offers = await offers_at(session, "cache.c", "cache.lookups")
    titles = " / ".join(offer.title for offer in offers)
    for words in ("stats_lock", "_Atomic", "benign", "Explain"):
        assert words in titles
    assert any(action.is_preferred for action in actions(offers))


@pytest.mark.parametrize("words", ["Take `cache->stats_lock`", "_Atomic", "benign"])
async def test_what_a_fix_writes_compiles_and_ends_the_race(session: Session, words: str):
    offers = await offers_at(session, "cache.c", "cache.lookups")
    [action] = [action for action in actions(offers) if words in action.title]
    for name, text in applied(session, action.edit).items():
        if text != (session.root / name).read_text():
            (session.root / name).write_text(text)
            event = types.FileEvent(session.uri(name), types.FileChangeType.Changed)
            if name == "cache.c":
                whole = types.TextDocumentContentChangeWholeDocument(text=text)
                session.change(name, whole)
                session.texts[name] = text
            session.notify("workspace/didChangeWatchedFiles", types.DidChangeWatchedFilesParams([event]))
    for source in ("cache.c", "main.c"):
        command = ["gcc", "-fsyntax-only", "-Wall", "-Werror", "-Wno-unknown-pragmas", source]
        subprocess.run(command, cwd=session.root, check=True, capture_output=True)
    await session.until("the race is gone", lambda: not session.diagnostics("cache.c", "cache.lookups"))


async def test_a_line_without_a_race_has_no_fixes(session: Session):
    start = session.position("cache.c", "unsigned index")
    params = types.CodeActionParams(session.identify("cache.c"), types.Range(start, start), types.CodeActionContext([]))
    assert not await session.ask("textDocument/codeAction", params)


async def test_only_wanted_kinds_are_offered(session: Session):
    end = session.diagnostics("cache.c", "cache.lookups")[-1]
    context = types.CodeActionContext([end], only=[types.CodeActionKind.SourceOrganizeImports])
    params = types.CodeActionParams(session.identify("cache.c"), end.range, context)
    assert not await session.ask("textDocument/codeAction", params)

"""Races are verified on demand, and interleavings are shown."""

import asyncio

import announced
import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from session import USED, Session, races_on_the_command_line

CANCELLED = -32800


async def race_on(session: Session, location: str):
    [race] = [race for race in await session.races() if race.location_name == location]
    return race


def place(position: types.Position) -> dict:
    return {"line": position.line, "character": position.character}


async def race_lenses(session: Session, file: str) -> list[str]:
    """What the lenses in a file say about races, from top to bottom."""
    params = types.CodeLensParams(text_document=session.identify(file))
    lenses = await session.ask("textDocument/codeLens", params)
    resolved = [await session.ask("codeLens/resolve", lens) for lens in lenses]
    return [lens.command.title for lens in resolved if lens.command.command != "racelens.explain"]


async def test_a_verified_race_is_witnessed_wherever_it_is_shown(session: Session):
    race = await race_on(session, "cache.lookups")
    assert race.id in {known["id"] for known in races_on_the_command_line(session.root)}
    answer = await session.execute("racelens.verify", race.id)
    assert (answer["id"], answer["tier"], answer["verdict"]) == (race.id, "witnessed", "witnessed")
    found = await session.ask("racelens/interleaving", {"id": race.id})
    assert [step.what for step in found.steps] == [step["what"] for step in answer["steps"]]
    assert [step.number for step in found.steps] == list(range(1, len(found.steps) + 1))
    ends = [step for step in found.steps if step.end]
    assert {found.threads[step.thread].name for step in ends} == {"main", "worker"}
    assert {step.range.start.line for step in ends} == {
        session.position("cache.c", "cache->lookups++").line,
        session.position("cache.c", "return cache->lookups").line,
    }
    assert {tuple(step.locks) for step in ends} == {(), ("cache.stats_lock",)}
    await session.until(
        "the diagnostics say so",
        lambda: all(it.data["tier"] == "witnessed" for it in session.diagnostics("cache.c", "cache.lookups")),
    )
    diagnostic = session.diagnostics("cache.c", "cache.lookups")[0]
    assert diagnostic.severity == types.DiagnosticSeverity.Error
    steps = [related.message for related in diagnostic.related_information]
    assert [step.split(" thread ")[0] for step in steps] == [f"{number}." for number in range(1, len(steps) + 1)]
    assert (await race_on(session, "cache.lookups")).tier == "witnessed"
    assert (await race_lenses(session, "cache.c")).count("Show interleaving") == 2


async def test_an_edit_on_the_way_makes_it_out_of_date(session: Session):
    race = await race_on(session, "cache.lookups")
    await session.execute("racelens.verify", session.uri("cache.c"), place(session.position("cache.c", "cache->lookups++")))
    session.replace("cache.c", "unsigned hash = 5381;", "unsigned hash = 5382;")
    known = await session.ask("racelens/interleaving", {"id": race.id})
    assert (known.tier, known.verdict, known.steps) == ("possible", "out_of_date", [])
    assert "Interleaving is out of date – verify again" in await race_lenses(session, "cache.c")
    session.replace("cache.c", "unsigned hash = 5382;", "unsigned hash = 5381;")
    known = await session.ask("racelens/interleaving", {"id": race.id})
    assert known.verdict == "witnessed"


async def test_a_search_tells_how_far_it_is_and_can_be_stopped(demo):
    session = await Session.start(demo, settings={"minRank": 0, "verifyBudget": 600})
    session.open("cache.c")
    await session.ready()
    race = await race_on(session, "entry.value")
    told: list = []
    session.client.progress_reports["my-token"] = told
    params = types.ExecuteCommandParams(command="racelens.verify", arguments=[race.id], work_done_token="my-token")
    search = asyncio.ensure_future(session.client.workspace_execute_command_async(params))
    await session.until("it is shown, with a percentage", lambda: len(told) > 1)
    # Nobody has to wait for it.
    hover = await session.ask("textDocument/hover", types.HoverParams(**session.at("cache.c", "cache->lookups++", 8)))
    assert hover.contents
    session.notify("window/workDoneProgress/cancel", types.WorkDoneProgressCancelParams(token="my-token"))
    with pytest.raises(JsonRpcException) as refused:
        await asyncio.wait_for(search, 20)
    assert refused.value.code == CANCELLED
    await session.until("it is over", lambda: told[-1].kind == "end")
    assert (told[0].kind, told[0].cancellable) == ("begin", True)
    assert (told[1].kind, told[1].percentage >= 0) == ("report", True)
    assert (await race_on(session, "entry.value")).verdict is None
    USED.add(announced.progress("workspace/executeCommand"))
    await session.stop()


async def test_an_interleaving_is_shown_as_a_document(demo):
    def shows_documents(capabilities: types.ClientCapabilities) -> None:
        capabilities.window.show_document = types.ShowDocumentClientCapabilities(support=True)
        capabilities.workspace.text_document_content = types.TextDocumentContentClientCapabilities(dynamic_registration=True)

    session = await Session.start(demo, adjust=shows_documents)
    session.client.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT_REFRESH)(lambda *_: None)
    session.open("cache.c")
    await session.ready()
    await session.until("it is announced", lambda: "workspace/textDocumentContent" in session.registered)
    race = await race_on(session, "cache.misses")
    await session.execute("racelens.showInterleaving", race.id)
    [shown] = await session.until("a document is shown", lambda: session.client.shown_documents)
    assert shown.uri.startswith("racelens:")
    params = types.TextDocumentContentParams(uri=shown.uri)
    content = await session.ask("workspace/textDocumentContent", params)
    assert content.text.startswith(f"witnessed: race on cache.misses [{race.id}]")
    assert "at the same time:" in content.text
    await session.stop()


async def test_where_there_is_no_race_nothing_is_verified(session: Session):
    for arguments in [["000000000000"], [session.uri("cache.c"), {"line": 0, "character": 0}]]:
        with pytest.raises(JsonRpcException, match="no race"):
            await session.execute("racelens.verify", *arguments)

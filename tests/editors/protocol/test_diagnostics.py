"""What is pushed: both ends of each race, as long as it is true."""

from lsprotocol import types

from session import Session, races_on_the_command_line


async def test_both_ends_are_shown_each_with_the_other(session: Session):
    ends = session.diagnostics("cache.c", "cache.lookups")
    assert len(ends) == 2
    for end, other in (ends, reversed(ends)):
        assert end.source == "racelens"
        assert end.code == "race"
        assert end.code_description is not None
        assert end.severity == types.DiagnosticSeverity.Warning
        related = [place.location for place in end.related_information]
        assert types.Location(session.uri("cache.c"), other.range) in related


async def test_files_that_are_not_open_are_shown_too(session: Session):
    assert session.diagnostics("main.c", "cache.closing")


async def test_the_editor_and_the_command_line_tell_the_same(session: Session):
    expected = {(race["id"], race["rank"], race["location"]) for race in races_on_the_command_line(session.root)}
    assert {(race.id, race.rank, race.location_name) for race in await session.races()} == expected
    data = [end.data for file in ("cache.c", "main.c") for end in session.diagnostics(file)]
    shown = {(each["id"], each["rank"], each["location"]) for each in data if each and "rank" in each}
    assert shown == expected
    assert session.states[-1]["races"] == len(expected)


async def test_a_race_that_is_gone_is_shown_no_longer_and_comes_back(session: Session):
    session.replace("cache.c", "    return cache->lookups", "    pthread_mutex_lock(&cache->stats_lock);\n    return cache->lookups")
    await session.until("the race is gone", lambda: not session.diagnostics("cache.c", "cache.lookups"))
    assert "cache.lookups" not in [race.location_name for race in await session.races()]
    session.replace("cache.c", "    pthread_mutex_lock(&cache->stats_lock);\n    return cache->lookups", "    return cache->lookups")
    await session.until("the race is back", lambda: len(session.diagnostics("cache.c", "cache.lookups")) == 2)


async def test_lines_that_are_moved_take_their_diagnostics_with_them(session: Session):
    before = session.diagnostics("cache.c", "cache.lookups")[1].range.start.line
    ids = {race.id for race in await session.races()}
    session.replace("cache.c", "/* Reads the totals", "\n\n/* Reads the totals")
    await session.until(
        "the diagnostic has moved",
        lambda: [end.range.start.line for end in session.diagnostics("cache.c", "cache.lookups")][1:] == [before + 2],
    )
    assert {race.id for race in await session.races()} == ids


async def test_what_is_not_saved_does_not_outlive_its_document(session: Session):
    session.replace("cache.c", "cache->lookups ?", "1 ?")
    session.replace("cache.c", "/ cache->lookups", "/ 1")
    await session.until("the race is gone", lambda: not session.diagnostics("cache.c", "cache.lookups"))
    session.close("cache.c")
    await session.until("the saved text counts", lambda: len(session.diagnostics("cache.c", "cache.lookups")) == 2)


async def test_what_is_saved_stays_when_the_document_is_closed(session: Session):
    session.replace("cache.c", "cache->lookups ?", "1 ?")
    session.replace("cache.c", "/ cache->lookups", "/ 1")
    session.save("cache.c")
    session.close("cache.c")
    await session.until("the race is gone", lambda: not session.diagnostics("cache.c", "cache.lookups"))
    assert len(races_on_the_command_line(session.root)) == len(await session.races())


async def test_files_that_others_change_are_read_again(session: Session):
    session.close("cache.c")
    text = (session.root / "main.c").read_text()
    (session.root / "main.c").write_text(text.replace("cache.closing = 1;", ""))
    change = types.FileEvent(session.uri("main.c"), types.FileChangeType.Changed)
    session.notify("workspace/didChangeWatchedFiles", types.DidChangeWatchedFilesParams([change]))
    await session.until("the race is gone", lambda: not session.diagnostics("main.c", "cache.closing"))


async def test_a_further_folder_is_a_further_program(session: Session, tmp_path):
    second = tmp_path / "second"
    second.mkdir()
    (second / "tick.c").write_text(
        "#include <pthread.h>\nstatic int ticks;\n"
        "static void *count(void *a) { ticks++; return a; }\n"
        "int main(void) { pthread_t t; pthread_create(&t, 0, count, 0); ticks++; pthread_join(t, 0); return 0; }\n"
    )
    folder = types.WorkspaceFolder(uri=second.as_uri(), name="second")
    event = types.WorkspaceFoldersChangeEvent(added=[folder], removed=[])
    session.notify("workspace/didChangeWorkspaceFolders", types.DidChangeWorkspaceFoldersParams(event))
    uri = (second / "tick.c").as_uri()
    await session.until("its race is shown", lambda: session.client.diagnostics.get(uri))
    gone = types.WorkspaceFoldersChangeEvent(added=[], removed=[folder])
    session.notify("workspace/didChangeWorkspaceFolders", types.DidChangeWorkspaceFoldersParams(gone))
    await session.until("its race is shown no longer", lambda: not session.client.diagnostics.get(uri))
    assert session.diagnostics("cache.c", "cache.lookups")

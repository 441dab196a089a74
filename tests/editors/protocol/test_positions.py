"""The three encodings of positions, in a line with characters of one, two, three and four bytes."""

import announced
import pytest
from lsprotocol import types
from session import USED, Session

# Before the access stand é (2 bytes), € (3 bytes) and 😀 (4 bytes, two units of UTF-16).
LINE = "    /* é€😀 */ ticks++;"
PROGRAM = f"""#include <pthread.h>
static int ticks;
static void *count(void *a)
{{
{LINE}
    return a;
}}
int main(void)
{{
    pthread_t t;
    pthread_create(&t, 0, count, 0);
    ticks++;
    pthread_join(t, 0);
    return 0;
}}
"""
UNITS = {
    "utf-8": lambda text: len(text.encode()),
    "utf-16": lambda text: len(text.encode("utf-16-le")) // 2,
    "utf-32": len,
}


@pytest.mark.parametrize("encoding", UNITS)
async def test_places_are_counted_as_agreed(tmp_path, encoding: str):
    (tmp_path / "ticks.c").write_text(PROGRAM)
    session = await Session.start(tmp_path, encodings=[encoding])
    assert session.capabilities.position_encoding == encoding
    session.open("ticks.c")
    await session.ready()
    start = UNITS[encoding](LINE[: LINE.index("ticks")])
    [end] = [each for each in session.diagnostics("ticks.c", "ticks") if each.range.start.line == 4]
    assert (end.range.start.character, end.range.end.character) == (start, start + len("ticks"))
    position = types.Position(4, start + 1)
    hover = await session.ask("textDocument/hover", types.HoverParams(session.identify("ticks.c"), position))
    assert "ticks" in hover.contents.value
    # An edit in the same terms: the increment goes, and with it the race.
    edit = types.Range(types.Position(4, start), types.Position(4, start + len("ticks++;")))
    session.change("ticks.c", types.TextDocumentContentChangePartial(range=edit, text=""))
    await session.until("the race is gone", lambda: not session.diagnostics("ticks.c", "ticks"))
    await session.stop()
    USED.add(announced.encoding(encoding))


async def test_the_first_encoding_that_both_know_is_taken(demo):
    session = await Session.start(demo, encodings=["utf-8", "utf-16"])
    assert session.capabilities.position_encoding == "utf-8"
    await session.stop()

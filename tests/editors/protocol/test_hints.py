"""Hints in the text: the locks that are held at the start of a block."""

from lsprotocol import types

from session import Session

PROGRAM = """#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int hits, misses;
static void *count(void *a)
{
    pthread_mutex_lock(&m);
    if (a) {
        hits++;
    } else {
        misses++;
    }
    pthread_mutex_unlock(&m);
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, count, 0);
    pthread_join(t, 0);
    return 0;
}
"""


async def hints(session: Session) -> dict[int, str]:
    everything = types.Range(types.Position(0, 0), types.Position(100, 0))
    found = await session.ask("textDocument/inlayHint", types.InlayHintParams(session.identify("count.c"), everything))
    return {hint.position.line: hint.label for hint in found or []}


async def start(tmp_path, settings: dict) -> Session:
    (tmp_path / "count.c").write_text(PROGRAM)
    session = await Session.start(tmp_path, settings=settings)
    session.open("count.c")
    await session.ready()
    return session


async def test_blocks_tell_the_locks_that_are_held(tmp_path):
    session = await start(tmp_path, {"inlayHints": True})
    found = await hints(session)
    assert set(found) == {session.position("count.c", "if (a) {").line, session.position("count.c", "} else {").line}
    assert all("m" in label.split() or label.endswith("m") for label in found.values()), found
    await session.stop()


async def test_hints_are_off_unless_wanted(tmp_path):
    session = await start(tmp_path, {})
    assert await hints(session) == {}
    await session.stop()

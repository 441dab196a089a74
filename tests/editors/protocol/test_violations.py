"""Broken promises about locks: diagnostics, and part of the list that editors show."""

from session import Session

PROGRAM = """#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int hits __attribute__((guarded_by(m)));
static void *count(void *a)
{
    hits++;
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


async def test_a_broken_annotation_is_shown_and_listed(tmp_path):
    (tmp_path / "count.c").write_text(PROGRAM)
    session = await Session.start(tmp_path)
    session.open("count.c")
    state = await session.ready()
    assert (state["races"], state["violations"]) == (0, 1)
    [diagnostic] = session.diagnostics("count.c")
    [violation] = (await session.ask("racelens/races")).violations
    place = session.position("count.c", "hits++")
    assert diagnostic.code == violation.kind == "guarded_by"
    assert diagnostic.message == violation.message
    assert (violation.uri, violation.function) == (session.uri("count.c"), "count")
    assert (violation.range.start.line, violation.range.start.character) == (place.line, place.character)
    text = await session.execute("racelens.explain", violation.id)
    assert "hits" in text
    await session.stop()

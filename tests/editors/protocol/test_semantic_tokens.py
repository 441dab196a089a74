"""Highlighting: variables that threads share, and those of them that race."""

from lsprotocol import types

from session import Session


async def test_shared_variables_are_highlighted_if_wanted(demo):
    session = await Session.start(demo, settings={"semanticHighlighting": True})
    session.open("cache.c")
    await session.ready()
    params = types.SemanticTokensParams(session.identify("cache.c"))
    answer = await session.ask("textDocument/semanticTokens/full", params)
    legend = session.capabilities.semantic_tokens_provider.legend.token_modifiers
    racing = decoded(answer.data, legend)
    lookups = session.position("cache.c", "cache->lookups++")
    assert racing[(lookups.line, lookups.character)] == {"shared", "racing", "modification"}
    # The entry's hits are guarded by the lock of their bucket.
    hits = session.position("cache.c", "entry->hits++")
    assert "racing" not in racing[(hits.line, hits.character)]
    await session.stop()


def decoded(data: list[int], modifiers: list[str]) -> dict[tuple[int, int], set[str]]:
    """The modifiers of each token by its place."""
    tokens = {}
    line = character = 0
    for at in range(0, len(data), 5):
        lines, characters, _, _, bits = data[at : at + 5]
        character = characters if lines else character + characters
        line += lines
        tokens[(line, character)] = {name for bit, name in enumerate(modifiers) if bits & 1 << bit}
    return tokens

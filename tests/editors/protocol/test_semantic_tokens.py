"""Highlighting: variables that threads share, and those of them that race."""

from lsprotocol import types

from session import Session


async def test_shared_variables_are_highlighted_and_racing_ones_more(demo):
    session = await Session.start(demo, settings={"semanticHighlighting": True})
    session.open("cache.c")
    session.open("main.c")
    await session.ready()
    assert await modifiers_at(session, "cache.c", "cache->lookups++") == {"shared", "racing", "modification"}
    # All threads have ended by then.
    assert await modifiers_at(session, "main.c", "cache.lookups, cache.misses") == {"shared"}
    await session.stop()


async def modifiers_at(session: Session, file: str, text: str) -> set[str]:
    params = types.SemanticTokensParams(session.identify(file))
    answer = await session.ask("textDocument/semanticTokens/full", params)
    legend = session.capabilities.semantic_tokens_provider.legend.token_modifiers
    position = session.position(file, text)
    return decoded(answer.data, legend)[(position.line, position.character)]


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

"""What the server announces, this suite uses."""

import pytest
from announced import UnknownCapability, announced
from session import ANNOUNCED, USED


def test_capabilities_are_understood_in_all_their_forms():
    capabilities = {
        "hoverProvider": True,
        "definitionProvider": False,
        "codeLensProvider": {"resolveProvider": True},
        "semanticTokensProvider": {"full": {"delta": True}, "range": True, "legend": {}},
        "executeCommandProvider": {"commands": ["a", "b"], "workDoneProgress": True},
    }
    assert announced(capabilities) == {
        "textDocument/hover",
        "textDocument/codeLens",
        "codeLens/resolve",
        "textDocument/semanticTokens/full",
        "textDocument/semanticTokens/full/delta",
        "textDocument/semanticTokens/range",
        "workspace/executeCommand a",
        "workspace/executeCommand b",
        "workspace/executeCommand with progress",
    }


def test_a_capability_that_nothing_would_test_is_refused():
    with pytest.raises(UnknownCapability):
        announced({"colorProvider": True})


def test_every_announced_capability_was_used():
    assert ANNOUNCED, "no server was started"
    assert sorted(ANNOUNCED - USED) == []

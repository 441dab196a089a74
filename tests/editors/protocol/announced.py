"""What a server's capabilities oblige a test suite to use, as names of methods."""

from lsprotocol import types

#: A capability, and the methods that it announces in all its forms.
METHODS = {
    "hoverProvider": ["textDocument/hover"],
    "declarationProvider": ["textDocument/declaration"],
    "definitionProvider": ["textDocument/definition"],
    "typeDefinitionProvider": ["textDocument/typeDefinition"],
    "implementationProvider": ["textDocument/implementation"],
    "referencesProvider": ["textDocument/references"],
    "documentHighlightProvider": ["textDocument/documentHighlight"],
    "documentSymbolProvider": ["textDocument/documentSymbol"],
    "foldingRangeProvider": ["textDocument/foldingRange"],
    "callHierarchyProvider": [
        "textDocument/prepareCallHierarchy",
        "callHierarchy/incomingCalls",
        "callHierarchy/outgoingCalls",
    ],
    "codeLensProvider": ["textDocument/codeLens"],
    "codeActionProvider": ["textDocument/codeAction"],
    "documentLinkProvider": ["textDocument/documentLink"],
    "inlayHintProvider": ["textDocument/inlayHint"],
    "workspaceSymbolProvider": ["workspace/symbol"],
    "diagnosticProvider": ["textDocument/diagnostic"],
    "semanticTokensProvider": [],
    "executeCommandProvider": [],
    "textDocumentSync": [],
    "workspace": [],
    "positionEncoding": [],
}

#: Capabilities that announce one more method by `resolveProvider`.
RESOLVING = {
    "codeLensProvider": "codeLens/resolve",
    "codeActionProvider": "codeAction/resolve",
    "documentLinkProvider": "documentLink/resolve",
    "inlayHintProvider": "inlayHint/resolve",
    "workspaceSymbolProvider": "workspaceSymbol/resolve",
}

#: The methods of capabilities that announce progress by `workDoneProgress`.
PROGRESSING = {"executeCommandProvider": "workspace/executeCommand"}


class UnknownCapability(Exception):
    """The server announces what nothing here would test."""


def announced(capabilities: dict) -> set[str]:
    """The uses that are announced: names of methods, and of what else a server may promise in words."""
    uses: set[str] = set()
    for name, value in capabilities.items():
        if value is None or value is False:
            continue
        if name not in METHODS:
            raise UnknownCapability(name)
        uses.update(METHODS[name])
        options = value if isinstance(value, dict) else {}
        if options.get("resolveProvider"):
            uses.add(RESOLVING[name])
        uses.update(_particular(name, value, options))
        if options.get("workDoneProgress"):
            uses.add(progress(PROGRESSING[name]))
    return uses


def registered(method: str, options) -> set[str]:
    """The uses of what a server announces later, by a registration."""
    if method == "textDocument/semanticTokens":
        return _semantic_tokens(options if isinstance(options, dict) else vars(options))
    return {method}


def command(name: str) -> str:
    return f"workspace/executeCommand {name}"


def progress(method: str) -> str:
    return f"{method} with progress"


def action_kind(name: str) -> str:
    return f"textDocument/codeAction {name}"


def encoding(name: str) -> str:
    return f"positions in {name}"


def _particular(name: str, value, options: dict) -> set[str]:
    match name:
        case "executeCommandProvider":
            return {command(each) for each in options["commands"]}
        case "codeActionProvider":
            return {action_kind(each) for each in options.get("codeActionKinds", [])}
        case "positionEncoding":
            # The protocol obliges a server that takes part in the choice to know all three.
            return {encoding(each.value) for each in types.PositionEncodingKind}
        case "diagnosticProvider":
            return {"workspace/diagnostic"} if options.get("workspaceDiagnostics") else set()
        case "semanticTokensProvider":
            return _semantic_tokens(options)
        case "textDocumentSync":
            return _synchronisation(options)
        case "workspace":
            return _workspace(options)
    return set()


def _semantic_tokens(options: dict) -> set[str]:
    full = options.get("full")
    uses = set()
    if full:
        uses.add("textDocument/semanticTokens/full")
    if isinstance(full, dict) and full.get("delta"):
        uses.add("textDocument/semanticTokens/full/delta")
    if options.get("range"):
        uses.add("textDocument/semanticTokens/range")
    return uses


def _synchronisation(options: dict) -> set[str]:
    uses = set()
    if options.get("openClose"):
        uses |= {"textDocument/didOpen", "textDocument/didClose"}
    if options.get("change"):
        uses.add("textDocument/didChange")
    if options.get("save"):
        uses.add("textDocument/didSave")
    for name in ("willSave", "willSaveWaitUntil"):
        if options.get(name):
            uses.add(f"textDocument/{name}")
    return uses


def _workspace(options: dict) -> set[str]:
    uses = set()
    for name, value in options.items():
        if name == "workspaceFolders":
            if value.get("changeNotifications"):
                uses.add("workspace/didChangeWorkspaceFolders")
        elif name == "textDocumentContent":
            uses.add("workspace/textDocumentContent")
        elif value is not None:
            raise UnknownCapability(f"workspace.{name}")
    return uses

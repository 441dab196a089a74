"""Lines in a C file that can be edited again and again: a statement without effect at the end of some functions."""

import random
from dataclasses import dataclass

# Wide enough that every edit replaces as many characters as it brings, so that no position ever moves.
DIGITS = 6
INDENTATION = "    (void)"


@dataclass(frozen=True)
class Probed:
    text: str
    #: The numbers of the lines with a probe, from 0.
    lines: list[int]

    def broken_text(self) -> str:
        """The text after edit number 0: something is to be shown from the start."""
        lines = self.text.split("\n")
        change = self.change(0)
        line, start = change["range"]["start"]["line"], change["range"]["start"]["character"]
        lines[line] = lines[line][:start] + change["text"] + lines[line][start + DIGITS :]
        return "\n".join(lines)

    def change(self, edit: int) -> dict:
        """The content change of edit number `edit`: in turn one breaks a statement, the next one mends it.

        So each changes what is to be shown, for which a server that sends only news has to answer, and what a
        person waits for. The mended statement has a number of its own: it is never the text of before.
        """
        line = self.lines[edit // 2 % len(self.lines)]
        start = len(INDENTATION)
        number = str(10 ** (DIGITS - 1) + edit + 1)
        return {
            "range": {
                "start": {"line": line, "character": start},
                "end": {"line": line, "character": start + DIGITS},
            },
            "text": number[:-1] + "(" if edit % 2 == 0 else number,
        }


def with_probes(text: str, count: int, seed: int = 1) -> Probed:
    """Puts probes before the closing braces of up to `count` functions, spread over the whole text."""
    lines = text.split("\n")
    ends = [at for at, line in enumerate(lines) if line.rstrip() == "}" and _ends_a_function(lines, at)]
    if not ends:
        raise ValueError("no function ends with a brace in the first column")
    chosen = sorted(random.Random(seed).sample(ends, min(count, len(ends))))
    probe = f"{INDENTATION}{10 ** (DIGITS - 1)};"
    for at in reversed(chosen):
        lines.insert(at, probe)
    # Each probe is moved by those above it.
    return Probed("\n".join(lines), [at + above for above, at in enumerate(chosen)])


def _ends_a_function(lines: list[str], end: int) -> bool:
    """The block opens after a list of parameters, and its last statement is complete."""
    if not lines[end - 1].rstrip().endswith((";", "}")):
        return False
    for at in range(end - 1, 0, -1):
        line = lines[at].rstrip()
        if line.startswith("}"):
            return False
        if line == "{":
            return lines[at - 1].rstrip().endswith(")")
        if line.endswith("{") and not line[:1].isspace():
            return line.removesuffix("{").rstrip().endswith(")")
    return False

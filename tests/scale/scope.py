"""The inside of one generated function: its locals and its lines."""

from __future__ import annotations

from random import Random

from words import Names, RESULTS


class Scope:
    """Collects the declarations and statements of one function."""

    def __init__(self, rng: Random, value: str, parameters: tuple[str, ...]) -> None:
        self.rng = rng
        #: The number that statements work with; every function has one.
        self.value = value
        self._names = Names(parameters)
        self._declarations: list[str] = []
        self.result = self.declare("long", rng.choice(RESULTS), "0")

    def declare(self, kind: str, wish: str, initial: str | None = None, suffix: str = "") -> str:
        """Declares a local and returns its name."""
        name = self._names.fresh(wish)
        space = "" if kind.endswith("*") else " "
        value = f" = {initial}" if initial is not None else ""
        self._declarations.append(f"{kind}{space}{name}{suffix}{value};")
        return name

    def fresh(self, wish: str) -> str:
        """A name that no local has, for a label or for a local of an inner block."""
        return self._names.fresh(wish)

    def number(self, low: int, high: int) -> int:
        """A random constant."""
        return self.rng.randint(low, high)

    def function(self, head: str, body: list[str], ending: list[str] | None = None) -> list[str]:
        """The whole function."""
        end = [f"return {self.result};"] if ending is None else ending
        return [head, "{", *self._declarations, "", *body, *end, "}"]


def indented(lines: list[str]) -> list[str]:
    """Indents lines by their braces; what stands deeper already stays deeper. Blank lines stand alone."""
    depth = 0
    out = []
    for line in lines:
        text = line.strip()
        if not text and (not out or not out[-1]):
            continue
        if text.startswith("}") and out and not out[-1]:
            out.pop()
        closing = text.startswith("}")
        label = text.endswith(":") and not text.startswith(("case ", "default"))
        level = depth - closing
        if text.startswith(("case ", "default:")):
            level -= 1
        extra = len(line) - len(line.lstrip(" "))
        out.append("" if not text else text if label else "    " * max(level, 0) + " " * extra + text)
        depth += text.count("{") - text.count("}")
    return out

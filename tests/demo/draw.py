#!/usr/bin/env python3
"""Draws what a command prints on a terminal, with its colours, as an SVG picture for the README.

Usage: draw.py --output PICTURE.svg [--lines N] [--prompt TEXT] -- COMMAND...

The picture in the README, from the top of the repository, with Racelens built:

    python3 tests/demo/draw.py --output tests/demo/check.svg --lines 40 \\
        --prompt "racelens check tests/demo" -- target/release/racelens check tests/demo --color always
"""

import argparse
import html
import re
import subprocess
import sys

CHARACTER_WIDTH = 7.83
LINE_HEIGHT = 17
MARGIN = 14
DEFAULT_COLOUR = "#dcdfe4"
PROMPT_COLOUR = "#8ecf8e"

# The colours of a dark terminal by the numbers of their escape sequences.
COLOURS = {31: "#e06c75", 32: "#98c379", 33: "#e5c07b", 34: "#61afef", 35: "#c678dd", 36: "#56b6c2"}
ESCAPE = re.compile(r"\x1b\[([0-9;]*)m")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", required=True)
    parser.add_argument("--lines", type=int, default=60, help="how many lines to show at the most")
    parser.add_argument("--prompt", help="the command as shown, if not the one that runs")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    command = [word for word in arguments.command if word != "--"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode not in (0, 1):
        print(result.stderr, file=sys.stderr)
        return result.returncode
    lines = result.stdout.rstrip().split("\n")
    if len(lines) > arguments.lines:
        lines = lines[: arguments.lines] + ["…"]
    prompt = "$ " + (arguments.prompt or " ".join(command))
    with open(arguments.output, "w", encoding="utf-8") as file:
        file.write(picture(prompt, [spans(line) for line in lines]))
    return 0


def spans(line: str) -> list[tuple[str, str, bool]]:
    """Cuts a line with escape sequences into texts, each with its colour and whether it is bold."""
    found: list[tuple[str, str, bool]] = []
    colour, is_bold = DEFAULT_COLOUR, False
    # With a group in the pattern, every second piece is what an escape sequence says.
    for index, piece in enumerate(ESCAPE.split(line)):
        if index % 2 == 0:
            if piece:
                found.append((piece, colour, is_bold))
            continue
        for code in (int(word or 0) for word in piece.split(";")):
            if code == 0:
                colour, is_bold = DEFAULT_COLOUR, False
            elif code == 1:
                is_bold = True
            elif 90 <= code <= 97:
                colour = COLOURS.get(code - 60, DEFAULT_COLOUR)
            elif 30 <= code <= 37:
                colour = COLOURS.get(code, DEFAULT_COLOUR)
    return found


def picture(prompt: str, lines: list[list[tuple[str, str, bool]]]) -> str:
    rows = [[(prompt, PROMPT_COLOUR, False)]] + lines
    longest = max(sum(len(text) for text, _, _ in row) for row in rows)
    width = int(longest * CHARACTER_WIDTH) + 2 * MARGIN
    height = len(rows) * LINE_HEIGHT + 2 * MARGIN
    texts = "\n".join(text_element(row, index) for index, row in enumerate(rows))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="DejaVu Sans Mono, Consolas, Menlo, monospace" font-size="13">\n'
        f'<rect width="100%" height="100%" rx="6" fill="#1e2227"/>\n{texts}\n</svg>\n'
    )


def text_element(row: list[tuple[str, str, bool]], index: int) -> str:
    y = MARGIN + (index + 1) * LINE_HEIGHT - 4
    pieces = []
    column = 0
    for text, colour, is_bold in row:
        # A place of its own for each piece keeps columns in line whatever the font is.
        x = round(MARGIN + column * CHARACTER_WIDTH, 1)
        weight = ' font-weight="bold"' if is_bold else ""
        pieces.append(f'<tspan x="{x}" fill="{colour}"{weight}>{html.escape(text)}</tspan>')
        column += len(text)
    return f'<text y="{y}" xml:space="preserve">{"".join(pieces)}</text>'


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Draws what a command prints on a terminal as an SVG picture, for the README.

Usage: draw.py --output PICTURE.svg [--lines N] [--prompt TEXT] -- COMMAND...
"""

import argparse
import html
import subprocess
import sys

CHARACTER_WIDTH = 7.8
LINE_HEIGHT = 17
MARGIN = 14


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
    shown = ["$ " + (arguments.prompt or " ".join(command))] + result.stdout.rstrip().split("\n")
    with open(arguments.output, "w", encoding="utf-8") as file:
        file.write(picture(shown[: arguments.lines]))
    return 0


def picture(lines: list[str]) -> str:
    width = int(max(len(line) for line in lines) * CHARACTER_WIDTH) + 2 * MARGIN
    height = len(lines) * LINE_HEIGHT + 2 * MARGIN
    rows = []
    for index, line in enumerate(lines):
        code, separator, comment = line.partition("//")
        y = MARGIN + (index + 1) * LINE_HEIGHT - 4
        colour = "#8ecf8e" if index == 0 else "#e6e6e6"
        rows.append(
            f'<text x="{MARGIN}" y="{y}" fill="{colour}" xml:space="preserve">{html.escape(code)}'
            f'<tspan fill="#7a9ac0">{html.escape(separator + comment)}</tspan></text>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'font-family="DejaVu Sans Mono, Consolas, monospace" font-size="13">\n'
        f'<rect width="100%" height="100%" rx="6" fill="#1e2227"/>\n' + "\n".join(rows) + "\n</svg>\n"
    )


if __name__ == "__main__":
    sys.exit(main())

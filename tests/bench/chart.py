"""Small charts as SVG: groups of bars, and lines over axes by powers of ten."""

from __future__ import annotations

import html
import math
from typing import Mapping, Sequence

WIDTH = 760
MARGIN = 20
TITLE = 34
BAR = 16
GROUP_GAP = 12
#: Where bars begin, behind their labels, and what is left for the numbers behind them.
LABELS = 230
NUMBERS = 90
PLOT_HEIGHT = 300
AXIS = 70
COLOURS = ("#1f6feb", "#8b949e", "#2da44e", "#bf8700")
TEXT = "#24292f"
FONT = "DejaVu Sans, Verdana, sans-serif"

#: A label, and a value for each series; `None` where there is none.
Group = tuple[str, Sequence[float | None]]


def bars(title: str, series: Sequence[str], groups: Sequence[Group], unit: str) -> str:
    """One group of horizontal bars for each label, a bar for each series."""
    largest = max((value for _, values in groups for value in values if value is not None), default=0.0) or 1.0
    room = WIDTH - 2 * MARGIN - LABELS - NUMBERS
    parts = [text(MARGIN, 24, title, size=15, weight="bold")]
    y = TITLE + legend(parts, series, TITLE)
    for label, values in groups:
        middle = y + len(values) * BAR / 2 + 4
        parts.append(text(MARGIN + LABELS - 8, middle, label, anchor="end"))
        for value, colour in zip(values, COLOURS):
            if value is not None:
                length = max(1.0, room * value / largest)
                parts.append(f'<rect x="{MARGIN + LABELS}" y="{y:.1f}" width="{length:.1f}" height="{BAR - 2}" fill="{colour}"/>')
                parts.append(text(MARGIN + LABELS + length + 6, y + BAR - 5, f"{number(value)} {unit}", size=11))
            y += BAR
        y += GROUP_GAP
    return picture(parts, y + MARGIN)


def lines(title: str, x_name: str, y_name: str, series: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """A line through the points of each series; both axes by powers of ten."""
    points = [point for line in series.values() for point in line if min(point) > 0]
    parts = [text(MARGIN, 24, title, size=15, weight="bold")]
    top = TITLE + legend(parts, list(series), TITLE) + 10
    if not points:
        return picture(parts, top + MARGIN)
    x_axis = powers([x for x, _ in points])
    y_axis = powers([y for _, y in points])
    left, right, bottom = MARGIN + AXIS, WIDTH - MARGIN - 20, top + PLOT_HEIGHT

    def x_at(value: float) -> float:
        return left + (right - left) * position(value, x_axis)

    def y_at(value: float) -> float:
        return bottom - PLOT_HEIGHT * position(value, y_axis)

    for power in range(x_axis[0], x_axis[1] + 1):
        x = x_at(10.0 ** power)
        parts.append(grid_line(x, top, x, bottom))
        parts.append(text(x, bottom + 18, number(10.0 ** power), size=11, anchor="middle"))
    for power in range(y_axis[0], y_axis[1] + 1):
        y = y_at(10.0 ** power)
        parts.append(grid_line(left, y, right, y))
        parts.append(text(left - 8, y + 4, number(10.0 ** power), size=11, anchor="end"))
    parts.append(text((left + right) / 2, bottom + 38, x_name, anchor="middle"))
    parts.append(text(left - 8, top - 6, y_name, size=11, anchor="end"))
    for index, (line, colour) in enumerate(zip(series.values(), COLOURS)):
        # In turn above and below, so that neighbours do not cover each other.
        beside = -8 if index % 2 == 0 else 18
        shown = sorted(point for point in line if min(point) > 0)
        places = [(x_at(x), y_at(y)) for x, y in shown]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for (x, y), (_, value) in zip(places, shown):
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>')
            parts.append(text(x, y + beside, number(value), size=11, anchor="middle"))
    return picture(parts, bottom + 38 + MARGIN)


def powers(values: Sequence[float]) -> tuple[int, int]:
    """The powers of ten around the values, which are two at least."""
    low = math.floor(math.log10(min(values)) + 1e-9)
    high = math.ceil(math.log10(max(values)) - 1e-9)
    return low, max(high, low + 1)


def position(value: float, axis: tuple[int, int]) -> float:
    """Where a value lies on an axis, from 0 to 1."""
    return (math.log10(value) - axis[0]) / (axis[1] - axis[0])


def number(value: float) -> str:
    """Three digits of a number, or all of a large one."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def legend(parts: list[str], names: Sequence[str], y: float) -> float:
    """Adds which colour is which, and returns how much room that takes."""
    x = float(MARGIN)
    for name, colour in zip(names, COLOURS):
        parts.append(f'<rect x="{x:.1f}" y="{y}" width="12" height="12" fill="{colour}"/>')
        parts.append(text(x + 18, y + 11, name))
        x += 18 + 8 * len(name) + 24
    return 28


def text(x: float, y: float, content: str, size: int = 12, anchor: str = "start", weight: str = "normal") -> str:
    """A line of text."""
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}" '
            f'fill="{TEXT}">{html.escape(content)}</text>')


def grid_line(x1: float, y1: float, x2: float, y2: float) -> str:
    """A faint line."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#d0d7de"/>'


def picture(parts: Sequence[str], height: float) -> str:
    """The whole file. The background is part of it, because pages may be dark."""
    body = "\n".join(parts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:.0f}" '
            f'viewBox="0 0 {WIDTH} {height:.0f}" font-family="{FONT}">\n'
            f'<rect width="100%" height="100%" fill="#ffffff"/>\n{body}\n</svg>\n')

"""A plot as a static SVG file, which reads well on a light and on a dark page; no library, no script."""

import math
from collections.abc import Callable, Iterable, Sequence
from html import escape

from benchmarks.report import Line, Plot

WIDTH, HEIGHT = 720, 380
LEFT, RIGHT, TOP, BOTTOM = 70, 190, 20, 330  # of the area with the lines; names stand right of it
LABEL_PX = 17  # between two names
TICKS = 5  # about, on an axis

# Lines are told apart by colour, dashes and the shape of their points: not all see colours.
STYLE = """
svg { color-scheme: light dark }
text { font: 13px system-ui, sans-serif; fill: #333 }
.page { fill: #fff }
.grid { stroke: #ddd }
.l0 { --c: #0b62c4 } .l1 { --c: #b34700 } .l2 { --c: #00784f } .l3 { --c: #8a2f8f } .l4 { --c: #555 }
.line { fill: none; stroke: var(--c); stroke-width: 2 }
.l1 .line { stroke-dasharray: 8 4 } .l2 .line { stroke-dasharray: 2 3 } .l3 .line { stroke-dasharray: 10 3 2 3 }
.l4 .line { stroke-dasharray: 4 4 }
.point, .name { fill: var(--c) }
@media (prefers-color-scheme: dark) {
  text { fill: #ccc }
  .page { fill: #16181c }
  .grid { stroke: #3a3d44 }
  .l0 { --c: #6cb2ff } .l1 { --c: #ff9d5c } .l2 { --c: #4fd6a4 } .l3 { --c: #e08be5 } .l4 { --c: #aaa }
}
"""
SHAPES = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0",
    "M-4-4h8v8h-8z",
    "M0-5l5 9h-10z",
    "M0-6l5 6-5 6-5-6z",
    "M-5-1h10v3h-10z",
)

Scale = Callable[[float], float]


def drawn(plot: Plot) -> str:
    """Return the SVG of a plot."""
    xs = [x for line in plot.lines for x, _ in line.points]
    ys = [y for line in plot.lines for _, y in line.points]
    x_ticks, y_ticks = ticks(xs, plot.log_x), ticks(ys, plot.log_y)
    to_x = scale(x_ticks, LEFT, WIDTH - RIGHT, plot.log_x)
    to_y = scale(y_ticks, BOTTOM, TOP, plot.log_y)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img">',
        f"<title>{escape(f'{plot.y} against {plot.x}')}</title><style>{STYLE}</style>",
        f'<rect class="page" width="{WIDTH}" height="{HEIGHT}"/>',
        *(_tick(to_x(value), BOTTOM, f"M0 0V{TOP - BOTTOM}", value) for value in x_ticks),
        *(_tick(LEFT, to_y(value), f"M0 0H{WIDTH - RIGHT - LEFT}", value) for value in y_ticks),
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2:g}" y="{HEIGHT - 12}" text-anchor="middle">{escape(plot.x)}</text>',
        f'<text transform="translate(16 {(TOP + BOTTOM) / 2:g}) rotate(-90)" text-anchor="middle">'
        f"{escape(plot.y)}</text>",
    ]
    heights = spread_out([to_y(line.points[-1][1]) for line in plot.lines], LABEL_PX)
    parts += [
        _line(number, line, to_x, to_y, height)
        for number, (line, height) in enumerate(zip(plot.lines, heights, strict=True))
    ]
    return "\n".join([*parts, "</svg>\n"])


def ticks(values: Iterable[float], log: bool) -> list[float]:
    """Return round numbers from below the smallest to above the largest value; from 0 where not logarithmic."""
    low, high = min(values := list(values)), max(values)
    if log:
        first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
        return [10.0**exponent for exponent in range(first, max(last, first + 1) + 1)]
    low, high = min(low, 0), max(high, 0) or 1
    raw = (high - low) / TICKS
    power = 10 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw)
    return [number * step for number in range(math.floor(low / step), math.ceil(high / step) + 1)]


def scale(tick_values: Sequence[float], start: float, end: float, log: bool) -> Scale:
    """Return what maps values onto pixels, the outer ticks to both ends."""
    of: Scale = math.log10 if log else float
    low, high = of(tick_values[0]), of(tick_values[-1])
    return lambda value: start + (of(value) - low) / (high - low) * (end - start)


def spread_out(heights: Sequence[float], apart: float) -> list[float]:
    """Move labels down, where needed, so that no two are closer than that."""
    moved = [0.0] * len(heights)
    lowest = -math.inf
    for number in sorted(range(len(heights)), key=lambda number: heights[number]):
        lowest = moved[number] = max(heights[number], lowest + apart)
    return moved


def _tick(x: float, y: float, grid: str, value: float) -> str:
    is_x = "V" in grid
    place = 'y="18" text-anchor="middle"' if is_x else 'x="-8" y="4" text-anchor="end"'
    label = f"<text {place}>{value:,g}</text>"
    return f'<g transform="translate({x:.1f} {y:.1f})"><path class="grid" d="{grid}"/>{label}</g>'


def _line(number: int, line: Line, to_x: Scale, to_y: Scale, name_y: float) -> str:
    places = [(f"{to_x(x):.1f}", f"{to_y(y):.1f}") for x, y in line.points]
    shape = SHAPES[number % len(SHAPES)]
    points = "".join(f'<path class="point" transform="translate({x} {y})" d="{shape}"/>' for x, y in places)
    mark = f'<path class="point" transform="translate({WIDTH - RIGHT + 14} {name_y:.1f})" d="{shape}"/>'
    name = f'<text class="name" x="{WIDTH - RIGHT + 24}" y="{name_y + 4:.1f}">{escape(line.name)}</text>'
    path = f'<path class="line" d="M{"L".join(f"{x} {y}" for x, y in places)}"/>'
    return f'<g class="l{number % len(SHAPES)}">{path}{points}{mark}{name}</g>'

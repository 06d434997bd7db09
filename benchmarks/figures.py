"""Percentiles, lines through points, and numbers as they are written; pure."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import linear_regression

from benchmarks.report import Table
from server.measure import metrics


def percentile(values: Iterable[float], hundredths: float) -> float:
    """Return a percentile, interpolated linearly; NaN where there are no values."""
    found = metrics.percentile(list(values), hundredths)
    return math.nan if found is None else found


@dataclass(frozen=True)
class Fit:
    """The straight line nearest to some points, and how far it is from the farthest of them, as a share of it."""

    slope: float
    intercept: float
    deviation: float


def fit(points: Sequence[tuple[float, float]]) -> Fit:
    """Return the line through at least two points."""
    xs, ys = zip(*points, strict=True)
    slope, intercept = linear_regression(xs, ys)
    return Fit(slope, intercept, max(abs(slope * x + intercept - y) / y for x, y in points))


def figure(value: float, decimals: int) -> str:
    """Write a figure; what is not defined is a dash."""
    return "–" if math.isnan(value) else f"{value:,.{decimals}f}"


def aims(says: str, rows: Iterable[tuple[str, float, float]]) -> Table:
    """Return a table of what was aimed at: the aim, its limit, and what was measured."""
    cells = [
        (name, f"≤ {limit:g}", figure(value, 3), "yes" if value <= limit else "**no**")
        for name, limit, value in rows
    ]
    return Table(says, ("aim", "limit", "measured", "met"), cells)

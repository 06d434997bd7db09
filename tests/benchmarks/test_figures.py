"""Percentiles, lines through points, and figures as they are written."""

import math

import pytest

from benchmarks.figures import aims, figure, fit, percentile


@pytest.mark.parametrize(
    ("values", "hundredths", "expected"),
    [
        ([7], 99, 7),
        ([3, 1, 2], 50, 2),
        ([1, 2, 3, 4], 50, 2.5),
        ([0, 10], 99, 9.9),
        ([5, 1], 0, 1),
        ([5, 1], 100, 5),
    ],
)
def test_a_percentile_lies_between_its_neighbours(values: list[float], hundredths: float, expected: float) -> None:
    assert percentile(values, hundredths) == pytest.approx(expected)


def test_nothing_has_no_percentile_and_is_written_as_a_dash() -> None:
    assert figure(percentile([], 50), 1) == "–"


def test_a_figure_has_its_decimals_and_thousands() -> None:
    assert figure(1234.56, 1) == "1,234.6"


def test_a_straight_line_is_found_and_deviates_nowhere() -> None:
    found = fit([(1, 5), (2, 7), (4, 11)])
    assert [found.slope, found.intercept] == pytest.approx([2, 3])
    assert found.deviation == pytest.approx(0, abs=1e-9)


def test_the_farthest_point_says_how_far_a_line_is_off() -> None:
    assert fit([(0, 10), (1, 10), (2, 10), (3, 14)]).deviation == pytest.approx(0.16)


def test_an_aim_is_met_at_its_limit_and_never_by_what_is_not_known() -> None:
    rows = aims("", [("a", 1.5, 1.5), ("b", 1.5, 1.501), ("c", 1, math.nan)]).rows
    assert [(name, met) for name, _, _, met in rows] == [("a", "yes"), ("b", "**no**"), ("c", "**no**")]

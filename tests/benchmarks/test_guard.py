"""What counts as worse than the last committed run."""

import pytest

from benchmarks.guard import compare
from benchmarks.report import Spread


@pytest.mark.parametrize(
    ("before", "now", "verdict"),
    [
        ((1.0, 1.1, 1.2), (1.3, 1.35, 1.4), "WORSE"),
        ((1.0, 1.1, 1.2), (1.2, 1.25, 1.3), "same"),
        ((1.0, 1.1, 1.2), (0.8, 0.85, 0.9), "better"),
        ((1.0, 1.0, 1.0), (1.0, 1.5, 2.0), "same"),  # its own values are farther apart than that
        ((1.0, 1.5, 2.0), (2.0, 2.0, 2.0), "same"),  # and those that were committed count as well
    ],
)
def test_worse_is_more_than_chance(before: tuple[float, ...], now: tuple[float, ...], verdict: str) -> None:
    (line,) = compare({"late": Spread(before)}, {"late": Spread(now)})
    assert line.split()[:2] == [verdict, "late:"]


def test_what_is_compared_for_the_first_time_is_new_and_what_got_worse_comes_first() -> None:
    one, two = Spread((1.0,)), Spread((2.0,))
    lines = compare({"a": one, "b": one, "gone": one}, {"new": one, "a": one, "b": two})
    assert lines == [
        "WORSE   b: 1.000 → 2.000 (by chance up to 0.000)",
        "new     new: 1.000",
        "same    a: 1.000 → 1.000 (by chance up to 0.000)",
    ]

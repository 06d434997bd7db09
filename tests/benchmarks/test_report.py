"""A section as Markdown, and a plot as SVG."""

from xml.etree import ElementTree

import pytest

from benchmarks.report import Line, Plot, Section, Spread, Table, markdown
from benchmarks.svg import drawn, scale, spread_out, ticks

PLOT = Plot("late", "It grows:", "streams & more", "late, ms", [Line("a<b", [(1, 2), (10, 30)])])


def test_a_section_says_how_then_what_each_table_and_plot_says() -> None:
    table = Table("It is so:", ("server", "ms"), [("ours", "1.0")])
    section = Section("Pacing", ["How.", "Where."], [table], [PLOT], {"late": Spread((1, 2))}, ["lost"])
    assert markdown(section) == (
        "## Pacing\n\nHow. Where.\n\n"
        "It is so:\n\n| server | ms |\n| --- | ---: |\n| ours | 1.0 |\n\n"
        "It grows:\n\n![late, ms against streams & more](late.svg)\n\n"
        "What the guard (`make bench-quick`) compares; the smaller, the better:\n\n"
        "| ratio | median | lowest | highest |\n| --- | ---: | ---: | ---: |\n| late | 1.500 | 1.000 | 2.000 |\n\n"
        "**Fault:** lost\n"
    )


def test_a_plot_is_well_formed_and_alone() -> None:
    text = drawn(PLOT)
    ElementTree.fromstring(text)
    assert "a&lt;b" in text
    assert "prefers-color-scheme: dark" in text
    assert text.count("http") == 1  # its own namespace


@pytest.mark.parametrize("log", [False, True])
def test_one_point_is_a_plot_too(log: bool) -> None:
    ElementTree.fromstring(drawn(Plot("a", "", "x", "y", [Line("one", [(1, 1)])], log_x=log, log_y=log)))


@pytest.mark.parametrize(
    ("values", "log", "expected"),
    [
        ([3, 97], False, [0, 20, 40, 60, 80, 100]),
        ([0, 0], False, [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        ([1, 500], True, [1, 10, 100, 1000]),
        ([10], True, [10, 100]),
    ],
)
def test_ticks_are_round_and_around_all_values(values: list[float], log: bool, expected: list[float]) -> None:
    assert ticks(values, log) == pytest.approx(expected)


def test_scales_reach_from_end_to_end() -> None:
    plain, log = scale([0, 50, 100], 10, 20, log=False), scale([1, 10, 100], 20, 10, log=True)
    assert [plain(0), plain(50), plain(100)] == [10, 15, 20]
    assert [log(1), log(10), log(100)] == [20, 15, 10]


def test_names_of_lines_that_end_close_together_are_moved_apart() -> None:
    assert spread_out([100, 20, 25, 101], 10) == [100, 20, 30, 110]

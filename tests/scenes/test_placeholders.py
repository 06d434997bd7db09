"""Placeholders: what may stand in braces, and that nothing else does."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.scenes.placeholders import MEASURES, allowed_placeholders, wrong_placeholders


@pytest.mark.parametrize("measure", MEASURES)
def test_each_measure_of_each_lane_is_right(measure: str) -> None:
    assert wrong_placeholders(f"After {{1.{measure}}}, and {{4.{measure}}}.", 4) == []
    assert wrong_placeholders(f"{{2.{measure}/1.{measure}}} as much", 2) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("no braces", []),
        ("{3.whole} and {2.whole}", ["{3.whole}"]),
        ("{0.whole}", ["{0.whole}"]),
        ("{10.whole}", ["{10.whole}"]),
        ("{1.speed} {ratio} {}", ["{1.speed}", "{ratio}", "{}"]),
        ("{ 1.whole } {1.Whole} {1 .whole}", ["{ 1.whole }", "{1.Whole}", "{1 .whole}"]),
        ("{1.whole/3.whole}", ["{1.whole/3.whole}"]),
        ("{1.whole/1.first} {2.pause/1.whole}", []),
        ("{2.tokens/1.at100}", []),
        ("{1.whole/1.tokens} {1.rate/1.at100}", ["{1.whole/1.tokens}", "{1.rate/1.at100}"]),
        ("{1.speed/1.speed}", ["{1.speed/1.speed}"]),
        ("{1.whole/1.whole/1.whole}", ["{1.whole/1.whole/1.whole}"]),
        ("{1.whole", ["{"]),
        ("1.whole}", ["}"]),
        ("{{1.whole}}", ["{", "}"]),
        ("{1.who\nle}", ["{1.who\nle}"]),
    ],
)
def test_what_is_no_measure_of_a_lane_is_found(text: str, wrong: list[str]) -> None:
    assert wrong_placeholders(text, 2) == wrong


@pytest.mark.parametrize(
    ("lanes", "told"),
    [(0, "without braces"), (1, "LANE is 1 and"), (3, "LANE is 1 to 3 and")],
)
def test_what_is_allowed_is_told_in_words(lanes: int, told: str) -> None:
    assert told in allowed_placeholders(lanes)
    assert wrong_placeholders("{1.whole}", lanes) == ([] if lanes else ["{1.whole}"])


@given(st.text(st.sampled_from("{}1./whole")) | st.text(), st.integers(0, 4))
def test_where_nothing_is_wrong_no_brace_is_left_when_all_are_filled_in(text: str, lanes: int) -> None:
    if not wrong_placeholders(text, lanes):
        filled = re.sub(r"\{[1-4]\.[a-z0-9]+(/[1-4]\.[a-z0-9]+)?\}", "5 ms", text)
        assert "{" not in filled
        assert "}" not in filled

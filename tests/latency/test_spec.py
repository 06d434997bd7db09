"""LaneSpec against the table of settings in DESIGN.md section 4, which stands here once more."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from server.latency.offered import NOTHING, Offered
from server.latency.spec import SETTINGS, LaneSpec, settings_with, us
from server.latency.tokens import TEXTS


@dataclass(frozen=True)
class Bounds:
    """A row of the table: the default, and the lowest and highest value as the URL writes them."""

    name: str
    default: object
    low: str
    high: str
    whole: bool = False
    beside: tuple[tuple[str, str], ...] = ()  # what must stand beside it


ROWS = [
    Bounds("tokens", 100, "1", "10000", whole=True),
    Bounds("delay_ms", 10, "0", "10000"),
    Bounds("ttft_ms", None, "0", "60000"),
    Bounds("jitter", 0, "0", "1"),
    Bounds("growth_ms", 0, "0", "10"),
    Bounds("stall_at", None, "1", "100", whole=True, beside=(("stall_ms", "5"),)),
    Bounds("stall_ms", None, "0", "60000", beside=(("stall_at", "5"),)),
    Bounds("fail_at", None, "0", "100", whole=True),
    Bounds("burst", 1, "1", "100", whole=True),
    Bounds("flush_ms", 0, "0", "10000"),
    Bounds("cut_at", None, "1", "100", whole=True),
    Bounds("seed", 1, "0", "4294967295", whole=True),
]
EVERY_ROW = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)

# RELIABILITY.md 1: what float() or int() would take, or make something strange of.
NOT_PLAIN_NUMBERS = [
    *("", " ", "nan", "NaN", "inf", "-inf", "Infinity", "1e3", "1E3", "1_000", "1,000", "0x10", "0b1", "1/2"),
    *(" 5 ", "5 ", " 5", "5\n", "\t5", "5\x00", "+5", "-5", "-0", "--5", "5-", "five", "None", "true"),
    *("１２", "٣", "²", "Ⅷ", "1.", ".5", "1..2", "1.2.3", "1.2345", "0.0001", "5" * 5_000, "0." + "0" * 5_000),
]  # fmt: skip


def lane(row: Bounds, value: object) -> LaneSpec:
    return LaneSpec.model_validate({**dict(row.beside), row.name: value})


def problems(settings: dict[str, Any]) -> list[str]:
    """The names of the settings that are refused."""
    with pytest.raises(ValidationError) as caught:
        LaneSpec.model_validate(settings)
    return [str(error["loc"][0]) for error in caught.value.errors()]


MINE = Offered({"mine": "Hello."})


def test_every_setting_of_the_table_is_there_and_no_other() -> None:
    assert set(SETTINGS) == {row.name for row in ROWS} | {"title", "delivery", "text", "recording"}


@EVERY_ROW
def test_a_number_has_its_default(row: Bounds) -> None:
    assert getattr(LaneSpec(), row.name) == row.default


def test_the_other_settings_have_their_defaults() -> None:
    spec = LaneSpec()
    assert spec.delivery == "token"
    assert spec.text in TEXTS


@EVERY_ROW
def test_a_number_may_be_at_its_edges(row: Bounds) -> None:
    for edge in (row.low, row.high):
        assert getattr(lane(row, edge), row.name) == Decimal(edge)


@EVERY_ROW
def test_a_number_may_not_be_past_its_edges(row: Bounds) -> None:
    step = Decimal(1 if row.whole else "0.001")
    for past in (Decimal(row.low) - step, Decimal(row.high) + step):
        for value in (past, str(past)):
            assert problems({**dict(row.beside), row.name: value}) == [row.name]


@EVERY_ROW
def test_the_range_that_is_told_names_both_edges(row: Bounds) -> None:
    told = SETTINGS[row.name].range
    assert f" {int(row.low):,} to " in told
    assert "tokens" in told if row.name.endswith("_at") else f"{int(row.high):,}" in told


@EVERY_ROW
@pytest.mark.parametrize("text", NOT_PLAIN_NUMBERS, ids=lambda text: ascii(text)[:20])
def test_what_is_not_a_plain_number_is_refused(row: Bounds, text: str) -> None:
    assert problems({**dict(row.beside), row.name: text}) == [row.name]


@EVERY_ROW
@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), True, [5], {}], ids=repr)
def test_from_python_too_only_numbers_are_taken(row: Bounds, value: object) -> None:
    assert problems({**dict(row.beside), row.name: value}) == [row.name]


@EVERY_ROW
def test_a_fraction_is_for_times_and_jitter_only(row: Bounds) -> None:
    text = "0.125" if row.name == "jitter" else "5.125"
    if row.whole:
        assert problems({**dict(row.beside), row.name: text}) == [row.name]
    else:
        assert getattr(lane(row, text), row.name) == Decimal(text)


@pytest.mark.parametrize("name", ["stall_at", "fail_at", "cut_at"])
def test_a_place_reaches_to_the_number_of_tokens(name: str) -> None:
    beside = {"stall_ms": "1"} if name == "stall_at" else {}
    for tokens in (1, 7, 10_000):
        at_the_end = LaneSpec.model_validate({**beside, "tokens": tokens, name: str(tokens)})
        assert getattr(at_the_end, name) == tokens
        assert problems({**beside, "tokens": tokens, name: str(tokens + 1)}) == [name]


def test_a_stall_needs_its_place_and_its_length() -> None:
    assert problems({"stall_at": "5"}) == ["stall_ms"]
    assert problems({"stall_ms": "5"}) == ["stall_ms"]
    assert LaneSpec.model_validate({"stall_at": "5", "stall_ms": "0"}).stall_ms == 0


@pytest.mark.parametrize("title", ["", "x", "n × t: 5 s", "ü" * 40])
def test_a_title_may_have_40_characters(title: str) -> None:
    assert LaneSpec(title=title).title == title


@pytest.mark.parametrize("title", ["x" * 41, "one, two", ",", "one\n,two"])
def test_a_title_is_refused_beyond_40_characters_or_with_a_comma(title: str) -> None:
    assert problems({"title": title}) == ["title"]


def test_a_title_comes_from_the_settings_where_none_is_given() -> None:
    streamed, whole = LaneSpec().shown_title, LaneSpec(delivery="whole").shown_title
    assert streamed
    assert whole
    assert streamed != whole
    assert LaneSpec(title="Mine").shown_title == "Mine"


@pytest.mark.parametrize(("name", "value"), [("delivery", "Token"), ("delivery", ""), ("text", "no-such-text")])
def test_what_is_not_among_the_choices_is_refused(name: str, value: str) -> None:
    assert problems({name: value}) == [name]
    choices = ["token", "whole"] if name == "delivery" else list(TEXTS)
    assert SETTINGS[name].range == "one of " + ", ".join(choices)


def test_a_text_of_a_deck_is_taken_only_where_there_is_one() -> None:
    assert LaneSpec.model_validate({"text": "mine"}, context=MINE).text == "mine"
    assert LaneSpec.model_validate({"text": "loop"}, context=MINE).text == "loop"
    assert problems({"text": "mine"}) == ["text"]
    assert settings_with(MINE)["text"].range == SETTINGS["text"].range + ", mine"
    assert settings_with(NOTHING) == SETTINGS


def test_all_problems_are_told_at_once() -> None:
    wrong = dict.fromkeys(SETTINGS, "nonsense, and much longer than a title may be")
    assert sorted(problems({**wrong, "unheard_of": "1"})) == sorted([*SETTINGS, "unheard_of"])


def test_a_wrong_number_of_tokens_is_told_once_and_not_again_by_each_place_in_them() -> None:
    assert problems({"tokens": "0", "stall_at": "5", "stall_ms": "5", "fail_at": "5", "cut_at": "5"}) == ["tokens"]


def test_the_first_token_is_due_after_one_time_per_token_unless_told_otherwise() -> None:
    assert LaneSpec(delay_ms=Decimal(50)).first_due_ms == 50
    assert LaneSpec(delay_ms=Decimal(50), ttft_ms=Decimal(0)).first_due_ms == 0


def test_the_wire_has_the_settings_as_understood() -> None:
    assert LaneSpec(title="Mine").wire() == {
        "title": "Mine",
        "tokens": 100,
        "delay_ms": 10.0,
        "ttft_ms": 10.0,
        "jitter": 0.0,
        "growth_ms": 0.0,
        "burst": 1,
        "flush_ms": 0.0,
        "delivery": "token",
        "text": next(iter(TEXTS)),
        "seed": 1,
    }
    spec = LaneSpec(stall_at=3, stall_ms=Decimal("0.5"), fail_at=0, cut_at=9, ttft_ms=Decimal(70))
    wire = spec.wire()
    assert {name: wire[name] for name in ("stall_at", "stall_ms", "fail_at", "cut_at", "ttft_ms")} == {
        "stall_at": 3,
        "stall_ms": 0.5,
        "fail_at": 0,
        "cut_at": 9,
        "ttft_ms": 70.0,
    }


@pytest.mark.parametrize(
    ("spec", "query"),
    [
        (LaneSpec(), "tokens:100,delay_ms:10"),
        (LaneSpec(delay_ms=Decimal("1E+4"), ttft_ms=Decimal("0.500")), "tokens:100,delay_ms:10000,ttft_ms:0.5"),
        (LaneSpec(tokens=5, delivery="whole", title="A: B"), "tokens:5,delay_ms:10,delivery:whole,title:A: B"),
        (LaneSpec(fail_at=0), "tokens:100,delay_ms:10,fail_at:0"),
    ],
)
def test_the_url_has_n_and_t_and_what_is_not_the_default(spec: LaneSpec, query: str) -> None:
    assert spec.query() == query


@given(st.integers(0, 60_000_000))
def test_milliseconds_become_whole_microseconds_exactly(whole_us: int) -> None:
    assert us(Decimal(whole_us) / 1000) == whole_us  # as floats, 1.001 ms would be 1,000 µs

"""What is counted of many answers, and what of one that is not whole."""

from collections.abc import Sequence

import pytest

from server.measure.answer import Answer, Attempt, Token
from server.measure.failure import Failure
from server.measure.summary import Distribution, Lane, distribution, measures_of, summarise

CUT = Failure("cut", "the connection broke")


def answer(
    arrivals_ms: Sequence[int], failure: Failure | None = None, counted: int | None = None, due: bool = False
) -> Answer:
    """An answer that is whole unless it failed; if `due`, each token was due 5 ms before it came, and sent 4."""
    tokens = [
        Token("a", ms * 1000, *((ms * 1000 - 5_000, ms * 1000 - 4_000) if due else ())) for ms in arrivals_ms
    ]
    return Answer("", tokens, counted, is_whole=failure is None, failure=failure)


def lane(*answers: Answer) -> Lane:
    (found,) = summarise([Attempt([answer]) for answer in answers])
    return found


def test_a_distribution_has_the_ends_the_middle_and_the_tail() -> None:
    assert distribution([40, 10, 20, 30, 50]) == Distribution(10, 30, 48, 49.6, 50)
    assert distribution([]) == Distribution(None, None, None, None, None)


def test_gaps_are_pooled_and_other_measures_are_one_for_each_answer() -> None:
    measures = lane(answer([100, 110, 130]), answer([300, 340])).measures
    assert measures["ttft_ms"].median == 200
    assert (measures["itl_ms"].min, measures["itl_ms"].median, measures["itl_ms"].max) == (10, 20, 40)
    assert (measures["tpot_ms"].min, measures["tpot_ms"].max) == (15, 40)
    assert (measures["e2e_ms"].min, measures["e2e_ms"].max) == (130, 340)
    assert measures["sent_late_ms"].max is None


def test_lateness_is_of_every_token_whose_schedule_is_told() -> None:
    measures = lane(answer([100, 110], due=True), answer([100])).measures
    assert measures["sent_late_ms"] == Distribution(1, 1, 1, 1, 1)
    assert measures["arrival_late_ms"] == Distribution(5, 5, 5, 5, 5)


def test_only_whole_answers_count_where_there_is_one() -> None:
    told = lane(answer([100, 200]), answer([900], CUT))
    assert (told.answers, told.whole, told.is_partial, told.tokens, told.measured_tokens) == (2, 1, False, 3, 2)
    assert told.measures["ttft_ms"].max == 100


def test_where_none_is_whole_the_parts_count_but_for_what_needs_an_end() -> None:
    told = lane(answer([100, 200], CUT), answer([], CUT))
    assert (told.whole, told.is_partial, told.measured_tokens) == (0, True, 2)
    assert (told.measures["ttft_ms"].median, told.measures["itl_ms"].median) == (100, 100)
    for name in ("tpot_ms", "e2e_ms", "decode_tokens_per_s", "overall_tokens_per_s", "qoe", "fluidity"):
        assert told.measures[name].max is None


@pytest.mark.parametrize(
    ("counts", "expected"), [((6, 7), 13), ((6, None), None), ((None, None), None), ((0, 3), 3)]
)
def test_the_servers_counts_are_added_where_all_answers_have_one(
    counts: Sequence[int | None], expected: int | None
) -> None:
    assert lane(*(answer([100, 200], counted=count) for count in counts)).counted == expected


def test_tokens_that_the_server_counts_are_those_of_rates() -> None:
    assert measures_of(answer([100, 300], counted=5))["tpot_ms"] == 50


def test_each_lane_is_summarised_by_itself() -> None:
    attempts = [Attempt([answer([100]), answer([200], CUT)]), Attempt([answer([120]), answer([220], CUT)])]
    first, second = summarise(attempts)
    assert (first.measures["ttft_ms"].median, first.whole) == (110, 2)
    assert (second.measures["ttft_ms"].median, second.whole) == (210, 0)
    assert summarise([]) == []

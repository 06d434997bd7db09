"""The measures are held to the golden values to which those of the page are held."""

import json
from dataclasses import asdict, fields
from typing import Any

import pytest

from server.measure.metrics import EXPECTED, Expected, Metrics, metrics, percentile
from tests.process import ROOT

GOLDEN = json.loads((ROOT / "tests/golden/metrics.json").read_text())
READER = Expected(GOLDEN["expected_ttft_ms"], GOLDEN["reading_gap_ms"])
NOT_MEASURED = {"name", "arrivals_ms", "tokens_by"}  # the page alone counts tokens at a time


def test_every_golden_case_has_exactly_these_measures() -> None:
    assert len(GOLDEN["cases"]) >= 13
    for case in GOLDEN["cases"]:
        assert set(case) - NOT_MEASURED == {field.name for field in fields(Metrics)}


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: case["name"])
def test_every_measure_is_the_golden_one_to_the_digits_given(case: dict[str, Any]) -> None:
    for name, value in asdict(metrics(case["arrivals_ms"], READER)).items():
        golden, digits = case[name], 9 if name in ("qoe", "fluidity") else 6
        assert value == (golden and pytest.approx(golden, rel=0, abs=0.5000001 * 10**-digits)), name


def test_the_reader_is_that_of_the_page() -> None:
    """238 words a minute at 1.3 tokens a word, in whole µs; static/js/pure/metrics.js has the same."""
    assert (EXPECTED.ttft_ms, EXPECTED.reading_gap_ms) == (1_000, 193.924)


def test_where_a_server_counts_more_tokens_than_arrivals_tpot_and_rates_are_of_tokens() -> None:
    of_tokens, of_arrivals = metrics([100, 200, 300], tokens=9), metrics([100, 200, 300])
    assert (of_tokens.tpot_ms, of_tokens.decode_tokens_per_s, of_tokens.overall_tokens_per_s) == (25, 40, 30)
    assert of_tokens.itl_p50_ms == of_arrivals.itl_p50_ms == 100
    assert of_tokens.fluidity == of_arrivals.fluidity


def test_without_a_token_nothing_is_defined() -> None:
    assert set(asdict(metrics([])).values()) == {None}


@pytest.mark.parametrize(
    ("values", "p", "expected"),
    [([], 50, None), ([7], 99, 7), ([40, 10, 30, 20], 50, 25), ([10, 20], 25, 12.5), ([3, 1, 2], 100, 3)],
)
def test_a_percentile_is_interpolated_whatever_the_order(values: list[float], p: float, expected: float) -> None:
    assert percentile(values, p) == expected

"""The measures of perceived and total latency, from the arrival times of one answer; the page computes the same.

Times are ms since the request was made, and never decrease. What is undefined is None, never NaN or infinity.
TTFT, ITL, TPOT and E2E are those of vLLM's `bench serve`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_WORDS_PER_MINUTE = 238  # silent reading of English non-fiction: Brysbaert 2019, doi.org/10.1016/j.jml.2019.104047
_TOKENS_PER_WORD = 1.3  # a rule of thumb for English and the tokenizers of large language models


@dataclass(frozen=True, slots=True)
class Expected:
    """What a reader expects: the first token after this long, each later one after this gap."""

    ttft_ms: float = 1_000  # Nielsen's limit for a flow of thought not to break
    reading_gap_ms: float = round(60_000 / (_WORDS_PER_MINUTE * _TOKENS_PER_WORD), 3)


EXPECTED = Expected()


@dataclass(frozen=True, slots=True)
class Metrics:
    """Every measure of one answer."""

    ttft_ms: float | None
    e2e_ms: float | None
    tpot_ms: float | None
    itl_p50_ms: float | None
    itl_p95_ms: float | None
    itl_p99_ms: float | None
    itl_max_ms: float | None
    decode_tokens_per_s: float | None
    overall_tokens_per_s: float | None
    qoe: float | None
    qoe_delay_ms: float | None
    qoe_whole_ms: float | None
    fluidity: float | None
    missed: int | None
    deadlines: int | None


def metrics(arrivals_ms: Sequence[float], expected: Expected = EXPECTED, tokens: int | None = None) -> Metrics:
    """Compute every measure. `tokens` is n for TPOT and rates, where one arrival brought more than one token."""
    n = tokens or len(arrivals_ms)
    e2e_ms = arrivals_ms[-1] if arrivals_ms else None
    decode_ms = arrivals_ms[-1] - arrivals_ms[0] if arrivals_ms else 0
    gaps_ms = itls_ms(arrivals_ms)
    return Metrics(
        arrivals_ms[0] if arrivals_ms else None,
        e2e_ms,
        _ratio(decode_ms, n - 1),
        percentile(gaps_ms, 50),
        percentile(gaps_ms, 95),
        percentile(gaps_ms, 99),
        percentile(gaps_ms, 100),
        _ratio((n - 1) * 1000, decode_ms),
        _ratio(n * 1000, e2e_ms or 0),
        *qoe(arrivals_ms, expected),
        *fluidity(arrivals_ms, expected),
    )


def itls_ms(arrivals_ms: Sequence[float]) -> list[float]:
    """Return the n − 1 gaps between neighbours, in order."""
    return [later - earlier for earlier, later in pairwise(arrivals_ms)]


def percentile(values: Sequence[float], p: float) -> float | None:
    """Return what `p` percent of the values do not exceed, interpolated linearly; None of no values."""
    if not values:
        return None
    ascending = sorted(values)
    place = (len(ascending) - 1) * p / 100
    below, above = ascending[math.floor(place)], ascending[math.ceil(place)]
    return below + (above - below) * (place % 1)


def qoe(
    arrivals_ms: Sequence[float], expected: Expected = EXPECTED
) -> tuple[float | None, float | None, float | None]:
    """Return the Andes-style quality of experience, and the two sums it is made of, in ms; None for no tokens.

    With D the expected TTFT, r the reading rate and dᵢ the arrivals: idealᵢ = D + (i − 1) / r; read₁ = max(d₁, D),
    readᵢ = max(dᵢ, readᵢ₋₁ + 1/r); QoE = 1 − Σ(readᵢ − idealᵢ) / Σ(readₙ − idealᵢ), where 0/0 = 1. After Andes
    (arXiv 2404.16283, equation 3), as others restate it.
    """
    if not arrivals_ms:
        return None, None, None
    gap_us, ideal_us = _us(expected.reading_gap_ms), _us(expected.ttft_ms)
    read_us = max(_us(arrivals_ms[0]), ideal_us)
    ideal_sum_us, read_sum_us = ideal_us, read_us
    for arrival_ms in arrivals_ms[1:]:
        ideal_us += gap_us
        read_us = max(_us(arrival_ms), read_us + gap_us)
        ideal_sum_us += ideal_us
        read_sum_us += read_us
    delay_us = read_sum_us - ideal_sum_us
    whole_us = read_us * len(arrivals_ms) - ideal_sum_us
    return 1 - delay_us / whole_us if whole_us else 1, delay_us / 1000, whole_us / 1000


def fluidity(
    arrivals_ms: Sequence[float], expected: Expected = EXPECTED
) -> tuple[float | None, int | None, int | None]:
    """Return Etalon's share of deadlines met (arXiv 2507.09019, algorithm 1), those missed, and all of them.

    A late token misses its deadline and every further one that passed before it came; then they are counted anew.
    In absolute deadlines and whole µs, which say the same as the paper's gaps and slack, and exactly.
    """
    if not arrivals_ms:
        return None, None, None
    gap_us, deadline_us = _us(expected.reading_gap_ms), _us(expected.ttft_ms)
    met = missed = 0
    for arrival_us in map(_us, arrivals_ms):
        if arrival_us <= deadline_us:
            met += 1
            deadline_us += gap_us
        else:
            missed += (arrival_us - deadline_us) // gap_us + 1
            deadline_us = arrival_us + gap_us
    return met / (met + missed), missed, met + missed


def _us(ms: float) -> int:
    """Whole µs, the unit of a schedule: sums and comparisons become exact."""
    return round(ms * 1000)


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole > 0 else None

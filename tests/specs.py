"""LaneSpecs drawn by Hypothesis: every setting, small enough that a run of four takes milliseconds to test."""

from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from server.latency.spec import LaneSpec

MAX_TOKENS = 12


def _ms(highest: int) -> st.SearchStrategy[Decimal]:
    """Times with three decimals, and often whole ones, so that different lanes fall due together."""
    exact = st.integers(0, highest * 1000).map(lambda us: Decimal(us) / 1000)
    return st.one_of(st.integers(0, highest).map(Decimal), exact)


@st.composite
def settings(draw: st.DrawFn) -> dict[str, Any]:
    """Settings of one lane, as Python values."""
    tokens = draw(st.integers(1, MAX_TOKENS))
    at = st.integers(1, tokens)
    drawn: dict[str, Any] = {
        "tokens": tokens,
        "delay_ms": draw(_ms(60)),
        "ttft_ms": draw(st.none() | _ms(300)),
        "jitter": draw(st.sampled_from([Decimal(0), Decimal("0.4"), Decimal(1)])),
        "growth_ms": draw(st.sampled_from([Decimal(0), Decimal("0.001"), Decimal(3)])),
        "fail_at": draw(st.none() | st.integers(0, tokens)),
        "burst": draw(st.integers(1, 5)),
        "flush_ms": draw(st.just(Decimal(0)) | _ms(100)),
        "delivery": draw(st.sampled_from(["token", "token", "whole"])),
        "seed": draw(st.integers(0, 2**32 - 1)),
    }
    if draw(st.booleans()):
        drawn |= {"stall_at": draw(at), "stall_ms": draw(_ms(500))}
    return drawn


def lanes() -> st.SearchStrategy[LaneSpec]:
    """One lane."""
    return settings().map(LaneSpec.model_validate)


def runs() -> st.SearchStrategy[list[LaneSpec]]:
    """The lanes of a run."""
    return st.lists(lanes(), min_size=1, max_size=4)

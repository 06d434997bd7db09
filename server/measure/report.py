"""The report: a measurement as text for people, or as JSON for programs. What is undefined is "–", or null."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from ..problem import cut
from .answer import Answer, Attempt
from .measurement import Measurement
from .metrics import EXPECTED
from .summary import (
    GRADES,
    TIMES,
    Distribution,
    Lane,
    arrival_late_ms,
    distribution,
    measures_of,
    sent_late_ms,
    summarise,
)

_LABELS = {
    "ttft_ms": "TTFT, ms",
    "itl_ms": "ITL, ms",
    "tpot_ms": "TPOT, ms",
    "e2e_ms": "E2E, ms",
    "sent_late_ms": "sent − due, ms",
    "arrival_late_ms": "arrival − due, ms",
    "decode_tokens_per_s": "decode, tokens/s",
    "overall_tokens_per_s": "overall, tokens/s",
    "qoe": "QoE",
    "fluidity": "fluidity",
}
_TIME_COLUMNS = ("median", "p95", "p99", "max")
_GRADE_COLUMNS = ("median", "min")
_RATIOS = ("qoe", "fluidity")
_DECIMALS = 6


def text_report(measurement: Measurement) -> str:
    """Write it for people."""
    attempts, options = measurement.attempts, measurement.options
    model = f" · model {cut(measurement.model)}" if measurement.model else ""
    lanes = summarise(attempts)
    lines = [
        f"{measurement.source}{model}",
        _count(len(attempts), "request")
        + (f", {options.concurrency} at a time" if len(attempts) > 1 else "")
        + (f", after {options.warmup} to warm up" if options.warmup else ""),
        _together(lanes, measurement.duration_us),
    ]
    for number, lane in enumerate(lanes, start=1):
        lines += ["", *_lane_lines(lane, f"answer {number}: {cut(lane.title)}" if len(lanes) > 1 else "")]
    lines += ["", "TTFT and E2E count from just before the request; making its connection is in them."]
    return "\n".join([*lines, *_failure_lines(attempts)])


def json_report(measurement: Measurement, stopped: bool) -> dict[str, Any]:
    """Return it for programs."""
    options = measurement.options
    return {
        "settings": {
            "url": measurement.source,
            "model": measurement.model,
            "prompt": measurement.prompt,
            "requests": options.requests,
            "concurrency": options.concurrency,
            "warmup": options.warmup,
            "timeout_s": options.timeout_s,
            "expected_ttft_ms": EXPECTED.ttft_ms,
            "reading_gap_ms": EXPECTED.reading_gap_ms,
        },
        "stopped": stopped,
        "duration_ms": measurement.duration_us / 1000,
        "lanes": [_rounded(asdict(lane)) for lane in summarise(measurement.attempts)],
        "requests": [
            {"started_at": attempt.started_at, "answers": [_answer(answer) for answer in attempt.answers]}
            for attempt in measurement.attempts
        ],
    }


def _answer(answer: Answer) -> dict[str, Any]:
    return {
        "ended": answer.ended,
        "reason": answer.failure and answer.failure.reason,
        "tokens": len(answer.tokens),
        "counted": answer.counted,
        **_rounded(measures_of(answer)),
        "sent_late_ms": _rounded(asdict(distribution(sent_late_ms(answer)))),
        "arrival_late_ms": _rounded(asdict(distribution(arrival_late_ms(answer)))),
    }


def _rounded(value: Any) -> Any:
    """Leave the noise of binary fractions out, at any depth."""
    match value:
        case float():
            return round(value, _DECIMALS)
        case dict():
            return {name: _rounded(inner) for name, inner in value.items()}
        case _:
            return value


def _together(lanes: Sequence[Lane], duration_us: int) -> str:
    tokens = sum(lane.tokens for lane in lanes)
    rate = f", {tokens * 1_000_000 / duration_us:,.1f} tokens/s together" if duration_us else ""
    return f"{_count(tokens, 'token')} in {duration_us / 1_000_000:,.1f} s{rate}"


def _lane_lines(lane: Lane, heading: str) -> Iterator[str]:
    if heading:
        yield heading
    if lane.is_partial:
        yield "partial: no answer is whole, and these are measures of what came"
    elif lane.whole < lane.answers:
        yield f"of the whole answers, {lane.whole} of {lane.answers}"
    if lane.counted not in (None, lane.measured_tokens):
        yield (
            f"{_count(lane.measured_tokens, 'chunk')} for {_count(lane.counted or 0, 'token')}: "
            "TPOT and rates count tokens, all else chunks"
        )
    yield from _table(lane, TIMES, _TIME_COLUMNS)
    yield from _table(lane, GRADES, _GRADE_COLUMNS)


def _table(lane: Lane, names: Sequence[str], columns: Sequence[str]) -> Iterator[str]:
    yield f"{'':18}" + "".join(f"{column:>12}" for column in columns)
    for name in names:
        told = lane.measures[name]
        if name.endswith("_late_ms") and told.max is None:
            continue  # the server doesn't tell its schedule
        cells = [_cell(told, column, 3 if name in _RATIOS else 1) for column in columns]
        yield f"{_LABELS[name]:18}" + "".join(f"{cell:>12}" for cell in cells)


def _cell(told: Distribution, column: str, decimals: int) -> str:
    value: float | None = getattr(told, column)
    return "–" if value is None else f"{value:,.{decimals}f}"


def _failure_lines(attempts: Sequence[Attempt]) -> Iterator[str]:
    """Say how many ended otherwise than whole, by why they did."""
    answers = [answer for attempt in attempts for answer in attempt.answers if not answer.is_whole]
    ends = Counter(str(answer.failure or answer.ended) for answer in answers)
    yield from [f"{_count(count, 'answer')} {end}" for end, count in ends.most_common()]


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")

"""Summary: the measures of one lane over all requests. Whole answers count; where there is none, the parts do."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .answer import Answer, Attempt
from .metrics import itls_ms, metrics, percentile

TIMES = ("ttft_ms", "itl_ms", "tpot_ms", "e2e_ms", "sent_late_ms", "arrival_late_ms")
GRADES = ("decode_tokens_per_s", "overall_tokens_per_s", "qoe", "fluidity")  # the more the better
_OF_A_PART = ("ttft_ms", "itl_p50_ms", "itl_p95_ms", "itl_p99_ms", "itl_max_ms")
_OF_AN_ANSWER = ("ttft_ms", "tpot_ms", "e2e_ms", *GRADES)


@dataclass(frozen=True, slots=True)
class Distribution:
    """How values lie; all None of no values."""

    min: float | None
    median: float | None
    p95: float | None
    p99: float | None
    max: float | None


@dataclass(frozen=True, slots=True)
class Lane:
    """One lane of all requests; `is_partial` where its measures are of answers that are not whole."""

    title: str
    answers: int
    whole: int
    is_partial: bool
    tokens: int  # that came, of all answers
    counted: int | None  # that the server says it made in the measured answers, where they all say it
    measured_tokens: int  # that came in these
    measures: dict[str, Distribution]


def summarise(attempts: Sequence[Attempt]) -> list[Lane]:
    """Return a summary of each lane."""
    return [_lane(answers) for answers in zip(*(attempt.answers for attempt in attempts), strict=True)]


def measures_of(answer: Answer) -> dict[str, Any]:
    """Return the measures of one answer; of one that is not whole, those that do not need its end."""
    every = asdict(metrics(arrivals_ms(answer), tokens=answer.counted))
    return {name: every[name] if answer.is_whole or name in _OF_A_PART else None for name in every}


def arrivals_ms(answer: Answer) -> list[float]:
    """Return when each token came."""
    return [token.arrival_us / 1000 for token in answer.tokens]


def sent_late_ms(answer: Answer) -> list[float]:
    """Return by how much each token was sent late, where the server tells."""
    both = [(token.due_us, token.sent_us) for token in answer.tokens]
    return [(sent - due) / 1000 for due, sent in both if due is not None and sent is not None]


def arrival_late_ms(answer: Answer) -> list[float]:
    """Return by how much later each token came than it was due, the making of the connection included."""
    return [(token.arrival_us - token.due_us) / 1000 for token in answer.tokens if token.due_us is not None]


def distribution(values: Sequence[float]) -> Distribution:
    """Tell how values lie."""
    return Distribution(*(percentile(values, p) for p in (0, 50, 95, 99, 100)))


def _lane(answers: Sequence[Answer]) -> Lane:
    whole = [answer for answer in answers if answer.is_whole]
    measured = whole or answers
    each = [measures_of(answer) for answer in measured]
    counts = [answer.counted for answer in measured if answer.counted is not None]
    values: dict[str, list[float]] = {
        "itl_ms": [gap for answer in measured for gap in itls_ms(arrivals_ms(answer))],
        "sent_late_ms": [late for answer in measured for late in sent_late_ms(answer)],
        "arrival_late_ms": [late for answer in measured for late in arrival_late_ms(answer)],
        **{name: [of[name] for of in each if of[name] is not None] for name in _OF_AN_ANSWER},
    }
    return Lane(
        title=answers[0].title,
        answers=len(answers),
        whole=len(whole),
        is_partial=not whole,
        tokens=sum(len(answer.tokens) for answer in answers),
        counted=sum(counts) if len(counts) == len(measured) else None,
        measured_tokens=sum(len(answer.tokens) for answer in measured),
        measures={name: distribution(values[name]) for name in (*TIMES, *GRADES)},
    )

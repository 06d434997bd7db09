"""Answer: what has come of one lane so far, each token with its arrival, in µs since the request was made.

Answers change: they are filled while tokens come, so that Ctrl-C leaves what there is.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime

from .failure import Failure


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of text that is not empty; when it was due and sent is known where the server tells."""

    text: str
    arrival_us: int
    due_us: int | None = None
    sent_us: int | None = None


@dataclass(slots=True)
class Answer:
    """One lane of a request; until it is whole or has failed it is under way."""

    title: str = ""
    tokens: list[Token] = field(default_factory=list)
    counted: int | None = None  # how many tokens the server says it made, where it says so
    is_whole: bool = False
    failure: Failure | None = None

    @property
    def ended(self) -> str:
        """How it ended, in a word."""
        if self.failure:
            return self.failure.kind
        return "done" if self.is_whole else "stopped"


@dataclass(slots=True)
class Attempt:
    """One request: its answers, one a lane."""

    answers: list[Answer]
    started_at: str = field(default_factory=lambda: f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}")

    @property
    def failure(self) -> Failure | None:
        """What went wrong first, if anything did."""
        return next((answer.failure for answer in self.answers if answer.failure), None)

    def fail(self, failure: Failure) -> None:
        """End the answers that are under way."""
        for answer in self.answers:
            if not (answer.is_whole or answer.failure):
                answer.failure = failure

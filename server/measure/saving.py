"""Saving: one answer → a recording, in a file whose place is taken before anything is measured."""

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

from pydantic import ValidationError

from ..recording import MAX_TOKENS, Recording
from .answer import Answer, Attempt
from .failure import Failure

_ENDED = ("done", "failed", "stopped")  # anything else was a cut


class Place:
    """A file that can be written."""

    def __init__(self, path: Path, replace: bool) -> None:
        """Raises Failure where it can't, or is there already and is not to be replaced."""
        self.path = path
        try:
            self._is_new = not path.exists()
            path.open("ab" if replace else "xb").close()  # "ab" leaves what is there until there is something new
        except FileExistsError:
            reason = f"--save: {path} is there already; --force replaces it"
            raise Failure("bad option", reason) from None
        except OSError as exc:
            raise Failure("bad option", f"--save: {path} can't be written: {exc.strerror}") from None

    def write(self, recording: Recording) -> None:
        """Write a recording. Raises OSError."""
        self.path.write_text(recording.json_text(), encoding="utf-8")

    def give_back(self) -> None:
        """Leave no empty file behind."""
        if self._is_new:
            self.path.unlink(missing_ok=True)


def recording_of(attempts: Sequence[Attempt], source: str, model: str | None) -> Recording | None:
    """Make a recording of the first whole answer, or of the first that has tokens; None where none has.

    Raises Failure for what a recording can't hold.
    """
    answers = [(attempt, attempt.answers[0]) for attempt in attempts if attempt.answers[0].tokens]
    answers.sort(key=lambda pair: not pair[1].is_whole)
    if not answers:
        return None
    attempt, answer = answers[0]
    try:
        return Recording.model_validate(
            {
                "format": "trickle-recording",
                "format_version": 1,
                "source": source[:2_000],
                "model": (model or answer.title)[:200],
                "recorded_at": attempt.started_at,
                "ended": _ended(answer),
                "tokens": [
                    {"text": token.text, "arrival_ms": Decimal(token.arrival_us) / 1000}
                    for token in answer.tokens[:MAX_TOKENS]
                ],
            }
        )
    except ValidationError as exc:
        wrong = exc.errors()[0]
        place = ".".join(map(str, wrong["loc"]))
        raise Failure("failed", f"a recording can't hold this answer: {place}: {wrong['msg']}") from None


def _ended(answer: Answer) -> str:
    if len(answer.tokens) > MAX_TOKENS:
        return "stopped"
    return answer.ended if answer.ended in _ENDED else "cut"

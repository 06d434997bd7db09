"""Recording: an answer that was once received, each token with its arrival, as one JSON document.

It knows neither who measured it nor who plays it; both sides keep to this format. Times are in ms since the
request was made, with at most three decimals, and stay exact.
"""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import ErrorDetails, PydanticCustomError

from .problem import Problem, cut, text_of
from .text_file import Unreadable, read_text

MAX_TOKENS = 10_000
_MAX_BYTES = 4 * 2**20  # 10,000 tokens take about 600 kB
_MOST_TOLD = 20  # problems of one file; each of its tokens may have two
_REASONS = {
    "missing": "it is missing",
    "number": "it is not a number",
    "string_unicode": "it has half of a character",
}
_FILE_ALLOWED = f"a JSON file of at most {_MAX_BYTES // 2**20} MB"


class BadRecording(Exception):
    """A file that holds no recording: has every problem in it, each with its place."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(self.told))

    @property
    def told(self) -> tuple[str, ...]:
        """A sentence each of the first, and how many more there are."""
        more = len(self.problems) - _MOST_TOLD
        told = map(str, self.problems[:_MOST_TOLD])
        return (*told, f"and {more:,} more problems") if more > 0 else tuple(told)


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class RecordedToken(_Part):
    """One token, and when it came."""

    text: str = Field(min_length=1, max_length=10_000, description="text of 1 to 10,000 characters")
    arrival_ms: Annotated[Decimal, Field(strict=False)] = Field(
        ge=0, le=3_600_000, decimal_places=3,
        description="a number from 0 to 3,600,000, with at most three decimals",
    )  # fmt: skip

    @field_validator("arrival_ms", mode="before")
    @classmethod
    def _is_a_number(cls, value: object) -> object:
        if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
            raise PydanticCustomError("number", "it is not a number")
        return value


class Recording(_Part):
    """What was received, from whom, and when. Raises `ValidationError`, which `read` tells in our words."""

    format: Literal["trickle-recording"] = Field(description='"trickle-recording"')
    format_version: Literal[1] = Field(description="1")
    source: str = Field(max_length=2_000, description="text of at most 2,000 characters")
    model: str = Field(max_length=200, description="text of at most 200 characters")
    recorded_at: str = Field(max_length=40, description="a date and time such as 2026-11-30T21:00:00Z")
    ended: Literal["done", "failed", "cut", "stopped"] = Field(description="one of done, failed, cut, stopped")
    tokens: Annotated[tuple[RecordedToken, ...], Field(strict=False)] = Field(
        min_length=1, max_length=MAX_TOKENS, description=f"a list of 1 to {MAX_TOKENS:,} tokens"
    )

    @field_validator("recorded_at")
    @classmethod
    def _is_a_date(cls, value: str) -> str:
        try:
            datetime.fromisoformat(value)
        except ValueError:
            raise PydanticCustomError("date", "it is not a date") from None
        return value

    @field_validator("tokens")
    @classmethod
    def _in_order(cls, tokens: tuple[RecordedToken, ...]) -> tuple[RecordedToken, ...]:
        latest = Decimal(0)
        for i, token in enumerate(tokens):
            if token.arrival_ms < latest:
                raise PydanticCustomError("order", "", {"i": i, "given": token.arrival_ms, "latest": latest})
            latest = token.arrival_ms
        return tokens

    def json_text(self) -> str:
        """Write it as its file has it: one token a line."""
        head = self.model_dump(exclude={"tokens"})
        tokens = [
            f'  {{"text": {json.dumps(token.text)}, "arrival_ms": {token.arrival_ms}}}' for token in self.tokens
        ]
        return json.dumps(head, indent=1)[:-2] + ',\n "tokens": [\n' + ",\n".join(tokens) + "\n ]\n}\n"


def read(path: Path) -> Recording:
    """Read a file. Raises BadRecording."""
    document = _document(path)
    if not isinstance(document, dict):
        raise BadRecording([Problem("the file", path.name, "a JSON object", reason="it holds something else")])
    try:
        return Recording.model_validate(document)
    except ValidationError as exc:
        raise BadRecording(list(_problems(exc.errors()))) from None


def _document(path: Path) -> Any:
    try:
        text = read_text(path, _MAX_BYTES)
        return json.loads(text, parse_float=_decimal, parse_constant=_no_number)
    except json.JSONDecodeError as exc:
        line = text.split("\n")[exc.lineno - 1]
        reason = f"{exc.msg}, column {exc.colno}"
        raise BadRecording([Problem(f"line {exc.lineno}", line, "JSON", reason=reason)]) from None
    except (Unreadable, ValueError, RecursionError) as exc:  # NaN, 5,000 digits, a thousand lists in one another
        raise BadRecording([Problem("the file", path.name, _FILE_ALLOWED, reason=str(exc))]) from None


def _decimal(number: str) -> Decimal:
    try:
        return Decimal(number)
    except InvalidOperation:  # an exponent of twenty digits, which is no ValueError
        raise ValueError(f"{cut(number)} is beyond all numbers") from None


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number in JSON")


def _problems(errors: Sequence[ErrorDetails]) -> Iterator[Problem]:
    """Say pydantic's errors in our words, each with its place: `tokens[17].arrival_ms`."""
    for error in errors:
        given = "" if error["type"] == "missing" else text_of(error["input"])
        reason = _REASONS.get(error["type"], "")
        match error["loc"]:
            case ("tokens",) if error["type"] == "order":
                found = error["ctx"]
                allowed = f"at least {found['latest']}, when the one before came"
                yield Problem(f"tokens[{found['i']}].arrival_ms", str(found["given"]), allowed)
            case ("tokens",) if error["type"] == "too_short" and error["input"]:
                pass  # all that are there are wrong, which is told of each
            case ("tokens", int(i)):
                yield Problem(f"tokens[{i}]", given, "an object with text and arrival_ms")
            case ("tokens", int(i), str(name)):
                yield _problem(f"tokens[{i}].{name}", name, given, RecordedToken, reason)
            case _:
                name = str(error["loc"][0])
                yield _problem(name, name, given, Recording, reason)


def _problem(place: str, name: str, given: str, part: type[BaseModel], reason: str) -> Problem:
    field = part.model_fields.get(name)
    allowed = field.description if field else f"left out, or one of {', '.join(part.model_fields)}"
    return Problem(place, given, str(allowed), reason=reason)

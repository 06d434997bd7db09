"""Errors before the first byte, as RFC 9457 problem documents that name each field, its value and its range."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

_SHOWN = 100  # characters of a wrong name or value; a visitor may send thousands


@dataclass(frozen=True, slots=True)
class Problem:
    """One wrong field: what was given, what is allowed, and where (`lane` counts from 0, None outside lanes)."""

    field: str
    value: str
    range: str
    lane: int | None = None
    reason: str = ""

    def __str__(self) -> str:
        where = _cut(self.field) if self.lane is None else f"lane {self.lane + 1}: {_cut(self.field)}"
        given = f'"{_cut(self.value)}"'
        why = f" ({self.reason})" if self.reason else ""
        return f"{where} must be {self.range}, but was {given}{why}"


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


class BadQuery(Exception):
    """A query that can't be understood: holds every problem in it."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = tuple(problems)


def problem_response(
    status: int, detail: str, problems: Sequence[Problem] = (), headers: Mapping[str, str] | None = None
) -> Response:
    """Build the answer; `errors` lists the wrong fields, with a sentence each."""
    content: dict[str, Any] = {"title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    if problems:
        content["errors"] = [
            {
                **asdict(problem),
                "field": _cut(problem.field),
                "value": problem.value[:_SHOWN],
                "detail": str(problem),
            }
            for problem in problems
        ]
    return JSONResponse(
        content,
        status,
        {"Cache-Control": "no-store", **(headers or {})},
        media_type="application/problem+json",
    )


async def bad_query(request: Request, exc: Exception) -> Response:
    """Answer a query that can't be understood."""
    assert isinstance(exc, BadQuery)
    return problem_response(400, str(exc), exc.problems)


async def http_error(request: Request, exc: Exception) -> Response:
    """Answer what the router refuses: no such page, a method that isn't allowed."""
    assert isinstance(exc, HTTPException)
    return problem_response(exc.status_code, exc.detail, headers=exc.headers)


async def server_error(request: Request, exc: Exception) -> Response:
    """Answer what went wrong here, without saying more than that."""
    return problem_response(500, "Something went wrong in the server; its log says what.")

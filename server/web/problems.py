"""Errors before the first byte, as RFC 9457 problem documents that name each field, its value and its range."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ..problem import Problem


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
        content["errors"] = [problem.wire() for problem in problems]
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

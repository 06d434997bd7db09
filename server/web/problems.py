"""Errors before the first byte, as RFC 9457 problem documents that name each field, its value and its range.

Who asked in OpenAI's dialect is answered in that.
"""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Scope

from ..problem import Problem
from .openai.errors import ApiError, error_object
from .paths import is_openai


class BadQuery(Exception):
    """A query that can't be understood: holds every problem in it."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = tuple(problems)


def refusal(
    scope: Scope,
    status: int,
    detail: str,
    problems: Sequence[Problem] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Build the answer to a request that gets nothing else, in the dialect in which it asked."""
    if is_openai(scope):
        param = problems[0].field if problems else None
        return error_object(ApiError(status, detail, param=param, headers=headers))
    return problem_response(status, detail, problems, headers)


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
    return refusal(request.scope, 400, str(exc), exc.problems)


async def http_error(request: Request, exc: Exception) -> Response:
    """Answer what the router refuses: no such page, a method that isn't allowed."""
    assert isinstance(exc, HTTPException)
    return refusal(request.scope, exc.status_code, exc.detail, headers=exc.headers)


async def server_error(request: Request, exc: Exception) -> Response:
    """Answer what went wrong here, without saying more than that."""
    return refusal(request.scope, 500, "Something went wrong in the server; its log says what.")

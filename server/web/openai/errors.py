"""Errors as OpenAI has them: an object that names the parameter, from which its clients make their exceptions."""

import json
from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response

_KINDS = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


class ApiError(Exception):
    """A request that is refused; `param` names what is wrong in it, `code` is OpenAI's word for that."""

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        param: str | None = None,
        code: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.param, self.code, self.headers = status, param, code, headers


async def api_error(request: Request, exc: Exception) -> Response:
    """Answer what is wrong in this dialect alone."""
    assert isinstance(exc, ApiError)
    return error_object(exc)


def error_object(error: ApiError) -> Response:
    """Build the answer, in ASCII: what is shown of the request may hold half an emoji."""
    kind = "server_error" if error.status >= 500 else _KINDS.get(error.status, "invalid_request_error")
    told = {"message": str(error), "type": kind, "param": error.param, "code": error.code}
    headers = {"Cache-Control": "no-store", **(error.headers or {})}
    return Response(json.dumps({"error": told}), error.status, headers, media_type="application/json")

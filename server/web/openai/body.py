"""The body of a request: JSON, within a size and a time, because a place is taken only when it is understood."""

import json
from contextlib import aclosing
from typing import Any

import anyio
from starlette.requests import ClientDisconnect, Request

from ..state import state_of
from .errors import ApiError

MAX_BYTES = 1_000_000  # a long conversation; its text counts for nothing here
_WITHIN_S = 10


async def read_body(request: Request) -> dict[str, Any]:
    """Return the object that the body is. Raises ApiError."""
    try:
        with anyio.fail_after(_WITHIN_S):
            body = await _bytes(request)
    except TimeoutError:
        # Closed with it: a connection that stayed open would have some seconds more.
        detail, close = f"The body did not come within {_WITHIN_S} s.", {"Connection": "close"}
        raise ApiError(408, detail, headers=close) from None
    except ClientDisconnect:
        raise ApiError(400, "The client has left.") from None  # who is gone can't see it
    try:
        content = json.loads(body, parse_constant=_refuse)
    except (ValueError, RecursionError):  # also a number of 5,000 digits; a thousand lists in one another
        raise ApiError(400, "The body must be JSON.") from None
    if not isinstance(content, dict):
        raise ApiError(400, "The body must be a JSON object.")
    return content


async def _bytes(request: Request) -> bytearray:
    body = bytearray()
    with state_of(request).room.share() as share:
        async with aclosing(request.stream()) as pieces:
            async for piece in pieces:
                body += piece
                if len(body) > MAX_BYTES:
                    raise ApiError(413, f"The body may have {MAX_BYTES:,} bytes.")
                share.grow_to(len(body))
    return body


def _refuse(constant: str) -> None:
    """NaN and Infinity are Python's, not JSON's."""
    raise ValueError(constant)

"""Admission: how many streams may be open at once in this worker, in all and for one client.

A place is held around the whole response, and `GivesBack` gives it back however that ends. The `finally` of the
generator that makes the events would not do: it may never run (sse-starlette#156).
"""

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from .problems import problem_response

_OPENED = "trickle.opened"  # in a request's scope: what is to be closed with it
_BACK_S = (2, 6)  # when who was refused may ask again; different for each, so that an audience spreads


class Refused(Exception):
    """A stream that gets no place; `reason` is one word for who counts, the rest is for who asked."""

    def __init__(self, reason: str, status: int, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.status = reason, status


class Admission:
    """Counts the streams that are open; 0 for `most_a_client` is no limit for one client."""

    def __init__(self, most: int, most_a_client: int = 0) -> None:
        self._most, self._most_a_client = most, most_a_client
        self._clients: Counter[str] = Counter()
        self.active = 0

    def check(self, client: str) -> None:
        """Raise Refused where there is no place for a client now."""
        if self.active >= self._most:
            raise Refused("full", 503, f"All {self._most:,} streams of this server are taken. Try again soon.")
        if self._most_a_client and self._clients[client] >= self._most_a_client:
            detail = f"Your address has {self._most_a_client:,} streams open, and may have no more. Close one."
            raise Refused("client", 429, detail)

    @contextmanager
    def place(self, client: str) -> Iterator[None]:
        """Hold a place."""
        self.active += 1
        self._clients[client] += 1
        try:
            yield
        finally:
            self.active -= 1
            self._clients[client] -= 1
            if not self._clients[client]:
                del self._clients[client]  # else every address that was ever here would stay


class GivesBack:
    """Pure ASGI around the app: closes with a request what was opened for it, on every way out."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request as ASGI has it."""
        with ExitStack() as scope[_OPENED]:
            await self._app(scope, receive, send)


def take_place(request: Request, admission: Admission) -> None:
    """Take a place until the answer to this request has been sent. Raises Refused.

    HEAD takes none, but is refused as GET would be: a page whose EventSource can't read a refusal asks that way.
    """
    client = request.client.host if request.client else ""
    admission.check(client)
    if request.method != "HEAD":
        request.scope[_OPENED].enter_context(admission.place(client))


async def refused(request: Request, exc: Exception) -> Response:
    """Answer who gets no place."""
    assert isinstance(exc, Refused)
    return problem_response(exc.status, str(exc), headers={"Retry-After": str(random.randint(*_BACK_S))})

"""OpenStream: one stream from its place to its line in the log; and those that are refused one.

All that a request opened is closed by `ClosesStreams`, which stands around the whole response. The `finally` of
the generator that makes the events would not do: it may never run (sse-starlette#156).
"""

import logging
import random
from contextlib import ExitStack
from types import TracebackType

import anyio
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ..log import STREAMS, line
from .admission import Refused
from .connection import STALLED
from .paths import path_of
from .problems import refusal
from .state import AppState, state_of

_LOG = logging.getLogger(STREAMS)
_OPENED = "trickle.opened"  # in a request's scope: what is to be closed with it
_BACK_S = (2, 6)  # when who was refused may ask again; different for each, so that an audience spreads


class OpenStream:
    """What is known of a stream while it is open; whoever sends it keeps this up to date."""

    def __init__(self, scope: Scope, state: AppState, lanes: int) -> None:
        self._scope, self._state, self._lanes = scope, state, lanes
        self._began = anyio.current_time()
        self.tokens = 0  # sent on this connection
        self.late_us = 0  # of the latest of them
        self.ended = ""  # "finished", "failed" or "cut"; as long as it is none of these, the stream was broken off

    def __enter__(self) -> None:
        self._state.metrics.active.inc()

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        ended = self.ended or self._why_broken_off(exc)
        told = line(
            path=path_of(self._scope),
            lanes=self._lanes,
            tokens=self.tokens,
            duration_ms=round((anyio.current_time() - self._began) * 1000),
            late_ms=self.late_us / 1000,
            ended=ended,
        )
        last = self._state.stopping.is_set() and self._state.admission.active == 1  # its own place
        _LOG.info(told, extra={"ended": ended, "last": last})
        metrics = self._state.metrics
        metrics.active.dec()
        metrics.ended[ended].inc()
        if self.tokens:
            metrics.tokens.inc(self.tokens)
            metrics.late.observe(self.late_us / 1e6)

    def _why_broken_off(self, exc: BaseException | None) -> str:
        if isinstance(exc, TimeoutError) or self._scope.get("state", {}).get(STALLED):
            return "stalled"
        if isinstance(exc, Exception):  # a task that is cancelled raises none of these
            return "error"
        return "shutdown" if self._state.stopping.is_set() else "left"


class ClosesStreams:
    """Pure ASGI around the app: closes with a request what was opened for it, on every way out."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request as ASGI has it."""
        with ExitStack() as scope[_OPENED]:
            await self._app(scope, receive, send)


def open_stream(request: Request, lanes: int) -> OpenStream:
    """Take a place until the answer to this request has been sent. Raises Refused.

    HEAD takes none, but is refused as GET would be: a page whose EventSource can't read a refusal asks that way.
    """
    state = state_of(request)
    client = request.client.host if request.client else ""
    state.admission.check(client)
    opened = OpenStream(request.scope, state, lanes)
    if request.method != "HEAD":
        request.scope[_OPENED].enter_context(state.admission.place(client))
        request.scope[_OPENED].enter_context(opened)
    return opened


def note_refusal(scope: Scope, reason: str) -> None:
    """Log and count that a stream was refused, and why; not for HEAD, which only asks, and may ask often."""
    if scope["method"] != "HEAD":
        scope["app"].state.trickle.metrics.refused[reason].inc()
        _LOG.info(line(path=path_of(scope), ended="refused", reason=reason), extra={"ended": "refused"})


async def refused(request: Request, exc: Exception) -> Response:
    """Answer who gets no place."""
    assert isinstance(exc, Refused)
    note_refusal(request.scope, exc.reason)
    headers = {"Retry-After": str(random.randint(*_BACK_S))}
    return refusal(request.scope, exc.status, str(exc), headers=headers)

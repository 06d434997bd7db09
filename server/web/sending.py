"""How every answer that takes time is sent, whatever is in it."""

from collections.abc import AsyncGenerator

from sse_starlette import EventSourceResponse
from starlette.requests import Request
from starlette.types import Message, Send

from .connection import is_watched
from .state import state_of

HEADERS = {"Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no"}
_SEND_TIMEOUT_S = 15  # for any other server than our launcher's, which drops who stops reading after 10 s
_GRACE_S = 1.5  # streams end by themselves when the server does; one that hasn't by then is cancelled


def streamed(
    request: Request,
    content: AsyncGenerator[bytes, None],
    media_type: str = "text/event-stream",
    keep_alive_s: int = 0,
) -> EventSourceResponse:
    """Leave keep-alives (0 for none), disconnects, slow readers, HEAD and the server's end to the library."""
    response = (_Untimed if is_watched(request.scope) else EventSourceResponse)(
        content,
        headers=HEADERS,
        media_type=media_type,
        ping=keep_alive_s,
        sep="\n",
        send_timeout=_SEND_TIMEOUT_S,
        shutdown_event=state_of(request).stopping,
        shutdown_grace_period=_GRACE_S,
    )
    del response.headers["connection"]  # the library's "keep-alive" contradicts the close that a client asked for
    return response


class _Untimed(EventSourceResponse):
    """Where the connection itself is watched, a time-out around each piece is 10 µs a token for nothing."""

    async def _send_with_timeout(self, send: Send, message: Message) -> None:
        await send(message)

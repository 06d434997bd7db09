"""Security headers on every answer, errors too, as pure ASGI: a wrapper that never holds back a stream."""

from collections.abc import Sequence

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob:",  # blob: for pictures that the page makes itself
        "connect-src 'self'",
        "base-uri 'self'",  # a scene's page lies one folder deeper than what it links to
        "form-action 'self'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
)

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",  # the address holds the visitor's own text
}


class SecurityHeaders:
    """Adds the headers to whatever the app answers; only pages of `embed_origins` may show it in a frame."""

    def __init__(self, app: ASGIApp, embed_origins: Sequence[str] = ()) -> None:
        self._app = app
        ancestors = " ".join(embed_origins) or "'none'"
        self._headers = _HEADERS | {"Content-Security-Policy": f"{_POLICY}; frame-ancestors {ancestors}"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request as ASGI has it."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        await self._app(scope, receive, send_with_headers)

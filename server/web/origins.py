"""Pages of other origins: they get no stream, and can read nothing, unless they are named.

Browsers say where a page comes from; what says nothing is no page, and is let in. Who is named gets the headers of
cross-origin resource sharing (CORS) too, on all that a program may ask for.
"""

from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from .open_stream import note_refusal
from .paths import is_openai, path_of
from .problems import refusal

_DEFAULT_PORTS = {"http": ":80", "https": ":443"}


class Origins:
    """Guards `streams`, and shares these and `others` with the origins that are allowed ("*" for all)."""

    def __init__(
        self, app: ASGIApp, *, allowed: Collection[str], streams: Collection[str], others: Collection[str]
    ) -> None:
        self._app, self._allowed, self._streams = app, allowed, streams
        self._shared = {*streams, *others}
        self._cors = CORSMiddleware(
            self._guarded,
            allow_origins=allowed,
            allow_methods=("GET", "HEAD"),
            allow_headers=("Cache-Control", "Last-Event-ID"),  # what event-stream clients in scripts send
            expose_headers=("Retry-After",),
        )
        self._openai_cors = CORSMiddleware(
            self._guarded,
            allow_origins=allowed,
            allow_methods=("GET", "HEAD", "POST"),
            allow_headers=("*",),  # OpenAI's clients tell much about themselves
            expose_headers=("Retry-After",),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request as ASGI has it."""
        app = self._guarded
        if self._allowed and scope["type"] == "http":
            app = self._openai_cors if is_openai(scope) else self._cors if path_of(scope) in self._shared else app
        await app(scope, receive, send)

    async def _guarded(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and path_of(scope) in self._streams and self._is_foreign(Headers(scope=scope)):
            note_refusal(scope, "origin")
            detail = "A page of another origin may not start streams here, unless --allow-origin names it."
            await refusal(scope, 403, detail)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _is_foreign(self, headers: Headers) -> bool:
        """Tell whether a page of an origin that isn't allowed asks.

        Host and port alone are compared with the Host header: behind a proxy that ends TLS the page's scheme is
        https, and what reaches us is http. Whoever answers there by the other scheme is that proxy itself.
        """
        origin = headers.get("origin")
        if "*" in self._allowed or origin in self._allowed:
            return False
        if origin is None:
            return headers.get("sec-fetch-site") == "cross-site"
        scheme, _, host = origin.partition("://")
        return host != headers.get("host", "").lower().removesuffix(_DEFAULT_PORTS.get(scheme, ""))

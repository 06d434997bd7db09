"""The host names that the server answers to, where some are named.

An attacker's page can have its own name point at this machine once it is loaded (DNS rebinding); to the browser
the two are then one site. Only the Host header still says what it was called.
"""

import re
from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from .problems import refusal

_PORT = re.compile(r":[0-9]*$")


class AllowedHosts:
    """Refuses every request to another host; a host that is named without a port may have any."""

    def __init__(self, app: ASGIApp, hosts: Collection[str]) -> None:
        self._app, self._hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request as ASGI has it."""
        if scope["type"] == "http" and not self._is_named(Headers(scope=scope).get("host", "").lower()):
            scope["app"].state.trickle.metrics.refused["host"].inc()
            await refusal(scope, 421, "This server does not answer to that host name.")(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _is_named(self, host: str) -> bool:
        return host in self._hosts or _PORT.sub("", host) in self._hosts

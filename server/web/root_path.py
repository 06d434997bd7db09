"""The path below which a proxy shows the app, whether the proxy passes it on or takes it off."""

from starlette.datastructures import URL
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send


class BelowRootPath:
    """Gives every request the path that its client asked for, and says how much of it is not the app's own.

    What comes without it is answered too: health checks and scrapes, which need not go through the proxy.
    """

    def __init__(self, app: ASGIApp, root_path: str) -> None:
        self._app, self._root_path = app, root_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request as ASGI has it."""
        app: ASGIApp = self._app
        if scope["type"] == "http":
            if scope["path"] == self._root_path:  # relative to this, every link would lead outside
                app = RedirectResponse(str(URL(path=f"{self._root_path}/", query=scope["query_string"].decode())))
            elif not scope["path"].startswith(f"{self._root_path}/"):
                scope["path"] = self._root_path + scope["path"]
            scope["root_path"] = self._root_path
        await app(scope, receive, send)

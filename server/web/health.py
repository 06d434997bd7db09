"""/healthz: says that the server answers."""

from importlib.metadata import version

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

VERSION = version("token-trickle")


async def healthz(request: Request) -> Response:
    """Answer at once; touches nothing that a stream may hold up."""
    return JSONResponse({"status": "ok", "version": VERSION}, headers={"Cache-Control": "no-store"})

"""How the audience opens the page: its address, and that as a QR code."""

import io
import socket
from dataclasses import dataclass

import segno
from starlette.requests import Request
from starlette.responses import Response

from ..network import is_loopback, network_address
from .state import state_of

_QUIET_ZONE = 4  # modules of white around it, as the standard wants


@dataclass(frozen=True, slots=True)
class Audience:
    """The address to open, and whether nobody but this computer can open it."""

    url: str
    is_loopback: bool


def audience_of(request: Request) -> Audience:
    """Return the address that a request came to, with the machine's own in the place of a loopback one.

    Only a server that listens on every address can be reached by the machine's own; any other is what it is.
    """
    base = request.base_url
    host = base.hostname or ""
    listens = state_of(request).settings.host
    if is_loopback(host) and not is_loopback(listens):
        is_v6 = ":" in listens
        host = network_address(socket.AF_INET6 if is_v6 else socket.AF_INET) or host
        base = base.replace(hostname=f"[{host}]" if ":" in host else host)
    return Audience(str(base), is_loopback(host))


async def qr(request: Request) -> Response:
    """Draw the address as a QR code, dark on light whatever the theme, because that is what cameras read."""
    image = io.BytesIO()
    code = segno.make(audience_of(request).url, error="m", micro=False)
    code.save(image, kind="svg", border=_QUIET_ZONE, omitsize=True, light="#fff", xmldecl=False)
    return Response(image.getvalue(), media_type="image/svg+xml", headers={"Cache-Control": "no-store"})

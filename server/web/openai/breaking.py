"""Breaking a connection off: most clients take an error in good order for success, and a broken one for none."""

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..connection import BREAK_OFF
from ..open_stream import OpenStream


class Breaking:
    """Around a streamed response: ends it in good order only where the stream is finished."""

    def __init__(self, response: ASGIApp, opened: OpenStream) -> None:
        self._response, self._opened = response, opened

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request as ASGI has it."""

        async def send_unless_broken(message: Message) -> None:
            is_end = message["type"] == "http.response.body" and not message.get("more_body")
            if is_end and self._opened.ended != "finished":
                await _break_off(scope)
            else:
                await send(message)

        await self._response(scope, receive, send_unless_broken)


async def _break_off(scope: Scope) -> None:
    """Close the connection, and wait until the library notices: uvicorn would log a return before that as a fault.

    Another server is left to find that nothing ends the answer, for which ASGI has it close the connection too.
    """
    break_off = scope.get("state", {}).get(BREAK_OFF)
    if break_off:
        break_off()
        await anyio.sleep_forever()

"""A server that is a script: each piece of its answer, and when it comes. In memory, and so in virtual time."""

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import anyio
import httpx

from server.measure.wire import Wire

Pieces = Sequence[tuple[float, bytes]]  # ms since the request, in order
SSE = "text/event-stream"


def now_us() -> int:
    """The virtual clock."""
    return round(anyio.current_time() * 1_000_000)


class Script:
    """Answers each request with the next of its replies, in the end always with the last; keeps what was asked."""

    def __init__(self, *replies: Pieces | httpx.Response) -> None:
        self._replies = list(replies)
        self.requests: list[httpx.Request] = []
        self.asked_us: list[int] = []

    def wire(self, key: str = "") -> Wire:
        """A wire to it."""
        return Wire(httpx.AsyncClient(transport=httpx.MockTransport(self._answer)), key, now_us)

    @property
    def bodies(self) -> list[Any]:
        """What was posted."""
        return [json.loads(request.content) for request in self.requests]

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        self.asked_us.append(now_us())
        reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        if isinstance(reply, httpx.Response):
            return reply
        return httpx.Response(200, headers={"Content-Type": f"{SSE}; charset=utf-8"}, content=_body(reply))


async def _body(pieces: Pieces) -> AsyncIterator[bytes]:
    began = anyio.current_time()
    for ms, piece in pieces:
        await anyio.sleep_until(began + ms / 1000)
        yield piece


def event(name: str, **data: Any) -> bytes:
    """An event of Trickle's."""
    return f"event: {name}\ndata: {json.dumps(data)}\n\n".encode()


def chunk(content: str | None = None, finish: str | None = None, **more: Any) -> bytes:
    """A chunk of OpenAI's."""
    choice = {"index": 0, "delta": {} if content is None else {"content": content}, "finish_reason": finish}
    return f"data: {json.dumps({'choices': [choice], **more})}\n\n".encode()


DONE = b"data: [DONE]\n\n"

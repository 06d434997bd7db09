"""The wire: hands over what a server answers, each event with the moment in which it came.

A chunk is stamped as it is received, before anything reads it. A request is made just before it is sent, and has a
connection of its own: all of them cost the same, and the making of it belongs to what a user waits for.
"""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, suppress
from typing import Annotated, Any

import anyio
import httpx
from httpx_sse import EventSource, ServerSentEvent
from pydantic import Field

from ..problem import cut
from . import reasons
from .failure import Failure

# A time as a server tells it. More than eleven days is none; of the largest numbers no µs could be made.
Ms = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]

Take = Callable[[int, ServerSentEvent], bool]  # arrival in µs since the request was made → it was the last

_CONNECT_S = 10  # nothing that is there takes longer
_TOLD_S, _TOLD_BYTES = 10, 2**20  # for what a server says that is no stream
_SHOWN = 500  # characters of a reason


class Refusal(Failure):
    """An answer with another status than 200."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__("refused", reason)
        self.status = status


def open_client(timeout_s: float) -> httpx.AsyncClient:
    """Make a client that gives up after so long without a byte."""
    return httpx.AsyncClient(
        timeout=httpx.Timeout(timeout_s, connect=min(timeout_s, _CONNECT_S)),
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=0),
        headers={"Accept-Encoding": "identity"},  # compression would hold tokens back
    )


def now_us() -> int:
    """The time on a clock that only goes on."""
    return time.perf_counter_ns() // 1000


class Wire:
    """A client, the clock by which it measures, and the key that it must not show."""

    def __init__(self, client: httpx.AsyncClient, key: str = "", now_us: Callable[[], int] = now_us) -> None:
        self._client, self._key, self._now_us = client, key, now_us

    def request(self, method: str, url: httpx.URL, body: object = None) -> httpx.Request:
        """Make a request, which has the key if there is one."""
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else None
        return self._client.build_request(method, url, json=body, headers=headers)

    def shown(self, text: str) -> str:
        """Make what a server said fit for a terminal; some say again what they were sent."""
        text = " ".join(text.split())
        return cut(text.replace(self._key, "…") if self._key else text, _SHOWN)

    async def events(self, request: httpx.Request, take: Take) -> None:
        """Hand over each event of a stream until the last one or the end. Raises Failure."""
        made_us = self._now_us()
        response = await self._send(request)
        try:
            if response.status_code != 200:
                told = reasons.of_refusal(response, await _told(response))
                raise Refusal(response.status_code, self.shown(told))
            if (kind := reasons.content_type(response)) != "text/event-stream":
                raise Failure("not a stream", f"the server answers {self.shown(kind)}, not text/event-stream")
            response.stream = stamped = _Stamped(response.stream, self._now_us)
            async with aclosing(EventSource(response).aiter_sse()) as events:
                async for event in events:
                    if event.data and take(stamped.latest_us - made_us, event):
                        return
        except httpx.TimeoutException:
            raise self._silence() from None
        except httpx.TransportError as exc:
            raise Failure("cut", f"the connection broke: {self.shown(reasons.of_system(exc))}") from None
        except httpx.DecodingError as exc:
            raise Failure("not a stream", self.shown(str(exc))) from None
        finally:
            await response.aclose()

    async def json(self, url: httpx.URL) -> tuple[int, Any, str]:
        """Get what is no stream; return its status, its content (None if it isn't JSON), and its reason."""
        response = await self._send(self.request("GET", url))
        try:
            told = await _told(response)
        finally:
            await response.aclose()
        return response.status_code, reasons.parsed(told), self.shown(reasons.of_refusal(response, told))

    async def _send(self, request: httpx.Request) -> httpx.Response:
        try:
            return await self._client.send(request, stream=True)
        except httpx.ConnectTimeout:
            raise Failure("timed out", f"no connection within {self._client.timeout.connect:g} s") from None
        except httpx.TimeoutException:
            raise self._silence() from None
        except httpx.TransportError as exc:
            raise Failure("refused", self.shown(reasons.of_system(exc))) from None

    def _silence(self) -> Failure:
        return Failure("timed out", f"nothing came for {self._client.timeout.read:g} s")


class _Stamped(httpx.AsyncByteStream, AsyncIterator[bytes]):
    """A body that remembers when its latest chunk came, which its reader has before the next is asked for."""

    def __init__(self, body: Any, now_us: Callable[[], int]) -> None:
        self._body, self._chunks, self._now_us = body, aiter(body), now_us
        self.latest_us = 0

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        chunk: bytes = await anext(self._chunks)
        self.latest_us = self._now_us()
        return chunk

    async def aclose(self) -> None:
        """Close what it reads."""
        await self._body.aclose()


async def _told(response: httpx.Response) -> bytes:
    """Read what is no stream: so much of it, and not for ever."""
    told = bytearray()
    with anyio.move_on_after(_TOLD_S), suppress(httpx.HTTPError):
        async for chunk in response.aiter_bytes():
            told += chunk
            if len(told) > _TOLD_BYTES:
                break
    return bytes(told[:_TOLD_BYTES])

"""Asks the app over ASGI in virtual time, and notes when each of its messages left.

httpx would hold back a stream until its end, and a real server has a real clock. Here time passes only while every
task waits, so a test can say at which microsecond a token is sent.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import anyio
from starlette.applications import Starlette
from starlette.types import Message

from tests.sse import Event, Parser

EPOCH_US = 1_764_000_000_000_000
FOREVER_MS = float("inf")
PARKED_S = 3_600  # of virtual time, which is over in an instant: no run lasts so long, so it will never end


class Wall:
    """The wall clock of a server: µs since the epoch, passing with the virtual clock; a test may set it."""

    def __init__(self) -> None:
        self._zero_us = EPOCH_US

    def __call__(self) -> int:
        return self._zero_us + round(anyio.current_time() * 1e6)

    def set(self, us: int) -> None:
        """Let it be `us` now."""
        self._zero_us = us - round(anyio.current_time() * 1e6)


@dataclass
class Answer:
    """What the app sent, each message with the virtual ms since the request, exact to the µs."""

    messages: list[tuple[float, Message]] = field(default_factory=list)

    @property
    def status(self) -> int:
        return int(self.messages[0][1]["status"])

    @property
    def headers(self) -> dict[str, str]:
        """By name in small letters."""
        return {name.decode().lower(): value.decode() for name, value in self.messages[0][1]["headers"]}

    @property
    def chunks(self) -> list[tuple[float, bytes]]:
        """Each piece of the body that isn't empty."""
        return [(ms, message["body"]) for ms, message in self.messages[1:] if message.get("body")]

    @property
    def body(self) -> bytes:
        return b"".join(body for _, body in self.chunks)

    @property
    def ended_ms(self) -> float | None:
        """When the body ended in good order; None if it never did."""
        ms, last = self.messages[-1]
        ended = last["type"] == "http.response.body" and not last.get("more_body", False)
        return ms if ended else None

    def json(self) -> Any:
        return json.loads(self.body)

    @cached_property
    def events(self) -> list[tuple[float, Event]]:
        """The body as a stream of events, each with the time of the message that completes it."""
        parser = Parser()
        return [(ms, event) for ms, body in self.chunks for event in parser.feed(body)]

    def named(self, name: str) -> list[Any]:
        """The data of each event of that name."""
        return [event.json for _, event in self.events if event.name == name]

    @property
    def names(self) -> list[str]:
        return [event.name for _, event in self.events]

    @property
    def last_id(self) -> str:
        """What a client that got all of this would resume with."""
        return self.events[-1][1].last_id


async def ask(
    app: Starlette,
    url: str,
    *,
    method: str = "GET",
    body: bytes = b"",
    body_ends: bool = True,
    headers: Mapping[str, str | None] | None = None,
    client: str | None = "127.0.0.1",
    root_path: str = "",
    state: Mapping[str, Any] | None = None,
    leave_ms: float | None = None,
    stop_ms: float | None = None,
    hold_ms: Mapping[int, float] | None = None,
    on_send: Callable[[], None] = lambda: None,
    answer: Answer | None = None,
) -> Answer:
    """Send a request and wait until the app has done with it. `headers` may replace Host, or leave it out (None).

    What comes of a body that never ends is `body`.

    The client leaves after `leave_ms`; the server begins to stop after `stop_ms`; sending message k (the head is
    message 0) takes `hold_ms[k]`, but no longer than the client is there; FOREVER_MS is one that reads no more.
    `state` is what the server tells of the connection.
    `on_send` is called with each message. Pass an `answer` to have it where the app raises.
    """
    answer = answer or Answer()
    zero = anyio.current_time()
    body_is_read, left = False, anyio.Event()

    async def receive() -> Message:
        nonlocal body_is_read
        if not body_is_read:
            body_is_read = True
            return {"type": "http.request", "body": body, "more_body": not body_ends}
        await left.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:  # must not await by itself, or it would yield in the app's stead
        number = len(answer.messages)
        answer.messages.append((round((anyio.current_time() - zero) * 1e6) / 1e3, message))
        on_send()
        if hold_ms and number in hold_ms:
            with anyio.move_on_after(hold_ms[number] / 1e3):
                await left.wait()

    async def after(ms: float | None, do: Callable[[], None]) -> None:
        if ms is not None:
            await anyio.sleep_until(zero + ms / 1e3)
            do()

    path, _, query = url.partition("?")
    sent = {"Host": "test"} | dict(headers or {})
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": root_path,
        "query_string": query.encode(),
        "headers": [(name.lower().encode(), value.encode()) for name, value in sent.items() if value is not None],
        "client": client and (client, 50_000),
        "server": ("test", 80),
        "state": dict(state or {}),
    }
    with anyio.fail_after(PARKED_S):
        async with anyio.create_task_group() as group:
            group.start_soon(after, leave_ms, left.set)
            group.start_soon(after, stop_ms, app.state.trickle.stopping.set)
            await app(scope, receive, send)
            group.cancel_scope.cancel()
    return answer

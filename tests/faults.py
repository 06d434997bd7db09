"""A TCP proxy that does to connections what networks, proxies and closing laptops do.

It knows nothing of HTTP: what happens to a connection is said in bytes. It runs in a thread of its own, so that
tests may block.
"""

import asyncio
import math
import socket
import struct
import threading
from asyncio import StreamReader, StreamWriter
from collections import deque
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

_READ = 65_536
_NOT_THERE = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"  # as proxies say it

Address = tuple[str, int]


@dataclass(frozen=True)
class Way:
    """What happens to the bytes of a connection in one direction, from the first one or right `after` a text."""

    after: bytes = b""
    delay_s: float = 0  # before each read is passed on
    bytes_per_s: float = math.inf
    pieces_of: int = _READ
    hold: int = 0  # kept back until there are so many, or the end; then all goes on as it comes
    swallow: bool = False  # nothing more arrives, and nothing says so: a cable that was pulled, Wi-Fi out of reach
    cut: int | bytes | None = None  # both directions end before this byte, or before the first byte of this text
    reset: bool = False  # …with RST instead of FIN


CLEAR = Way()


class Proxy:
    """A proxy that is listening. Connections go to its `servers` in turn, which a test may replace."""

    host = "127.0.0.1"

    def __init__(self, servers: Sequence[Address]) -> None:
        self.servers = servers
        self.request = self.answer = CLEAR  # for connections without a script, also those that are open already
        self.port = 0
        self.connections = 0  # so far
        self._scripts: deque[tuple[Way, Way]] = deque()
        self._open: set[StreamWriter] = set()

    def script(self, *, request: Way = CLEAR, answer: Way = CLEAR) -> None:
        """Say what happens to the next connection that has no script yet."""
        self._scripts.append((request, answer))

    def way(self, script: tuple[Way, Way] | None) -> tuple[Way, Way]:
        """Return what happens now to the request and the answer of a connection."""
        return script or (self.request, self.answer)

    def cut(self) -> None:
        """Break all connections off."""
        self._loop.call_soon_threadsafe(self._cut)

    def _cut(self) -> None:
        for writer in self._open:
            _end(writer)

    def stop(self) -> None:
        """End `run`."""
        self._loop.call_soon_threadsafe(self._stopping.set)

    async def run(self, listening: threading.Event) -> None:
        """Serve until it is stopped, and set the event when connections are accepted."""
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._connected, self.host, backlog=1_000)
        self.port = server.sockets[0].getsockname()[1]
        listening.set()
        await self._stopping.wait()
        server.close()
        self._cut()
        if still_open := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(still_open)

    async def _connected(self, reader: StreamReader, writer: StreamWriter) -> None:
        script = self._scripts.popleft() if self._scripts else None
        server = self.servers[self.connections % len(self.servers)]
        self.connections += 1
        try:
            from_server, to_server = await asyncio.open_connection(*server)
        except ConnectionError:
            writer.write(_NOT_THERE)
            _end(writer)
            return
        ends = {writer, to_server}
        self._open |= ends
        request = _Direction(reader, to_server, lambda: self.way(script)[0])
        answer = _Direction(from_server, writer, lambda: self.way(script)[1])
        reset = False
        try:
            reset = await _first_of(request.run(), answer.run())
        finally:
            self._open -= ends
            for end in ends:
                _end(end, reset)


class _Direction:
    """One direction of a connection. What happens to it is asked for with each read, because it may change."""

    def __init__(self, reader: StreamReader, writer: StreamWriter, way: Callable[[], Way]) -> None:
        self._reader, self._writer, self._ask = reader, writer, way
        self._begin(way())

    def _begin(self, way: Way) -> None:
        self._way = way
        self._began = False
        self._seen = self._held = b""  # since the connection or this way began

    async def run(self) -> bool:
        """Pass on what comes until one end or the way ends it; return whether that is a reset."""
        while data := await self._reader.read(_READ):
            if self._ask() is not self._way:
                self._begin(self._ask())
            before, data = self._parted(data)
            await self._write(before)
            place = self._cut_in(data)
            if not self._way.swallow:
                await self._pass_on(data[:place])
            if place is not None:
                return self._way.reset
        await self._write(self._held)
        return False

    def _parted(self, data: bytes) -> tuple[bytes, bytes]:
        """Return what comes before the way begins, and what comes then."""
        if self._began:
            return b"", data
        before = len(self._seen)
        self._seen += data
        found = self._seen.find(self._way.after)
        if found < 0:
            return data, b""
        self._began, self._seen = True, b""
        place = max(found + len(self._way.after) - before, 0)
        return data[:place], data[place:]

    def _cut_in(self, data: bytes) -> int | None:
        """Return where in these bytes the connection ends, if it does."""
        before = len(self._seen)
        self._seen += data
        cut = self._way.cut
        place = self._seen.find(cut) if isinstance(cut, bytes) else cut
        ends = self._began and place is not None and 0 <= place <= len(self._seen)
        return max(place - before, 0) if ends and place is not None else None

    async def _pass_on(self, data: bytes) -> None:
        self._held += data
        if len(self._seen) < self._way.hold:
            return
        data, self._held = self._held, b""
        if data:
            await asyncio.sleep(self._way.delay_s)
        a_piece = int(min(self._way.pieces_of, max(self._way.bytes_per_s / 50, 1)))
        for start in range(0, len(data), a_piece):
            piece = data[start : start + a_piece]
            await self._write(piece)
            await asyncio.sleep(len(piece) / self._way.bytes_per_s)

    async def _write(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()


async def _first_of(*directions: Coroutine[Any, Any, bool]) -> bool:
    """Return what the direction that ends first returns; the other one ends with it."""
    tasks = [asyncio.ensure_future(direction) for direction in directions]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        with suppress(ConnectionError):
            return any(task.result() for task in done)
        return False
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _end(writer: StreamWriter, reset: bool = False) -> None:
    """End a connection: what was written still arrives, unless it is reset."""
    if reset:
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
    else:
        writer.close()


@contextmanager
def faulty(*servers: Address) -> Iterator[Proxy]:
    """A proxy in front of one or several servers."""
    proxy, listening = Proxy(servers), threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(proxy.run(listening)))
    thread.start()
    assert listening.wait(10)
    try:
        yield proxy
    finally:
        proxy.stop()
        thread.join()

"""Reads many streams in a process of its own, and says when each token arrived.

One thread on epoll: while streams run it only stamps and keeps what it receives, and takes that apart afterwards.
So the client is not what is measured, which `Load.cpu_share` and the floor tell.
"""

import gc
import re
import resource
import select
import socket
import time
from bisect import bisect_left
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import accumulate
from multiprocessing import get_context

from tests.process import Server

PIECE = 65_536
SILENCE_S = 30.0  # of all streams; then those that are open count as lost
TOKENS = re.compile(rb"tokens:(\d+)")
TOKEN = re.compile(
    rb'"i": ?(\d+), ?"text": ?"(?:[^"\\]|\\.)*", ?"due_ms": ?([\d.]+)(?:, ?"sent_ms": ?([\d.]+))?\}'
)


@dataclass(frozen=True)
class Ask:
    """One request: after how many seconds, and for what."""

    path: str
    after_s: float = 0


@dataclass(frozen=True)
class Received:
    """One answer; times in ms, arrivals since the request was sent, sent and due by the server's own clock."""

    whole: bool  # was sent to its end, with status 200
    expected: int  # tokens
    numbers: tuple[int, ...]
    due: tuple[float, ...]
    arrived: tuple[float, ...]
    sent: tuple[float, ...]  # empty where the server does not tell

    @property
    def late(self) -> list[float]:
        return [arrived - due for arrived, due in zip(self.arrived, self.due, strict=True)]

    @property
    def sent_late(self) -> list[float]:
        return [sent - due for sent, due in zip(self.sent, self.due[: len(self.sent)], strict=True)]

    @property
    def lost(self) -> int:
        return self.expected - len(set(self.numbers))

    @property
    def early(self) -> int:
        return sum(min(late) < 0 for late in zip(self.late, self.sent_late or self.late, strict=True))


@dataclass(frozen=True)
class Load:
    """What a client's process received, and how much of a core that took while streams were open."""

    received: Sequence[Received]
    took_s: float
    cpu_share: float


@dataclass
class _Connection:
    """One request on its way; times in ns."""

    ask: Ask
    socket: socket.socket
    asked: int
    pieces: list[bytes] = field(default_factory=list)
    stamps: list[int] = field(default_factory=list)
    ended: bool = False


class Client:
    """A process that asks when it is told to; kept for many loads, so that starting it costs none of them."""

    def __init__(self) -> None:
        self._pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"))

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._pool.shutdown()

    def load(self, server: Server, asks: Sequence[Ask]) -> Load:
        """Ask, and return when all answers are whole, or nothing has come for long."""
        return self._pool.submit(receive, (server.host, server.port), asks).result()


def at_once(streams: int, tokens: int, delay_ms: float, over_s: float = 0) -> list[Ask]:
    """Ask for so many streams at the same moment, or evenly over some seconds."""
    path = f"/stream?lane=tokens:{tokens},delay_ms:{delay_ms:g}"
    return [Ask(path, over_s * number / streams) for number in range(streams)]


def receive(address: tuple[str, int], asks: Sequence[Ask]) -> Load:
    """Send each request when its time has come, and read all answers to their ends."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    gc.collect()
    gc.disable()
    cpu, began = time.process_time(), time.monotonic()
    connections = _received(address, sorted(asks, key=lambda ask: ask.after_s))
    cpu_s, took_s = time.process_time() - cpu, time.monotonic() - began
    gc.enable()
    return Load([_taken_apart(connection) for connection in connections], took_s, cpu_s / took_s)


def _received(address: tuple[str, int], asks: Sequence[Ask]) -> list[_Connection]:
    poll = select.epoll()
    began = time.monotonic()
    asked: list[_Connection] = []
    reading: dict[int, _Connection] = {}
    while len(asked) < len(asks) or reading:
        wait_s = SILENCE_S
        if len(asked) < len(asks):
            wait_s = max(0.0, began + asks[len(asked)].after_s - time.monotonic())
            if not wait_s:
                connection = _asked(address, asks[len(asked)])
                asked.append(connection)
                reading[connection.socket.fileno()] = connection
                poll.register(connection.socket, select.EPOLLIN)
        ready = poll.poll(wait_s)
        if not ready and wait_s == SILENCE_S:
            break
        for number, _ in ready:
            connection = reading[number]
            piece = connection.socket.recv(PIECE)
            if piece:
                connection.stamps.append(time.monotonic_ns())
                connection.pieces.append(piece)
            else:
                del reading[number]
                connection.ended = True
                connection.socket.close()
    for connection in reading.values():
        connection.socket.close()
    poll.close()
    return asked


def _asked(address: tuple[str, int], ask: Ask) -> _Connection:
    connection = socket.create_connection(address)
    request = f"GET {ask.path} HTTP/1.1\r\nHost: {address[0]}\r\nConnection: close\r\n\r\n".encode()
    asked = time.monotonic_ns()
    connection.sendall(request)
    return _Connection(ask, connection, asked)


def _taken_apart(connection: _Connection) -> Received:
    """Find the tokens; each arrived with the piece that its last byte was in."""
    body = b"".join(connection.pieces)
    ends = list(accumulate(map(len, connection.pieces)))
    tokens = list(TOKEN.finditer(body))
    stamps = [connection.stamps[bisect_left(ends, token.end())] for token in tokens]
    wanted = TOKENS.search(connection.ask.path.encode()) if connection.ask.path.startswith("/stream") else None
    return Received(
        whole=connection.ended and body.startswith(b"HTTP/1.1 200"),
        expected=int(wanted[1]) if wanted else 0,
        numbers=tuple(int(token[1]) for token in tokens),
        due=tuple(float(token[2]) for token in tokens),
        arrived=tuple((stamp - connection.asked) / 1e6 for stamp in stamps),
        sent=tuple(float(token[3]) for token in tokens if token[3]),
    )

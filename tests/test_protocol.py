"""Connections over real sockets, in this process: what the protocol class does to a client that holds one up.

The loop's clock can be put forward, so that nothing waits for seconds to pass.
"""

import asyncio
import gc
import json
import socket
import struct
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakSet

import anyio
import pytest
from uvicorn.server import ServerState

from server import launch
from server.protocol import HEAD_BYTES, Protocol
from server.settings import Settings
from server.web.metrics import Metrics
from tests.metrics import read
from tests.process import PATIENCE_S

HEAD = b"GET /healthz HTTP/1.1\r\nHost: test\r\n"


class Loop(asyncio.SelectorEventLoop):
    """asyncio's own, with a clock that can be put forward."""

    ahead_s = 0.0

    def time(self) -> float:
        return super().time() + self.ahead_s


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {"loop_factory": Loop}


async def pass_time(seconds: float) -> None:
    """Let time pass, and all that then falls due happen."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, Loop)
    loop.ahead_s += seconds
    for _ in range(3):
        await anyio.lowlevel.checkpoint()


@dataclass
class Client:
    """One connection."""

    reader: StreamReader
    writer: StreamWriter

    async def send(self, data: bytes) -> None:
        """Send, and wait until the server has read it."""
        before = Watched.received
        self.writer.write(data)
        with anyio.fail_after(PATIENCE_S):
            while Watched.received < before + len(data):
                await anyio.lowlevel.checkpoint()

    async def answer(self) -> bytes:
        """All that comes until the server closes."""
        with anyio.fail_after(PATIENCE_S):
            return await self.reader.read()

    def ended(self) -> bool:
        return self.reader.at_eof()


class Watched(Protocol):
    """Notes what it receives, when its client stops reading, and when its connection is lost."""

    received = 0
    most_at_once = 0
    busy_s = 0.0  # that the server is with others, before it begins to answer what came
    alive: WeakSet[Protocol]
    paused: anyio.Event
    lost: anyio.Event
    latest: "Watched"

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        Watched.alive.add(self)

    def data_received(self, data: bytes) -> None:
        try:
            super().data_received(data)
        finally:
            Watched.received += len(data)
            Watched.most_at_once = max(Watched.most_at_once, len(data))
            assert isinstance(self.loop, Loop)
            self.loop.ahead_s += Watched.busy_s

    def pause_writing(self) -> None:
        super().pause_writing()
        Watched.latest = self
        self.paused.set()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.lost.set()


@dataclass
class Served:
    """A server in this process."""

    address: tuple[str, int]
    state: ServerState
    metrics: Metrics
    clients: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def connect(self) -> Client:
        reader, writer = await asyncio.open_connection(*self.address)
        self.clients.callback(writer.close)
        return Client(reader, writer)

    def sockets(self) -> float:
        """How many connections are open, as /metrics has it."""
        return read(self.metrics.text().decode())["trickle_open_sockets"]


@asynccontextmanager
async def serving(send_buffer: int | None = None) -> AsyncIterator[Served]:
    config = launch.uvicorn_config(Settings())
    config.load()
    state = ServerState()
    Watched.paused, Watched.lost, Watched.alive = anyio.Event(), anyio.Event(), WeakSet()
    loop = asyncio.get_running_loop()
    listening = socket.create_server(("127.0.0.1", 0))
    if send_buffer:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer)
    server = await loop.create_server(lambda: Watched(config, state, {}, loop), sock=listening)
    served = Served(listening.getsockname(), state, config.loaded_app.state.trickle.metrics)
    with closing(server):
        async with served.clients:
            yield served
        with anyio.fail_after(PATIENCE_S):
            while state.tasks or state.connections:
                await anyio.lowlevel.checkpoint()
    assert served.sockets() == 0


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    async with serving() as served:
        yield served


def check_refused(answer: bytes, status: int) -> None:
    head, body = answer.split(b"\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ".encode())
    assert b"content-type: application/problem+json" in head
    assert b"connection: close" in head.lower()
    assert json.loads(body)["status"] == status


# A request's head


async def test_a_client_that_says_nothing_is_closed_after_10_s_without_a_word(served: Served) -> None:
    client = await served.connect()
    await pass_time(9.9)
    assert served.sockets() == 1
    await pass_time(0.2)
    assert await client.answer() == b""


@pytest.mark.parametrize("sent", [b"G", b"GET / HTTP/1.1\r\n", HEAD, HEAD + b"X: " + b"x" * 60_000])
async def test_a_client_that_does_not_finish_its_head_is_told_so_after_10_s(served: Served, sent: bytes) -> None:
    client = await served.connect()
    await client.send(sent)
    await pass_time(9.9)
    assert served.sockets() == 1
    await pass_time(0.2)
    check_refused(await client.answer(), 408)


async def test_a_byte_now_and_then_gains_a_client_nothing(served: Served) -> None:
    client = await served.connect()
    for byte in b"GET / HTTP":
        await client.send(bytes([byte]))
        await pass_time(0.99)
    await pass_time(0.2)
    check_refused(await client.answer(), 408)


async def test_a_head_that_is_whole_in_time_is_answered(served: Served) -> None:
    client = await served.connect()
    await client.send(HEAD)
    await pass_time(9.9)
    await client.send(b"Connection: close\r\n\r\n")
    await pass_time(9.9)
    assert (await client.answer()).startswith(b"HTTP/1.1 200 ")


# A request's body


def posting(size: int) -> bytes:
    return f"POST /v1/completions HTTP/1.1\r\nHost: test\r\nContent-Length: {size}\r\n\r\n".encode()


@pytest.mark.parametrize("sent", [b"", b"{", b"{" + b" " * 100_000])
async def test_a_client_that_does_not_finish_its_body_is_told_so_after_10_s_and_closed(
    served: Served, sent: bytes
) -> None:
    client = await served.connect()
    await client.send(posting(200_000) + sent)
    await pass_time(0)
    await pass_time(9.9)
    assert served.sockets() == 1
    await pass_time(0.2)
    answer = await client.answer()
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"connection: close" in answer.lower()


async def test_a_client_whose_body_is_too_large_can_read_why(served: Served) -> None:
    """Closed at once, what it still sends would destroy the answer."""
    client = await served.connect()
    await client.send(posting(5_000_000) + b"x" * 5_000_000)
    with anyio.fail_after(PATIENCE_S):
        assert (await client.reader.readline()).startswith(b"HTTP/1.1 413 ")


async def test_however_finely_a_body_is_cut_others_have_their_turn_between(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """asyncio would read 256 KiB in one go; of the shortest chunks they take seconds."""
    monkeypatch.setattr(Watched, "most_at_once", 0)
    client = await served.connect()
    head = posting(0).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
    await client.send(head + b"1\r\n \r\n" * 10_000 + b"0\r\n\r\n")
    assert (await answered(client)).startswith(b"HTTP/1.1 400 ")
    assert Watched.most_at_once <= 4_096


async def answered(client: Client) -> bytes:
    """One answer on a connection that stays open."""
    with anyio.fail_after(PATIENCE_S):
        return await client.reader.readuntil(b"}")


async def test_a_further_request_has_10_s_too(served: Served) -> None:
    client = await served.connect()
    for _ in range(3):
        await client.send(HEAD)
        await pass_time(9.9)
        await client.send(b"\r\n")
        assert (await answered(client)).startswith(b"HTTP/1.1 200 ")
    await client.send(HEAD)
    await pass_time(9.9)
    assert served.sockets() == 1
    await pass_time(0.2)
    check_refused(await client.answer(), 408)


async def test_a_connection_that_is_idle_after_an_answer_is_closed_as_ever(served: Served) -> None:
    client = await served.connect()
    await client.send(HEAD + b"\r\n")
    await answered(client)
    await pass_time(4.9)
    assert served.sockets() == 1
    await pass_time(0.2)
    assert await client.answer() == b""


@pytest.mark.parametrize("reset", [True, False])
async def test_nothing_is_left_of_a_client_that_closes_after_its_answer(served: Served, reset: bool) -> None:
    """A thousand resets a second would else hold 40 MB."""
    client = await served.connect()
    await client.send(HEAD + b"\r\n")
    await answered(client)
    assert len(Watched.alive) == 1
    if reset:
        client.writer.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
        )
    client.writer.close()
    with anyio.fail_after(PATIENCE_S):
        await Watched.lost.wait()
    gc.collect()
    assert len(Watched.alive) == 0


async def test_a_body_that_never_ends_holds_no_socket_after_its_answer(served: Served) -> None:
    """uvicorn's own patience ends with the first byte after the answer."""
    client = await served.connect()
    await client.send(b"POST /healthz HTTP/1.1\r\nHost: test\r\nContent-Length: 1000000\r\n\r\n")
    assert (await answered(client)).startswith(b"HTTP/1.1 405 ")
    await client.send(b"x")
    await pass_time(9.9)
    await client.send(b"x")
    await pass_time(0.2)
    assert await client.answer() == b""


async def stream(client: Client, query: str, head: str = "") -> None:
    """Ask for a stream, and wait until it has begun."""
    await client.send(f"GET /stream?{query} HTTP/1.1\r\nHost: test\r\n{head}\r\n".encode())
    with anyio.fail_after(PATIENCE_S):
        await client.reader.readuntil(b"event: start")


@pytest.mark.parametrize("meanwhile", [b"", b"G", HEAD + b"\r\n"])
async def test_a_running_stream_keeps_every_token_however_long_it_takes_and_whatever_is_sent_meanwhile(
    served: Served, meanwhile: bytes
) -> None:
    client = await served.connect()
    await stream(client, "lane=tokens:40,ttft_ms:30000,delay_ms:1")
    await client.send(meanwhile)
    for _ in range(4):
        await pass_time(8)
    with anyio.fail_after(PATIENCE_S):
        streamed = await client.reader.readuntil(b"event: done\n")
    assert streamed.count(b"event: token\n") == 40


@pytest.mark.parametrize("size", [HEAD_BYTES + 5_000, 1_000_000])
@pytest.mark.parametrize(
    ("begin", "filling"), [(HEAD + b"X: ", b"x"), (HEAD, b"A: b\r\n"), (b"GET /", b"x"), (b"", b"x")]
)
async def test_a_head_that_is_too_long_is_refused(served: Served, begin: bytes, filling: bytes, size: int) -> None:
    client = await served.connect()
    client.writer.write(begin + filling * (size // len(filling)))
    check_refused(await client.answer(), 431)


async def test_a_head_that_is_too_long_is_refused_also_where_all_of_it_is_here_at_once(served: Served) -> None:
    client = await served.connect()
    await client.send(b"G")
    (connection,) = Watched.alive
    connection.data_received(HEAD[1:] + b"X: " + b"x" * 200_000 + b"\r\n\r\n")  # asyncio reads 256 KiB in one go
    check_refused(await client.answer(), 431)


async def test_a_long_head_within_the_limit_is_answered(served: Served) -> None:
    client = await served.connect()
    head = HEAD + b"Connection: close\r\nX: "
    client.writer.write(head + b"x" * (HEAD_BYTES - len(head) - 4) + b"\r\n\r\n")
    assert (await client.answer()).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("sent", [b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\r\n\r\n"])
async def test_what_is_no_http_is_refused_with_a_problem_document(served: Served, sent: bytes) -> None:
    client = await served.connect()
    await client.send(sent)
    check_refused(await client.answer(), 400)


async def test_a_request_whose_body_could_be_taken_for_another_request_is_refused(served: Served) -> None:
    """A proxy in front may go by the one of the two, and we by the other."""
    client = await served.connect()
    framings = b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n"
    await client.send(HEAD.replace(b"GET", b"POST") + framings + b"0\r\n\r\n" + HEAD + b"\r\n")
    check_refused(await client.answer(), 400)


async def test_who_is_refused_and_goes_on_sending_is_cut_off_after_2_s(served: Served) -> None:
    client = await served.connect()
    await client.send(b"x" * 100_000)
    await pass_time(1.9)
    await client.send(b"x" * 100_000)
    assert served.sockets() == 1
    await pass_time(0.2)
    assert served.sockets() == 0


async def test_nonsense_in_the_middle_of_a_stream_ends_it_without_an_error(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    client = await served.connect()
    await stream(client, "lane=ttft_ms:60000", "Transfer-Encoding: chunked\r\n")
    await client.send(b"nonsense\r\n")
    assert b"HTTP/1.1" not in await client.answer()
    assert caplog.records == []


async def test_the_end_of_the_server_waits_for_nobody_who_says_nothing_or_was_refused(
    served: Served,
) -> None:
    clients = [await served.connect() for _ in range(3)]
    await clients[1].send(HEAD)
    await clients[2].send(b"x" * 100_000)
    for connection in list(served.state.connections):
        connection.shutdown()
    for client in clients:
        await client.answer()
    assert served.state.connections == set()


async def test_two_hundred_silent_and_half_sent_clients_keep_nobody_out_and_are_closed(
    served: Served,
) -> None:
    clients = [await served.connect() for _ in range(200)]
    for number, client in enumerate(clients):
        client.writer.write(HEAD[: number % len(HEAD)])
    newcomer = await served.connect()
    await newcomer.send(HEAD + b"Connection: close\r\n\r\n")
    assert (await newcomer.answer()).startswith(b"HTTP/1.1 200 ")
    assert served.sockets() == 200
    await pass_time(10)
    await asyncio.gather(*(client.answer() for client in clients))


# When a run begins


async def first_token(client: Client) -> dict[str, float]:
    """When the next first token of a stream was due and sent."""
    with anyio.fail_after(PATIENCE_S):
        while b'"i":0,' not in (line := await client.reader.readline()):
            pass
    token: dict[str, float] = json.loads(line.removeprefix(b"data: "))
    return token


async def test_a_run_counts_from_its_request_however_long_the_server_was_with_others(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Watched, "busy_s", 5)
    client = await served.connect()
    await stream(client, "lane=tokens:2,delay_ms:10")
    assert (await first_token(client))["sent_ms"] >= 5_000


async def test_a_request_that_came_before_it_was_its_turn_counts_from_its_turn(served: Served) -> None:
    client = await served.connect()
    await stream(client, "lane=tokens:1,ttft_ms:30000")
    await client.send(HEAD.replace(b"/healthz", b"/stream?lane=tokens:1,ttft_ms:20000") + b"\r\n")
    for _ in range(4):
        await pass_time(8)
    assert (await first_token(client))["sent_ms"] >= 30_000
    with anyio.fail_after(PATIENCE_S):
        await client.reader.readuntil(b"event: start")
    await pass_time(20)
    token = await first_token(client)
    assert 20_000 <= token["sent_ms"] < 30_000


async def test_a_request_whose_body_comes_slowly_counts_from_the_last_of_it(served: Served) -> None:
    body = b'{"model":"trickle:tokens=1,delay_ms=1","prompt":"","stream":true,"trickle":true}'
    client = await served.connect()
    head = f"POST /v1/completions HTTP/1.1\r\nHost: test\r\nContent-Length: {len(body)}\r\n\r\n"
    await client.send(head.encode() + body[:20])
    await pass_time(8)
    await client.send(body[20:])
    with anyio.fail_after(PATIENCE_S):
        await client.reader.readuntil(b'"sent_ms":')
        sent_ms = (await client.reader.readuntil(b"}")).rstrip(b"}")
    assert float(sent_ms) < 8_000


# A client that does not read


FOUR_LANES = "?" + "&".join(["lane=tokens:10000,delay_ms:0"] * 4)


@asynccontextmanager
async def client_that_does_not_read(path: str) -> AsyncIterator[socket.socket]:
    """Ask, and wait until the server's buffers are full."""
    async with serving(send_buffer=4_096) as served:  # so that little fills it
        with socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            client.connect(served.address)
            client.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
            with anyio.fail_after(PATIENCE_S):
                await Watched.paused.wait()
                yield client
                await Watched.lost.wait()


@pytest.mark.parametrize(
    ("path", "stalled"), [("/stream" + FOUR_LANES, 1), ("/plan" + FOUR_LANES, 0), ("/plan?lane=tokens:5000", 0)]
)
async def test_a_client_that_stops_reading_is_dropped_after_10_s(path: str, stalled: int) -> None:
    """Its unread bytes would otherwise hold the socket for ever, also where the answer is over."""
    async with client_that_does_not_read(path):
        await pass_time(9.9)
        assert not Watched.lost.is_set()
        await pass_time(0.2)
    told = read(Watched.latest.app.state.trickle.metrics.text().decode())
    assert told["trickle_streams_ended_total{how=stalled}"] == stalled
    assert told["trickle_streams_ended_total{how=left}"] == 0


async def test_a_client_that_reads_on_in_time_gets_everything() -> None:
    def read_all(client: socket.socket) -> bytes:
        return b"".join(iter(lambda: client.recv(65_536), b""))

    async with client_that_does_not_read("/stream" + FOUR_LANES) as client:
        received = await anyio.to_thread.run_sync(read_all, client)
    assert received.count(b"event: token") == 40_000
    assert received.count(b"event: done") == 1


async def test_a_client_that_does_not_read_does_not_hold_up_the_end_of_the_server() -> None:
    async with client_that_does_not_read("/plan" + FOUR_LANES):
        Watched.latest.shutdown()
        await pass_time(0.9)
        assert not Watched.lost.is_set()  # it may just be slow
        await pass_time(0.2)
        assert Watched.lost.is_set()


async def test_a_client_that_reads_slowly_keeps_its_connection_as_long_as_it_reads() -> None:
    async with client_that_does_not_read("/plan" + FOUR_LANES) as client:
        await pass_time(9)
        client.setblocking(False)
        read = 0
        while read < 20_000:
            with suppress(BlockingIOError):
                read += len(client.recv(20_000 - read))
            await anyio.lowlevel.checkpoint()
        await pass_time(1.1)
        await pass_time(8)
        assert not Watched.lost.is_set()
        await pass_time(2.2)

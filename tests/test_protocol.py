"""One connection over real sockets, in this process: what the protocol class does to a client that holds it up."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing

import anyio
import pytest
import uvicorn

from server import launch, protocol
from server.settings import Settings
from tests.process import PATIENCE_S


class Watched(protocol.Protocol):
    """Notes when its client stops reading, and when its connection is lost."""

    paused: anyio.Event
    lost: anyio.Event
    latest: "Watched"

    def pause_writing(self) -> None:
        super().pause_writing()
        Watched.latest = self
        self.paused.set()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.lost.set()


@asynccontextmanager
async def client_that_does_not_read(path: str) -> AsyncIterator[socket.socket]:
    """Ask for a lot, and wait until the server's buffers are full."""
    config = launch.uvicorn_config(Settings())
    config.load()
    state = uvicorn.server.ServerState()
    Watched.paused, Watched.lost = anyio.Event(), anyio.Event()
    loop = asyncio.get_running_loop()
    listening = socket.create_server(("127.0.0.1", 0))
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_096)  # so that little fills it
    server = await loop.create_server(lambda: Watched(config, state, {}, loop), sock=listening)
    query = "&".join(["lane=tokens:10000,delay_ms:0"] * 4)
    with closing(server), socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        client.connect(listening.getsockname())
        client.sendall(f"GET {path}?{query} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        with anyio.fail_after(PATIENCE_S):
            await Watched.paused.wait()
            yield client
            await Watched.lost.wait()
            while state.tasks:
                await anyio.lowlevel.checkpoint()
    assert state.connections == set()


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize("path", ["/stream", "/plan"])
async def test_a_client_that_stops_reading_is_dropped(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """Its unread bytes would otherwise hold the socket for ever; 10 s in earnest."""
    monkeypatch.setattr(protocol, "_STALLED_S", 0.05)
    async with client_that_does_not_read(path):
        pass


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_client_that_reads_on_in_time_gets_everything() -> None:
    def read_all(client: socket.socket) -> bytes:
        return b"".join(iter(lambda: client.recv(65_536), b""))

    async with client_that_does_not_read("/stream") as client:
        received = await anyio.to_thread.run_sync(read_all, client)
    assert received.count(b"event: token") == 40_000
    assert received.count(b"event: done") == 1


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_client_that_does_not_read_does_not_hold_up_the_end_of_the_server() -> None:
    async with client_that_does_not_read("/plan"):
        Watched.latest.shutdown()

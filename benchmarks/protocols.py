"""What uvicorn's two HTTP parsers cost and let through, beside our own protocol class, which builds on h11.

`python -m benchmarks.protocols`; httptools is needed for this alone: `pip install httptools`.
"""

import functools
import socket
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from benchmarks.soak import client
from benchmarks.survival import FOUR_LANES, unread
from server import launch
from server.protocol import Protocol
from server.settings import Settings
from tests.bad_clients import HEAD, LONG, abort, open_socket, open_streams, request
from tests.process import Server, cpu_s, descriptors, memory, serving, wait_until

PROTOCOLS: dict[str, type | str] = {"ours": Protocol, "h11": "h11", "httptools": "httptools"}
STREAMS, TOKENS, DELAY_MS = 200, 200, 50
HEAD_MB = 20
MEGABYTE = b"x" * 2**20


def serve(name: str) -> None:
    """Serve the app with one of them."""
    settings = Settings(port=0)
    config = launch.uvicorn_config(settings)
    config.http = PROTOCOLS[name]
    launch.serve(config, launch.bind(settings), functools.partial(print, flush=True))


def cost(server: Server) -> str:
    """Hold many streams in another process."""
    before = cpu_s(server)
    with ProcessPoolExecutor(1) as pool:
        received = pool.submit(client, (server.host, server.port), STREAMS, TOKENS, DELAY_MS).result()
    late = sorted(ms for each in received for ms in each.sent_late)
    a_token_us = (cpu_s(server) - before) / (STREAMS * TOKENS) * 1e6
    return f"{a_token_us:.0f} µs of CPU a token, sent late p99 {late[len(late) * 99 // 100]:.1f} ms"


def answer(server: Server, *sent: bytes) -> bytes:
    """Return an answer up to its first event, or what there is when the server closes or is silent for 2 s."""
    received = b""
    with socket.create_connection((server.host, server.port), timeout=2) as connection, suppress(OSError):
        for data in sent:
            connection.sendall(data)
        while b"event: " not in received and (data := connection.recv(2_000)):
            received += data
    return received


def held(server: Server, *clients: socket.socket) -> str:
    """Say which of the clients have a socket that the server still holds."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    ports = [[int(row[column].rpartition(":")[2], 16) for column in (1, 2)] for row in rows if row[9] != "0"]
    is_held = ["held" if [server.port, client.getsockname()[1]] in ports else "closed" for client in clients]
    return "silent {}, stream unread {}, plan unread {}".format(*is_held)


def survived(server: Server) -> str:
    """Have clients leave, break off a thousand times, and say or read nothing for 20 s; then stop it."""
    with open_socket(server, request("/stream" + LONG)) as stream:
        assert stream.recv(1)
    left_at = time.monotonic()
    wait_until(lambda: open_streams(server) == 0)
    left_ms = (time.monotonic() - left_at) * 1000
    before, files = memory(server), descriptors(server)
    abort(server, 1_000)
    wait_until(lambda: open_streams(server) == 0)
    grown, silent = (memory(server) - before) / 2**20, open_socket(server, HEAD)
    clients = [silent, unread(server, "/stream" + FOUR_LANES), unread(server, "/plan" + FOUR_LANES)]
    time.sleep(20)
    held_then = held(server, *clients)
    files = descriptors(server) - files
    assert server.get("/stream" + LONG).read1()
    stopped_at = time.monotonic()
    server.process.terminate()
    server.process.wait()
    gone_s = time.monotonic() - stopped_at
    return (
        f"who left is gone after {left_ms:.0f} ms; 1,000 aborts: memory {grown:+.1f} MB; after 20 s: {held_then}, "
        f"descriptors {files:+}; SIGTERM: gone after {gone_s:.1f} s"
    )


def main() -> None:
    """Measure each that is installed; Trickle itself needs no httptools."""
    for name in PROTOCOLS:
        if name == "httptools" and find_spec(name) is None:
            print("httptools: left out; .venv/bin/pip install httptools, to have it measured too")
            continue
        with serving(command=(sys.executable, "-m", "benchmarks.protocols", name)) as server:
            asked = time.monotonic()
            assert b"event: start" in answer(server, request("/stream?lane=ttft_ms:60000"))
            first_ms = (time.monotonic() - asked) * 1000
            old = answer(server, b"GET /stream?lane=tokens:1 HTTP/1.0\r\n\r\n").lower()
            before = memory(server)
            bomb = answer(server, b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: ", *[MEGABYTE] * HEAD_MB, b"\r\n\r\n")
            grown = (memory(server) - before) / 2**20
            print(
                f"{name}: {cost(server)}; start after {first_ms:.0f} ms; "
                f"HTTP/1.0 {'in chunks' if b'chunked' in old else 'without chunks'}; a head of {HEAD_MB} MB: "
                f"{bomb[9:12].decode() or 'cut off'}, memory {grown:+.1f} MB; {survived(server)}",
                flush=True,
            )


if __name__ == "__main__":
    serve(sys.argv[1]) if sys.argv[1:] else main()

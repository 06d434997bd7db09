"""What uvicorn's two HTTP parsers cost and let through, beside our own protocol class, which builds on h11.

`python -m benchmarks.protocols`; httptools is needed for this alone: `pip install httptools`.
"""

import functools
import socket
import sys
import time
from concurrent.futures import ProcessPoolExecutor

from benchmarks.soak import client
from server import launch
from server.protocol import Protocol
from server.settings import Settings
from tests.process import Server, cpu_s, memory, serving

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
    """Return the first bytes of an answer, or nothing where the server closes or is silent for two seconds."""
    with socket.create_connection((server.host, server.port), timeout=2) as connection:
        try:
            for data in sent:
                connection.sendall(data)
            return connection.recv(2_000)
        except OSError:
            return b""


def main() -> None:
    """Measure each."""
    for name in PROTOCOLS:
        with serving(command=(sys.executable, "-m", "benchmarks.protocols", name)) as server:
            asked = time.monotonic()
            assert server.get("/stream?lane=ttft_ms:60000").read1().startswith(b"event: start")
            first_ms = (time.monotonic() - asked) * 1000
            old = answer(server, b"GET /stream?lane=tokens:1 HTTP/1.0\r\n\r\n").lower()
            before = memory(server)
            bomb = answer(server, b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: ", *[MEGABYTE] * HEAD_MB, b"\r\n\r\n")
            grown = (memory(server) - before) / 2**20
            print(
                f"{name}: {cost(server)}; start after {first_ms:.0f} ms; "
                f"HTTP/1.0 {'in chunks' if b'chunked' in old else 'without chunks'}; a head of {HEAD_MB} MB: "
                f"{bomb[9:12].decode() or 'cut off'}, memory {grown:+.1f} MB",
                flush=True,
            )


if __name__ == "__main__":
    serve(sys.argv[1]) if sys.argv[1:] else main()

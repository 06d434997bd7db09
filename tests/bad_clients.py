"""Bad clients: floods of requests that are broken off, and what tells that nothing is left of them.

The tests say what must hold with them, `benchmarks/survival.py` and `protocols.py` what they cost.
"""

import socket
import struct
import sys

from tests.metrics import told
from tests.process import PATIENCE_S, Server

MEGABYTE = 1024 * 1024
FEW_DESCRIPTORS = ("sh", "-c", 'ulimit -n 64 && exec "$0" -m server "$@"', sys.executable)
HEAD = b"GET /healthz HTTP/1.1\r\nHost: test\r\n"


def open_socket(server: Server, sent: bytes = b"") -> socket.socket:
    client = socket.create_connection((server.host, server.port), timeout=PATIENCE_S)
    client.sendall(sent)
    return client


def request(path: str, method: str = "GET") -> bytes:
    return f"{method} {path} HTTP/1.1\r\nHost: test\r\n\r\n".encode()


LONG = "?lane=tokens:2,delay_ms:10000"
ABORTS = [
    (b"", False),
    (HEAD, False),
    (request("/stream" + LONG), False),
    (request("/stream" + LONG), True),
    (request("/stream?lane=tokens:100,delay_ms:1"), True),
    (request("/stream?lane=tokens:1000,delay_ms:0"), False),
    (request("/plain" + LONG), False),
    (request("/answer" + LONG), False),
    (request("/stream" + LONG, "HEAD"), True),
    (request("/stream?lane=x"), False),
]


def abort(server: Server, count: int) -> None:
    """Break off so many requests of all kinds, before or after their answer begins, half of them with a reset."""
    for number in range(count):
        sent, reads = ABORTS[number % len(ABORTS)]
        with open_socket(server, sent) as client:
            if reads:
                assert client.recv(100)
            if number % 2:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def open_streams(server: Server) -> float:
    return told(server)["trickle_active_streams"]


def at_rest(server: Server) -> bool:
    """Nothing is open but the connection that asks, and those that have asked before."""
    for connection in server.connections:
        connection.close()
    server.connections.clear()
    after = told(server)
    return after["trickle_active_streams"] == 0 and after["trickle_open_sockets"] == 1

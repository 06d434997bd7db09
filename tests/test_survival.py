"""What a server must survive, shown by real processes: floods, bombs, and too few descriptors.

Each is tried with one worker and with two.
"""

import signal
import socket
import struct
import sys
from collections.abc import Iterator

import pytest

from tests.metrics import told
from tests.process import PATIENCE_S, Server, descriptors, events_of, memory, serving, threads, wait_until

WORKERS = ["1", "2"]
MEGABYTE = 1024 * 1024
FEW_DESCRIPTORS = ("sh", "-c", 'ulimit -n 64 && exec "$0" -m server "$@"', sys.executable)
HEAD = b"GET /healthz HTTP/1.1\r\nHost: test\r\n"


@pytest.fixture(params=WORKERS, ids=["one worker", "two workers"])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A server all of whose workers have sent a stream: until then one may not have opened what it needs."""
    with serving("serve", "--workers", request.param) as server:
        wait_until(lambda: len(have_sent(server)) == int(request.param))
        yield server


def have_sent(server: Server) -> set[str]:
    """The workers that have sent a stream, after one more."""
    assert server.get("/stream?lane=tokens:1,delay_ms:0").read()
    return {field for line in server.log() for field in line.split() if field.startswith("pid=")}


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


def test_after_a_thousand_aborts_of_all_kinds_nothing_is_left_of_them(server: Server) -> None:
    abort(server, 200)  # the first ones fill caches, and start a thread that stays
    wait_until(lambda: at_rest(server))
    before = descriptors(server), threads(server), memory(server)
    abort(server, 1_000)
    wait_until(lambda: at_rest(server))
    assert descriptors(server) <= before[0]
    assert threads(server) <= before[1] + 2  # two workers may each start the one that reads files
    assert memory(server) - before[2] < 10 * MEGABYTE
    ended = [count for name, count in told(server).items() if name.startswith("trickle_streams_ended")]
    assert sum(ended) > 500
    server.process.send_signal(signal.SIGTERM)
    server.process.wait(PATIENCE_S)
    assert server.complaints() == ""
    assert len(server.log()) < 200  # of 20 in 10 s and one more, if each worker takes a minute


@pytest.mark.parametrize("workers", WORKERS)
def test_when_every_worker_is_full_streams_are_refused_until_somebody_leaves(workers: str) -> None:
    with serving("serve", "--workers", workers, "--max-streams", "3") as server:
        places = 3 * int(workers)
        wait_until(lambda: server.get("/stream" + LONG).status == 503 and open_streams(server) == places)
        for path in ("/stream", "/plain", "/answer"):
            refused = server.get(path)
            assert refused.status == 503
            assert int(refused.headers["Retry-After"]) > 0
        assert server.get("/healthz").status == 200
        for connection in server.connections:
            connection.close()
        wait_until(lambda: open_streams(server) == 0)
        assert server.get("/stream?lane=tokens:1").status == 200


def test_two_hundred_clients_that_say_little_or_nothing_keep_nobody_out(server: Server) -> None:
    stream = server.get("/stream?lane=tokens:20,delay_ms:10")
    clients = [open_socket(server, HEAD[: number % len(HEAD)]) for number in range(200)]
    assert server.get("/healthz").status == 200
    assert [event.name for _, event in events_of(stream)] == ["start", *["token"] * 20, "finish", "done"]
    for client in clients:
        client.close()


def test_heads_of_a_megabyte_are_refused_and_take_no_memory(server: Server) -> None:
    def bomb() -> bytes:
        client = open_socket(server, HEAD + b"X: ")
        clients.append(client)
        client.sendall(b"x" * MEGABYTE)
        return client.recv(12)

    clients: list[socket.socket] = []
    assert bomb() == b"HTTP/1.1 431"
    before = memory(server)
    assert [bomb() for _ in range(50)] == [b"HTTP/1.1 431"] * 50
    assert memory(server) - before < 20 * MEGABYTE
    for client in clients:
        client.close()


@pytest.mark.parametrize("workers", WORKERS)
def test_with_64_descriptors_it_says_so_streams_go_on_and_it_answers_afterwards(workers: str) -> None:
    with serving("serve", "--workers", workers, command=FEW_DESCRIPTORS) as server:
        stream = server.get("/stream?lane=tokens:100,delay_ms:10")
        clients = [open_socket(server) for _ in range(200)]
        assert [event.name for _, event in events_of(stream)] == ["start", *["token"] * 100, "finish", "done"]
        for client in clients:
            client.close()
        wait_until(lambda: server.get("/healthz").status == 200)
        wait_until(lambda: at_rest(server))
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(PATIENCE_S)
        (sentence,) = server.complaints().splitlines()
        assert "64" in sentence
        assert "--max-streams 500" in sentence

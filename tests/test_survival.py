"""What a server must survive, shown by real processes: floods, bombs, and too few descriptors.

Each is tried with one worker and with two.
"""

import signal
import socket
from collections.abc import Iterator

import pytest

from tests.bad_clients import (
    FEW_DESCRIPTORS,
    HEAD,
    LONG,
    MEGABYTE,
    abort,
    at_rest,
    open_socket,
    open_streams,
)
from tests.metrics import told
from tests.process import PATIENCE_S, Server, descriptors, events_of, memory, serving, threads, wait_until

WORKERS = ["1", "2"]


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

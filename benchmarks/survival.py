"""What bad actors cost: aborts, long heads, slow readers, half-sent requests, few descriptors; and how it ends.

`python -m benchmarks.survival` takes about a minute. What must hold is tested; these are the figures.
"""

import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from tests.bad_clients import (
    FEW_DESCRIPTORS,
    HEAD,
    LONG,
    MEGABYTE,
    abort,
    at_rest,
    open_socket,
    request,
)
from tests.process import Server, descriptors, events_of, memory, serving, threads, wait_until

FOUR_LANES = "?" + "&".join(["lane=tokens:10000,delay_ms:0"] * 4)  # a stream of 6 MB
HALF_A_BODY = b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n" + b" " * 500_000
SMALL_WINDOW = 4_096
GIVE_UP_S = 60


@contextmanager
def rested() -> Iterator[Server]:
    """A server that has its caches filled, and what nobody else holds open."""
    with serving("serve") as server:
        abort(server, 200)
        wait_until(lambda: at_rest(server))
        yield server


def answer_ms(server: Server) -> float:
    """How long a newcomer waits for the health check."""
    asked = time.monotonic()
    assert server.get("/healthz").read()
    return (time.monotonic() - asked) * 1000


def grown_mb(server: Server, before: int) -> str:
    return f"memory {(memory(server) - before) / MEGABYTE:+.1f} MB"


def aborts(server: Server) -> str:
    """Break off a thousand requests, each in one of ten ways."""
    before, files, running = memory(server), descriptors(server), threads(server)
    abort(server, 1_000)
    wait_until(lambda: at_rest(server))
    files, running = descriptors(server) - files, threads(server) - running
    return f"1,000 aborts: {grown_mb(server, before)}, descriptors {files:+}, threads {running:+}, no stream open"


def long_heads(server: Server) -> str:
    """Send fifty heads of a megabyte, and keep the connections."""
    before = memory(server)
    with ExitStack() as clients:
        for _ in range(50):
            client = clients.enter_context(open_socket(server, HEAD + b"X: "))
            client.sendall(b"x" * MEGABYTE)
            assert client.recv(12) == b"HTTP/1.1 431"
        return f"50 heads of 1 MB: {grown_mb(server, before)}, health check {answer_ms(server):.0f} ms"


def held_up(server: Server, clients: int, what: str, ask: Callable[[], socket.socket]) -> str:
    """Let so many clients stop in the middle, and see what they cost until the server has dropped the last."""
    before = most = memory(server)
    waited_ms = 0.0
    began = time.monotonic()
    with ExitStack() as stopped:
        for _ in range(clients):
            stopped.enter_context(ask())
        while not at_rest(server) and time.monotonic() - began < GIVE_UP_S:
            waited_ms, most = max(waited_ms, answer_ms(server)), max(most, memory(server))
            time.sleep(0.1)
        seconds, grown = time.monotonic() - began, (most - before) / MEGABYTE
    figures = f"memory at most {grown:+.1f} MB, health check at most {waited_ms:.0f} ms"
    return f"{clients} {what}: {figures}, all dropped after {seconds:.0f} s"


def unread(server: Server, path: str) -> socket.socket:
    """Ask, and read nothing."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL_WINDOW)
    client.connect((server.host, server.port))
    client.sendall(request(path))
    return client


def half_a_body(server: Server) -> socket.socket:
    """Send what the buffers take."""
    client = open_socket(server)
    client.setblocking(False)
    client.send(HALF_A_BODY)
    return client


def few_descriptors() -> str:
    """Take all of 64 descriptors while a stream goes on."""
    with serving("serve", command=FEW_DESCRIPTORS) as server, ExitStack() as clients:
        stream = events_of(server.get("/stream?lane=tokens:100,delay_ms:10"))
        for _ in range(200):
            clients.enter_context(open_socket(server))
        late = [event.json["sent_ms"] - event.json["due_ms"] for _, event in stream if event.name == "token"]
        whole = f"{len(late)} of 100 tokens, late at most {max(late):.0f} ms"
        return f"64 descriptors and 200 clients: {whole}, {len(server.complaints().splitlines())} line on stderr"


def end(number: signal.Signals, workers: str) -> str:
    """Stop a server in a gap of ten seconds."""
    with serving("serve", "--workers", workers) as server:
        streams = [server.get("/stream" + LONG) for _ in range(20)]
        asked = time.monotonic()
        server.process.send_signal(number)
        code = server.process.wait()
        seconds = time.monotonic() - asked
        why = sum(b"shutdown" in stream.read() for stream in streams)
        gone = f"{number.name}, --workers {workers}: gone after {seconds:.2f} s ({code})"
        return f"{gone}, {why} of 20 streams told why"


def main() -> None:
    """Measure each."""
    with rested() as server:
        print(aborts(server), flush=True)
        print(long_heads(server), flush=True)
        stream = "/stream" + FOUR_LANES
        print(held_up(server, 50, "that read nothing of 6 MB", lambda: unread(server, stream)), flush=True)
        print(held_up(server, 200, "half-sent heads", lambda: open_socket(server, HEAD)), flush=True)
        print(held_up(server, 200, "half-sent bodies of 1 MB", lambda: half_a_body(server)), flush=True)
    print(few_descriptors(), flush=True)
    for number in (signal.SIGTERM, signal.SIGINT):
        for workers in ("1", "2"):
            print(end(number, workers), flush=True)


if __name__ == "__main__":
    main()
